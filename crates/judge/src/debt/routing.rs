//! Destinations of debt items: ruling 20.

use referee_model::debt::{Destination, RoutedBy, Routing, SprintCapacity};
use referee_model::plan::{DebtPolicy, DebtRouting};
use referee_model::severity::Severity;

/// Destination of an item, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) destination: Destination,
    pub(super) reason: String,
}

/// Returns the destination of a new item.
///
/// | strategy       | CRITICAL   | HIGH                                                  | MEDIUM, LOW |
/// |----------------|------------|-------------------------------------------------------|-------------|
/// | CAPACITY_BASED | the sprint | the sprint while it has room, the inventory after that | the inventory |
/// | SEVERITY_BASED | the sprint | the sprint                                            | the inventory |
/// | MANUAL         | undecided  | undecided                                             | undecided   |
///
/// The sprint has room while it has fewer items than `sprintTasksMaxItems` and fewer CRITICAL ones than
/// `sprintTasksMaxCritical` (default 6 and 4). The second threshold counts CRITICAL items alone, as its name in
/// the schema of specifications says: 4 of them fill the sprint. CRITICAL items go there beyond both.
pub(super) fn place(policy: &DebtPolicy, severity: Severity, sprint: &SprintCapacity) -> Route {
    let in_words = severity.as_str();
    let (destination, reason) = match (policy.routing, severity) {
        (DebtRouting::Manual, _) => (Destination::Undecided, "a person decides (MANUAL)".to_owned()),
        (DebtRouting::CapacityBased, Severity::Critical) => {
            (Destination::SprintTasks, "CRITICAL goes to the sprint, however full it is (CAPACITY_BASED)".to_owned())
        }
        (DebtRouting::CapacityBased, Severity::High) => by_room(sprint),
        (DebtRouting::CapacityBased, _) => {
            (Destination::Inventory, format!("{in_words} goes to the inventory (CAPACITY_BASED)"))
        }
        (DebtRouting::SeverityBased, Severity::Critical | Severity::High) => {
            (Destination::SprintTasks, format!("{in_words} goes to the sprint (SEVERITY_BASED)"))
        }
        (DebtRouting::SeverityBased, _) => {
            (Destination::Inventory, format!("{in_words} goes to the inventory (SEVERITY_BASED)"))
        }
    };
    Route { destination, reason }
}

fn by_room(sprint: &SprintCapacity) -> (Destination, String) {
    let items = format!("{} of {} items", sprint.items, sprint.items_max);
    let critical = format!("{} of {} critical ones", sprint.critical, sprint.critical_max);
    if sprint.items < sprint.items_max && sprint.critical < sprint.critical_max {
        let reason = format!("HIGH goes to the sprint while it has room: it held {items}, {critical} (CAPACITY_BASED)");
        (Destination::SprintTasks, reason)
    } else {
        let reason =
            format!("HIGH goes to the inventory, as the sprint is full: it held {items}, {critical} (CAPACITY_BASED)");
        (Destination::Inventory, reason)
    }
}

/// Returns the new destination of a known item. None: it stays where it is.
///
/// | current destination  | put there by | and                              | new destination             |
/// |----------------------|--------------|----------------------------------|-----------------------------|
/// | any                  | a person     | any                              | unchanged                   |
/// | undecided            | the rules    | the strategy is not MANUAL       | as for a new item           |
/// | the inventory        | the rules    | it is CRITICAL, and not MANUAL   | the sprint                  |
/// | any                  | the rules    | any other                        | unchanged                   |
pub(super) fn moved(policy: &DebtPolicy, lies: &Routing, severity: Severity, sprint: &SprintCapacity) -> Option<Route> {
    if lies.by == RoutedBy::Person || policy.routing == DebtRouting::Manual {
        return None;
    }
    let is_raised = lies.destination == Destination::Inventory && severity == Severity::Critical;
    let is_undecided = lies.destination == Destination::Undecided;
    (is_raised || is_undecided).then(|| place(policy, severity, sprint))
}

/// Counts an item that enters the sprint.
pub(super) fn enter(sprint: &mut SprintCapacity, severity: Severity) {
    sprint.items = sprint.items.saturating_add(1);
    sprint.critical = sprint.critical.saturating_add(u64::from(severity == Severity::Critical));
}

/// Counts an item that leaves the sprint.
pub(super) fn leave(sprint: &mut SprintCapacity, severity: Severity) {
    sprint.items = sprint.items.saturating_sub(1);
    sprint.critical = sprint.critical.saturating_sub(u64::from(severity == Severity::Critical));
}
