//! Events of one incident, found by searching the log of all incidents backward.

use referee_engine::incident::{IncidentContext, IncidentError};
use referee_model::incident::event::IncidentEventDocument;
use referee_model::incident::id::IncidentId;

use super::harmless;
use super::moment::Moment;
use super::state::State;

/// Number of events read at a time.
const BATCH: u64 = 500;

/// Maximum number of batches searched for the events of one incident.
const BATCHES: usize = 40;

/// Maximum number of events shown, the last ones.
const SHOWN: usize = 100;

pub(super) struct Entry {
    pub(super) at: Moment,
    pub(super) what: String,
    pub(super) from: Option<State>,
    pub(super) to: State,
    pub(super) by: String,
    pub(super) note: String,
}

/// Returns the events of an incident, the latest first.
pub(super) fn of(context: IncidentContext<'_>, id: &IncidentId) -> Result<Vec<Entry>, IncidentError> {
    let read = |after: u64, limit: u64| {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok::<_, IncidentError>(context.incidents.events(after, limit)?)
    };
    let events = latest(id, read)?;
    Ok(events.iter().map(entry).collect())
}

/// Searches events backward, until the incident's capture or enough events are found.
fn latest<Refused>(
    id: &IncidentId,
    read: impl Fn(u64, u64) -> Result<Vec<IncidentEventDocument>, Refused>,
) -> Result<Vec<IncidentEventDocument>, Refused> {
    let mut end = last(|after| read(after, 1).map(|events| !events.is_empty()))?;
    let mut found = Vec::new();
    for _ in 0..BATCHES {
        let start = end.saturating_sub(BATCH);
        let batch = read(start, end - start)?;
        let own = batch.into_iter().rev().filter(|event| event.sequence <= end && event.incident_id == *id);
        for event in own {
            let is_first = event.from.is_none();
            found.push(event);
            if is_first || found.len() == SHOWN {
                return Ok(found);
            }
        }
        if start == 0 {
            break;
        }
        end = start;
    }
    Ok(found)
}

/// Finds the number of the last event, only by asking whether there is an event after a given number.
fn last<Refused>(is_any_after: impl Fn(u64) -> Result<bool, Refused>) -> Result<u64, Refused> {
    let (mut low, mut high) = (0, 1);
    while is_any_after(high)? {
        low = high;
        high *= 2;
    }
    if !is_any_after(low)? {
        return Ok(low);
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if is_any_after(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

fn entry(event: &IncidentEventDocument) -> Entry {
    Entry {
        at: Moment(event.at),
        what: harmless::text(&event.action.replace('_', " ")),
        from: event.from.filter(|from| *from != event.to).map(State),
        to: State(event.to),
        by: harmless::text(&event.by),
        note: harmless::text(&event.note),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use referee_model::incident::status::IncidentStatus;
    use referee_model::time::Timestamp;

    use super::*;

    fn event(sequence: u64, id: &str, from: Option<IncidentStatus>) -> IncidentEventDocument {
        IncidentEventDocument {
            sequence,
            at: Timestamp::from_millisecond(0),
            incident_id: IncidentId::parse(id).unwrap(),
            action: "capture".to_owned(),
            from,
            to: IncidentStatus::New,
            by: String::new(),
            note: String::new(),
            previous: None,
        }
    }

    /// Returns the found events of `one`, whose first one is its capture, and the number of reads.
    fn find(count: u64, own: &[u64]) -> (Vec<u64>, usize) {
        let asked = Cell::new(0);
        let read = |after: u64, limit: u64| {
            asked.set(asked.get() + 1);
            let made = (after + 1..=count).take(usize::try_from(limit).unwrap()).map(|number| {
                let from = (own.first() != Some(&number)).then_some(IncidentStatus::New);
                event(number, if own.contains(&number) { "one" } else { "other" }, from)
            });
            Ok::<_, ()>(made.collect())
        };
        let found = latest(&IncidentId::parse("one").unwrap(), read).unwrap();
        (found.into_iter().map(|event| event.sequence).collect(), asked.get())
    }

    #[test]
    fn the_latest_come_first_wherever_they_stand() {
        for count in [0, 1, 2, 3, 499, 500, 501, 5_000] {
            let own: Vec<u64> = [1, 2, count].into_iter().filter(|number| (1..=count).contains(number)).collect();
            let mut expected = own.clone();
            expected.sort_unstable();
            expected.dedup();
            expected.reverse();
            assert_eq!(find(count, &own).0, expected, "{count}");
        }
    }

    #[test]
    fn among_a_million_events_few_are_read() {
        let (found, asked) = find(1_000_000, &[999_990, 999_999]);
        assert_eq!(found, [999_999, 999_990]);
        assert!(asked < 60, "{asked}");
    }
}
