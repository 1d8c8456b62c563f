//! Perl: `syntax error at bad.pl line 4, near "my "`, and warnings and fatal errors of a running program.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("perl", &[], Role::Compile).lines(&[LineFormat::rows(
    &[".pl line ", ".pm line ", ".PL line ", "had compilation errors.", " syntax OK"],
    &TEXT,
)]);

macro_rules! found {
    ($message:literal, $file:literal) => {
        concat!(
            "^(?<message>",
            $message,
            ") at (?<file>",
            $file,
            r#") line (?<line>\d+)(?:\.|, (?:near|at|<\S*>) .*|, near ".*)?$"#
        )
    };
}

static TEXT: Rows = Rows::new("perl", "text").confidence(Confidence::Likely).rows(&[
    // The error that ended a test is reported by the test runner.
    sum(r"^(?:BEGIN failed--compilation aborted|Compilation failed in require) at .*\.(?:pl|pm|PL|cgi|psgi) line "),
    sum(r"^(?:BEGIN failed--compilation aborted|Compilation failed in require)").hinted(),
    sum(r" (?:had compilation errors|aborted due to compilation errors|has too many errors)\.$"),
    known(r" syntax OK$").hinted(),
    within(r" syntax OK$"),
    // A `#` precedes messages of tests about a failure, and a space precedes parts of other messages.
    finding(found!("syntax error|Global symbol .*?", r#"(?:[A-Za-z]:)?\S[^:"]*?\.(?:pl|pm|PL|cgi|psgi)"#)).vouches(),
    finding(found!(r"[^\s#].*?", r#"(?:[A-Za-z]:)?\S[^:"]*?\.(?:pl|pm|PL|cgi|psgi)"#)).level_of(level).check(is_cause),
    finding(found!(r"[^\s#].*?", r#"(?:[A-Za-z]:)?[^\s:"]+"#)).level_of(level).check(is_cause).hinted(),
]);

fn level(found: &Groups<'_, '_>) -> Level {
    let is_warning = WARNINGS.split('|').any(|words| found.text("message").starts_with(words));
    if is_warning { Level::Warning } else { Level::Error }
}

fn is_cause(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    !made.message.ends_with(" called")
}

/// Starts of warnings; all other messages are errors.
const WARNINGS: &str = "Use of |Useless use|Possible |Subroutine |Name \"|Argument \"|Odd number|Scalar value|\"my|Deep recursion|\
    Reference found|Found = in conditional|Statement unlikely|Unquoted string|Applying pattern|Prototype mismatch|\
    Constant subroutine|print (...)|Applying|Unrecognized escape|Smartmatch is|given is|when is|Variable \"|\
    Redundant argument|Missing argument|isn't numeric|Too late to run|substr outside|splice() offset|Filehandle |\
    readline()|print() on|printf() on";
