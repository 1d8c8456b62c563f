//! The last lines of a stream, as included in an error.

use referee_model::limit::EXCERPT_BYTES;
use referee_model::reading::Excerpt;
use referee_syntax::{ansi, cut};

/// Returns the last lines of a text, without ANSI sequences. Lines are split as in seed 2, so a final line end
/// counts as one more line; then the text is cut from the front to the embedding limit (ruling 18). Empty if
/// `lines` is 0.
pub(super) fn tail(text: &str, lines: usize) -> String {
    let plain = ansi::strip(text);
    let from = match lines.checked_sub(1) {
        None => plain.len(),
        Some(ends) => plain.rmatch_indices('\n').nth(ends).map_or(0, |(at, _)| at + 1),
    };
    cut::tail(&plain[from..], EXCERPT_BYTES).to_owned()
}

/// Returns the beginning of a text, without ANSI sequences, up to the embedding limit (ruling 18).
pub(super) fn head(text: &str) -> String {
    cut::head(&ansi::strip(text), EXCERPT_BYTES).to_owned()
}

/// Returns a text without ANSI sequences: all of it, or its beginning and end with the size of the omitted part.
pub(super) fn both_ends(text: &str) -> String {
    let plain = ansi::strip(text);
    let (head, tail) = (head(&plain), tail(&plain, usize::MAX));
    match plain.len().checked_sub(head.len() + tail.len()) {
        None | Some(0) => plain.into_owned(),
        Some(bytes) => cut::left_out(&head, bytes, &tail),
    }
}

pub(super) fn tail_of_excerpt(excerpt: &Excerpt, lines: usize) -> String {
    tail(excerpt.end(), lines)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};
    use referee_model::limit::TAIL_LINES;

    use super::*;

    fn whole(text: &str) -> Excerpt {
        Excerpt { head: text.to_owned(), tail: String::new(), bytes: text.len() as u64 }
    }

    fn lines(number: usize) -> String {
        (1..=number).map(|line| line.to_string()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn tails_are_the_last_fifty_lines() {
        let tail = |text: &str| tail(text, TAIL_LINES);
        assert_eq!(tail(""), "");
        assert_eq!(tail(&lines(49)), lines(49));
        assert_eq!(tail(&lines(50)), lines(50));
        assert!(tail(&lines(51)).starts_with("2\n"));
        assert!(tail(&format!("{}\n", lines(50))).starts_with("2\n"));
        assert!(tail("a\r\nb\r\n").ends_with("b\r\n"));
        assert!(tail(&lines(51).replace('\n', "\r\n")).starts_with("2\r\n"));
        let cut = Excerpt { head: "head".to_owned(), tail: "tail".to_owned(), bytes: 1 << 40 };
        assert_eq!(tail_of_excerpt(&cut, TAIL_LINES), "tail");
        assert_eq!(tail_of_excerpt(&whole("head"), TAIL_LINES), "head");
    }

    #[test]
    fn as_many_lines_are_kept_as_are_asked_for() {
        for (asked, kept) in [(0, ""), (1, "3"), (2, "2\n3"), (3, "1\n2\n3"), (usize::MAX, "1\n2\n3")] {
            assert_eq!(tail("1\n2\n3", asked), kept, "{asked}");
        }
    }

    #[test]
    fn tails_hold_no_ansi_and_no_more_than_may_be_embedded() {
        for (raw, plain) in [("\u{1b}[1;31merror\u{1b}[0m", "error"), ("\u{1b}", "")] {
            assert_eq!(tail(raw, TAIL_LINES), plain);
        }
        let long = tail(&"ß".repeat(EXCERPT_BYTES), TAIL_LINES);
        assert_eq!(long.len(), EXCERPT_BYTES);
        let odd = tail(&format!("{}a", "ß".repeat(EXCERPT_BYTES)), TAIL_LINES);
        assert_eq!(odd.len(), EXCERPT_BYTES - 1);
    }

    #[test]
    fn a_long_text_is_its_two_ends_with_the_bytes_between_them() {
        let of = |bytes: usize| "ß".repeat(bytes / 2);
        for (text, shown) in [
            (String::new(), String::new()),
            ("\u{1b}[31ma\u{1b}[0m\nb\n".to_owned(), "a\nb\n".to_owned()),
            (of(2 * EXCERPT_BYTES), of(2 * EXCERPT_BYTES)),
            (of(2 * EXCERPT_BYTES + 2), format!("{0}\n… 2 bytes left out …\n{0}", of(EXCERPT_BYTES))),
        ] {
            assert_eq!(both_ends(&text), shown);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_a_tail_panic_or_too_long(text in "(\\PC|\u{1b}|\\[|\\]|\n|m){0,200}", asked in 0_usize..60) {
            let tail = tail(&text, asked);
            prop_assert!(tail.split('\n').count() <= asked.max(1));
            let escapes = tail.contains('\u{1b}');
            prop_assert!(!escapes);
        }
    }
}
