//! Display of times and durations.

use std::fmt;

use askama::filters::HtmlSafe;
use referee_model::time::Timestamp;
use referee_syntax::duration;

/// A time: to the minute for readers, in full in the tooltip and for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment(pub(super) Timestamp);

impl Moment {
    /// Parses a time in a document. `None`: it is missing or invalid.
    pub(super) fn read(text: &str) -> Option<Self> {
        Timestamp::parse(text).ok().map(Self)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0.to_string();
        let short = whole.get(..16).unwrap_or(&whole).replace('T', " ");
        write!(formatter, "<time datetime=\"{whole}\" title=\"{whole}\">{short}</time>")
    }
}

/// The rendered time contains only digits and punctuation without a meaning in HTML, in an element of our own.
impl HtmlSafe for Moment {}

/// A duration in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span(pub(super) u64);

impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&duration::short(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_for_readers_and_whole_for_programs() {
        let shown = Moment::read("2026-11-21T09:05:24+00:00").unwrap().to_string();
        let whole = "2026-11-21T09:05:24.000Z";
        assert_eq!(shown, format!("<time datetime=\"{whole}\" title=\"{whole}\">2026-11-21 09:05</time>"));
        assert_eq!(Moment::read("<b>"), None);
        assert!(Moment(Timestamp::from_millisecond(i64::MAX)).to_string().starts_with("<time"));
    }

    #[test]
    fn spans_say_what_matters() {
        let rows = [(7, "7 ms"), (1_250, "1.2 s"), (61_000, "1 min 01 s"), (7_260_000, "2 h 01 min")];
        for (milliseconds, text) in rows {
            assert_eq!(Span(milliseconds).to_string(), text);
        }
    }
}
