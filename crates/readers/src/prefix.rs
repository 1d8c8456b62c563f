//! What stands before the lines of a tool where something runs it and passes its output on: times that CI systems
//! write, and names that task runners write before the lines of several commands at once. Lines of one name are one
//! prefix, and are read apart from all others.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::text;

/// Names that are told apart; lines of further ones are read as they stand.
const PREFIXES: usize = 256;

/// Longest name that is looked for.
const NAME_BYTES: usize = 200;

const BRACKETED_CHARACTERS: usize = 80;

/// `2026-05-14T09:12:00.3323471Z `, in brackets or not, and before it what `gh run view --log` writes.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\u{feff}?(?:[^\t]{1,200}\t[^\t]{1,200}\t\u{feff}?)?\[?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)\]?(?: \d\d[OE][ +]?)?(?: |$)",
    )
});

/// `#12 3.456 `, as BuildKit writes.
static BUILDKIT: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(#\d{1,5}) \d{1,6}\.\d{1,4} "));

/// What follows a name with which Turborepo says that it will write it.
const TURBO_SAYS: &[&str] = &["cache ", "> "];

/// `web-1  | `, as Docker Compose writes.
static COMPOSE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^([A-Za-z][\w.-]{0,60}-\d{1,3}) {1,40}\| ?"));

/// `packages/web lint$ eslint .`, with which pnpm says what follows under this name.
static PNPM: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^([\w@./-]{1,120} [\w:.-]{1,60})\$ \S"));

/// `web:lint: cache miss, executing 0123456789abcdef`, with which Turborepo does.
static TURBO: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(@?[\w./-]{1,120}[:#][A-Za-z][\w:.-]{0,60}): (?:cache (?:hit|miss|bypass)|> )"));

/// Words in brackets that say how severe a line is, or how a test went, and name nobody; the last are what some tools begin
/// their own lines with.
const WORDS: &str = "error err warn warning info debug trace fatal fail failed pass passed ok skip skipped notice note e w i d x c f \
    r ! done dep - ? tsl webpack-cli doctest";

/// Tells what stands before the lines of one stream.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    /// Names that a task runner said it would write.
    declared: BTreeSet<String>,
}

/// A line without what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split<'a> {
    /// The name of the prefix. None: nobody named it.
    pub(crate) prefix: Option<&'a str>,
    /// Offset of what is left in the text.
    pub(crate) at: usize,
    /// Offset of what stands behind the time alone, which is before the name.
    pub(crate) untimed: usize,
}

impl Prefixes {
    pub(crate) fn split<'a>(&mut self, line: &'a str) -> Split<'a> {
        let time = if may_have_time(line) { TIME.find(line).map_or(0, |time| time.end()) } else { 0 };
        let rest = &line[time..];
        match self.name(rest) {
            Some((name, length)) => Split { prefix: Some(name), at: time + length, untimed: time },
            None => Split { prefix: None, at: time, untimed: time },
        }
    }

    fn name<'a>(&mut self, text: &'a str) -> Option<(&'a str, usize)> {
        let first = *text.as_bytes().first()?;
        let found = match first {
            b'[' => return bracketed(text).filter(|(name, _)| names_somebody(name)),
            b'#' => BUILDKIT.captures(text),
            // What task runners write begins with a name.
            b'@' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' => return self.unmarked_name(text),
            _ => None,
        };
        let captures = found?;
        Some((captures.get(1)?.as_str(), captures.get(0)?.end()))
    }

    /// Looks for a name that was declared, or for one before a bar.
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
                // Only spaces stand between the name and the bar.
                b'|' if bytes[..end].trim_ascii_end().contains(&b' ') => {}
                b'|' => {
                    let captures = COMPOSE.captures(text)?;
                    return Some((captures.get(1)?.as_str(), captures.get(0)?.end()));
                }
                _ => continue,
            }
            return None;
        }
        None
    }

    fn declare(&mut self, pattern: &Regex, text: &str) {
        if self.declared.len() < PREFIXES
            && let Some(captures) = pattern.captures(text)
        {
            self.declared.insert(captures[1].to_owned());
        }
    }
}

/// Whether a line can begin with a time: with its first digit, a bracket or a mark of byte order, or with two fields
/// behind which a time stands.
fn may_have_time(line: &str) -> bool {
    let bytes = line.as_bytes();
    match bytes.first() {
        Some(b'2') => is_date(bytes),
        Some(b'[') => is_date(&bytes[1..]),
        Some(0xef) => true,
        _ => memchr::memchr(b'\t', &bytes[..bytes.len().min(200)]).is_some() && line.contains("Z "),
    }
}

/// Whether a text begins with a year, a month and a day, and the `T` before a time.
fn is_date(bytes: &[u8]) -> bool {
    matches!(bytes, [_, _, _, _, b'-', _, _, b'-', _, _, b'T', ..])
}

/// Whether this is the name of a package with its scope, as Lerna writes it before a line: `@acme/web`.
fn is_scoped(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !part.is_empty() && part.bytes().all(is_of_name)
    };
    name.strip_prefix('@')
        .and_then(|name| name.split_once('/'))
        .is_some_and(|(scope, package)| is_part(scope) && is_part(package))
}

/// Takes `[name] ` or `[name]: ` off a text, as concurrently, `yarn workspaces foreach` and go-task write it: returns the
/// name in its brackets, and the length of all.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let end = memchr::memchr(b']', &text.as_bytes()[..text.len().min(4 * BRACKETED_CHARACTERS + 2)])?;
    let name = text.get(1..end)?;
    let is_part =
        |character: char| character.is_ascii_alphanumeric() || "_@./:-".contains(character) || !character.is_ascii();
    let is_name = (1..=BRACKETED_CHARACTERS).contains(&name.chars().count()) && name.chars().all(is_part);
    let rest = &text[end + 1..];
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let is_apart = is_name && (rest.is_empty() || rest.starts_with(' '));
    is_apart.then(|| (&text[..=end], text.len() - rest.len() + usize::from(!rest.is_empty())))
}

fn names_somebody(bracketed: &str) -> bool {
    let name = bracketed.trim_matches(['[', ']']);
    let is_counter = name.contains('/') && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
    let is_time = name.contains(':') && name.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    // Vite says so which of its plugins failed; a path is a file that is spoken of.
    let is_other = name.starts_with("vite:") || name.starts_with('.');
    // `[PARSE_ERROR]` is a code.
    let is_code = name.contains('_') && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase());
    !is_counter && !is_time && !is_other && !is_code && !WORDS.split(' ').any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
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
            let split = prefixes.split(line);
            assert_eq!((split.prefix, &line[split.at..]), (prefix, rest), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split_within_it(lines in proptest::collection::vec("[\\[\\]#a-z0-9: |$T\t.-]{0,60}", 0..20)) {
            let mut prefixes = Prefixes::default();
            for line in &lines {
                let split = prefixes.split(line);
                proptest::prop_assert!(line.get(split.at..).is_some());
            }
        }
    }
}
