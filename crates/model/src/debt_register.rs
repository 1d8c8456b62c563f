//! `.registers/technical-debt.json`: the debt items of all runs, and their history.

use std::collections::{BTreeMap, BTreeSet};

use crate::debt::{DebtStatus, Destination, RegisteredDebt, Routing};
use crate::fingerprint::Fingerprint;
use crate::id::{DebtId, TaskId};
use crate::limit::DEBT_NUMBER_MAX;
use crate::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::number::Count;

const LIST: Kind = Kind { name: "the list of debt", key: "debtListVersion", version: "1.0.0" };
const KIND: Kind = Kind { name: "technical-debt.json", key: "debtRegisterVersion", version: "1.0.0" };

/// The register of debt. Derived from sealed runs and decisions of people; never affects a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee debt register"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisterDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    debt_register_version: String,
    items: Vec<RegisteredDebt>,
}

/// A page of debt items, in register order (`GET /api/debt`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of debt", deny_unknown_fields))]
pub struct DebtListDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    debt_list_version: &'static str,
    /// Whether a register exists. False: no run has left any debt yet.
    registered: bool,
    /// Number of items that match the query, on all pages.
    matching: Count,
    items: Vec<RegisteredDebt>,
    /// Value of `after` for the next page. Null: this is the last page.
    next: Option<DebtId>,
}

/// Builds the page document from the remaining items: the first `limit` of them, and where the next page starts.
pub fn list(registered: bool, matching: usize, items: &[&RegisteredDebt], limit: usize) -> DebtListDocument {
    let page = items.get(..limit).unwrap_or(items);
    DebtListDocument {
        debt_list_version: LIST.version,
        registered,
        matching: Count::of(matching),
        items: page.iter().copied().cloned().collect(),
        next: page.last().filter(|_| page.len() < items.len()).map(|item| item.item.id.clone()),
    }
}

/// Converts a register to its document.
pub fn document(register: &[RegisteredDebt]) -> RegisterDocument {
    RegisterDocument { debt_register_version: KIND.version.to_owned(), items: register.to_vec() }
}

/// Parses a register, in which ids are unique, and fingerprints are unique within a task.
///
/// # Errors
/// Fails for bytes that are not such a document, and for a document that contradicts itself.
pub fn read(bytes: &[u8]) -> Result<Vec<RegisteredDebt>, DocumentError> {
    let register = KIND.read::<RegisterDocument>(bytes)?.items;
    let mut ids: BTreeSet<&DebtId> = BTreeSet::new();
    let mut fingerprints: BTreeMap<(&TaskId, Fingerprint), &DebtId> = BTreeMap::new();
    for debt in &register {
        let (id, fingerprint) = (&debt.item.id, debt.item.case.fingerprint);
        if let Some(fault) = fault(debt) {
            return Err(KIND.content(fault));
        }
        if !ids.insert(id) {
            return Err(KIND.content(format!("{id} appears twice")));
        }
        if let Some(first) = fingerprints.insert((&debt.task, fingerprint), id) {
            return Err(KIND.content(format!("{first} and {id} of {} have the same fingerprint", debt.task)));
        }
    }
    Ok(register)
}

/// Returns the inconsistency of an item, if any.
fn fault(debt: &RegisteredDebt) -> Option<String> {
    let (id, case) = (&debt.item.id, &debt.item.case);
    let error = &case.details.original_error;
    let place = case.places.first();
    let is_at = |place: &crate::debt::Location| {
        (error.file.as_ref(), error.line, error.column) == (Some(&place.file), place.line, place.column)
    };
    if case.severity == Severity::None {
        return Some(format!("{id} has no severity"));
    }
    if !(1..=DEBT_NUMBER_MAX).contains(&id.number()) {
        return Some(format!("{id} has no number from 1 to {DEBT_NUMBER_MAX}"));
    }
    if !place.map_or((&error.file, error.line, error.column) == (&None, None, None), is_at) {
        return Some(format!("{id}: `originalError` is at another place than the item"));
    }
    if let Some(fault) = fault_of_routing(&debt.item.routing) {
        return Some(format!("{id}: {fault}"));
    }
    if debt.last_seen.at < debt.first_seen.at || debt.runs == 0 {
        return Some(format!("{id} was last seen before it was first seen, or never"));
    }
    (debt.deferred_until.is_some() && debt.item.status != DebtStatus::Deferred)
        .then(|| format!("{id} is put off until a time, and is {}", debt.item.status.as_str()))
}

/// Returns the inconsistency of an item's routing, if any.
pub(crate) fn fault_of_routing(routing: &Routing) -> Option<String> {
    if (routing.destination == Destination::SprintTasks) != routing.sprint_task.is_some() {
        return Some("an item of the sprint has a task, and no other has one".to_owned());
    }
    (!is_inventory_id(&routing.inventory)).then(|| format!("`{}` is not a number of the inventory", routing.inventory))
}

/// Returns whether the text has the form `DEBT-INV-<yyyy-mm-dd>-<nnn>`.
fn is_inventory_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [debt, inv, year, month, day, number] = parts.as_slice() else { return false };
    let is_digits = |text: &str, from: usize, to: usize| {
        (from..=to).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    (*debt, *inv) == ("DEBT", "INV")
        && is_digits(year, 4, 4)
        && is_digits(month, 2, 2)
        && is_digits(day, 2, 2)
        && is_digits(number, 3, 9)
}
