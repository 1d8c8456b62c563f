//! Truncation of texts at character boundaries. An ellipsis marks the cut, except in [`head`] and [`tail`].

/// Marks a cut.
pub const ELLIPSIS: char = '…';

/// Returns at most `most` characters from the beginning, including the ellipsis.
pub fn characters(text: &str, most: usize) -> String {
    let Some(last) = most.checked_sub(1) else { return String::new() };
    let mut ends = text.char_indices().map(|(at, _)| at).skip(last);
    match (ends.next(), ends.next()) {
        (Some(end), Some(_)) => format!("{}{ELLIPSIS}", &text[..end]),
        _ => text.to_owned(),
    }
}

/// Returns at most `most` characters from the end, including the ellipsis.
pub fn characters_at_end(text: &str, most: usize) -> String {
    let Some(last) = most.checked_sub(1) else { return String::new() };
    let mut starts = text.char_indices().rev().map(|(at, _)| at);
    // The character that would be the first one, and one before it.
    match (starts.nth(last), starts.next()) {
        (Some(first), Some(_)) => {
            let kept = first + text[first..].chars().next().map_or(0, char::len_utf8);
            format!("{ELLIPSIS}{}", &text[kept..])
        }
        _ => text.to_owned(),
    }
}

/// Returns at most `most` bytes from the beginning, including the ellipsis.
pub fn bytes(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}{ELLIPSIS}", head(text, most.saturating_sub(ELLIPSIS.len_utf8())))
}

/// Returns at most `most` characters of the first line that is not blank.
pub fn first_line(text: &str, most: usize) -> String {
    characters(text.trim().lines().next().unwrap_or_default().trim_end(), most)
}

/// Returns the beginning and the end of a text, together at most `most` bytes, including the ellipsis between them.
pub fn middle(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = (most / 2).saturating_sub(ELLIPSIS.len_utf8());
    format!("{}{ELLIPSIS}{}", head(text, half), tail(text, half))
}

/// Returns at most `most` bytes from the beginning.
pub fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Returns at most `most` bytes from the end.
pub fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// Joins a head and a tail, with the number of bytes left out between them.
pub fn left_out(head: &str, bytes: usize, tail: &str) -> String {
    format!("{head}\n{ELLIPSIS} {bytes} bytes left out {ELLIPSIS}\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        for (most, cut) in [(6, "Größe"), (5, "Größe"), (4, "Grö…"), (1, "…"), (0, "")] {
            assert_eq!(characters("Größe", most), cut, "{most}");
        }
        for (most, cut) in [(6, "Größe"), (5, "Größe"), (4, "…öße"), (1, "…"), (0, "")] {
            assert_eq!(characters_at_end("Größe", most), cut, "{most}");
        }
        assert_eq!(
            [first_line("\n  Größe\nzwei", 80), first_line("Größe", 4), first_line("", 4)],
            ["Größe", "Grö…", ""]
        );
        assert_eq!([bytes("Größe", 7), bytes("Größe", 6), bytes("Größe", 1)], ["Größe", "Gr…", "…"]);
        assert_eq!([middle("abcdef", 6), middle("ßbcdefß", 8), middle("abc", 1)], ["abcdef", "…", "…"]);
        assert_eq!([head("Größe", 4), head("Größe", 3), head("ü", 1), head("a", 9)], ["Grö", "Gr", "", "a"]);
        assert_eq!([tail("Größe", 3), tail("Größe", 2), tail("ü", 1), tail("a", 9)], ["ße", "e", "", "a"]);
    }
}
