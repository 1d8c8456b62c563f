//! Where lines of the audit log go, and how many there may be about callers who prove nothing.

use std::sync::{Mutex, PoisonError};

use referee_model::access::Actor;
use referee_model::audit::AuditLine;
use referee_model::time::Timestamp;

/// Writes a line to the log; its number and link are set there.
pub type AuditSink = Box<dyn Fn(&AuditLine) -> Result<(), String> + Send + Sync>;

/// Number of lines in a minute about callers who proved nothing. Further ones are counted in the next line, so that
/// whoever only reaches the server cannot fill the disk.
const UNKNOWN_LINES: u32 = 60;
const MINUTE_MS: u64 = 60_000;

/// How many lines about unknown callers were written lately.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Count>);

#[derive(Debug, Default)]
struct Count {
    since: Option<Timestamp>,
    lines: u32,
    omitted: u64,
}

impl Tally {
    /// Returns the number of lines that were left out since the last one. None: this one is left out as well.
    pub(crate) fn take(&self, who: &Actor, now: Timestamp) -> Option<u64> {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = count.since.is_none_or(|since| now < since || now.milliseconds_since(since) >= MINUTE_MS);
        if is_over {
            (count.since, count.lines) = (Some(now), 0);
        }
        if *who == Actor::Unknown {
            if count.lines >= UNKNOWN_LINES {
                count.omitted += 1;
                return None;
            }
            count.lines += 1;
        }
        Some(std::mem::take(&mut count.omitted))
    }

    /// Takes back what a line was to tell that could not be written.
    pub(crate) fn give_back(&self, omitted: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).omitted += omitted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_who_prove_nothing_get_so_many_lines_a_minute_and_the_rest_is_counted() {
        let (tally, at) = (Tally::default(), Timestamp::from_millisecond);
        for _ in 0..UNKNOWN_LINES {
            assert_eq!(tally.take(&Actor::Unknown, at(1)), Some(0));
        }
        assert_eq!(tally.take(&Actor::Unknown, at(2)), None);
        assert_eq!(tally.take(&Actor::Unknown, at(3)), None);
        // Whoever is known is told of in any case, and with it how many were left out.
        assert_eq!(tally.take(&Actor::ServerToken, at(4)), Some(2));
        tally.give_back(2);
        assert_eq!(tally.take(&Actor::Unknown, at(5)), None);
        assert_eq!(tally.take(&Actor::Unknown, at(1 + 60_000)), Some(3));
        // A clock that is put back ends no minute that never ends.
        assert_eq!(tally.take(&Actor::Unknown, at(0)), Some(0));
    }
}
