//! A line that a format matched, and its captures.

use referee_model::reading::Level;

use super::pattern::Format;
use crate::pattern::Groups;

/// A line that a format matched.
pub(super) struct Matched<'f, 't> {
    pub(super) format: &'f Format,
    pub(super) found: Groups<'f, 't>,
    pub(super) whole: &'t str,
}

impl Matched<'_, '_> {
    /// Returns the captured text of a group, unless it is empty.
    pub(super) fn get(&self, group: &str) -> Option<&str> {
        self.found.get(group).filter(|found| !found.is_empty())
    }

    /// Returns the message of the line.
    pub(super) fn message(&self) -> &str {
        if self.format.is_whole { self.whole.trim() } else { self.get("message").unwrap_or_default().trim() }
    }
}

/// Returns the 1-based column that a pointer like `----^` indicates: each character is one column, and a tab
/// extends to the next multiple of eight.
pub(super) fn pointed(pointer: &str) -> Option<u32> {
    let columns = pointer.chars().fold(0_u32, |column, character| {
        let column = column.saturating_add(1);
        if character == '\t' { column.saturating_add(7) / 8 * 8 } else { column }
    });
    columns.checked_add(1)
}

/// Returns the level for the letter of a kind.
pub(super) fn level(kind: &str) -> Option<Level> {
    match kind {
        "E" | "e" | "F" | "f" => Some(Level::Error),
        "W" | "w" => Some(Level::Warning),
        "I" | "i" | "N" | "n" | "H" | "h" | "S" | "s" | "C" | "c" | "R" | "r" => Some(Level::Info),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_pointed_to() {
        assert_eq!((pointed("    "), pointed("\t"), pointed(" \t.")), (Some(5), Some(9), Some(10)));
    }
}
