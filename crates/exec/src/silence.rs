//! Detects whether a silent command works, or is inactive: a watch mode, a question without an answer, a server
//! that does not respond.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::ActionId;

use crate::group::{Activity, Tree};

/// Interval of checks of a silent command's activity.
const LOOK: Duration = Duration::from_secs(1);

/// Duration of silence after which it is reported.
const TOLD_AFTER: Duration = Duration::from_mins(1);

/// Minimum inactivity before a timeout that is recorded; half of the timeout, where that is shorter.
const IDLE: Duration = Duration::from_secs(10);

/// Maximum processor ticks (a hundred per second) between two checks that do not count as work: timers and garbage
/// collection. Jest uses up to three while it waits for changes, and more on a busy machine.
const TICKS_OF_REST: u64 = 5;

/// An action that has printed nothing for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    pub action: ActionId,
    /// Duration of the silence in milliseconds.
    pub silent_ms: u64,
    /// Whether the action was inactive for at least half of that time, too.
    pub is_idle: bool,
}

/// Silences of a run that were not reported yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Silences(Arc<Mutex<Vec<Silence>>>);

impl Silences {
    pub(crate) fn take(&self) -> Vec<Silence> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, silence: Silence) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(silence);
    }
}

#[derive(Debug)]
pub(crate) struct Listening {
    /// Action to report, and where to. None: silence is not reported.
    told: Option<(ActionId, Silences)>,
    printed: Instant,
    active: Instant,
    next: Instant,
    last: Option<Activity>,
}

impl Listening {
    pub(crate) fn new(told: Option<(ActionId, Silences)>) -> Self {
        let now = Instant::now();
        Self { told, printed: now, active: now, next: now + LOOK, last: None }
    }

    /// Records that the command printed something.
    pub(crate) fn printed(&mut self, now: Instant) {
        (self.printed, self.active, self.next, self.last) = (now, now, now + LOOK, None);
    }

    /// Checks the command's activity, if it is time to.
    pub(crate) fn look(&mut self, tree: &Tree, now: Instant) {
        if now >= self.next {
            self.take(tree.activity(), now);
        }
    }

    fn take(&mut self, found: Activity, now: Instant) {
        self.next = now + LOOK;
        // Activity before the first check is unknown, and counts as work.
        let works = self
            .last
            .is_none_or(|last| last.processes != found.processes || last.ticks.abs_diff(found.ticks) > TICKS_OF_REST);
        if works {
            self.active = now;
        }
        self.last = Some(found);
        let silent = now.saturating_duration_since(self.printed);
        if silent >= TOLD_AFTER
            && let Some((action, silences)) = self.told.take()
        {
            let is_idle = now.saturating_duration_since(self.active) >= silent / 2;
            silences.add(Silence { action, silent_ms: milliseconds(silent), is_idle });
        }
    }

    /// Returns the milliseconds of inactivity, where they are long enough to be recorded for this timeout.
    pub(crate) fn idle_ms(&self, now: Instant, limit_ms: u64) -> Option<u64> {
        let idle = now.saturating_duration_since(self.active);
        let least = IDLE.min(Duration::from_millis(limit_ms / 2));
        (self.last.is_some() && idle >= least).then(|| milliseconds(idle))
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks once a second for `seconds` seconds, with `ticks` processor ticks in each.
    fn listened(seconds: u64, ticks: u64) -> (Listening, Silences, Instant) {
        let silences = Silences::default();
        let action = ActionId::parse("STEP.1").unwrap();
        let mut listening = Listening::new(Some((action, silences.clone())));
        let began = listening.printed;
        for second in 1..=seconds {
            let found = Activity { processes: 2, ticks: second * ticks };
            listening.take(found, began + Duration::from_secs(second));
        }
        (listening, silences, began + Duration::from_secs(seconds))
    }

    #[test]
    fn a_minute_of_silence_is_told_once_with_whether_it_works() {
        for (ticks, is_idle) in [(0, true), (5, true), (6, false), (100, false)] {
            let (mut listening, silences, now) = listened(59, ticks);
            assert_eq!(silences.take(), []);
            listening.take(Activity { processes: 2, ticks: 60 * ticks }, now + LOOK);
            let told = silences.take();
            assert_eq!(told.iter().map(|told| (told.silent_ms, told.is_idle)).collect::<Vec<_>>(), [(60_000, is_idle)]);
            listening.take(Activity { processes: 2, ticks: 61 * ticks }, now + 2 * LOOK);
            assert_eq!(silences.take(), []);
        }
    }

    #[test]
    fn doing_nothing_counts_from_the_last_work_or_word_on() {
        let (mut listening, _, now) = listened(15, 0);
        // Activity before the first check is unknown.
        assert_eq!(listening.idle_ms(now, 60_000), Some(14_000));
        listening.take(Activity { processes: 3, ticks: 0 }, now + LOOK);
        assert_eq!(listening.idle_ms(now + LOOK, 60_000), None, "it has started something");
        let (mut listening, _, now) = listened(15, 0);
        listening.printed(now);
        assert_eq!(listening.idle_ms(now + Duration::from_secs(30), 60_000), None, "nobody has looked since");
        let (listening, _, now) = listened(4, 0);
        assert_eq!((listening.idle_ms(now, 60_000), listening.idle_ms(now, 4_000)), (None, Some(3_000)));
    }
}
