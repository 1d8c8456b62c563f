//! The transition table of stages, which every change goes through.

use referee_model::stage::life::{Illegal, StageEvent, StageState};

/// Returns the state of a stage after an event.
///
/// | from        | prepare    | accept   | accept again | question  | answer     | error    | finalize    |
/// |-------------|------------|----------|--------------|-----------|------------|----------|-------------|
/// | `pending`   | `prepared` | `active` |              |           |            |          |             |
/// | `prepared`  | `prepared` | `active` |              |           |            |          |             |
/// | `active`    | `prepared` |          | `active`     | `blocked` |            | `failed` | `completed` |
/// | `blocked`   | `prepared` |          | `active`     |           | `prepared` |          |             |
/// | `failed`    | `prepared` | `active` |              |           |            |          |             |
/// | `completed` | `prepared` |          | `active`     |           |            |          |             |
///
/// Preparing while an attempt is active or done revokes control or publication: it requires an explicit
/// request, because a stage that provides inputs was done again.
///
/// # Errors
/// Fails for every pair that is not in the table.
pub fn next(from: StageState, event: StageEvent) -> Result<StageState, Illegal> {
    use StageEvent as On;
    use StageState::{Active, Blocked, Completed, Failed, Pending, Prepared};
    match (from, event) {
        (_, On::Prepared) | (Blocked, On::Answered) => Ok(Prepared),
        (Pending | Prepared | Failed, On::Accepted) | (Active | Blocked | Completed, On::Repeated) => Ok(Active),
        (Active, On::Questioned) => Ok(Blocked),
        (Active, On::Failed) => Ok(Failed),
        (Active, On::Finalized) => Ok(Completed),
        _ => Err(Illegal { from, event }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of the table, in the order of [`StageEvent::ALL`]; `-`: it must not happen.
    ///
    /// prepare accept again question answer error finalize
    const TABLE: [(&str, &str); 6] = [
        ("pending", "prepared active - - - - -"),
        ("prepared", "prepared active - - - - -"),
        ("active", "prepared - active blocked - failed completed"),
        ("blocked", "prepared - active - prepared - -"),
        ("failed", "prepared active - - - - -"),
        ("completed", "prepared - active - - - -"),
    ];

    #[test]
    fn every_pair_of_state_and_event_goes_where_the_table_says_or_is_refused() {
        let mut pairs = 0;
        for (state, (name, row)) in StageState::ALL.into_iter().zip(TABLE) {
            assert_eq!(state.as_str(), name);
            let row: Vec<&str> = row.split(' ').collect();
            assert_eq!(row.len(), StageEvent::ALL.len(), "{name}");
            for (event, to) in StageEvent::ALL.into_iter().zip(row) {
                let to = StageState::parse(to);
                assert_eq!(next(state, event), to.ok_or(Illegal { from: state, event }), "{name} {}", event.as_str());
                pairs += 1;
            }
        }
        assert_eq!(pairs, 42);
    }

    #[test]
    fn work_is_done_only_by_whoever_has_control() {
        for state in StageState::ALL {
            assert_eq!(next(state, StageEvent::Finalized).is_ok(), state == StageState::Active);
        }
    }
}
