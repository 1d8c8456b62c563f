//! Excerpts of long texts. A cut never splits a value that may be secret, because redaction would not recognize
//! half of it.

use memchr::memmem;
use referee_syntax::cut;

/// Longest value that a sentence repeats, in characters.
const VALUE_CHARACTERS: usize = 200;

/// Shortens a value to its beginning.
pub(crate) fn of_value(text: &str, known: &[&str]) -> String {
    let Some((end, _)) = text.char_indices().nth(VALUE_CHARACTERS) else { return text.to_owned() };
    let end = before_known(text, end, known);
    format!("{}… ({} bytes)", &text[..end], text.len())
}

/// Shortens a text to its head and its tail, each of at most `bytes` bytes.
pub(crate) fn of_text(text: &str, bytes: usize, known: &[&str]) -> String {
    if text.len() <= 2 * bytes {
        return text.to_owned();
    }
    let head = before_known(text, text.floor_char_boundary(bytes), known);
    let tail = after_known(text, text.ceil_char_boundary(text.len() - bytes), known);
    cut::left_out(&text[..head], tail.saturating_sub(head), &text[tail.max(head)..])
}

/// Returns the positions of known values that span a cut.
fn across<'text>(text: &'text str, cut: usize, known: &'text [&str]) -> impl Iterator<Item = (usize, usize)> + 'text {
    known.iter().filter(|value| !value.is_empty()).flat_map(move |value| {
        let places = memmem::find_iter(text.as_bytes(), value.as_bytes()).map(|start| (start, start + value.len()));
        places.filter(move |(start, end)| *start < cut && cut < *end)
    })
}

fn before_known(text: &str, cut: usize, known: &[&str]) -> usize {
    across(text, cut, known).map(|(start, _)| start).min().unwrap_or(cut)
}

fn after_known(text: &str, cut: usize, known: &[&str]) -> usize {
    across(text, cut, known).map(|(_, end)| end).max().unwrap_or(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_and_long_ones_say_how_long_they_are() {
        assert_eq!(of_value("abc", &[]), "abc");
        let long = "\u{e4}".repeat(VALUE_CHARACTERS + 1);
        assert_eq!(of_value(&long, &[]), format!("{}… (402 bytes)", "\u{e4}".repeat(VALUE_CHARACTERS)));
        assert_eq!(of_text("0123456789", 5, &[]), "0123456789");
        assert_eq!(of_text("0123456789a", 3, &[]), "012\n… 5 bytes left out …\n89a");
    }

    #[test]
    fn known_values_are_never_cut_in_two() {
        let text = format!("{}SECRET{}", "a".repeat(VALUE_CHARACTERS - 3), "b".repeat(50));
        assert!(!of_value(&text, &["SECRET"]).contains('S'));
        assert_eq!(of_text("0SECRET9SECRET5", 4, &["SECRET"]), "0\n… 13 bytes left out …\n5");
    }
}
