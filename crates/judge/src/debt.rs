//! Debt items of a run, and their life over several runs: rulings 11, 18, 19, 20 and 23.
//!
//! [`assess`] makes the items of one run from its report and from the state of the register when it was sealed
//! ([`standing`]): `cases` finds what the evidence shows, `disproved` what it no longer shows, `routing` the
//! destination of each item. [`apply`] adds a sealed run to the register. [`next`] is the single table of
//! transitions; [`route`], [`defer`] and [`begin`] are actions of people.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::debt::{
    DebtAssessment, DebtCase, DebtEvent, DebtItem, DebtStanding, DebtStatus, Destination, KnownDebt, RoutedBy, Routing,
    SprintCapacity,
};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{DebtId, TaskId};
use referee_model::plan::Plan;
use referee_model::record::RunRecord;
use referee_model::report::ActionReport;

pub use self::register::{apply, begin, defer, route};
pub use self::standing::standing;
pub use self::transition::{Illegal, next};

mod action_context;
mod cases;
mod disproved;
mod effort;
mod finding;
mod guidance;
mod register;
mod rest;
mod routing;
mod standing;
mod test;
mod transition;
mod whole;

/// Returns the debt that a run leaves.
///
/// A failure that is known keeps its id, even if it was resolved meanwhile: it is then REOPENED. New ones are
/// numbered, most severe first, then in plan order, then by location. Items that the run disproves leave the
/// sprint before new ones enter it. Empty if the specification disables debt.
pub fn assess(plan: &Plan, run: &RunRecord, actions: &[ActionReport], standing: &DebtStanding) -> DebtAssessment {
    let capacity = SprintCapacity {
        items: standing.sprint_items,
        items_max: plan.debt.sprint_items_max.into(),
        critical: standing.sprint_critical,
        critical_max: plan.debt.sprint_critical_max.into(),
    };
    if !plan.debt.enabled {
        return DebtAssessment { capacity, ..DebtAssessment::default() };
    }
    let known: BTreeMap<Fingerprint, &KnownDebt> =
        standing.known.iter().map(|known| (known.fingerprint, known)).collect();
    let found = cases::of_run(plan, run, actions, &known.keys().copied().collect());
    let mut office = Office { plan, day: run.ended.day(), numbers: Numbers::of(standing), capacity };
    let resolved = office.resolve(&standing.known, actions, &found.shown);
    let (old, new): (Vec<DebtCase>, Vec<DebtCase>) =
        found.cases.into_iter().partition(|case| known.contains_key(&case.fingerprint));
    let mut items: Vec<DebtItem> =
        old.into_iter().filter_map(|case| Some(office.keep(known.get(&case.fingerprint)?, case))).collect();
    let created: Vec<DebtItem> = new.into_iter().map(|case| office.open(case)).collect();
    let ids = created.iter().map(|item| item.id.clone()).collect();
    items.extend(created);
    let order = cases::CaseOrder::of(plan);
    items.sort_by(|one, other| order.compare(&one.case, &other.case));
    DebtAssessment { items, created: ids, resolved, capacity: office.capacity }
}

struct Numbers {
    item: u32,
    sprint_task: u32,
    inventory: u32,
}

impl Numbers {
    fn of(standing: &DebtStanding) -> Self {
        Self { item: standing.next_item, sprint_task: standing.next_sprint_task, inventory: standing.next_inventory }
    }
}

fn take(number: &mut u32) -> u32 {
    let taken = *number;
    *number = number.saturating_add(1);
    taken
}

/// Assigns ids, numbers and destinations.
struct Office<'a> {
    plan: &'a Plan,
    /// Day on which the run ended.
    day: String,
    numbers: Numbers,
    capacity: SprintCapacity,
}

impl Office<'_> {
    /// Lists the known items that the run disproves, and removes them from the sprint.
    fn resolve(&mut self, known: &[KnownDebt], actions: &[ActionReport], shown: &BTreeSet<Fingerprint>) -> Vec<DebtId> {
        let mut resolved = Vec::new();
        for debt in known.iter().filter(|debt| disproved::is_disproved(debt, actions, shown)) {
            if is_in_sprint(debt.status, &debt.routing) {
                routing::leave(&mut self.capacity, debt.severity);
            }
            resolved.push(debt.id.clone());
        }
        resolved.sort_by_key(DebtId::number);
        resolved
    }

    /// Keeps a known item where it is, unless the rules raise it.
    fn keep(&mut self, known: &KnownDebt, case: DebtCase) -> DebtItem {
        // A run may show an item of any status.
        let status = next(known.status, &DebtEvent::Seen).unwrap_or(known.status);
        if is_in_sprint(known.status, &known.routing) {
            routing::leave(&mut self.capacity, known.severity);
        }
        let moved = routing::moved(&self.plan.debt, &known.routing, case.severity, &self.capacity);
        let routing = match moved {
            Some(place) => self.settle(place, known.routing.sprint_task.clone(), known.routing.inventory.clone()),
            None => known.routing.clone(),
        };
        self.lay(known.id.clone(), case, status, routing)
    }

    /// Opens an item that no run has shown before.
    fn open(&mut self, case: DebtCase) -> DebtItem {
        let id = DebtId::new(&self.plan.task, take(&mut self.numbers.item));
        let inventory = format!("{}{:03}", standing::inventory_prefix(&self.day), take(&mut self.numbers.inventory));
        let place = routing::place(&self.plan.debt, case.severity, &self.capacity);
        let routing = self.settle(place, None, inventory);
        self.lay(id, case, DebtStatus::Open, routing)
    }

    fn settle(&mut self, place: routing::Route, sprint_task: Option<TaskId>, inventory: String) -> Routing {
        let sprint_task = match place.destination {
            Destination::SprintTasks => sprint_task.or_else(|| self.next_sprint_task()),
            Destination::Inventory | Destination::Undecided => None,
        };
        Routing { destination: place.destination, by: RoutedBy::Rules, reason: place.reason, sprint_task, inventory }
    }

    fn next_sprint_task(&mut self) -> Option<TaskId> {
        TaskId::parse(format!("T{:03}", take(&mut self.numbers.sprint_task))).ok()
    }

    fn lay(&mut self, id: DebtId, case: DebtCase, status: DebtStatus, routing: Routing) -> DebtItem {
        if is_in_sprint(status, &routing) {
            routing::enter(&mut self.capacity, case.severity);
        }
        DebtItem { id, case, status, routing }
    }
}

fn is_in_sprint(status: DebtStatus, routing: &Routing) -> bool {
    status.is_active() && routing.destination == Destination::SprintTasks
}

#[cfg(test)]
mod tests;
