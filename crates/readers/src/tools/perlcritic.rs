//! Perl::Critic, in its numbered formats.
//!
//! ```text
//! Expression form of "eval" at line 1, column 41.  See page 161 of PBP.  (Severity: 5)        4, the default
//! lib/A.pm: Expression form of "eval" at line 1, column 41.  See page 161 of PBP.  (Severity: 5)  5
//! [BuiltinFunctions::ProhibitStringyEval] Expression form of "eval" at line 1, column 41.  (Severity: 5)  8
//! lib/A.pm:1:41:Expression form of "eval"                                                     1
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("perlcritic", &["perl-critic"], Role::Lint)
    .lines(&[LineFormat::rows(&["(Severity: ", " source OK", ".pl:", ".pm:", ".t:"], &TEXT)]);

static TEXT: Rows = Rows::new("perlcritic", "text").level(Level::Warning).rows(&[
    known(r" source OK$"),
    // Formats with the severity. A line without code and explanation is the end of a finding with a code.
    finding(r"^(?:\[(?<code>\w+(?:::\w+)+)\] |(?<file>(?:[A-Za-z]:)?[^\s:\[][^:]*): )?(?<message>\S.*?) at line (?<line>\d+)(?:, column (?<column>\d+)|,? near '.*')\.(?:  (?<why>\S.*?)\.?)?  \(Severity: (?<level>[1-5])\)$")
        .levels(&[
            ("1", Level::Info),
            ("2", Level::Info),
            ("3", Level::Warning),
            ("4", Level::Warning),
            ("5", Level::Error),
        ])
        .check(|made, found| made.code.is_some() || found.has("why") || !found.has("column"))
        .vouches(),
    // Formats 1, 2 and 3 say so little that either the command or the wording must be known.
    finding(PLAIN)
        .rule("perlcritic/plain")
        .check(|made, found| is_perl(made, found) && WORDS.iter().any(|words| made.message.starts_with(words)))
        .vouches(),
    finding(PLAIN).rule("perlcritic/plain").check(is_perl).common(),
    finding(PLAIN).rule("perlcritic/plain").hinted(),
]);

const PLAIN: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?:(?<line>\d+):(?<column>\d+):(?:(?<code>[\w:]+::\w+): ?)?| \((?<line2>\d+):(?<column2>\d+)\) )(?<message>\S.*)$";

fn is_perl(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    let file = made.file.as_deref().unwrap_or_default();
    [".pl", ".pm", ".t", ".PL", ".cgi", ".psgi"].iter().any(|extension| file.ends_with(extension))
}

/// Messages of built-in policies, which identify format 1.
const WORDS: &[&str] = &[
    "Code before strictures are enabled",
    "Code before warnings are enabled",
    "Code not contained in explicit package",
    "Module does not end with \"1;\"",
    "Code is not tidy",
    "Expression form of \"eval\"",
    "Bareword file handle opened",
    "\"return\" statement with explicit \"undef\"",
    "Two-argument \"open\" used",
    "Subroutine prototypes used",
    "Builtin function called with parentheses",
    "Useless interpolation of literal string",
    "Stricture disabled",
    "No package-scoped \"$VERSION\" variable found",
];
