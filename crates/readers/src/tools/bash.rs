//! Errors of shells that cannot parse or run a script:
//! `deploy.sh: line 14: syntax error near unexpected token 'fi'`, and dash's
//! `deploy.sh: 3: Syntax error: "fi" unexpected`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("bash", &["sh", "dash", "ksh", "zsh"], Role::Lint)
    .lines(&[LineFormat::rows(&[": line ", ": Syntax error: ", ": syntax error", ".sh: "], &TEXT)]);

/// Messages of shells themselves, independent of the script.
const WORDS: &str = "syntax error|Syntax error|unexpected EOF|command not found|unbound variable|: not found|\
    No such file or directory|Permission denied|here-document|bad substitution|Bad substitution|\
    integer expression expected|readonly variable|unary operator expected|ambiguous redirect|parse error|\
    not a valid identifier|cannot execute|too many arguments|parameter not set|division by 0";

fn is_known(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    WORDS.split('|').any(|words| made.message.contains(words))
}

const AT_LINE: &str = r"^(?<file>[^\s:][^:]*): (?:-c: )?line (?<line>\d+): (?:(?<level>warning): )?(?<message>\S.*)$";

static TEXT: Rows = Rows::new("bash", "text")
    .confidence(Confidence::Likely)
    .rows(&[
        // Below a syntax error, bash prints the source.
        within(r"^[^\s:][^:]*: (?:-c: )?(?:line )?\d+: `.*'$").open(),
        head(AT_LINE).check(is_known),
        head(AT_LINE).hinted(),
        head(r"^(?<file>[^\s:][^:]*): (?<line>\d+): (?<message>Syntax error: .*)$"),
        head(r"^(?<file>[^\s:][^:]*): (?:-c: )?(?<line>\d+): (?:(?<level>warning): )?(?<message>\S.*)$")
            .check(is_known)
            .hinted(),
    ])
    // For a command run with `-c`, the shell itself is printed in place of the file.
    .complete(|found| {
        let shell = found.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file).trim_start_matches('-'));
        if matches!(shell, Some("bash" | "sh" | "dash" | "zsh" | "ksh")) {
            found.file = None;
        }
        true
    });
