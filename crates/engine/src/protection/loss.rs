//! Describes what an edit removed from a file: tests by name, else lines.

use std::collections::BTreeMap;

use referee_syntax::count::list;
use referee_syntax::line;
use referee_syntax::program::test_names;

/// Maximum number of names and lines listed, and of characters of each line.
const NAMED: usize = 5;
const LINES: usize = 3;

const CHARACTERS: usize = 120;

/// Maximum size of an inspected text, in bytes.
const BYTES: usize = 1024 * 1024;

/// Describes what was removed. `None` if nothing was, or if the content cannot be inspected.
pub(super) fn removed(path: &str, before: &[u8], now: &[u8]) -> Option<String> {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().filter(|text| text.len() <= BYTES).map(str::to_owned);
    let (before, now) = (text(before)?, text(now)?);
    let tests = tests_gone(path, &before, &now);
    if tests.is_empty() { lines(&before, &now) } else { Some(list(&tests, NAMED)) }
}

/// Returns the tests that are no longer declared.
fn tests_gone(path: &str, before: &str, now: &str) -> Vec<String> {
    let declared = |text: &str| test_names(path, text).unwrap_or_default();
    declared(before).difference(&declared(now)).map(|name| format!("test `{name}`")).collect()
}

/// Returns the lines that occur less often than before, in any context.
fn lines(before: &str, now: &str) -> Option<String> {
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for line in now.lines() {
        *there.entry(line.trim()).or_default() += 1;
    }
    let is_gone = |line: &&str| match there.get_mut(*line) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => !line.is_empty(),
    };
    let shown = |line: &str| format!("`{}`", line::bounded(line, CHARACTERS).replace('`', "'"));
    let gone: Vec<String> = before.lines().map(str::trim).filter(is_gone).map(shown).collect();
    (!gone.is_empty()).then(|| list(&gone, LINES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(before: &str, now: &str) -> Option<String> {
        removed("tests/a.test.js", before.as_bytes(), now.as_bytes())
    }

    #[test]
    fn tests_are_named_that_are_gone_else_the_lines() {
        let before = "test('adds', () => {\n  assert(add(1, 2) === 3);\n});\ntest('lists', () => {});\n";
        assert_eq!(gone(before, "test('adds', () => {\n});\n").as_deref(), Some("test `lists`"));
        let weaker = before.replace("add(1, 2) === 3", "true");
        assert_eq!(gone(before, &weaker).as_deref(), Some("`assert(add(1, 2) === 3);`"));
        assert_eq!(
            gone(before, &format!("{before}test('new', () => {{}});\n")),
            None,
            "nothing that was there is gone"
        );
        assert_eq!(gone(before, &before.replace("  assert", "assert")), None, "it only moved");
        assert_eq!(gone("a\na\n", "a\n").as_deref(), Some("`a`"), "it stood there twice");
        let many = (0..9).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
        assert_eq!(gone(&many, "").as_deref(), Some("`line 0`, `line 1`, `line 2` and 6 more"));
    }

    #[test]
    fn hostile_content_says_nothing_and_stays_one_line() {
        assert_eq!(removed("a.py", &[0xff, 0xfe], b"x"), None);
        assert_eq!(gone("\u{1b}[2J`x`\r\n", "").as_deref(), Some("`'x'`"));
        assert!(gone(&"x".repeat(10_000), "").unwrap().len() < 200);
        assert_eq!(gone(&"x\n".repeat(BYTES), ""), None);
    }
}
