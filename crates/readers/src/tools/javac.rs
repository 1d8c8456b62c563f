//! The Java compiler, and tools that print in its format: Error Prone, javadoc, and Ant's tasks around them.
//!
//! ```text
//! src/App.java:9: warning: [rawtypes] found raw type: List
//!     List raw = new ArrayList();
//!     ^
//!   missing type arguments for generic class List<E>
//! 1 warning
//! ```
//!
//! Compilers before Java 7 leave out `error:`; there only the caret below identifies a finding. Ant
//! (`    [javac] `) or Maven (`[ERROR] `) may put a prefix before the compiler's lines. The compiler prints no
//! columns.

use crate::prelude::*;
use crate::rows::Row;
use crate::rows::caret::{CARET, is_part};
use crate::shapes::ant;

pub(crate) static TOOL: Tool =
    Tool::new("javac", &["openjdk-javac"], Role::Compile).lines(&[LineFormat::rows(PREFILTER, &TEXT)]);

/// Texts one of which is in every finding of the compiler.
pub(crate) const PREFILTER: &[&str] = &[
    ".java:",
    ".java: ",
    ".class): ",
    ".class: ",
    "error: invalid ",
    "error: release ",
    "error: file not found",
    "warning: [options]",
    "javac: ",
];

static TEXT: Rows = rows("javac", &[]);

/// Creates the format of the compiler, or of a tool that prints like it. Without a hint, one of `signs` must tell it
/// from the compiler.
pub(crate) const fn rows(tool: &'static str, signs: &'static [&'static str]) -> Rows {
    Rows::new(tool, "text").signs(signs).without(without_prefix).complete(propose).rows(ROWS)
}

const ROWS: &[Row] = &[
    within(r"^(?:\* What went wrong|Failed to execute goal)").again(),
    within("^(?:> Task |Scanning )").afresh(),
    head(LOCATED).check(is_located).enters(ABOVE),
    // Before Java 7 there was no level: only the caret identifies a finding.
    lead(BARE).tentative().check(is_located).enters(ABOVE),
    // A finding about a whole file, usually one that is not a source.
    head(r"^(?<file>\S.*?\.(?:java|class|jar)\)?): (?<level>error|warning): (?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.+)$")
        .enters(ABOVE),
    head(r"^(?:javac|javadoc): (?<level>error|warning)(?:: | - )(?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.+)$")
        .enters(ABOVE),
    head(r"^(?:javac|javadoc): (?<message>.+)$").check(is_global).enters(ABOVE),
    head(GLOBAL).check(is_global).enters(ABOVE),
    head(GLOBAL).among().enters(ABOVE),
    sum(r"^(?<errors>[1-9]\d*) errors?$").clean(),
    sum(r"^(?<warnings>[1-9]\d*) warnings?$").clean(),
    sum(r"^only showing the first (?<shown>\d+) errors, of (?<errors>\d+) total; .*$").clean(),
    sum(r"^only showing the first (?<shown>\d+) warnings, of (?<warnings>\d+) total; .*$").clean(),
    within("^Note: ").known(),
    rest(CARET).inside(ABOVE).caret().enters("below the caret"),
    part(CARET).inside(ABOVE).caret().enters("below the caret"),
    part("^(?<source>.*)$").inside(ABOVE).held().check(is_part),
    part(r"^(?<message>  .*|\s*(?:symbol|location).*)$").inside("below the caret"),
];

/// The lines between the heading and the caret.
const ABOVE: &str = "above the caret";

/// A finding with its location. Java prints in English, German, Japanese and Chinese.
const LOCATED: &str = r"^(?:Exit code: \d+ - )?(?<file>[^\s:].*?\.(?:java|jav|aj)):(?<line>\d+): ?(?:(?<level>error|warning)|Fehler|(?<level2>Warnung)|エラー|(?<level3>警告)|错误)(?:: ?| - )(?:\[(?<code>[A-Za-z][\w.-]*)\] ?)?(?<message>.+)$";

const BARE: &str = r"^(?:Exit code: \d+ - )?(?<file>[^\s:].*?\.(?:java|jav|aj)):(?<line>\d+): ?(?:\[(?<code>[A-Za-z][\w.-]*)\] ?)?(?<message>.+)$";

/// A finding without a location.
const GLOBAL: &str = r"^(?<level>error|warning)(?:: | - )(?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.+)$";

/// Returns whether a message without a location is one that only the compiler prints.
fn is_global(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    const WORDS: &[&str] = &[
        "warnings found and -Werror specified",
        "release version ",
        "invalid source release",
        "invalid target release",
        "invalid flag: ",
        "file not found: ",
        "no source files",
        "Source option ",
        "Target option ",
    ];
    /// Lint categories of the compiler that have no location in a source.
    const CODES: &[&str] = &["options", "path", "processing", "classfile", "module", "modules"];
    made.code.as_deref().is_some_and(|code| CODES.contains(&code))
        || WORDS.iter().any(|words| made.message.starts_with(words))
}

/// Returns whether no column follows the line: `App.java:2:17: …` is not from this compiler.
fn is_located(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let message = found.text("message");
    let digits = message.bytes().take_while(u8::is_ascii_digit).count();
    if found.text("level").chars().any(|letter| !letter.is_ascii_lowercase()) {
        made.level = Level::Warning;
    }
    digits == 0 || !message[digits..].starts_with(':')
}

/// Returns a line without the prefix of Ant or Maven, and without the indentation in Gradle's closing message.
fn without_prefix(text: &str) -> &str {
    let trimmed = text.trim_start_matches(' ');
    if !trimmed.starts_with('[') {
        let is_heading = text.len() - trimmed.len() == 2
            && trimmed.contains(".java:")
            && [": error", ": warning"].iter().any(|level| trimmed.contains(level));
        return if is_heading { trimmed } else { text };
    }
    // A space ends Maven's own count of findings.
    if text.ends_with(' ') {
        return text;
    }
    for level in ["[ERROR] ", "[WARNING] ", "[WARN] ", "[INFO] "] {
        if let Some(rest) = text.strip_prefix(level) {
            return rest;
        }
    }
    ant::without_task(text)
}

/// Sets the suggestion of Error Prone from the message of a finding.
pub(crate) fn propose(found: &mut Diagnostic) -> bool {
    found.suggestion = found.message.lines().find_map(|line| {
        let (_, rest) = line.split_once("Did you mean '")?;
        let (proposals, _) = rest.rsplit_once("'?")?;
        // Only the first of several suggestions is used.
        proposals.split("' or '").next().map(name)
    });
    true
}

#[cfg(test)]
mod tests;
