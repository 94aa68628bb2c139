//! Lines and columns of many offsets, found in one walk.

use schemarouter::compile::document::{Document, Position};

/// Finds lines and columns of offsets that mostly grow: the text between two of them is read once, where
/// [`Document::position`] would read it from its start for each.
pub(crate) struct Places<'d> {
    text: &'d str,
    offset: usize,
    at: Position,
}

const START: Position = Position { line: 1, column: 1 };

impl<'d> Places<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        Self { text: document.text(), offset: 0, at: START }
    }

    /// The position of a byte offset; one beyond the end is the end.
    pub(crate) fn at(&mut self, offset: u32) -> Position {
        let wanted = (offset as usize).min(self.text.len());
        if wanted < self.offset {
            (self.offset, self.at) = (0, START);
        }
        let passed = self.text.get(self.offset..wanted).unwrap_or_default();
        let ends = memchr::memchr_iter(b'\n', passed.as_bytes()).count();
        let last_line = passed.rsplit('\n').next().unwrap_or_default();
        // A byte order mark is no character of the first line.
        let is_marked = self.offset == 0 && ends == 0 && passed.starts_with('\u{feff}');
        let characters = last_line.chars().count() - usize::from(is_marked);
        if ends > 0 {
            self.at = Position { line: self.at.line.saturating_add(number(ends)), column: 1 };
        }
        self.at.column = self.at.column.saturating_add(number(characters));
        self.offset = wanted;
        self.at
    }
}

/// Documents are smaller than 4 GiB.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use schemarouter::compile::document::Limits;

    use super::*;

    #[test]
    fn places_are_those_of_the_document() {
        for text in [
            "{\r\n \"ä\": \"𝄞\n\"}".replace("𝄞\n", "𝄞"),
            "\u{feff}[1,\n\n2]".to_owned(),
            "\u{feff}1".to_owned(),
        ] {
            let document = Document::from_json(text.clone(), &Limits::default()).expect("this is JSON");
            let mut places = Places::new(&document);
            let end = u32::try_from(text.len()).expect("it is short");
            let offsets: Vec<u32> = (0..=end + 1).chain([u32::MAX, 0, 6, 3]).collect();
            let within = |offset: &u32| text.get(*offset as usize..).is_some() || *offset > end;
            for offset in offsets.into_iter().filter(within) {
                assert_eq!(places.at(offset), document.position(offset), "{text:?} at {offset}");
            }
        }
    }
}
