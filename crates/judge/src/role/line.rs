//! Splits a shell line into its simple commands.
//!
//! Unknown parts (substitutions, variables) stay in the words as written.

use referee_syntax::shell::{self, Operator, Way};

/// A simple command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    /// Words, unquoted, without redirections; never empty.
    pub(super) words: Vec<String>,
    /// Whether the command reads the output of the command before it.
    pub(super) piped: bool,
    /// Whether it reads from or writes to a file of its own, which may fail to open.
    pub(super) redirected: bool,
}

/// Returns the simple commands of a line, in the order in which they are written.
pub(super) fn commands(line: &str) -> Vec<Simple> {
    let commands = shell::lex(line).commands().into_iter().map(|command| Simple {
        words: command.texts(),
        piped: command.before == Some(Operator::Pipe),
        redirected: command.redirections.iter().any(|redirection| {
            matches!(redirection.way, Way::Read | Way::Write) && redirection.target.text != "/dev/null"
        }),
    });
    commands.filter(|simple| !simple.words.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> String {
        commands(line)
            .iter()
            .map(|simple| {
                let piped = if simple.piped { "| " } else { "" };
                let redirected = if simple.redirected { " >" } else { "" };
                format!("{piped}{}{redirected}", simple.words.join("·"))
            })
            .collect::<Vec<_>>()
            .join(" / ")
    }

    #[test]
    fn lines_fall_into_their_simple_commands() {
        for (line, expected) in [
            ("npx jest --ci", "npx·jest·--ci"),
            ("a && b || c; d & e\nf", "a / b / c / d / e / f"),
            ("a | b |& c", "a / | b / | c"),
            ("say 'a && b' \"c \\\" d\" e\\ f ''", "say·a && b·c \" d·e f·"),
            ("a > out.txt 2>&1 b", "a·b >"),
            ("a 2>&1 > /dev/null; b >&log; c >&2", "a / b > / c"),
            ("a &> out.txt", "a >"),
            ("a 2> err", "a >"),
            ("(cd x && a)", "cd·x / a"),
            ("a # comment && b", "a"),
            ("a b#c", "a·b#c"),
            ("echo $(jest && b) `c | d`", "echo·$(jest && b)·`c | d`"),
            ("a \\\n b", "a·b"),
            ("", ""),
            ("'open", "open"),
            ("\"open \\", "open "),
            ("$(", "$("),
        ] {
            assert_eq!(written(line), expected, "{line}");
        }
    }
}
