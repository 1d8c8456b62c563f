//! `debt-standing.json`: the register of debt as it was when a run was sealed. It is evidence: a replay assesses
//! debt from the same numbers.

use std::collections::BTreeSet;

use crate::debt::DebtStanding;
use crate::limit::DEBT_NUMBER_MAX;

use crate::debt_register::fault_of_routing;
use crate::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "debt-standing.json", key: "debtStandingVersion", version: DebtStanding::VERSION };

/// Parses a standing, whose items are sorted and unique, and whose next numbers are not in use.
///
/// # Errors
/// Fails for bytes that are not such a document, and for a document that contradicts itself.
pub fn read(bytes: &[u8]) -> Result<DebtStanding, DocumentError> {
    let standing: DebtStanding = KIND.read(bytes)?;
    fault(&standing).map_or(Ok(standing), |fault| Err(KIND.content(fault)))
}

/// Returns the inconsistency of a standing, if any.
fn fault(standing: &DebtStanding) -> Option<String> {
    let known = &standing.known;
    if let Some(fault) =
        known.iter().find_map(|known| Some(format!("{}: {}", known.id, fault_of_routing(&known.routing)?)))
    {
        return Some(fault);
    }
    if let Some(pair) = known.windows(2).find(|pair| pair[0].fingerprint >= pair[1].fingerprint) {
        return Some(format!("{} appears twice or out of order", pair[1].fingerprint));
    }
    let mut ids = BTreeSet::new();
    if let Some(twice) = known.iter().find(|known| !ids.insert(&known.id)) {
        return Some(format!("{} appears twice", twice.id));
    }
    let greatest = known.iter().map(|known| known.id.number()).max().unwrap_or(0);
    let numbers = [standing.next_item, standing.next_sprint_task, standing.next_inventory];
    if standing.next_item <= greatest || numbers.iter().any(|number| !(1..=DEBT_NUMBER_MAX + 1).contains(number)) {
        return Some("a next number is one that was given already, or none that can be given".to_owned());
    }
    (standing.sprint_critical > standing.sprint_items)
        .then(|| "more items of the sprint are critical than there are".to_owned())
}
