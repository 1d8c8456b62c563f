//! What is lost where a failure does not show, and what to write instead.

use crate::source::quote;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By words that turn it into a success, such as `|| true`.
    Turned,
    /// Another command comes after it, whatever it gives.
    Overtaken,
    Background,
    /// It is waited for, and what it gives is not asked for.
    Awaited,
    /// The line ends with success before the commands after it.
    Ended,
    Negated,
    /// Only the end of the pipe counts.
    Piped,
}

/// A failure that would not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Masking {
    pub(crate) way: Way,
    /// What hides it, or the command whose failure it is.
    pub(crate) part: String,
}

impl Masking {
    /// Says what is hidden, after "where".
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

    /// Says what to write instead.
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
