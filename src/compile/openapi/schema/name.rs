//! What a reader would call a schema.

use crate::compile::document::{Document, Node};

/// The schemas that have names of their own.
pub(super) fn components(document: &Document) -> Option<Node<'_>> {
    document.at("/components/schemas")
}

/// The component's own name, or one made from the pointer; safe in a fragment.
pub(super) fn of(schema: Node<'_>, components: Option<Node<'_>>) -> String {
    let own = schema.key().filter(|_| schema.parent().map(Node::id) == components.map(Node::id));
    match own {
        Some(name) if is_safe(name) => name.to_owned(),
        Some(name) => safe(name),
        None => safe(&schema.pointer().replace("~1", "/")),
    }
}

fn is_safe(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// The end of `text` with other characters as `-`: letters, digits, `-`, `.` and `_` mean themselves in a fragment.
fn safe(text: &str) -> String {
    const LONGEST: usize = 64;
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = match name.len().checked_sub(LONGEST) {
        // Cut where a word begins.
        Some(cut) if cut > 0 => name[cut..].split_once('-').map_or(&name[cut..], |(_, words)| words),
        _ => &name,
    };
    let name = name.trim_matches('-');
    if name.is_empty() { "schema".to_owned() } else { name.to_owned() }
}
