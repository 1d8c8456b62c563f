//! Conversion of byte offsets to lines and columns.

/// Returns the 1-based line and column of a byte offset; columns count characters. An offset beyond the end means
/// the end.
pub fn of(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        for (byte, position) in [(0, (1, 1)), (1, (1, 1)), (2, (1, 2)), (4, (2, 1)), (99, (2, 2))] {
            assert_eq!(of("é=\nx", byte), position, "{byte}");
        }
    }
}
