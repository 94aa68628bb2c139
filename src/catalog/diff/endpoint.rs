//! Two contracts of one endpoint.

use std::collections::BTreeSet;

use super::change::{ContractChange, Effect, Judgement};
use super::schema::{Difference, differences};
use crate::catalog::{
    Argument, Content, Endpoint, HttpPlan, Part, ReplySpec, Schema, SchemeUse, Security, StatusMatch, Support,
};

/// Every change from one contract to the other, what is sent first; empty where they are the same.
///
/// A part whose fingerprint differs has at least one change, even where nobody can say what it means. Header fields of replies
/// and discriminators are not compared: beside other changes of the part a change of theirs is not told.
pub fn compare(before: &Endpoint, after: &Endpoint) -> Vec<ContractChange> {
    let mut changes = Changes::default();
    changes.request(before, after);
    changes.replies(before, after);
    changes.security(before, after);
    changes.rest(before, after);
    changes.0.sort_by_key(|change| (change.part, change.judgement));
    changes.0
}

#[derive(Default)]
struct Changes(Vec<ContractChange>);

impl Changes {
    fn tell(
        &mut self,
        part: Part,
        place: impl Into<String>,
        rule: &'static str,
        judgement: Judgement,
        message: &str,
    ) {
        let place = place.into();
        self.0.push(ContractChange { part, place, rule, judgement, message: message.to_owned() });
    }

    fn schemas(&mut self, part: Part, place: &str, before: Option<&Schema>, after: Option<&Schema>) {
        for Difference { pointer, rule, effect, what } in differences(before, after) {
            let judgement = Effect::judged(effect, part);
            self.0.push(ContractChange {
                part,
                place: format!("{place}{pointer}"),
                rule,
                judgement,
                message: what,
            });
        }
    }

    fn request(&mut self, before: &Endpoint, after: &Endpoint) {
        let part = Part::Request;
        for argument in &before.arguments {
            match after.argument(&argument.name) {
                Some(now) => self.argument(argument, now),
                None => {
                    let message = "the argument is not there any more";
                    self.tell(part, &*argument.name, "argument_removed", Judgement::Breaking, message);
                }
            }
        }
        for argument in after.arguments.iter().filter(|argument| before.argument(&argument.name).is_none()) {
            let (rule, judgement, message) = if argument.required {
                ("argument_required_added", Judgement::Breaking, "a required argument is new")
            } else {
                ("argument_added", Judgement::Compatible, "an argument is new, and may be left out")
            };
            self.tell(part, &*argument.name, rule, judgement, message);
        }
        self.schemas(part, "", before.arguments_schema.as_ref(), after.arguments_schema.as_ref());
        if let (Some(before), Some(after)) = (before.http(), after.http()) {
            self.wire(before, after);
        }
    }

    fn argument(&mut self, before: &Argument, after: &Argument) {
        let (part, place) = (Part::Request, &*before.name);
        match (before.required, after.required) {
            (false, true) => {
                self.tell(part, place, "argument_required", Judgement::Breaking, "it is required now");
            }
            (true, false) => {
                self.tell(part, place, "argument_optional", Judgement::Compatible, "it may be left out now");
            }
            _ => {}
        }
        match (&before.support, &after.support) {
            (Support::Supported, Support::Unsupported(why)) => {
                self.tell(
                    part,
                    place,
                    "argument_unsupported",
                    Judgement::Breaking,
                    &format!("it cannot be sent: {why}"),
                );
            }
            (Support::Unsupported(_), Support::Supported) => {
                self.tell(part, place, "argument_supported", Judgement::Compatible, "it can be sent now");
            }
            _ => {}
        }
        self.schemas(part, place, before.schema.as_ref(), after.schema.as_ref());
    }

    /// How arguments become a request: the caller's call stays the same, and what is sent does not.
    fn wire(&mut self, before: &HttpPlan, after: &HttpPlan) {
        let part = Part::Request;
        if before.method != after.method {
            let message = format!("the method was {} and is {}", before.method, after.method);
            self.tell(part, "", "method_changed", Judgement::Breaking, &message);
        }
        if before.template != after.template {
            let message = format!("the path was {} and is {}", before.template, after.template);
            self.tell(part, "", "path_changed", Judgement::Undecided, &message);
        }
        if before.fixed_query != after.fixed_query {
            self.tell(
                part,
                "",
                "fixed_query_changed",
                Judgement::Undecided,
                "the query of the path is another",
            );
        }
        let message = "it is sent in another form";
        for parameter in &before.parameters {
            let now = after.parameters.iter().find(|now| now.argument == parameter.argument);
            let form = |of: &crate::catalog::Parameter| (of.name.clone(), of.location, of.style);
            if now.is_some_and(|now| form(now) != form(parameter)) {
                self.tell(part, &*parameter.argument, "wire_form_changed", Judgement::Undecided, message);
            }
        }
        if let (Some(before), Some(after)) = (&before.body, &after.body)
            && (before.media_type != after.media_type || before.format != after.format)
        {
            self.tell(part, "body", "wire_form_changed", Judgement::Undecided, message);
        }
    }

    fn replies(&mut self, before: &Endpoint, after: &Endpoint) {
        let part = Part::Reply;
        let of = |endpoint: &Endpoint, status: StatusMatch| {
            endpoint.replies.all().iter().find(|spec| spec.status == status).cloned()
        };
        let statuses =
            |endpoint: &Endpoint| endpoint.replies.all().iter().map(|spec| spec.status).collect::<Vec<_>>();
        let all: BTreeSet<StatusMatch> = statuses(before).into_iter().chain(statuses(after)).collect();
        for status in all {
            let place = match before.http() {
                Some(_) => status.to_string(),
                None => String::new(),
            };
            match (of(before, status), of(after, status)) {
                (Some(was), Some(is)) => self.reply(&place, &was, &is),
                // What a wider declaration covers was, or is, declared.
                (Some(was), None) => match covering(after, status) {
                    Some(is) => self.reply(&place, &was, &is),
                    None => {
                        let message = "the status is not declared any more";
                        self.tell(part, place, "status_removed", Judgement::Undecided, message);
                    }
                },
                (None, Some(is)) => match covering(before, status) {
                    Some(was) => self.reply(&place, &was, &is),
                    // A caller tells failures by their status, declared or not; a success of another kind is new to it.
                    None if is_failure(status) => {
                        let message = "a failure is declared that was not";
                        self.tell(part, place, "status_added", Judgement::Compatible, message);
                    }
                    None => {
                        let message = "the status is declared now";
                        self.tell(part, place, "status_added", Judgement::Undecided, message);
                    }
                },
                (None, None) => {}
            }
        }
    }

    fn reply(&mut self, status: &str, before: &ReplySpec, after: &ReplySpec) {
        let part = Part::Reply;
        let named = |content: &Content| match status {
            "" => String::new(),
            status => format!("{status} {} ", content.media_type),
        };
        let of =
            |spec: &ReplySpec, media: &str| spec.content.iter().find(|one| one.media_type == media).cloned();
        for content in before.content.iter() {
            match of(after, &content.media_type) {
                Some(now) => {
                    self.schemas(part, &named(content), content.schema.as_ref(), now.schema.as_ref());
                }
                None => {
                    let message = "the media type is not declared any more";
                    self.tell(
                        part,
                        named(content).trim_end(),
                        "media_type_removed",
                        Judgement::Undecided,
                        message,
                    );
                }
            }
        }
        for content in after.content.iter().filter(|content| of(before, &content.media_type).is_none()) {
            let message = "the media type is declared now";
            self.tell(part, named(content).trim_end(), "media_type_added", Judgement::Undecided, message);
        }
    }

    fn security(&mut self, before: &Endpoint, after: &Endpoint) {
        let (Some(before), Some(after)) = (before.http(), after.http()) else { return };
        let alternatives = |security: &Security| match security {
            Security::Undeclared | Security::Public => vec![Vec::new()],
            Security::Alternatives(all) => all.to_vec(),
        };
        let (was, is) = (alternatives(&before.security), alternatives(&after.security));
        let part = Part::Security;
        // Whoever has all that an alternative demands has all that a part of it demands.
        let is_within =
            |one: &Vec<SchemeUse>, other: &Vec<SchemeUse>| one.iter().all(|scheme| other.contains(scheme));
        if was.iter().any(|was| !is.iter().any(|is| is_within(is, was))) {
            let message = "a proof of identity that was enough is not any more";
            self.tell(part, "", "security_narrowed", Judgement::Breaking, message);
        }
        if is.iter().any(|is| !was.iter().any(|was| is_within(was, is))) {
            let message = "a proof of identity that was not enough is now";
            self.tell(part, "", "security_widened", Judgement::Compatible, message);
        }
    }

    /// What has changed by its fingerprint has changed, even where it is nothing that is looked at here.
    fn rest(&mut self, before: &Endpoint, after: &Endpoint) {
        for part in Part::CONTRACT {
            let differs = part.of(&before.fingerprints) != part.of(&after.fingerprints);
            if differs && self.0.iter().all(|change| change.part != part) {
                self.tell(part, "", "other", Judgement::Undecided, "something else has changed");
            }
        }
    }
}

const fn is_failure(status: StatusMatch) -> bool {
    match status {
        StatusMatch::Exact(status) => status >= 400,
        StatusMatch::Range(digit) => digit >= 4,
        StatusMatch::Default => false,
    }
}

/// The declaration that a status falls under where it has none of its own.
fn covering(endpoint: &Endpoint, status: StatusMatch) -> Option<ReplySpec> {
    let wider: &[StatusMatch] = match status {
        StatusMatch::Exact(status) => match u8::try_from(status / 100) {
            Ok(digit) => &[StatusMatch::Range(digit), StatusMatch::Default],
            Err(_) => &[StatusMatch::Default],
        },
        StatusMatch::Range(_) => &[StatusMatch::Default],
        StatusMatch::Default => &[],
    };
    wider.iter().find_map(|wider| endpoint.replies.all().iter().find(|spec| spec.status == *wider)).cloned()
}
