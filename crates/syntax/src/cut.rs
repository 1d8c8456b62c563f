//! Texts that are too long, cut between characters. A mark says that something is gone; [`head`] and [`tail`] leave it out.

/// Stands where something was cut.
pub const ELLIPSIS: char = '…';

/// Returns at most so many characters of the beginning, the mark among them.
pub fn characters(text: &str, most: usize) -> String {
    let Some(last) = most.checked_sub(1) else { return String::new() };
    let mut ends = text.char_indices().map(|(at, _)| at).skip(last);
    match (ends.next(), ends.next()) {
        (Some(end), Some(_)) => format!("{}{ELLIPSIS}", &text[..end]),
        _ => text.to_owned(),
    }
}

/// Returns at most so many characters of the end, the mark among them.
pub fn characters_at_end(text: &str, most: usize) -> String {
    let Some(last) = most.checked_sub(1) else { return String::new() };
    let mut starts = text.char_indices().rev().map(|(at, _)| at);
    // The one that would be the first of all, and one before it.
    match (starts.nth(last), starts.next()) {
        (Some(first), Some(_)) => {
            let kept = first + text[first..].chars().next().map_or(0, char::len_utf8);
            format!("{ELLIPSIS}{}", &text[kept..])
        }
        _ => text.to_owned(),
    }
}

/// Returns at most so many bytes of the beginning, the mark among them.
pub fn bytes(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}{ELLIPSIS}", head(text, most.saturating_sub(ELLIPSIS.len_utf8())))
}

/// Returns the first line that is not blank, at most so many characters of it.
pub fn first_line(text: &str, most: usize) -> String {
    characters(text.trim().lines().next().unwrap_or_default().trim_end(), most)
}

/// Returns the beginning and the end of a text, together at most so many bytes, the mark between them among these.
pub fn middle(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = (most / 2).saturating_sub(ELLIPSIS.len_utf8());
    format!("{}{ELLIPSIS}{}", head(text, half), tail(text, half))
}

/// Returns at most so many bytes of the beginning.
pub fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Returns at most so many bytes of the end.
pub fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// Says between a head and a tail how much is left out.
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
