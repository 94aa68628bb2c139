//! What a method does to the world (ruling 11; RFC 9110 section 9.2).

use schemarouter_kernel::base::disposition::Effect;

/// A method that a path item may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method {
    /// Its name in a path item.
    pub(super) key: &'static str,
    /// Its name on the wire.
    pub(super) name: &'static str,
    /// What it does; absent where it has no endpoint.
    pub(super) effect: Option<Effect>,
    /// Whether it destroys something.
    pub(super) destructive: bool,
}

const fn method(key: &'static str, name: &'static str, effect: Option<Effect>) -> Method {
    Method { key, name, effect, destructive: false }
}

/// TRACE echoes the request, credentials included, and CONNECT opens a tunnel: neither is a call of an API.
const METHODS: &[Method] = &[
    method("get", "GET", Some(Effect::ReadOnly)),
    method("put", "PUT", Some(Effect::Idempotent)),
    method("post", "POST", Some(Effect::Mutating)),
    Method { destructive: true, ..method("delete", "DELETE", Some(Effect::Idempotent)) },
    method("options", "OPTIONS", Some(Effect::ReadOnly)),
    method("head", "HEAD", Some(Effect::ReadOnly)),
    method("patch", "PATCH", Some(Effect::Mutating)),
    method("trace", "TRACE", None),
    method("query", "QUERY", Some(Effect::ReadOnly)),
    method("connect", "CONNECT", None),
];

/// The method that a member of a path item is for, however it is capitalised.
pub(super) fn method_of(key: &str) -> Option<Method> {
    METHODS.iter().copied().find(|method| method.key.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ruling_11_effects_by_method() {
        let table: Vec<String> = METHODS
            .iter()
            .map(|method| {
                let effect = method.effect.map_or("-", Effect::code);
                format!("{} {effect}{}", method.name, if method.destructive { " destructive" } else { "" })
            })
            .collect();
        insta::assert_snapshot!(table.join("\n"), @r"
        GET read_only
        PUT idempotent
        POST mutating
        DELETE idempotent destructive
        OPTIONS read_only
        HEAD read_only
        PATCH mutating
        TRACE -
        QUERY read_only
        CONNECT -
        ");
        assert_eq!(method_of("parameters"), None);
    }
}
