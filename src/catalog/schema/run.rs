//! What is remembered while one value is judged by many schemas.
//!
//! A keyword of the engine gets the value and nothing else, so this stands beside the call stack, in the thread. It
//! begins empty with each value and ends with it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::source::SchemaId;
use super::violation::{SchemaError, Violation};

/// An answer is kept where it took this many schemas. Without that, a value as deep as `n` would be judged 2^n times
/// by a schema that asks for the same member in two alternatives; keeping every answer would cost more than it saves.
const WORTH_KEEPING: usize = 16;

thread_local! {
    static RUN: RefCell<Run> = RefCell::default();
}

/// What a schema says of a value, which is the same in memory as long as it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Question {
    schema: SchemaId,
    value: usize,
}

#[derive(Debug, Default)]
pub(super) struct Run {
    /// The questions under way, the outermost first, and how many there may be.
    open: Vec<Question>,
    most_open: usize,
    /// How many were asked, and how many of them were under way already.
    asked: usize,
    circles: usize,
    valid: HashMap<Question, bool>,
    violations: HashMap<Question, Arc<[Violation]>>,
    outcome: Outcome,
}

/// What there is to say of a whole run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// A schema could not be used.
    pub(super) error: Option<SchemaError>,
    /// More questions were under way than there may be, so that the answer is none.
    pub(super) is_too_deep: bool,
    /// A schema said no, but a pattern of it may have been given up, in which case nobody knows.
    pub(super) is_doubtful: bool,
}

/// Judges one value, with so many questions under way at most: each takes its part of the stack.
pub(super) fn judge<T>(most_open: usize, judge: impl FnOnce() -> T) -> (T, Outcome) {
    /// Puts back what was there, also when a panic passes.
    struct Before(Option<Run>);
    impl Drop for Before {
        fn drop(&mut self) {
            RUN.set(self.0.take().unwrap_or_default());
        }
    }
    let before = Before(Some(RUN.replace(Run { most_open, ..Run::default() })));
    let judged = judge();
    let outcome = RUN.with_borrow_mut(|run| std::mem::take(&mut run.outcome));
    drop(before);
    (judged, outcome)
}

/// Notes that a schema cannot be used, so that its answer counts for nothing, whatever is made of it.
pub(super) fn fail(error: &SchemaError) {
    RUN.with_borrow_mut(|run| {
        run.outcome.error.get_or_insert_with(|| error.clone());
    });
}

/// Notes that a schema may be wrong to say no.
pub(super) fn doubt() {
    RUN.with_borrow_mut(|run| run.outcome.is_doubtful = true);
}

/// An answer that may be kept.
pub(super) trait Answer: Clone + Sized {
    /// The answer to a question that is asked while it is under way: it adds nothing.
    fn in_circle() -> Self;

    fn kept(run: &mut Run) -> &mut HashMap<Question, Self>;
}

impl Answer for bool {
    fn in_circle() -> Self {
        true
    }

    fn kept(run: &mut Run) -> &mut HashMap<Question, Self> {
        &mut run.valid
    }
}

impl Answer for Arc<[Violation]> {
    fn in_circle() -> Self {
        [].into()
    }

    fn kept(run: &mut Run) -> &mut HashMap<Question, Self> {
        &mut run.violations
    }
}

/// A question under way.
#[must_use]
pub(super) struct Open {
    question: Question,
    /// Whether the value stays where it is; property names are values for a moment only.
    is_lasting: bool,
    asked: usize,
    circles: usize,
}

/// Asks `schema` about `value`, unless the answer is known.
pub(super) fn begin<A: Answer>(schema: SchemaId, value: &Value) -> Result<Open, A> {
    let question = Question { schema, value: std::ptr::from_ref(value).addr() };
    RUN.with_borrow_mut(|run| {
        if let Some(answer) = A::kept(run).get(&question) {
            return Err(answer.clone());
        }
        // What is being judged only gets smaller, so the questions about this very value are the last ones.
        let mut about_value = run.open.iter().rev().take_while(|open| open.value == question.value);
        if about_value.any(|open| *open == question) {
            run.circles += 1;
            return Err(A::in_circle());
        }
        if run.open.len() >= run.most_open {
            run.outcome.is_too_deep = true;
            return Err(A::in_circle());
        }
        run.open.push(question);
        run.asked += 1;
        let is_lasting = value.is_object() || value.is_array();
        Ok(Open { question, is_lasting, asked: run.asked, circles: run.circles })
    })
}

impl Open {
    /// The answer, which is kept where that is worth it. One with a circle in it holds within that circle only.
    pub(super) fn end<A: Answer>(self, answer: A) -> A {
        RUN.with_borrow_mut(|run| {
            run.open.pop();
            let is_costly = run.asked - self.asked >= WORTH_KEEPING;
            if self.is_lasting && is_costly && run.circles == self.circles {
                A::kept(run).insert(self.question, answer.clone());
            }
        });
        answer
    }
}
