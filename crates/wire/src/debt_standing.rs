//! `debt-standing.json`: what the register of debt knew when a run was sealed. It is evidence: a replay assesses debt from
//! the same numbers.

use std::collections::BTreeSet;

use referee_model::debt::{DebtStanding, DebtStatus, KnownDebt};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, DebtId};
use referee_model::limit::DEBT_NUMBER_MAX;
use referee_model::severity::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::debt_item::RoutingDocument;
use crate::document::{DocumentError, Kind};
use crate::form;
use crate::number::Count;

const KIND: Kind = Kind { name: "debt-standing.json", key: "debtStandingVersion", version: "1.0.0" };

/// What of the register an assessment needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee debt standing")]
pub struct StandingDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    debt_standing_version: String,
    /// Items of the task, sorted by fingerprint.
    known: Vec<KnownDocument>,
    /// Items of all tasks that lie in the sprint and are neither done nor put off.
    sprint_items: Count,
    /// CRITICAL ones among them.
    sprint_critical: Count,
    /// The next number of an item of the task.
    #[schemars(range(min = 1))]
    next_item: u32,
    /// The next number of a task of the sprint.
    #[schemars(range(min = 1))]
    next_sprint_task: u32,
    /// The next number of the inventory on the day on which the run ended.
    #[schemars(range(min = 1))]
    next_inventory: u32,
}

/// An item that was known before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct KnownDocument {
    #[schemars(with = "form::DebtId")]
    debt_id: DebtId,
    #[schemars(with = "form::Fingerprint")]
    fingerprint: Fingerprint,
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    action_name: String,
    /// The test that it comes from. Null: it comes from none that a runner names.
    test: Option<String>,
    #[schemars(with = "form::Severity")]
    severity: Severity,
    /// Before the run.
    #[schemars(with = "form::DebtStatus")]
    status: DebtStatus,
    /// Before the run.
    routing: RoutingDocument,
}

/// Returns a standing as a document.
pub fn document(standing: &DebtStanding) -> StandingDocument {
    let known = standing.known.iter().map(|known| KnownDocument {
        debt_id: known.id.clone(),
        fingerprint: known.fingerprint,
        action_id: known.action.clone(),
        action_name: known.action_name.clone(),
        test: known.test.clone(),
        severity: known.severity,
        status: known.status,
        routing: (&known.routing).into(),
    });
    StandingDocument {
        debt_standing_version: KIND.version.to_owned(),
        known: known.collect(),
        sprint_items: standing.sprint_items.into(),
        sprint_critical: standing.sprint_critical.into(),
        next_item: standing.next_item,
        next_sprint_task: standing.next_sprint_task,
        next_inventory: standing.next_inventory,
    }
}

/// Reads a standing: one whose items are sorted, each once, and whose next numbers are none that an item has.
///
/// # Errors
/// Fails for bytes that are no such document, and for one that contradicts itself.
pub fn read(bytes: &[u8]) -> Result<DebtStanding, DocumentError> {
    let document: StandingDocument = KIND.read(bytes)?;
    KIND.check(&document.debt_standing_version)?;
    let known: Vec<KnownDebt> =
        document.known.into_iter().map(known).collect::<Result<_, _>>().map_err(|problem| KIND.content(problem))?;
    if let Some(pair) = known.windows(2).find(|pair| pair[0].fingerprint >= pair[1].fingerprint) {
        return Err(KIND.content(format!("{} stands twice or out of order", pair[1].fingerprint)));
    }
    let mut ids = BTreeSet::new();
    if let Some(twice) = known.iter().find(|known| !ids.insert(&known.id)) {
        return Err(KIND.content(format!("{} stands twice", twice.id)));
    }
    let greatest = known.iter().map(|known| known.id.number()).max().unwrap_or(0);
    let numbers = [document.next_item, document.next_sprint_task, document.next_inventory];
    if document.next_item <= greatest || numbers.iter().any(|number| !(1..=DEBT_NUMBER_MAX + 1).contains(number)) {
        return Err(KIND.content("a next number is one that was given already, or none that can be given"));
    }
    let (sprint_items, sprint_critical) = (document.sprint_items.into(), document.sprint_critical.into());
    if sprint_critical > sprint_items {
        return Err(KIND.content("more items of the sprint are critical than there are"));
    }
    Ok(DebtStanding {
        known,
        sprint_items,
        sprint_critical,
        next_item: document.next_item,
        next_sprint_task: document.next_sprint_task,
        next_inventory: document.next_inventory,
    })
}

fn known(document: KnownDocument) -> Result<KnownDebt, String> {
    let id = document.debt_id;
    let routing = document.routing.read().map_err(|problem| format!("{id}: {problem}"))?;
    Ok(KnownDebt {
        id,
        fingerprint: document.fingerprint,
        action: document.action_id,
        action_name: document.action_name,
        test: document.test,
        severity: document.severity,
        status: document.status,
        routing,
    })
}
