//! The first line of a finding: location, severity, message and, in brackets, a code.

use std::sync::LazyLock;

use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;

use crate::candidate::{Findings, NAME_BYTES, diagnostic, name, path};
use crate::level::level as level_of;
use crate::pattern::Pattern;
use crate::scan::{HeadingParts, Line, Part};
use crate::text;

/// Severity words; a word precedes any shorter word that it begins with.
const WORDS: &[&str] = &[
    "fatal error",
    "internal compiler error",
    "error",
    "warning",
    "note",
    "remark",
    "sorry, unimplemented",
    "style",
    "performance",
    "portability",
    "information",
    "debug",
];

/// `file +line:column: severity: message`, as printed by clang with `-fdiagnostics-format=vi`.
static VI: Pattern = Pattern::new(
    r"^(?<file>\S[^+]*) \+(?<line>\d+)(?::(?<column>\d+))?: (?<level>fatal error|error|warning|note|remark|style|performance|portability|information): (?<message>\S.*)$",
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heading<'t> {
    file: &'t str,
    line: &'t str,
    column: Option<&'t str>,
    word: &'t str,
    /// Message without its code.
    pub(crate) message: &'t str,
    /// Text in brackets after the message.
    pub(crate) code: Option<&'t str>,
}

impl<'t> Heading<'t> {
    /// Returns a line as a heading. It is parsed once, however many readers ask.
    pub(crate) fn in_line(line: &'t Line<'_>) -> Option<Self> {
        let text = &*line.text;
        let parts = line.heading.get_or_init(|| Heading::of(text).map(|heading| heading.parts(text))).as_ref()?;
        Some(Self {
            file: parts.file.of(text),
            line: parts.line.of(text),
            column: parts.column.map(|column| column.of(text)),
            word: parts.word.of(text),
            message: parts.message.of(text),
            code: parts.code.map(|code| code.of(text)),
        })
    }

    /// Returns where the parts stand in the text that they were parsed from.
    fn parts(&self, text: &str) -> HeadingParts {
        let place = |part| Part::new(part, text);
        HeadingParts {
            file: place(self.file),
            line: place(self.line),
            column: self.column.map(place),
            word: place(self.word),
            message: place(self.message),
            code: self.code.map(place),
        }
    }

    /// Parses a text as a heading. It is written by hand rather than as a pattern, because it is asked of most
    /// lines of a compiler.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        if !has_severity(text) {
            return None;
        }
        let has_plus = || memchr::memchr_iter(b'+', text.as_bytes()).any(|at| text[..at].ends_with(' '));
        let of_clang = || has_plus().then(|| Self::with_plus(text)).flatten();
        of_clang().or_else(|| Self::with_colons(text)).or_else(|| Self::with_parentheses(text))
    }

    fn with_plus(text: &'t str) -> Option<Self> {
        let found = VI.find(text)?;
        let group = |name| found.get(name);
        Some(Self::new(group("file")?, group("line")?, group("column"), group("level")?, group("message")?))
    }

    /// Parses `file:line:column: severity: message`, where the column is optional; if ranges are enabled, GCC
    /// adds `{line:column}` after it.
    fn with_colons(text: &'t str) -> Option<Self> {
        let has_drive = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && text[1..].starts_with(':');
        let mut before_file = [2, 0].into_iter().filter(|drive| *drive == 0 || has_drive);
        before_file.find_map(|drive| Self::behind_file(text, drive))
    }

    /// Parses a heading whose file is preceded by a drive of `drive` bytes.
    fn behind_file(text: &'t str, drive: usize) -> Option<Self> {
        let file_end = drive + memchr::memchr(b':', text.get(drive..)?.as_bytes())?;
        if !begins_with_sign(&text[drive..file_end]) {
            return None;
        }
        let (line, rest) = digits(&text[file_end + 1..])?;
        let rest = rest.strip_prefix(':')?;
        let with_column = digits(rest).and_then(|(column, rest)| Some((Some(column), rest.strip_prefix(':')?)));
        let (column, rest) = with_column.unwrap_or((None, rest));
        let (word, message) = severity(without_ranges(rest).strip_prefix(' ')?, WORDS)?;
        Some(Self::new(
            &text[..file_end],
            line,
            column,
            word,
            begun(message.strip_prefix(' ')?.trim_start_matches(' '))?,
        ))
    }

    /// Parses `file(line,column): severity: message`, as printed by clang with `-fdiagnostics-format=msvc`.
    fn with_parentheses(text: &'t str) -> Option<Self> {
        let (file, rest) = text.split_once('(').filter(|(file, _)| begins_with_sign(file))?;
        let (line, rest) = digits(rest)?;
        let with_column = rest.strip_prefix(',').and_then(digits);
        let (column, rest) = with_column.map_or((None, rest), |(column, rest)| (Some(column), rest));
        let rest = rest.strip_prefix(')')?;
        let rest = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix(": ")?;
        let (word, message) = severity(rest, WORDS)?;
        let is_of_clang = !matches!(word, "internal compiler error" | "sorry, unimplemented" | "debug");
        is_of_clang
            .then(|| begun(message.strip_prefix(' ')?))
            .flatten()
            .map(|said| Self::new(file, line, column, word, said))
    }

    fn new(file: &'t str, line: &'t str, column: Option<&'t str>, word: &'t str, said: &'t str) -> Self {
        let (message, code) = split_code(said);
        Self { file, line, column, word, message, code }
    }

    /// Returns the file as printed.
    pub(crate) fn file(&self) -> &'t str {
        self.file
    }

    /// Returns the severity word.
    pub(crate) fn word(&self) -> &'t str {
        self.word
    }

    /// Returns whether this is a note on the previous finding.
    pub(crate) fn is_note(&self) -> bool {
        self.word == "note"
    }

    /// Counts a finding that is not kept. Returns false if it is only quoted text, which is not counted.
    pub(super) fn count(&self, findings: &mut Findings) -> bool {
        let slashed = self.file.contains('\\').then(|| path(self.file));
        let file = slashed.as_deref().unwrap_or_else(|| cut::head(self.file, NAME_BYTES));
        findings.count(Some(file), self.code, self.level(), false)
    }

    fn level(&self) -> Level {
        level_of(self.word).unwrap_or(match self.word {
            "internal compiler error" | "sorry, unimplemented" => Level::Error,
            _ => Level::Info,
        })
    }

    pub(super) fn diagnostic(&self, tool: &str, rule: &str, line: &Line<'_>) -> Diagnostic {
        let level = self.level();
        let said = self.message.trim_end();
        let mut found = match self.word {
            // This is a fault of the tool itself and must be recognizable as such.
            "internal compiler error" => diagnostic(tool, rule, line, level, &format!("{}: {said}", self.word)),
            _ => diagnostic(tool, rule, line, level, said),
        };
        found.file = Some(path(self.file));
        found.line = text::position(self.line);
        found.column = self.column.and_then(text::position).filter(|_| found.line.is_some());
        found.code = self.code.map(name);
        found
    }
}

fn begins_with_sign(text: &str) -> bool {
    text.starts_with(|first: char| !is_blank(first))
}

/// Returns whether a character is ASCII white space, as in the patterns of this crate.
fn is_blank(character: char) -> bool {
    matches!(character, '\t'..='\r' | ' ')
}

/// Returns the message if it begins with a character that is not blank.
fn begun(message: &str) -> Option<&str> {
    begins_with_sign(message).then_some(message)
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    (0 < end).then(|| text.split_at(end))
}

/// Removes a leading `{1:2-1:9}:`.
fn without_ranges(text: &str) -> &str {
    let end = text.find(' ').unwrap_or(text.len());
    let is_range = text.starts_with('{') && text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    if is_range && text[..end].ends_with("}:") { &text[end..] } else { text }
}

/// Splits a severity word and its colon off a text.
fn severity<'t>(text: &'t str, words: &[&str]) -> Option<(&'t str, &'t str)> {
    words.iter().filter(|word| word.as_bytes().first() == text.as_bytes().first()).find_map(|word| {
        let rest = text.strip_prefix(word)?.strip_prefix(':')?;
        Some((&text[..word.len()], rest))
    })
}

/// Returns whether the text contains a severity word followed by a colon; most lines are rejected by this
/// check.
fn has_severity(text: &str) -> bool {
    const ENDS: &[&str] = &[
        "error",
        "warning",
        "note",
        "remark",
        "unimplemented",
        "style",
        "performance",
        "portability",
        "information",
        "debug",
    ];
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes).filter(|at| bytes.get(at + 1) == Some(&b' ')).any(|at| {
        // Most words are told apart by their last letter alone.
        let mut ends = ENDS.iter().map(|end| end.as_bytes()).filter(|end| end.last() == bytes[..at].last());
        ends.any(|end| bytes[..at].ends_with(end))
    })
}

/// Splits a message from the code in brackets after it.
pub(crate) fn split_code(message: &str) -> (&str, Option<&str>) {
    let message = message.trim_end();
    let split = message.strip_suffix(']').and_then(|rest| {
        let mut brackets = memchr::memrchr_iter(b'[', rest.as_bytes());
        let at = brackets.find(|at| rest[..*at].ends_with(' '))?;
        Some((&rest[..at - 1], &rest[at + 1..]))
    });
    match split {
        Some((rest, code)) if is_code(code) => (rest.trim_end(), Some(code)),
        _ => (message, None),
    }
}

fn is_code(code: &str) -> bool {
    code.starts_with(|first: char| first.is_ascii_alphabetic() || first == '-')
        && code.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'-' | b'_' | b'.' | b',' | b'=' | b'+' | b':' | b'/' | b'<' | b'>' | b'#')
        })
}

/// Extensions of files that compilers of the C family read, in lowercase.
pub(crate) static EXTENSIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let extensions = "c h cc cpp cxx c++ cp hh hpp hxx h++ m mm i ii s sx inl inc ipp tpp txx tcc cu cuh ino def cppm \
        ixx ccm modulemap pch";
    extensions.split(' ').collect()
});

/// Returns whether a line ends with the flag of a compiler's warning, `[-Wunused-variable]`, which no linter prints.
pub(crate) fn names_flag(line: &str) -> bool {
    line.ends_with(']') && line.contains(" [-W")
}

/// Returns whether a file may be a C, C++ or Objective-C source, or a pseudo-file of such a compiler.
pub(crate) fn is_c_file(file: &str) -> bool {
    let base = memchr::memrchr2(b'/', b'\\', file.as_bytes()).map_or(file, |at| &file[at + 1..]);
    if file.starts_with('<') && file.ends_with('>') {
        return true;
    }
    match memchr::memrchr(b'.', base.as_bytes()) {
        Some(dot) => EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(&base[dot + 1..])),
        // Headers of the C++ standard library have no extension.
        None => file.contains("/include/") || file.contains("/c++/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_taken_apart() {
        for (text, expected) in [
            ("a.c:3:9: error: no [-Wx]", Some(("a.c", "error", "no", Some("-Wx")))),
            (
                "C:\\p q\\a.c:3: fatal error: x.h: No such file",
                Some(("C:\\p q\\a.c", "fatal error", "x.h: No such file", None)),
            ),
            ("a.c(13,8): warning: w [-Wparentheses]", Some(("a.c", "warning", "w", Some("-Wparentheses")))),
            ("a.c +3:4: warning: w", Some(("a.c", "warning", "w", None))),
            ("a.c:3:9: warning: x[i] is [odd]", Some(("a.c", "warning", "x[i] is", Some("odd")))),
            ("a.c:3:9: warning: index [0 1]", Some(("a.c", "warning", "index [0 1]", None))),
            ("a.c:3:9: cannot do it", None),
            ("make: *** error: no", None),
        ] {
            let heading = Heading::of(text);
            let facts = heading.as_ref().map(|it| (it.file(), it.word(), it.message, it.code));
            assert_eq!(facts, expected, "{text}");
        }
    }

    /// The same layouts as patterns: slow, but obviously correct.
    fn by_patterns(text: &str) -> Option<Heading<'_>> {
        static COLONS: Pattern = Pattern::new(
            r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)?(?:\{\d[^ ]*\}:)? (?<level>fatal error|internal compiler error|error|warning|note|remark|sorry, unimplemented|style|performance|portability|information|debug): +(?<message>\S.*)$",
        );
        static PARENTHESES: Pattern = Pattern::new(
            r"^(?<file>[^\s(][^(]*)\((?<line>\d+)(?:,(?<column>\d+))?\) ?: (?<level>fatal error|error|warning|note|remark|style|performance|portability|information): (?<message>\S.*)$",
        );
        let layouts = [&VI, &COLONS, &PARENTHESES];
        let found = layouts.into_iter().find_map(|layout| layout.find(text))?;
        let group = |name| found.get(name);
        Some(Heading::new(group("file")?, group("line")?, group("column"), group("level")?, group("message")?))
    }

    proptest::proptest! {
        #[test]
        fn headings_are_what_the_patterns_say(
            text in "(a|C:|C:\\\\p q|src/m\\.c| a|x\\(y|<stdin>)?:?\\(?[0-9]{0,2}[,:]?[0-9]{0,2}\\)?(:| :)?(\\{[0-9:-]{0,4}\\}:| \\+[0-9]{1,2}:)? {0,2}(error|fatal error|note|debug|sorry, unimplemented|odd):? {0,2}(x|x \\[-Wy\\]|\t|)",
        ) {
            proptest::prop_assert_eq!(Heading::of(&text), by_patterns(&text), "{}", text);
        }
    }
}
