//! Schemas that judge for each other: each is compiled once, when a value first meets it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::Value;

use super::bundle::Bundle;
use super::engine::{Component, Patterns, Validator};
use super::source::{Direction, SchemaId, SchemaSource};
use super::violation::{SchemaError, Violation, told};
use super::{run, text};

/// How many schemas may wait for each other's answer on whatever stack there is. Each takes a kilobyte or two, without
/// optimisation up to five.
const QUESTIONS_HERE: usize = 128;

/// How many may on a large stack, which a value gets that needs it. Parsers allow 128 levels, so this is for values that
/// were built.
const MOST_QUESTIONS: usize = 5_000;

/// The large stack, in bytes; only what is used of it takes memory.
const LARGE_STACK: usize = 128 << 20;

/// A source, and what was compiled of it.
#[derive(Debug)]
pub struct Schemas {
    source: Arc<dyn SchemaSource>,
    requests: Arc<Table>,
    replies: Arc<Table>,
    patterns: Patterns,
    /// Whether every pattern of the source is a regular expression.
    is_sound: OnceLock<bool>,
}

impl Schemas {
    /// The schemas of `source`; nothing is compiled yet.
    pub fn new(source: Arc<dyn SchemaSource>) -> Arc<Self> {
        let patterns = Patterns::default();
        let table = |direction| Table::new(&source, direction, &patterns);
        let (requests, replies) = (table(Direction::Request), table(Direction::Reply));
        Arc::new(Self { source, requests, replies, patterns, is_sound: OnceLock::new() })
    }

    /// Where the schemas come from.
    pub fn source(&self) -> &Arc<dyn SchemaSource> {
        &self.source
    }

    /// Makes sure that a schema can be used, with everything that it reaches.
    ///
    /// The source makes sure that all of it can be read. What is reached is compiled later, and a pattern that is no regular expression is all that could be wrong with
    /// it: sources see to the rest. So the patterns of the source are tried, once; and only where one is wrong are
    /// the schemas looked at that this one reaches.
    pub(super) fn prepare(&self, id: SchemaId, direction: Direction) -> Result<(), SchemaError> {
        self.source.hold()?;
        let slot = self.table(direction).slot(id);
        slot.compiled()?;
        let is_sound = match self.is_sound.get() {
            Some(is_sound) => *is_sound,
            None => {
                let patterns = self.source.patterns()?;
                *self.is_sound.get_or_init(|| patterns.iter().all(|pattern| self.patterns.is_usable(pattern)))
            }
        };
        if is_sound { Ok(()) } else { slot.everything_reached() }
    }

    pub(super) fn violations(
        &self,
        id: SchemaId,
        direction: Direction,
        value: &Value,
    ) -> Result<Vec<Violation>, SchemaError> {
        let slot = self.table(direction).slot(id);
        slot.compiled()?;
        if let Some(violations) = slot.judge(value, QUESTIONS_HERE)? {
            return Ok(violations);
        }
        let violations = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(LARGE_STACK);
            let judging = thread.spawn_scoped(scope, || slot.judge(value, MOST_QUESTIONS)).ok()?;
            Some(judging.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let too_deep = || SchemaError::new("the value is nested too deeply");
        violations.unwrap_or(Ok(None))?.ok_or_else(too_deep)
    }

    fn table(&self, direction: Direction) -> &Table {
        match direction {
            Direction::Request => &self.requests,
            Direction::Reply => &self.replies,
        }
    }
}

/// The schemas of one direction. It owns them; what they are compiled to refers to them weakly, so that recursive
/// schemas do not keep each other alive.
#[derive(Debug)]
struct Table {
    source: Arc<dyn SchemaSource>,
    direction: Direction,
    patterns: Patterns,
    slots: Mutex<HashMap<SchemaId, Arc<Slot>>>,
    itself: Weak<Table>,
}

impl Table {
    fn new(source: &Arc<dyn SchemaSource>, direction: Direction, patterns: &Patterns) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            source: Arc::clone(source),
            direction,
            patterns: patterns.clone(),
            slots: Mutex::default(),
            itself: itself.clone(),
        })
    }

    fn slot(&self, id: SchemaId) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(id).or_insert_with(|| {
            let (validator, complete, reached) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
            Arc::new(Slot { id, table: self.itself.clone(), compiled: validator, complete, reached })
        });
        Arc::clone(slot)
    }
}

/// A schema and what was compiled of it.
#[derive(Debug)]
struct Slot {
    id: SchemaId,
    table: Weak<Table>,
    compiled: OnceLock<Result<Compiled, SchemaError>>,
    /// With everything it reaches in it: rare, and large.
    complete: OnceLock<Result<Validator, SchemaError>>,
    /// Whether everything it reaches can be used, where that is in question.
    reached: OnceLock<Result<(), SchemaError>>,
}

#[derive(Debug)]
struct Compiled {
    validator: Validator,
    may_give_up: bool,
}

impl Slot {
    fn table(&self) -> Result<Arc<Table>, SchemaError> {
        self.table.upgrade().ok_or_else(|| SchemaError::new("its source is gone"))
    }

    fn compiled(&self) -> Result<&Compiled, SchemaError> {
        if let Some(known) = self.compiled.get() {
            return known.as_ref().map_err(Clone::clone);
        }
        match self.compile() {
            // It may be read another time.
            Err(error) if error.is_unreadable() => Err(error),
            new => self.compiled.get_or_init(|| new).as_ref().map_err(Clone::clone),
        }
    }

    /// What was compiled; `None` where that failed, which the run is told.
    fn usable(&self) -> Option<&Compiled> {
        self.compiled().inspect_err(run::fail).ok()
    }

    fn compile(&self) -> Result<Compiled, SchemaError> {
        let table = self.table()?;
        let text = text::write(table.source.as_ref(), self.id, table.direction)?;
        let weak = self.table.clone();
        let component = move |id| {
            let component: Weak<dyn Component> = Arc::downgrade(&weak.upgrade()?.slot(id)) as _;
            Some(component)
        };
        let validator = Validator::sharing(&text.schema, &table.patterns, component)?;
        Ok(Compiled { validator, may_give_up: text.may_give_up })
    }

    /// The ways in which a value breaks this schema; `None` where more questions are under way than there may be.
    fn judge(&self, value: &Value, most_open: usize) -> Result<Option<Vec<Violation>>, SchemaError> {
        let judge = || told(self.is_valid(value), || self.violations(value).to_vec());
        let (violations, outcome) = run::judge(most_open, judge);
        if let Some(error) = outcome.error {
            return Err(error);
        }
        if outcome.is_too_deep {
            return Ok(None);
        }
        if !outcome.is_doubtful {
            return Ok(Some(violations));
        }
        // Whether a pattern was given up inside another schema, and what follows from that, only a validator knows
        // that has everything in it.
        let complete = self.complete()?;
        Ok(Some(told(complete.is_valid(value), || complete.violations(value))))
    }

    fn complete(&self) -> Result<&Validator, SchemaError> {
        let complete = self.complete.get_or_init(|| {
            let table = self.table()?;
            let bundle = Bundle::of(table.source.as_ref(), &[self.id], table.direction)?;
            Validator::complete(&bundle.into_document())
        });
        complete.as_ref().map_err(Clone::clone)
    }

    fn everything_reached(&self) -> Result<(), SchemaError> {
        let reached = self.reached.get_or_init(|| {
            let table = self.table()?;
            let (mut seen, mut pending) = (HashSet::from([self.id]), vec![self.id]);
            while let Some(id) = pending.pop() {
                if let Err(SchemaError { rule, .. }) = table.slot(id).compiled() {
                    return Err(SchemaError::new(format!("{rule} of `{}`", table.source.name(id)?)));
                }
                let references = text::references(table.source.as_ref(), id, table.direction)?;
                pending.extend(references.into_iter().filter(|id| seen.insert(*id)));
            }
            Ok(())
        });
        reached.clone()
    }
}

impl Component for Slot {
    fn is_valid(&self, value: &Value) -> bool {
        let Some(compiled) = self.usable() else { return false };
        let question = match run::begin(self.id, value) {
            Ok(question) => question,
            Err(known) => return known,
        };
        let is_valid = compiled.validator.is_valid(value);
        if !is_valid && compiled.may_give_up {
            run::doubt();
        }
        question.end(is_valid)
    }

    fn violations(&self, value: &Value) -> Arc<[Violation]> {
        let Some(compiled) = self.usable() else { return [Violation::unexplained()].into() };
        let question = match run::begin(self.id, value) {
            Ok(question) => question,
            Err(known) => return known,
        };
        let violations: Arc<[Violation]> = compiled.validator.violations(value).into();
        if !violations.is_empty() && compiled.may_give_up {
            run::doubt();
        }
        question.end(violations)
    }
}
