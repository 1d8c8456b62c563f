//! The transition table of incidents (ruling 26), which every change goes through.

use referee_model::incident::status::{Illegal, IncidentEvent, IncidentStatus};

/// Returns the status of an incident after an event.
///
/// | from            | plan            | reject | approve    | plan changed    | hand off     | recall     | acknowledge |
/// |-----------------|-----------------|--------|------------|-----------------|--------------|------------|-------------|
/// | `new`           | `plan_proposed` |        |            |                 |              |            |             |
/// | `plan_proposed` | `plan_proposed` | `new`  | `approved` |                 |              |            |             |
/// | `approved`      |                 |        |            | `plan_proposed` | `handed_off` |            |             |
/// | `handed_off`    |                 |        |            |                 |              | `approved` | `running`   |
///
/// | from            | run       | turn      | replan          | resolve    | escalate    | reopen |
/// |-----------------|-----------|-----------|-----------------|------------|-------------|--------|
/// | `new`           |           |           |                 |            | `escalated` |        |
/// | `plan_proposed` |           |           |                 |            | `escalated` |        |
/// | `approved`      | `running` |           |                 |            | `escalated` |        |
/// | `handed_off`    |           |           |                 |            | `escalated` |        |
/// | `running`       | `running` | `running` | `plan_proposed` | `resolved` | `escalated` |        |
/// | `escalated`     |           |           |                 |            |             | `new`  |
///
/// # Errors
/// Fails for every pair that is not in the table.
pub fn next(from: IncidentStatus, event: IncidentEvent) -> Result<IncidentStatus, Illegal> {
    use IncidentEvent as On;
    use IncidentStatus::{Approved, Escalated, HandedOff, New, PlanProposed, Resolved, Running};
    match (from, event) {
        (New | PlanProposed, On::Planned) | (Approved, On::PlanChanged) | (Running, On::ReplanRequested) => {
            Ok(PlanProposed)
        }
        (PlanProposed, On::Rejected) | (Escalated, On::Reopened) => Ok(New),
        (PlanProposed, On::Approved) | (HandedOff, On::Recalled) => Ok(Approved),
        (Approved, On::HandedOff) => Ok(HandedOff),
        (HandedOff, On::Acknowledged) | (Approved | Running, On::RunBegan) | (Running, On::TurnTaken) => Ok(Running),
        (Running, On::Resolved) => Ok(Resolved),
        (New | PlanProposed | Approved | HandedOff | Running, On::Escalated) => Ok(Escalated),
        _ => Err(Illegal { from, event }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of the table of ruling 26, in the order of [`IncidentEvent::ALL`]; `-`: it must not happen.
    ///
    /// plan reject approve changed handoff recall ack run turn replan resolve escalate reopen
    const TABLE: [(&str, &str); 7] = [
        ("new", "plan_proposed - - - - - - - - - - escalated -"),
        ("plan_proposed", "plan_proposed new approved - - - - - - - - escalated -"),
        ("approved", "- - - plan_proposed handed_off - - running - - - escalated -"),
        ("handed_off", "- - - - - approved running - - - - escalated -"),
        ("running", "- - - - - - - running running plan_proposed resolved escalated -"),
        ("resolved", "- - - - - - - - - - - - -"),
        ("escalated", "- - - - - - - - - - - - new"),
    ];

    #[test]
    fn every_pair_of_state_and_event_goes_where_the_table_says_or_is_refused() {
        let mut pairs = 0;
        for (status, (name, row)) in IncidentStatus::ALL.into_iter().zip(TABLE) {
            assert_eq!(status.as_str(), name);
            let row: Vec<&str> = row.split(' ').collect();
            assert_eq!(row.len(), IncidentEvent::ALL.len(), "{name}");
            for (event, to) in IncidentEvent::ALL.into_iter().zip(row) {
                let expected = IncidentStatus::read(to).ok_or(Illegal { from: status, event });
                assert_eq!(next(status, event), expected, "{name} {}", event.as_str());
                pairs += 1;
            }
        }
        assert_eq!(pairs, 7 * 13);
    }

    #[test]
    fn work_that_is_over_goes_on_by_nothing_but_a_person_who_reopens_it() {
        for closed in IncidentStatus::ALL.into_iter().filter(|status| status.is_closed()) {
            let open: Vec<_> = IncidentEvent::ALL.into_iter().filter(|event| next(closed, *event).is_ok()).collect();
            let expected: &[IncidentEvent] =
                if closed == IncidentStatus::Escalated { &[IncidentEvent::Reopened] } else { &[] };
            assert_eq!(open, expected, "{}", closed.as_str());
        }
    }

    #[test]
    fn a_refusal_names_where_it_stands_and_what_was_to_happen() {
        let refused = next(IncidentStatus::New, IncidentEvent::HandedOff).unwrap_err();
        assert_eq!(refused.to_string(), "an incident that is new cannot take the step `handoff`");
    }
}
