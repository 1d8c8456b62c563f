//! The consequence of a masked failure, and the remedy.

use crate::source::quote;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Words turn the failure into a success, such as `|| true`.
    Turned,
    /// Another command follows, whatever the exit code.
    Overtaken,
    Background,
    /// The command is waited for, but its exit code is ignored.
    Awaited,
    /// The line ends with success before the commands after it.
    Ended,
    Negated,
    /// Only the last command of the pipe counts.
    Piped,
}

/// A masked failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Masking {
    pub(crate) way: Way,
    /// The masking part, or the command whose failure is masked.
    pub(crate) part: String,
}

impl Masking {
    /// Describes the masked failure, to follow "where".
    pub(crate) fn risk(&self) -> String {
        let part = quote(&self.part);
        match self.way {
            Way::Turned => format!("{part} hides a failure"),
            Way::Overtaken => format!("a failure of {part} is lost, because another command comes after it"),
            Way::Background => format!("a failure of {part} is lost, because `&` waits for nothing"),
            Way::Awaited => {
                format!("a failure of {part} is lost, because a `wait` for everything in the background succeeds")
            }
            Way::Ended => format!("{part} ends the line with success, and what comes after it never runs"),
            Way::Negated => format!("any failure of {part} counts as success"),
            Way::Piped => format!("a failure of {part} is lost, because only the end of the pipe counts"),
        }
    }

    /// Returns the replacement to write.
    pub(crate) fn remedy(&self) -> &'static str {
        match self.way {
            Way::Turned => "leave it out, or make the command before it a check of its own",
            Way::Overtaken => "join the commands by `&&`, or make each a check of its own",
            Way::Background => "leave `&` out, so that the command's end is waited for",
            Way::Awaited => {
                "leave `&` out, make each command a check of its own, or wait for it by its number, `wait $!`"
            }
            Way::Ended => "leave it out, or leave out what comes after it",
            Way::Negated => "say which exit code is right by `expectedExitCodes`, in place of `!`",
            Way::Piped => "let it fail the pipe by `pipefail`, or make the command a check of its own",
        }
    }
}
