//! The line that a finding begins with: place, severity, message and, in brackets, a code.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::name;
use crate::scan::Line;
use crate::shapes::pattern;
use crate::text;

/// `file:line:column: severity: message`, with or without the column.
static COLONS: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)?(?:\{\d[^ ]*\}:)? (?<level>fatal error|internal compiler error|error|warning|note|remark|sorry, unimplemented|style|performance|portability|information|debug): +(?<message>\S.*)$",
    )
});

/// `file(line,column): severity: message`, as clang does with `-fdiagnostics-format=msvc`.
static PARENTHESES: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>[^\s(][^(]*)\((?<line>\d+)(?:,(?<column>\d+))?\) ?: (?<level>fatal error|error|warning|note|remark|style|performance|portability|information): (?<message>\S.*)$",
    )
});

/// `file +line:column: severity: message`, as clang does with `-fdiagnostics-format=vi`.
static VI: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S[^+]*) \+(?<line>\d+)(?::(?<column>\d+))?: (?<level>fatal error|error|warning|note|remark|style|performance|portability|information): (?<message>\S.*)$",
    )
});

/// A heading, taken apart.
pub(crate) struct Heading<'t> {
    captures: Captures<'t>,
    /// The message without its code.
    pub(crate) message: &'t str,
    /// What stands in brackets behind the message.
    pub(crate) code: Option<&'t str>,
}

impl<'t> Heading<'t> {
    /// Takes a line apart, if it is a heading.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        if !has_severity(text) {
            return None;
        }
        let captures = layouts(text).into_iter().flatten().find_map(|layout| layout.captures(text))?;
        let (message, code) = split_code(captures.name("message")?.as_str());
        Some(Self { captures, message, code })
    }

    /// Returns the file as printed.
    pub(crate) fn file(&self) -> &str {
        self.captures.name("file").map_or("", |file| file.as_str())
    }

    /// Returns the word that says how grave it is.
    pub(crate) fn word(&self) -> &str {
        self.captures.name("level").map_or("", |level| level.as_str())
    }

    /// Whether it completes the finding before it.
    pub(crate) fn is_note(&self) -> bool {
        self.word() == "note"
    }

    /// Makes a finding of it.
    pub(super) fn diagnostic(&self, tool: &str, rule: &str, line: &Line<'_>) -> Diagnostic {
        let otherwise = match self.word() {
            "internal compiler error" | "sorry, unimplemented" => Level::Error,
            _ => Level::Info,
        };
        let mut found = pattern::matched(tool, rule, line, &self.captures, otherwise);
        text::beginning(self.message.trim_end(), limit::MESSAGE_BYTES).clone_into(&mut found.message);
        found.code = self.code.map(name);
        found
    }
}

/// Whether a word of severity with a colon stands somewhere: most lines are told apart by that alone.
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
    memchr::memchr_iter(b':', bytes)
        .filter(|at| bytes.get(at + 1) == Some(&b' '))
        .any(|at| ENDS.iter().any(|end| bytes[..at].ends_with(end.as_bytes())))
}

/// Returns the layouts that a line may have, the more particular first.
fn layouts(text: &str) -> [Option<&'static Regex>; 3] {
    [
        text.contains(" +").then_some(&*VI),
        Some(&*COLONS),
        text.contains("):").then_some(&*PARENTHESES).or_else(|| text.contains(") :").then_some(&*PARENTHESES)),
    ]
}

/// Splits a message from the code that stands behind it in brackets.
pub(crate) fn split_code(message: &str) -> (&str, Option<&str>) {
    let message = message.trim_end();
    let split = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    match split {
        Some((rest, code)) if is_code(code) => (rest.trim_end(), Some(code)),
        _ => (message, None),
    }
}

fn is_code(code: &str) -> bool {
    code.starts_with(|first: char| first.is_ascii_alphabetic() || first == '-')
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.,=+:/<>#".contains(&byte))
}

/// Whether a file may be one of C, C++ or Objective-C, or of what such a compiler makes up.
pub(crate) fn is_c_file(file: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "c",
        "h",
        "cc",
        "cpp",
        "cxx",
        "c++",
        "cp",
        "hh",
        "hpp",
        "hxx",
        "h++",
        "m",
        "mm",
        "i",
        "ii",
        "s",
        "sx",
        "inl",
        "inc",
        "ipp",
        "tpp",
        "txx",
        "tcc",
        "cu",
        "cuh",
        "ino",
        "def",
        "cppm",
        "ixx",
        "ccm",
        "modulemap",
        "pch",
    ];
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    if file.starts_with('<') && file.ends_with('>') {
        return true;
    }
    match base.rsplit_once('.') {
        Some((_, extension)) => EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)),
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
}
