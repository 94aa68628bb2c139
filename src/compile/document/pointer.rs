//! JSON pointers (RFC 6901): followed, written, and taken out of references.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use smallvec::{SmallVec, smallvec};

use super::node::{Kind, Node};

/// Follows a pointer from `root`.
pub(super) fn resolve<'d>(root: Node<'d>, pointer: &str) -> Option<Node<'d>> {
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, step)
}

/// Follows a reference within the document: an empty one, or a fragment that holds a pointer.
pub(super) fn resolve_fragment<'d>(root: Node<'d>, reference: &str) -> Option<Node<'d>> {
    if reference.is_empty() {
        return Some(root);
    }
    let fragment = reference.strip_prefix('#')?;
    let pointer = percent_decode_str(fragment).decode_utf8().ok()?;
    resolve(root, &pointer)
}

fn step<'d>(node: Node<'d>, token: &str) -> Option<Node<'d>> {
    let token = unescape(token)?;
    match node.kind() {
        Kind::Object => node.get(&token),
        Kind::Array => node.items().nth(array_index(&token)?),
        _ => None,
    }
}

/// `~1` is `/` and `~0` is `~` (section 4); `None` for any other use of `~`.
fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut parts = token.split('~');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        let (character, rest) = match part.as_bytes().first()? {
            b'0' => ('~', &part[1..]),
            b'1' => ('/', &part[1..]),
            _ => return None,
        };
        plain.push(character);
        plain.push_str(rest);
    }
    Some(Cow::Owned(plain))
}

/// An array index is digits without leading zeros (section 4).
fn array_index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    let digits = token.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { token.parse().ok() } else { None }
}

/// The pointer from the root to `node`.
pub(super) fn write(node: Node<'_>) -> String {
    let mut path: SmallVec<[Node<'_>; 16]> = smallvec![node];
    while let Some(parent) = path.last().and_then(|node| node.parent()) {
        path.push(parent);
    }
    let longest =
        |node: &Node<'_>| node.key().map_or(8, |key| 1 + key.len() + key.matches(is_special).count());
    let mut pointer = String::with_capacity(path.iter().map(longest).sum());
    for node in path.into_iter().rev() {
        push_token(&mut pointer, node);
    }
    pointer
}

fn push_token(pointer: &mut String, node: Node<'_>) {
    let Some(parent) = node.parent() else { return };
    pointer.push('/');
    let Some(key) = node.key() else {
        let index = parent.items().take_while(|item| item.id() < node.id()).count();
        pointer.push_str(&index.to_string());
        return;
    };
    let mut rest = key;
    while let Some(at) = rest.find(is_special) {
        pointer.push_str(&rest[..at]);
        pointer.push_str(if rest[at..].starts_with('~') { "~0" } else { "~1" });
        rest = &rest[at + 1..];
    }
    pointer.push_str(rest);
}

/// The characters that a token cannot hold as they are (section 3).
fn is_special(character: char) -> bool {
    matches!(character, '~' | '/')
}
