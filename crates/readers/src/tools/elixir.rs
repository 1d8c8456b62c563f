//! Elixir and `mix compile`. Since 1.16 a finding is `    warning: variable "x" is unused`, its code, and
//! `    └─ lib/a.ex:5:3: A.f/0`; before, `warning: …` with `  lib/a.ex:5: A.f/0` on the next line. Errors that
//! stop the compilation are exceptions: `** (SyntaxError) lib/a.ex:5:1: …`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("elixir", &["elixirc", "mix", "mix-compile"], Role::Compile).lines(&[FORMAT]);

pub(crate) const FORMAT: LineFormat = LineFormat::rows(&[".ex:", ".exs:", ".eex:", ".heex:", "Error) "], &TEXT);

static TEXT: Rows = Rows::new("elixir", "text").waits_over_blank_lines().most_lines(40).rows(&[
    head(EXCEPTION).check(|made, _| made.line.is_some()).rule(RULE).enters("exception"),
    // `** (CompileError) lib/a.ex: cannot compile module A (errors have been logged)` sums up the errors.
    head(EXCEPTION).check(|made, _| made.file.is_some()).first().rule(RULE).enters("exception"),
    lead(EXCEPTION).check(|made, _| made.file.is_none()).rule(RULE).enters("exception"),
    within(EXCEPTION),
    // Before 1.4: `lib/a.ex:5: warning: unused`.
    finding(r"^(?<file>\S+\.exs?):(?<line>\d+): (?<level>warning|error): (?<message>\S.*)$"),
    // `warning: variable "x" is unused`, indented since 1.16.
    part(HEADING).inside("exception").check(|made, _| made.message.is_empty()),
    lead(HEADING).enters("finding"),
    rest(PLACE),
    part(PLACE).check(|made, _| made.line.is_none()),
    part(r"^(?:\s*[│└]|.* │ )"),
    part(r"^  \s*(?<message>.*)$").check(|made, _| made.file.is_none()),
    part("^  "),
    // Old findings have explanatory paragraphs before the location.
    part("^(?:.*:|Conflict found at.*)$").inside("finding").check(|made, _| made.file.is_none()),
]);

const RULE: &str = "elixir/exception";

const HEADING: &str = r"^(?: {4})?(?<level>warning|error): (?<message>\S.*)$";

/// `  lib/a.ex:5: A.f/0`, `    └─ lib/a.ex:5:3: A.f/0`, `  lib/a.ex:5`.
const PLACE: &str =
    r"^ +(?:└─ )?(?<file>[^\s:]\S*?\.(?:exs?|l?eex|heex|erl)):(?<line>\d+)(?::(?<column>\d+))?(?::? .*|:)?$";

/// `** (SyntaxError) lib/a.ex:5:1: unexpected token: end`, `** (TokenMissingError) token missing on a.ex:5:1:`.
const EXCEPTION: &str = r"^\*\* \((?<code>(?:Syntax|TokenMissing|Compile|MismatchedDelimiter|EEx\.Syntax|Phoenix\.LiveView\.Tokenizer\.Parse)Error)\) (?:(?:\w+ )+on )?(?:(?<file>[^\s(]+?\.\w+):(?:(?<line>\d+):(?:(?<column>\d+):)?)? ?)?(?<message>.*)$";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    /// File, line, column, message.
    type Facts = (Option<String>, Option<u32>, Option<u32>, String);

    fn read(text: &str) -> Vec<Facts> {
        let found =
            trial::claimed(TEXT.reader(false), text).map(|it| it.findings.kept.into_items()).unwrap_or_default();
        found.into_iter().map(|found| (found.file, found.line, found.column, found.message)).collect()
    }

    #[test]
    fn findings_are_read_in_all_wordings() {
        for (text, line, column, message) in [
            ("warning: variable \"x\" is unused\n  lib/a.ex:5: A.f/0\n", Some(5), None, "variable \"x\" is unused"),
            (
                "    warning: variable \"x\" is unused\n    │\n  5 │   x = 1\n    │   ~\n    │\n    └─ lib/a.ex:5:3: A.f/0\n",
                Some(5),
                Some(3),
                "variable \"x\" is unused",
            ),
            ("** (SyntaxError) lib/a.ex:5:1: unexpected\n", Some(5), Some(1), "unexpected"),
            (
                "** (TokenMissingError) token missing on lib/a.ex:5:1:\n    error: missing terminator: end\n    │\n    └─ lib/a.ex:5:1\n",
                Some(5),
                Some(1),
                "missing terminator: end",
            ),
            ("lib/a.ex:5: warning: unused\n", Some(5), None, "unused"),
        ] {
            let expected = (Some("lib/a.ex".to_owned()), line, column, message.to_owned());
            assert_eq!(read(text), [expected], "{text}");
        }
    }

    #[test]
    fn an_exception_below_its_findings_says_nothing_new() {
        let text = "    error: undefined function f/0\n    │\n    └─ lib/a.ex:3:5: A.g/0\n\n\n== Compilation error in file lib/a.ex ==\n** (CompileError) lib/a.ex: cannot compile module A (errors have been logged)\n";
        assert_eq!(read(text).len(), 1);
    }

    #[test]
    fn what_names_no_place_of_elixir_is_none() {
        assert!(read("warning: something\n\nerror: else\n  see a.c:3\n").is_empty());
    }
}
