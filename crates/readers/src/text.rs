//! Converts raw bytes to the text that appears on a terminal.

use std::borrow::Cow;

use referee_syntax::{ansi, cut};

use crate::pattern::Pattern;

/// Returns the text of one line without its line end: decoded leniently, without escape sequences, and, if
/// carriage returns overwrote the line, only what was written last.
pub(crate) fn visible(line: &[u8]) -> Cow<'_, str> {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let line = &line[..end];
    if memchr::memchr2(b'\r', b'\x1b', line).is_none() {
        return lenient(line);
    }
    let line = match memchr::memrchr(b'\r', line) {
        Some(overwritten) => &line[overwritten + 1..],
        None => line,
    };
    match ansi::strip_bytes(line) {
        Cow::Borrowed(line) => lenient(line),
        Cow::Owned(line) => Cow::Owned(decoded(line)),
    }
}

/// Decodes leniently. For valid text, the strict decoder of the standard library is faster than the lossy one,
/// which examines each byte.
fn lenient(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Appends a line to a text that is not empty, cutting it so that the text stays within `bytes`.
pub(crate) fn add_line(text: &mut String, line: &str, bytes: usize) {
    let room = bytes.saturating_sub(text.len() + 1);
    if room == 0 {
        return;
    }
    text.push('\n');
    text.push_str(cut::head(line, room));
}

/// Appends a line to a text that may be empty, cutting it so that the text stays within `bytes`.
pub(crate) fn append_line(text: &mut String, line: &str, bytes: usize) {
    if text.is_empty() {
        text.push_str(cut::head(line, bytes));
    } else {
        add_line(text, line, bytes);
    }
}

/// Returns a text without surrounding white space.
pub(crate) fn trimmed(text: &str) -> String {
    text.trim().to_owned()
}

/// Returns the number of leading spaces of a line.
pub(crate) fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns whether a path has one of some extensions, which are given without dots; case is ignored.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Returns a path with forward slashes.
pub(crate) fn path(printed: &str) -> String {
    printed.replace('\\', "/")
}

/// Returns whether the text in the place of a path shows that the finding is quoted: in a comment, in a string
/// literal, in a diff, or after the location of a search result.
pub(crate) fn is_quotation(path: &str) -> bool {
    static QUOTED: Pattern =
        Pattern::new(r#"[`"]|^(?://[/!]? |[#*<>|;-] |--|\+\S*/|[+-]\s)|[^/\\]:\d+(?::\d+)?(?:[:\s]|$)"#);
    let bytes = path.as_bytes();
    let begins = matches!(bytes, [b'/', b'/', ..] | [b'#' | b'*' | b'<' | b'>' | b'|' | b';' | b'-' | b'+', ..]);
    (begins || memchr::memchr3(b'`', b'"', b':', bytes).is_some()) && QUOTED.is_match(path)
}

/// Parses a 1-based number; returns `None` for 0 and for anything that is not a number.
pub(crate) fn position(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|number| *number > 0)
}

/// Parses a number of findings or tests. More than nine digits are rejected, so that sums cannot overflow.
pub(crate) fn count(digits: &str) -> Option<u64> {
    if 9 < digits.len() { None } else { digits.parse().ok() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_quoted_is_no_path() {
        for path in ["src/a b.ts", "+page.svelte", "<stdin>", "C:/a.c", "/p/#x/a.c", "nb.ipynb:cell 3", "-", "a-1-b.c"]
        {
            assert!(!is_quotation(path), "{path}");
        }
        for path in [
            "//! src/a.rs",
            "/// `src/a.rs",
            "const A: &str = \"src/a.rs",
            "+src/a.ts",
            "+//! a.rs",
            "- src/a.ts",
            "-    src/a.ts",
            "# a.py",
            "> a.py",
            "tests/a.txt:12:src/a.rs",
            "tests/a.txt:12:5:a.rs",
            "src/a.rs:8:",
        ] {
            assert!(is_quotation(path), "{path}");
        }
    }

    #[test]
    fn a_line_is_what_a_person_would_see_of_it() {
        for (raw, seen) in [
            (&b"plain\n"[..], "plain"),
            (b"windows\r\n", "windows"),
            (b"\x1b[0m\x1b[7m\x1b[1m\x1b[31m FAIL \x1b[39m\x1b[22m\x1b[27m\x1b[0m \x1b[2m./\x1b[22mx\n", " FAIL  ./x"),
            (b"see \x1b]8;;https://example.org/a\x1b\\the docs\x1b]8;;\x07!", "see the docs!"),
            (b"10%\r50%\r100% done\n", "100% done"),
            (b"50%\rdone\r\r\n", "done"),
            (b"\x1b[38;5;196mred\x1b[m \x1b(Bnormal", "red normal"),
            (b"caf\xe9", "caf\u{fffd}"),
            (b"half \x1b[", "half "),
            (b"half \x1b", "half "),
            (b"\x1b]0;a title that never ends: src/a.ts", "0;a title that never ends: src/a.ts"),
            (b"", ""),
        ] {
            assert_eq!(visible(raw), seen);
        }
    }

    #[test]
    fn the_last_part_of_a_name_is_its_extension() {
        assert!(has_extension("a/b.spec.RB", &["erb", "rb"]) && has_extension("C:\\p\\a.php", &["php"]));
        assert!(!has_extension("a.rb/b", &["rb"]) && !has_extension("rb", &["rb"]) && !has_extension("", &[""]));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let mut text = "one".to_owned();
        add_line(&mut text, "grüße", 7);
        add_line(&mut text, "never", 7);
        assert_eq!(text, "one\ngr");
    }

    proptest! {
        #[test]
        fn no_escape_is_left_and_nothing_panics(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            let has_escape = visible(&line).bytes().any(|byte| byte == 0x1b);
            prop_assert!(!has_escape);
        }
    }
}
