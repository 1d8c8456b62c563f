//! The possible next steps of an incident, for display.

use referee_judge::incident::transition;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};

/// Returns the possible events of an incident with this status, in the order of [`IncidentEvent::ALL`] (ruling 26).
pub fn possible(status: IncidentStatus) -> Vec<IncidentEvent> {
    IncidentEvent::ALL.into_iter().filter(|event| transition::next(status, *event).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incident_offers_what_the_table_lets_happen() {
        use IncidentEvent::{Approved, Escalated, Planned, Rejected, Reopened};
        assert_eq!(possible(IncidentStatus::PlanProposed), [Planned, Rejected, Approved, Escalated]);
        assert_eq!(possible(IncidentStatus::Resolved), []);
        assert_eq!(possible(IncidentStatus::Escalated), [Reopened]);
    }
}
