//! What came up before in one list.

use std::collections::HashSet;
use std::hash::Hash;

use smallvec::SmallVec;

/// Up to this many are compared one by one, which costs less than hashing them.
const FEW: usize = 16;

/// A set that is small for nearly every operation; documents are not trusted, so that it may be large.
#[derive(Debug)]
pub(super) struct Seen<T> {
    few: SmallVec<[T; FEW]>,
    many: HashSet<T>,
}

impl<T: Eq + Hash> Seen<T> {
    pub(super) fn new() -> Self {
        Self { few: SmallVec::new(), many: HashSet::new() }
    }

    /// Adds it; whether it is new.
    pub(super) fn insert(&mut self, item: T) -> bool {
        if self.few.contains(&item) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push(item);
            return true;
        }
        self.many.insert(item)
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Seen};

    #[test]
    fn each_is_new_once_also_beyond_the_first_few() {
        let mut seen = Seen::new();
        for item in (0..3 * FEW).chain(0..3 * FEW).enumerate() {
            assert_eq!(seen.insert(item.1), item.0 < 3 * FEW, "{item:?}");
        }
    }
}
