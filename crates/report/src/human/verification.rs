//! Whether evidence can be trusted, axis by axis.

use std::io::{self, Write};

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone};

/// Maximum number of lines of one reason.
const LINES_MAX: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub name: String,
    pub state: State,
    /// Reason for the state; its line breaks are kept.
    pub reason: String,
}

/// State of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Good,
    /// The verification failed.
    Bad,
    Unknown,
}

/// Writes the axes, one below the other.
pub fn write(axes: &[Axis], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let signs = page.signs();
    let names = axes.iter().map(|axis| width(&axis.name)).max().unwrap_or(0).min(page.columns() / 3);
    for axis in axes {
        let (sign, tone) = match axis.state {
            State::Good => (signs.good, Tone::Good),
            State::Bad => (signs.bad, Tone::Bad),
            State::Unknown => (signs.unknown, Tone::Warning),
        };
        let indent = width(sign) + 1 + names + 2;
        let lead = Line::new().then(tone, sign).word(Tone::Strong, &axis.name).padded_to(indent);
        page.paragraph(lead, indent, Tone::Plain, &axis.reason, LINES_MAX)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{ascii, colored, plain};

    fn axes() -> Vec<Axis> {
        [
            ("integrity", State::Good, "all 17 files match the seal"),
            ("report", State::Bad, "the report's own hash does not match its content"),
            ("signature", State::Unknown, "unsigned: anyone who can write the directory could have made it"),
            ("replay", State::Bad, "STEP.1-types.log was changed\nplan.json is missing"),
        ]
        .map(|(name, state, reason)| Axis { name: name.to_owned(), state, reason: reason.to_owned() })
        .to_vec()
    }

    #[test]
    fn each_axis_says_what_holds_and_why() {
        insta::assert_snapshot!(plain(100, |style, out| write(&axes(), &style, out)));
        insta::assert_snapshot!(colored(100, |style, out| write(&axes(), &style, out)));
        insta::assert_snapshot!(ascii(40, |style, out| write(&axes(), &style, out)));
    }
}
