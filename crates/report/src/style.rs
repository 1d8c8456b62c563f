//! How to write text: what the output device can show, and how much is wanted.

use anstyle::{AnsiColor, Effects};

use crate::untrusted;

/// How to write text for people; filled in by the code that knows the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colors are wanted.
    pub color: bool,
    /// Whether symbols and lines may be other than ASCII. Text of tools is shown as it is either way.
    pub unicode: bool,
    pub width: usize,
    /// Whether the output is a terminal whose last line can be redrawn.
    pub interactive: bool,
    pub verbosity: Verbosity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// The decision, blocking failures, and the path of the evidence.
    Quiet,
    /// Everything that a person needs to continue.
    Normal,
    /// Also starts of actions, rules that decided, and more of everything that is cut.
    Verbose,
}

/// Returns a text of a tool or a specification as one escaped line of at most 16 KiB, for code that writes to a
/// terminal without this crate.
pub fn plain(text: &str) -> String {
    untrusted::line(text)
}

/// Minimum number of columns; a narrower terminal is treated as if it had this many.
const COLUMNS_MIN: usize = 20;

/// Maximum number of columns: a longer line cannot be read, and the bound keeps hostile text cheap.
const COLUMNS_MAX: usize = 400;

impl Style {
    /// Returns the number of columns to write to.
    pub(crate) fn columns(self) -> usize {
        self.width.clamp(COLUMNS_MIN, COLUMNS_MAX)
    }

    /// Returns the signs that the output can show.
    pub(crate) fn signs(self) -> &'static Signs {
        if self.unicode { &UNICODE } else { &ASCII }
    }
}

/// Signs and lines of one character set.
pub(crate) struct Signs {
    pub(crate) good: &'static str,
    pub(crate) bad: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) skipped: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) started: &'static str,
    /// Separator between two words of one line.
    pub(crate) dot: &'static str,
    /// Separator between a line number and the line.
    pub(crate) bar: &'static str,
    pub(crate) ellipsis: &'static str,
    /// Sign in front of each of several entries.
    pub(crate) bullet: &'static str,
    pub(crate) spinner: &'static [&'static str],
}

const UNICODE: Signs = Signs {
    good: "✓",
    bad: "✗",
    warning: "!",
    skipped: "–",
    unknown: "?",
    started: "▸",
    dot: "·",
    bar: "│",
    ellipsis: "…",
    bullet: "•",
    spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

/// Words of one width in place of symbols, which can be searched for in a log.
const ASCII: Signs = Signs {
    good: "pass",
    bad: "FAIL",
    warning: "warn",
    skipped: "skip",
    unknown: "????",
    started: "run ",
    dot: "-",
    bar: "|",
    ellipsis: "...",
    bullet: "*",
    spinner: &["|", "/", "-", "\\"],
};

/// Meaning of a piece of text, from which its appearance follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
    Warning,
    Place,
    /// Reverse video, for the decision only.
    Verdict(Stamp),
}

/// The three decisions, as a stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamp {
    Pass,
    Fail,
    Blocked,
}

impl Tone {
    /// Returns the terminal style. Colors are among the sixteen that a terminal's user can configure.
    pub(crate) fn looks(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        let color = |color: AnsiColor| plain.fg_color(Some(color.into()));
        match self {
            Self::Plain => plain,
            Self::Strong => plain.bold(),
            Self::Faint => plain.dimmed(),
            Self::Good => color(AnsiColor::Green),
            Self::Bad => color(AnsiColor::Red).bold(),
            Self::Warning => color(AnsiColor::Yellow),
            Self::Place => color(AnsiColor::Cyan),
            Self::Verdict(stamp) => {
                let color = match stamp {
                    Stamp::Pass => AnsiColor::Green,
                    Stamp::Fail => AnsiColor::Red,
                    Stamp::Blocked => AnsiColor::Yellow,
                };
                plain.fg_color(Some(color.into())).effects(Effects::BOLD | Effects::INVERT)
            }
        }
    }
}
