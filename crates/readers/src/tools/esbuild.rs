//! esbuild, whose columns are 0-based:
//!
//! ```text
//! ✘ [ERROR] Expected ")" but found ";"
//!
//!     src/index.js:4:25:
//!       4 │ console.log(missing, nope;
//!         │                          ^
//!         ╵                          )
//! ```
//!
//! Findings that are printed again in an uncaught exception (`src/index.js:4:25: ERROR: …`) are counted once.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("esbuild", &["tsup"], Role::Compile).lines(&[LineFormat::rows(
    &["[ERROR] ", "[WARNING] ", " failed with ", "Done in "],
    &TEXT,
)
.named(&[": ERROR: ", ": WARNING: ", ": error: ", ": warning: "])]);

/// The location of a finding or a note, on a line of its own.
const PLACE: &str = r"^    (?<file>\S.*):(?<line>\d+):(?<column0>\d+):$";

pub(crate) static TEXT: Rows = Rows::new("esbuild", "text").spans_blank_lines().lists().rows(&[
    head(
        r"^(?:✘|▲|X|\u{2718}) \[(?<level>ERROR|WARNING)\] (?<message>.*?)(?: \[(?:plugin [^\]]*|(?<code>[a-z][a-z0-9-]*))\])?$",
    )
    .enters("heading"),
    // A line of an exception's message; until version 0.8 of all output, preceded by a sign.
    finding(r"^(?: > )?(?<file>[^\s:].*?):(?<line>\d+):(?<column0>\d+): (?<level>ERROR|WARNING|error|warning): (?<message>.*)$")
        .rule("esbuild/exception")
        .inside("exception")
        .repeats(),
    finding(r"^ > (?<file>[^\s:].*?):(?<line>\d+):(?<column0>\d+): (?<level>ERROR|WARNING|error|warning): (?<message>.*)$")
        .rule("esbuild/exception")
        .hinted()
        .repeats(),
    within(" failed with .* ?errors?:$").enters("exception"),
    known("^⚡ Done in ").hinted(),
    sum(
        r"^(?:\d+ of )?(?:(?<errors>\d+) errors?|(?<warnings>\d+) warnings?)(?: shown)?(?: and (?:\d+ of )?(?:(?<errors2>\d+) errors?|(?<warnings2>\d+) warnings?)(?: shown)?)?(?: \(disable the message limit with --log-limit=0\))?$",
    ),
    related(r"^  (?<message>\S.*)$").enters("note"),
    part(PLACE).inside("heading").enters("code"),
    related(PLACE).inside("note"),
    part(r"^ {4,}\d+ +[│╵|](?: (?<source>.*))?$").inside("code"),
    part(r"^ {4,} +[│╵|] (?<caret> *~+)$").inside("code"),
    part(r"^ {4,} +[│╵|] +(?<suggestion>[^\s^~].*)$").inside("code"),
    part("^  "),
]);

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(text: &str) -> Option<Candidate> {
        crate::trial::claimed(TEXT.reader(false), text)
    }

    #[test]
    fn an_exception_repeats_what_was_said() {
        let text = "✘ [ERROR] No\n\n    a.js:1:2:\n      1 │ x\n        ╵ ~\n\nError: Build failed with 1 error:\na.js:1:2: ERROR: No\n";
        let candidate = candidate(text).unwrap();
        let found = candidate.findings.kept.into_items();
        assert_eq!((found.len(), found[0].column, found[0].end_column), (1, Some(3), Some(4)));
    }

    #[test]
    fn an_exception_alone_says_it_all() {
        let text = "[vite:esbuild] Transform failed with 2 errors:\na.js:1:2: ERROR: No\na.js:3:0: ERROR: Nor\n";
        assert_eq!(candidate(text).unwrap().findings.counts.errors, 2);
        assert!(candidate("a.js:1:2: ERROR: No\n").is_none());
    }

    #[test]
    fn counts_are_read_in_their_forms() {
        for (text, errors, warnings) in [
            ("3 errors", 3, 0),
            ("2 warnings and 1 error", 1, 2),
            ("6 of 10 errors shown (disable the message limit with --log-limit=0)", 10, 0),
        ] {
            let candidate = candidate(&format!("✘ [ERROR] No\n\n{text}\n")).unwrap();
            let counts = &candidate.findings.counts;
            assert_eq!((counts.errors, counts.warnings), (errors, warnings), "{text}");
        }
    }
}
