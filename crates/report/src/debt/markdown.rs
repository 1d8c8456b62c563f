//! Escapes text of tools and people for Markdown, so that it stays plain text.

use referee_syntax::markdown;

use crate::untrusted;

/// Returns a text as Markdown that shows it literally, on one line of at most `characters_max` characters. The
/// result starts no list, heading or task, and holds no HTML and no link.
pub(super) fn text(text: &str, characters_max: usize) -> String {
    markdown::escaped(&untrusted::line(text), characters_max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Characters with a meaning in inline Markdown.
    const MEANING: &str = "\\`*_[]<>|~&!$";

    #[test]
    fn what_would_mean_something_is_escaped() {
        for (raw, shown) in [
            ("plain text: 3 of 4, a.ts(1,2)", "plain text: 3 of 4, a.ts(1,2)"),
            ("[x] done", "\\[x\\] done"),
            ("- [x] **T001**: done", "\\- \\[x\\] \\*\\*T001\\*\\*: done"),
            ("# heading", "\\# heading"),
            ("1. first", "1\\. first"),
            ("12) first", "12\\) first"),
            ("1 of 2. done", "1 of 2. done"),
            ("=====", "\\====="),
            ("<!-- referee:debt:end tasks -->", "\\<\\!-- referee:debt:end tasks --\\>"),
            ("[safe](https://evil.example)", "\\[safe\\](https\\://evil.example)"),
            ("see www.evil.example or WWW.x", "see www\\.evil.example or WWW\\.x"),
            ("a\nb\r\n- [ ] c", "a b - \\[ \\] c"),
            ("&lt;b&gt;", "\\&lt;b\\&gt;"),
            ("a\\", "a\\\\"),
            ("  kept  ", "kept"),
            ("\u{1b}[31mred\u{202e}", "red\\\\u{202e}"),
        ] {
            assert_eq!(text(raw, 200), shown, "{raw:?}");
        }
        assert_eq!(text("*****", 3), "\\*\\*\\*…");
    }

    proptest! {
        #[test]
        fn no_text_leaves_its_line_or_holds_a_bare_character_with_a_meaning(raw in "(?s).{0,80}|[-#<>!\\[\\]x \\n\\\\`*]{0,40}") {
            let shown = text(&raw, 200);
            prop_assert!(!shown.contains(char::is_control));
            let mut characters = shown.chars();
            while let Some(character) = characters.next() {
                if character == '\\' {
                    prop_assert!(characters.next().is_some_and(|escaped| escaped.is_ascii_punctuation()));
                } else {
                    prop_assert!(!MEANING.contains(character), "{}", shown);
                }
            }
        }
    }
}
