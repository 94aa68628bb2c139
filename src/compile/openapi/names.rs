//! The names of arguments (ruling 13).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::maps::TextSet;
use super::seen::Seen;
use crate::catalog::Location;

/// The name of the body's argument; no parameter has it.
pub(super) const BODY: &str = "body";

/// The argument names of an operation's parameters, in the given order; `None` where the wire names are free, all of
/// them.
///
/// A wire name that is unique stays. Every member of a clash gets its location in front; what still clashes gets
/// `_2` and so on, in the order of location and wire name. So the names do not depend on the order in which the
/// document lists its parameters.
pub(super) fn argument_names(parameters: &[(Location, &str)]) -> Option<Vec<String>> {
    let mut seen = Seen::new();
    // Nearly every operation ends here.
    if parameters.iter().all(|(_, name)| *name != BODY && seen.insert(*name)) {
        return None;
    }
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    order.sort_by_key(|at| (parameters[*at].1, parameters[*at].0));
    let clashes = |place: usize| {
        let name = parameters[order[place]].1;
        let is_same = |other: Option<usize>| other.is_some_and(|other| parameters[order[other]].1 == name);
        name == BODY
            || is_same(place.checked_sub(1))
            || is_same(Some(place + 1).filter(|next| *next < order.len()))
    };
    let clashing: Vec<usize> =
        (0..order.len()).filter(|place| clashes(*place)).map(|place| order[place]).collect();
    let mut wanted: Vec<String> = parameters.iter().map(|(_, name)| (*name).to_owned()).collect();
    for at in clashing {
        let (location, name) = parameters[at];
        wanted[at] = format!("{}_{name}", location.word());
    }

    order.sort_by_key(|at| parameters[*at]);
    // All wanted names are taken from the start: a number must not push a plain name aside.
    let mut taken = Taken::default();
    taken.take(BODY.into());
    for name in &wanted {
        taken.take(name.into());
    }
    let mut given: HashSet<&str> = HashSet::new();
    let mut names = wanted.clone();
    for at in order {
        if !given.insert(&wanted[at]) {
            names[at] = taken.numbered(&wanted[at], '_');
        }
    }
    Some(names)
}

/// Names that are taken, and the next number for each of those that are wanted again.
#[derive(Debug, Default)]
pub(super) struct Taken<'a> {
    names: TextSet<'a>,
    next: HashMap<String, usize>,
}

impl<'a> Taken<'a> {
    /// Takes a name; whether it was free.
    pub(super) fn take(&mut self, name: Cow<'a, str>) -> bool {
        self.names.insert(name)
    }

    /// The first of `name_2`, `name_3`, ... that is free; takes it.
    pub(super) fn numbered(&mut self, name: &str, separator: char) -> String {
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{name}{separator}{next}");
            *next += 1;
            if self.names.insert(candidate.clone().into()) {
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Location::{Cookie, Header, Path, Query};

    fn named(parameters: &[(Location, &str)]) -> String {
        let argument_names = |parameters: &[(Location, &str)]| -> Vec<String> {
            let wire = || parameters.iter().map(|(_, wire)| (*wire).to_owned()).collect();
            argument_names(parameters).unwrap_or_else(wire)
        };
        let names = argument_names(parameters);
        // The same under every rotation and in reverse: names belong to parameters, not to places in a list.
        for turn in 0..parameters.len() {
            let mut turned = parameters.to_vec();
            turned.rotate_left(turn);
            turned.reverse();
            let mut back = argument_names(&turned);
            back.reverse();
            back.rotate_right(turn);
            assert_eq!(back, names);
        }
        names.join(" ")
    }

    #[test]
    fn ruling_13_wire_names_stay_unless_they_clash() {
        assert_eq!(named(&[(Path, "id"), (Query, "limit"), (Header, "X-Req")]), "id limit X-Req");
        assert_eq!(named(&[(Path, "id"), (Query, "id"), (Cookie, "id")]), "path_id query_id cookie_id");
    }

    #[test]
    fn case_031_what_still_clashes_is_numbered_in_location_order() {
        assert_eq!(named(&[(Query, "path_id"), (Path, "id"), (Query, "id")]), "path_id_2 path_id query_id");
        assert_eq!(
            named(&[(Path, "id"), (Query, "id"), (Query, "path_id"), (Query, "path_id_2")]),
            "path_id query_id path_id_3 path_id_2"
        );
    }

    #[test]
    fn ruling_13_body_is_kept_for_the_body() {
        assert_eq!(named(&[(Query, "body")]), "query_body");
        assert_eq!(named(&[(Query, "body"), (Header, "query_body")]), "query_body query_body_2");
    }
}
