//! Prefixes of a tool's lines that are written by the program that runs it: timestamps of CI systems, and the
//! names that task runners write before the lines of several concurrent commands. Lines with the same name form
//! one prefix and are read separately from all others.

use crate::pattern::Pattern;
use crate::scan::Line;
use std::collections::BTreeSet;

/// Maximum number of distinct names; lines with further names are read unchanged.
const PREFIXES: usize = 256;

/// Maximum length of a name, in bytes.
const NAME_BYTES: usize = 200;

const BRACKETED_CHARACTERS: usize = 80;

/// `2026-05-14T09:12:00.3323471Z `, with or without brackets, optionally preceded by the fields that `gh run view --log`
/// writes, and followed by the marks of GitLab: the stream of the line, and whether it continues the one before.
static TIME: Pattern = Pattern::new(
    r"^\u{feff}?(?:[^\t]{1,200}\t[^\t]{1,200}\t\u{feff}?)?\[?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)\]?(?: \d\d[OE][ +]?)?(?: |$)",
);

/// `#12 3.456 `, as written by BuildKit.
static BUILDKIT: Pattern = Pattern::new(r"^(?<name>#\d{1,5}) \d{1,6}\.\d{1,4} ");

/// Text after a name with which Turborepo announces that name.
const TURBO_SAYS: &[&str] = &["cache ", "> "];

/// `web-1  | `, as written by Docker Compose.
static COMPOSE: Pattern = Pattern::new(r"^(?<name>[A-Za-z][\w.-]{0,60}-\d{1,3}) {1,40}\| ?");

/// `packages/web lint$ eslint .`, with which pnpm announces a name.
static PNPM: Pattern = Pattern::new(r"^(?<name>[\w@./-]{1,120} [\w:.-]{1,60})\$ \S");

/// `web:lint: cache miss, executing 0123456789abcdef`, with which Turborepo announces a name.
static TURBO: Pattern =
    Pattern::new(r"^(?<name>@?[\w./-]{1,120}[:#][A-Za-z][\w:.-]{0,60}): (?:cache (?:hit|miss|bypass)|> )");

/// Words in brackets that give a severity or a test status and are not names; the last ones are those that some
/// tools begin their own lines with.
const WORDS: &str = "error err warn warning info debug trace fatal fail failed pass passed ok skip skipped notice note e w i d x c f \
    r ! done dep - ? tsl webpack-cli doctest";

/// Splits the prefixes off the lines of one stream.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    /// Names announced by a task runner.
    declared: BTreeSet<String>,
}

/// The result of splitting a line from its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split<'a> {
    /// Name of the prefix; `None` if the line has no name.
    pub(crate) prefix: Option<&'a str>,
    /// Offset of the remaining text in the line.
    pub(crate) at: usize,
    /// Offset after the timestamp alone, before the name.
    pub(crate) untimed: usize,
}

impl Prefixes {
    pub(crate) fn split<'a>(&mut self, line: &'a Line<'_>) -> Split<'a> {
        let text = &*line.text;
        let time = if may_have_time(line) { TIME.find(text).map_or(0, |time| time.whole().end) } else { 0 };
        let rest = &text[time..];
        match self.name(rest) {
            Some((name, length)) => Split { prefix: Some(name), at: time + length, untimed: time },
            None => Split { prefix: None, at: time, untimed: time },
        }
    }

    fn name<'a>(&mut self, text: &'a str) -> Option<(&'a str, usize)> {
        let first = *text.as_bytes().first()?;
        let found = match first {
            b'[' => return bracketed(text).filter(|(name, _)| names_somebody(name)),
            b'#' => BUILDKIT.find(text),
            // Prefixes of task runners begin with a name.
            b'@' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' => return self.unmarked_name(text),
            _ => None,
        };
        let found = found?;
        Some((found.get("name")?, found.whole().end))
    }

    /// Finds a name that was announced, or one before a bar.
    fn unmarked_name<'a>(&mut self, text: &'a str) -> Option<(&'a str, usize)> {
        let bytes = &text.as_bytes()[..text.floor_char_boundary(NAME_BYTES)];
        for end in memchr::memchr3_iter(b':', b'|', b'$', bytes) {
            let follows = bytes.get(end + 1).copied().unwrap_or(b' ');
            match bytes[end] {
                b':' if follows == b' ' => {
                    if self.declared.contains(&text[..end]) || is_scoped(&text[..end]) {
                        return Some((&text[..end], (end + 2).min(text.len())));
                    }
                    if text.get(end + 2..).is_some_and(|said| TURBO_SAYS.iter().any(|how| said.starts_with(how))) {
                        self.declare(&TURBO, text);
                    }
                }
                b'$' if follows == b' ' => self.declare(&PNPM, text),
                // The name and the bar are separated only by spaces.
                b'|' if bytes[..end].trim_ascii_end().contains(&b' ') => {}
                b'|' => {
                    let found = COMPOSE.find(text)?;
                    return Some((found.get("name")?, found.whole().end));
                }
                _ => continue,
            }
            return None;
        }
        None
    }

    fn declare(&mut self, pattern: &Pattern, text: &str) {
        if self.declared.len() < PREFIXES
            && let Some(found) = pattern.find(text)
        {
            self.declared.insert(found.text("name").to_owned());
        }
    }
}

/// Returns whether a line can begin with a timestamp: it starts with the timestamp's first digit, a bracket or
/// a byte order mark, or has two fields before a timestamp.
fn may_have_time(line: &Line<'_>) -> bool {
    let bytes = line.text.as_bytes();
    match bytes.first() {
        Some(b'2') => is_date(bytes),
        Some(b'[') => is_date(&bytes[1..]),
        Some(0xef) => true,
        _ => line.has_tab && bytes[..bytes.len().min(200)].contains(&b'\t') && line.text.contains("Z "),
    }
}

/// Returns whether a text begins with a year, a month and a day, and the `T` before a time.
fn is_date(bytes: &[u8]) -> bool {
    matches!(bytes, [_, _, _, _, b'-', _, _, b'-', _, _, b'T', ..])
}

/// Returns whether this is a scoped package name as written by Lerna before a line: `@acme/web`.
fn is_scoped(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !part.is_empty() && part.bytes().all(is_of_name)
    };
    name.strip_prefix('@')
        .and_then(|name| name.split_once('/'))
        .is_some_and(|(scope, package)| is_part(scope) && is_part(package))
}

/// Splits `[name] ` or `[name]: ` off a text, as written by concurrently, `yarn workspaces foreach` and
/// go-task. Returns the name with its brackets, and the length of the whole prefix.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let end = memchr::memchr(b']', &text.as_bytes()[..text.len().min(4 * BRACKETED_CHARACTERS + 2)])?;
    let name = text.get(1..end)?;
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'@' | b'.' | b'/' | b':' | b'-')
    };
    let is_name = name.bytes().all(is_part) && (1..=BRACKETED_CHARACTERS).contains(&name.chars().count());
    let rest = &text[end + 1..];
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let is_apart = is_name && (rest.is_empty() || rest.starts_with(' '));
    is_apart.then(|| (&text[..=end], text.len() - rest.len() + usize::from(!rest.is_empty())))
}

fn names_somebody(bracketed: &str) -> bool {
    let name = bracketed.trim_matches(['[', ']']);
    let is_counter = name.contains('/') && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
    let is_time = name.contains(':') && name.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    // Vite names a failed plugin like this; a path is a file that the message is about.
    let is_other = name.starts_with("vite:") || name.starts_with('.');
    // `[PARSE_ERROR]` is a code.
    let is_code = name.contains('_') && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase());
    !is_counter && !is_time && !is_other && !is_code && !WORDS.split(' ').any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn what_stands_before_a_line_is_taken_off() {
        let mut prefixes = Prefixes::default();
        for (line, prefix, rest) in [
            ("src/a.ts(1,2): error TS2322: no", None, "src/a.ts(1,2): error TS2322: no"),
            ("2026-05-14T09:12:00.3323471Z src/a.ts:1:2", None, "src/a.ts:1:2"),
            ("2026-05-14T09:12:00.3323471Z", None, ""),
            ("lint\tRun eslint\t2026-05-14T09:12:00.3323471Z   1:1  error", None, "  1:1  error"),
            ("[2026-05-14T09:12:00.332Z] FAIL", None, "FAIL"),
            ("2026-05-14T09:12:00.332345Z 01E+ FAIL", None, "FAIL"),
            ("2026-05-14T09:12:00,3+0200 00O FAIL", None, "FAIL"),
            ("2026-05-14T09:12:00Z: FAIL", None, "2026-05-14T09:12:00Z: FAIL"),
            ("[lint]   1:1  error", Some("[lint]"), "  1:1  error"),
            ("[0] x", Some("[0]"), "x"),
            ("[@acme/web]: x", Some("[@acme/web]"), "x"),
            ("[größe]", Some("[größe]"), ""),
            ("[lint]:x", None, "[lint]:x"),
            ("[] x", None, "[] x"),
            ("[two words] x", None, "[two words] x"),
            ("some words | x", None, "some words | x"),
            ("[error] src/a.ts", None, "[error] src/a.ts"),
            ("[3/12] Building", None, "[3/12] Building"),
            ("[tsl] ERROR in a.ts", None, "[tsl] ERROR in a.ts"),
            ("[vite:css] No", None, "[vite:css] No"),
            ("[PARSE_ERROR] No", None, "[PARSE_ERROR] No"),
            ("[./README.md]: x", None, "[./README.md]: x"),
            ("#12 3.456 error: x", Some("#12"), "error: x"),
            ("web-1  | FAIL a", Some("web-1"), "FAIL a"),
            ("packages/web lint: early", None, "packages/web lint: early"),
            ("packages/web lint$ eslint .", None, "packages/web lint$ eslint ."),
            ("packages/web lint:   1:1  error", Some("packages/web lint"), "  1:1  error"),
            ("@acme/web:test: cache miss, executing 0123", None, "@acme/web:test: cache miss, executing 0123"),
            ("@acme/web:test: FAIL a", Some("@acme/web:test"), "FAIL a"),
            ("@acme/web:test:", Some("@acme/web:test"), ""),
            ("@acme/web: FAIL a", Some("@acme/web"), "FAIL a"),
            ("@acme/web/lint: FAIL a", None, "@acme/web/lint: FAIL a"),
            ("src/a.py:3: error: > no", None, "src/a.py:3: error: > no"),
            ("", None, ""),
        ] {
            let shown = Line::new(line, Stream::Stdout, 0..0);
            let split = prefixes.split(&shown);
            assert_eq!((split.prefix, &line[split.at..]), (prefix, rest), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split_within_it(lines in proptest::collection::vec("[\\[\\]#a-z0-9: |$T\t.-]{0,60}", 0..20)) {
            let mut prefixes = Prefixes::default();
            for line in &lines {
                let shown = Line::new(line.as_str(), Stream::Stdout, 0..0);
                let split = prefixes.split(&shown);
                proptest::prop_assert!(line.get(split.at..).is_some());
            }
        }
    }
}
