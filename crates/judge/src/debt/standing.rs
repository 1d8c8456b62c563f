//! State of the register that an assessment needs.

use referee_model::debt::{DebtStanding, DebtStatus, Destination, FailedKind, KnownDebt, RegisteredDebt};
use referee_model::id::TaskId;
use referee_model::limit::DEBT_NUMBER_MAX;
use referee_model::plan::Plan;
use referee_model::severity::Severity;
use referee_model::time::Timestamp;

/// Returns the state of the register for a run of a task that ended at `ended`. `tasks` are the tasks of the
/// specification: no item becomes a task of the sprint under the number of one of them.
pub fn standing(register: &[RegisteredDebt], plan: &Plan, tasks: &[TaskId], ended: Timestamp) -> DebtStanding {
    let mut known: Vec<KnownDebt> =
        register.iter().filter(|debt| debt.task == plan.task).map(|debt| of_item(debt, ended)).collect();
    known.sort_by(|one, other| one.fingerprint.cmp(&other.fingerprint).then_with(|| one.id.cmp(&other.id)));
    let in_sprint = |debt: &&RegisteredDebt| {
        debt.item.routing.destination == Destination::SprintTasks && status(debt, ended).is_active()
    };
    let sprint: Vec<Severity> = register.iter().filter(in_sprint).map(|debt| debt.item.case.severity).collect();
    DebtStanding {
        known,
        sprint_items: sprint.len() as u64,
        sprint_critical: sprint.iter().filter(|severity| **severity == Severity::Critical).count() as u64,
        next_item: next_item(register, &plan.task),
        next_sprint_task: next_sprint_task(register, plan, tasks),
        next_inventory: next_inventory(register, &ended.day()),
        ..DebtStanding::default()
    }
}

/// Returns the status of an item at a time: an item that was deferred until then is open again.
pub(super) fn status(debt: &RegisteredDebt, at: Timestamp) -> DebtStatus {
    let is_due = debt.deferred_until.is_some_and(|until| until <= at);
    if debt.item.status == DebtStatus::Deferred && is_due { DebtStatus::Open } else { debt.item.status }
}

fn of_item(debt: &RegisteredDebt, ended: Timestamp) -> KnownDebt {
    let case = &debt.item.case;
    let test = case.test_failure.as_ref().filter(|test| test.kind == FailedKind::Test);
    KnownDebt {
        id: debt.item.id.clone(),
        fingerprint: case.fingerprint,
        action: case.action.clone(),
        action_name: case.action_name.clone(),
        test: test.map(|test| test.name.clone()),
        severity: case.severity,
        status: status(debt, ended),
        routing: debt.item.routing.clone(),
    }
}

/// Returns the next free number of an item of this task.
pub(super) fn next_item(register: &[RegisteredDebt], task: &TaskId) -> u32 {
    after(register.iter().filter(|debt| &debt.task == task).map(|debt| debt.item.id.number()))
}

/// Returns the next free number of a sprint task, after those of the specification and of items.
fn next_sprint_task(register: &[RegisteredDebt], plan: &Plan, tasks: &[TaskId]) -> u32 {
    let of_items = register.iter().filter_map(|debt| debt.item.routing.sprint_task.as_ref());
    let all = tasks.iter().chain([&plan.task]).chain(of_items);
    after(all.filter_map(|task| task.as_str().strip_prefix('T')?.parse().ok()))
}

/// Returns the next free number of the inventory on a day.
fn next_inventory(register: &[RegisteredDebt], day: &str) -> u32 {
    let prefix = inventory_prefix(day);
    let of_day = register.iter().filter_map(|debt| debt.item.routing.inventory.strip_prefix(&prefix));
    after(of_day.filter_map(|number| number.parse().ok()))
}

/// Returns the prefix of inventory numbers.
pub(super) fn inventory_prefix(day: &str) -> String {
    format!("DEBT-INV-{day}-")
}

fn after(numbers: impl Iterator<Item = u32>) -> u32 {
    // Larger numbers have never been assigned.
    numbers.filter(|number| *number <= DEBT_NUMBER_MAX).max().unwrap_or(0).saturating_add(1)
}
