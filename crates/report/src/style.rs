//! How to write: what the output can show, and how much is wanted.

use anstyle::{AnsiColor, Effects};

use crate::untrusted;

/// How to write for people. Whoever knows the terminal fills it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colours are wanted.
    pub color: bool,
    /// Whether marks and rules may be other than ASCII. Text of tools is shown as it is either way.
    pub unicode: bool,
    pub width: usize,
    /// Whether it is a terminal whose last line can be drawn again.
    pub interactive: bool,
    pub verbosity: Verbosity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// The decision, what blocks, and where the evidence is.
    Quiet,
    /// What a person needs to go on.
    Normal,
    /// Also what started, which rule decided, and more of everything that is cut.
    Verbose,
}

/// Returns a text of a tool or a specification as one harmless line, at most 16 KiB of it, for whoever writes it to a
/// terminal without this crate.
pub fn plain(text: &str) -> String {
    untrusted::line(text)
}

/// Narrower terminals are written to as if they had this many columns.
const COLUMNS_MIN: usize = 20;

/// Wider ones as if they had this many: a line beyond it cannot be read, and bounds keep hostile text cheap.
const COLUMNS_MAX: usize = 400;

impl Style {
    /// Columns that are written to.
    pub(crate) fn columns(self) -> usize {
        self.width.clamp(COLUMNS_MIN, COLUMNS_MAX)
    }

    /// The signs that the output can show.
    pub(crate) fn signs(self) -> &'static Signs {
        if self.unicode { &UNICODE } else { &ASCII }
    }
}

/// Marks and rules, all of one kind.
pub(crate) struct Signs {
    pub(crate) good: &'static str,
    pub(crate) bad: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) skipped: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) started: &'static str,
    /// Between two words of one line.
    pub(crate) dot: &'static str,
    /// Between a line's number and the line.
    pub(crate) bar: &'static str,
    pub(crate) ellipsis: &'static str,
    /// In front of one of several.
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

/// Words of one width where there are no marks: they can be searched for in a log.
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

/// What a piece of text means; the only thing that is said about its looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
    Warning,
    Place,
    /// Reversed, for the decision alone.
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
    /// Colours are the sixteen that every terminal lets its owner choose.
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
