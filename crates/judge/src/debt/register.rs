//! The register of debt over runs, changed by sealed runs and by people.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::debt::{
    ChangedBy, DebtAssessment, DebtChange, DebtEvent, DebtItem, DebtStatus, Destination, RegisteredDebt, RoutedBy,
};
use referee_model::diagnostic_log::Sighting;
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{DebtId, TaskId};
use referee_model::limit::{DEBT_CHANGES_KEPT, DEBT_ITEMS_REGISTERED};
use referee_model::time::Timestamp;

use super::standing::{self, next_item};
use super::transition::{Illegal, next};

/// Adds a sealed run to the register.
///
/// Adding the same run twice has no further effect, and a run that is older than the last sighting of an item
/// does not change that item. Items that a person moved meanwhile stay there. The register stays sorted by task
/// and number.
pub fn apply(register: &mut Vec<RegisteredDebt>, task: &TaskId, assessment: &DebtAssessment, seen: &Sighting) {
    let of_task = register.iter().enumerate().filter(|(_, debt)| &debt.task == task);
    let known: BTreeMap<Fingerprint, usize> = of_task.map(|(at, debt)| (debt.item.case.fingerprint, at)).collect();
    let resolved: BTreeSet<&DebtId> = assessment.resolved.iter().collect();
    for debt in register.iter_mut().filter(|debt| &debt.task == task && resolved.contains(&debt.item.id)) {
        resolve(debt, seen);
    }
    for item in &assessment.items {
        match known.get(&item.case.fingerprint).and_then(|at| register.get_mut(*at)) {
            Some(debt) => see(debt, item, seen),
            None => add(register, task, item, seen),
        }
    }
    forget(register, task);
    register.sort_by(|one, other| {
        let order = |debt: &RegisteredDebt| (debt.task.clone(), debt.item.id.number());
        order(one).cmp(&order(other)).then_with(|| one.item.id.cmp(&other.item.id))
    });
}

fn add(register: &mut Vec<RegisteredDebt>, task: &TaskId, item: &DebtItem, seen: &Sighting) {
    // A run that was sealed before the register was lost may have given the same number to another item.
    let is_taken = register.iter().any(|debt| debt.item.id == item.id);
    let id = if is_taken { DebtId::new(task, next_item(register, task)) } else { item.id.clone() };
    let mut debt = RegisteredDebt {
        task: task.clone(),
        item: DebtItem { id, ..item.clone() },
        first_seen: seen.clone(),
        last_seen: seen.clone(),
        runs: 1,
        deferred_until: None,
        history: Vec::new(),
    };
    note(&mut debt, seen.at, ChangedBy::Run(seen.execution.clone()), "the run showed it first");
    register.push(debt);
}

/// Returns whether a run is irrelevant to an item: it is recorded already, or older than the last sighting.
fn is_old(debt: &RegisteredDebt, seen: &Sighting) -> bool {
    let is_in = [&debt.first_seen, &debt.last_seen].iter().any(|sighting| sighting.execution == seen.execution);
    let by_later_run = |change: &DebtChange| matches!(change.by, ChangedBy::Run(_)) && change.at > seen.at;
    is_in || seen.at < debt.last_seen.at || debt.history.iter().any(by_later_run)
}

fn see(debt: &mut RegisteredDebt, item: &DebtItem, seen: &Sighting) {
    if is_old(debt, seen) {
        return;
    }
    let by = || ChangedBy::Run(seen.execution.clone());
    if standing::status(debt, seen.at) != debt.item.status {
        step(debt, DebtEvent::Due, seen.at, by(), "the time is over for which it was put off");
    }
    let before = debt.item.routing.destination;
    if debt.item.routing.by == RoutedBy::Rules {
        debt.item.routing = item.routing.clone();
    }
    let status = debt.item.status;
    debt.item.case = item.case.clone();
    debt.last_seen = seen.clone();
    debt.runs = debt.runs.saturating_add(1);
    step(debt, DebtEvent::Seen, seen.at, by(), "the run showed it again");
    if debt.item.status == status && debt.item.routing.destination != before {
        let reason = debt.item.routing.reason.clone();
        note(debt, seen.at, by(), &reason);
    }
}

fn resolve(debt: &mut RegisteredDebt, seen: &Sighting) {
    if !is_old(debt, seen) {
        let by = ChangedBy::Run(seen.execution.clone());
        step(debt, DebtEvent::Disproved, seen.at, by, "the run looked, and shows it no more");
    }
}

/// Applies a transition, and records it if it changes the status. Events of runs are legal for every status.
fn step(debt: &mut RegisteredDebt, event: DebtEvent, at: Timestamp, by: ChangedBy, reason: &str) {
    let Ok(status) = next(debt.item.status, &event) else { return };
    if status != debt.item.status {
        set(debt, status);
        note(debt, at, by, reason);
    }
}

fn set(debt: &mut RegisteredDebt, status: DebtStatus) {
    debt.item.status = status;
    if status != DebtStatus::Deferred {
        debt.deferred_until = None;
    }
}

fn note(debt: &mut RegisteredDebt, at: Timestamp, by: ChangedBy, reason: &str) {
    debt.history.push(DebtChange {
        at,
        by,
        status: debt.item.status,
        destination: debt.item.routing.destination,
        reason: reason.to_owned(),
    });
    let over = debt.history.len().saturating_sub(DEBT_CHANGES_KEPT);
    debt.history.drain(..over);
}

/// Drops the items of a task that were resolved first, if there are too many. The item with the last number is
/// kept, so that no number is reused.
fn forget(register: &mut Vec<RegisteredDebt>, task: &TaskId) {
    let over = register.iter().filter(|debt| &debt.task == task).count().saturating_sub(DEBT_ITEMS_REGISTERED);
    if over == 0 {
        return;
    }
    let last = next_item(register, task).saturating_sub(1);
    let done = |debt: &&RegisteredDebt| {
        &debt.task == task && debt.item.status == DebtStatus::Resolved && debt.item.id.number() != last
    };
    let mut oldest: Vec<(Timestamp, DebtId)> =
        register.iter().filter(done).map(|debt| (debt.last_seen.at, debt.item.id.clone())).collect();
    oldest.sort();
    let gone: BTreeSet<DebtId> = oldest.into_iter().take(over).map(|(_, id)| id).collect();
    register.retain(|debt| !gone.contains(&debt.item.id));
}

/// Sends an item where a person wants it. A deferred item becomes open again. A task of the sprint keeps its
/// number unless another one is given.
///
/// # Errors
/// Fails without a name or a reason, for an item that is done, for the sprint without a task and for the inventory with one.
pub fn route(
    item: &mut RegisteredDebt,
    destination: Destination,
    sprint_task: Option<TaskId>,
    by: &str,
    reason: &str,
    at: Timestamp,
) -> Result<(), Illegal> {
    let (name, reason) = said(by, reason)?;
    let status = next(item.item.status, &DebtEvent::Routed(destination))?;
    let sprint_task = match destination {
        Destination::SprintTasks => {
            Some(sprint_task.or_else(|| item.item.routing.sprint_task.clone()).ok_or(Illegal::NoSprintTask)?)
        }
        Destination::Inventory | Destination::Undecided if sprint_task.is_some() => {
            return Err(Illegal::SprintTaskOutside);
        }
        Destination::Inventory | Destination::Undecided => None,
    };
    set(item, status);
    let routing = &mut item.item.routing;
    routing.destination = destination;
    routing.by = RoutedBy::Person;
    routing.reason = format!("{name}: {reason}");
    routing.sprint_task = sprint_task;
    note(item, at, ChangedBy::Person(name), &reason);
    Ok(())
}

/// Defers an item, without moving it; without a time until a person takes it up again.
///
/// # Errors
/// Fails without a name or a reason, for an item that is done, and until a time that is over.
pub fn defer(
    item: &mut RegisteredDebt,
    until: Option<Timestamp>,
    by: &str,
    reason: &str,
    at: Timestamp,
) -> Result<(), Illegal> {
    let (name, reason) = said(by, reason)?;
    let status = next(item.item.status, &DebtEvent::Deferred)?;
    if until.is_some_and(|until| until <= at) {
        return Err(Illegal::Past);
    }
    set(item, status);
    item.deferred_until = until;
    note(item, at, ChangedBy::Person(name), &reason);
    Ok(())
}

/// Records that work on an item has begun.
///
/// # Errors
/// Fails without a name or a reason, and for an item that is done or begun.
pub fn begin(item: &mut RegisteredDebt, by: &str, reason: &str, at: Timestamp) -> Result<(), Illegal> {
    let (name, reason) = said(by, reason)?;
    let status = next(item.item.status, &DebtEvent::Begun)?;
    set(item, status);
    note(item, at, ChangedBy::Person(name), &reason);
    Ok(())
}

fn said(by: &str, reason: &str) -> Result<(String, String), Illegal> {
    let (by, reason) = (by.trim(), reason.trim());
    if by.is_empty() {
        return Err(Illegal::NoName);
    }
    if reason.is_empty() {
        return Err(Illegal::NoReason);
    }
    Ok((by.to_owned(), reason.to_owned()))
}
