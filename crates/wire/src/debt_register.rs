//! `.registers/technical-debt.json`: all items of debt over runs, and what happened to them.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::debt::{ChangedBy, DebtChange, DebtItem, DebtStatus, Destination, RegisteredDebt};
use referee_model::diagnostic_log::Sighting;
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{DebtId, ExecutionId, TaskId};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::debt_item::ItemDocument;
use crate::document::{DocumentError, Kind};
use crate::form;
use crate::number::Count;

const LIST: Kind = Kind { name: "the list of debt", key: "debtListVersion", version: "1.0.0" };
const KIND: Kind = Kind { name: "technical-debt.json", key: "debtRegisterVersion", version: "1.0.0" };

/// The register of debt. It follows from sealed runs and from what people decided, and never bears on a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee debt register")]
pub struct RegisterDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    debt_register_version: String,
    items: Vec<RegisteredDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RegisteredDocument {
    /// The task whose runs show it.
    #[schemars(with = "form::TaskId")]
    task_id: TaskId,
    /// As the last run that showed it left it; its status and routing are those of today.
    item: ItemDocument,
    first_seen: SightingDocument,
    last_seen: SightingDocument,
    /// How many runs showed it.
    runs: Count,
    /// Null: it is not put off, or until a person takes it up again.
    #[schemars(with = "Option<form::Time>")]
    deferred_until: Option<Timestamp>,
    /// What happened to it, oldest first.
    history: Vec<ChangeDocument>,
}

/// A run, and when it was over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SightingDocument {
    #[schemars(with = "form::ExecutionId")]
    execution_id: ExecutionId,
    #[schemars(with = "form::Time")]
    at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChangeDocument {
    #[schemars(with = "form::Time")]
    at: Timestamp,
    by: ByDocument,
    /// After the change.
    #[schemars(with = "form::DebtStatus")]
    status: DebtStatus,
    /// After the change.
    #[schemars(with = "form::Destination")]
    destination: Destination,
    reason: String,
}

/// What changed an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum ByDocument {
    /// A run.
    Run(#[schemars(with = "form::ExecutionId")] ExecutionId),
    /// A person, by the name that was given.
    Person(String),
}

/// A page of items of debt, in the order of the register (`GET /api/debt`).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee list of debt", deny_unknown_fields)]
pub struct DebtListDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    debt_list_version: &'static str,
    /// Whether there is a register at all. False: no run left any debt yet.
    registered: bool,
    /// How many items fit what was asked for, on this page or not.
    matching: Count,
    items: Vec<RegisteredDocument>,
    /// What to ask for as `after` to get on. Null: there are no more.
    #[schemars(with = "Option<form::DebtId>")]
    next: Option<DebtId>,
}

/// Returns a page of items as a document: the first of those that are given, and how to get on.
pub fn list(registered: bool, matching: usize, items: &[&RegisteredDebt], limit: usize) -> DebtListDocument {
    let page = items.get(..limit).unwrap_or(items);
    DebtListDocument {
        debt_list_version: LIST.version,
        registered,
        matching: Count::of(matching),
        items: page.iter().map(|item| (*item).into()).collect(),
        next: page.last().filter(|_| page.len() < items.len()).map(|item| item.item.id.clone()),
    }
}

/// Returns a register as a document.
pub fn document(register: &[RegisteredDebt]) -> RegisterDocument {
    RegisterDocument {
        debt_register_version: KIND.version.to_owned(),
        items: register.iter().map(RegisteredDocument::from).collect(),
    }
}

/// Reads a register: one in which no id stands twice, and no fingerprint twice for one task.
///
/// # Errors
/// Fails for bytes that are no such document, and for one that contradicts itself.
pub fn read(bytes: &[u8]) -> Result<Vec<RegisteredDebt>, DocumentError> {
    let document: RegisterDocument = KIND.read(bytes)?;
    KIND.check(&document.debt_register_version)?;
    let register: Vec<RegisteredDebt> = document
        .items
        .into_iter()
        .map(RegisteredDebt::try_from)
        .collect::<Result<_, _>>()
        .map_err(|problem| KIND.content(problem))?;
    let mut ids: BTreeSet<&DebtId> = BTreeSet::new();
    let mut fingerprints: BTreeMap<(&TaskId, Fingerprint), &DebtId> = BTreeMap::new();
    for debt in &register {
        let (id, fingerprint) = (&debt.item.id, debt.item.case.fingerprint);
        if !ids.insert(id) {
            return Err(KIND.content(format!("{id} stands twice")));
        }
        if let Some(first) = fingerprints.insert((&debt.task, fingerprint), id) {
            return Err(KIND.content(format!("{first} and {id} of {} have the same fingerprint", debt.task)));
        }
    }
    Ok(register)
}

impl From<&RegisteredDebt> for RegisteredDocument {
    fn from(debt: &RegisteredDebt) -> Self {
        Self {
            task_id: debt.task.clone(),
            item: (&debt.item).into(),
            first_seen: (&debt.first_seen).into(),
            last_seen: (&debt.last_seen).into(),
            runs: debt.runs.into(),
            deferred_until: debt.deferred_until,
            history: debt.history.iter().map(ChangeDocument::from).collect(),
        }
    }
}

impl TryFrom<RegisteredDocument> for RegisteredDebt {
    type Error = String;

    fn try_from(document: RegisteredDocument) -> Result<Self, String> {
        let item = DebtItem::try_from(document.item)?;
        let (first_seen, last_seen) = (Sighting::from(document.first_seen), Sighting::from(document.last_seen));
        let runs = u64::from(document.runs);
        if last_seen.at < first_seen.at || runs == 0 {
            return Err(format!("{} was last seen before it was first seen, or never", item.id));
        }
        if document.deferred_until.is_some() && item.status != DebtStatus::Deferred {
            return Err(format!("{} is put off until a time, and is {}", item.id, item.status.as_str()));
        }
        Ok(Self {
            task: document.task_id,
            item,
            first_seen,
            last_seen,
            runs,
            deferred_until: document.deferred_until,
            history: document.history.into_iter().map(DebtChange::from).collect(),
        })
    }
}

impl From<&Sighting> for SightingDocument {
    fn from(sighting: &Sighting) -> Self {
        Self { execution_id: sighting.execution.clone(), at: sighting.at }
    }
}

impl From<SightingDocument> for Sighting {
    fn from(sighting: SightingDocument) -> Self {
        Self { execution: sighting.execution_id, at: sighting.at }
    }
}

impl From<&DebtChange> for ChangeDocument {
    fn from(change: &DebtChange) -> Self {
        Self {
            at: change.at,
            by: match &change.by {
                ChangedBy::Run(execution) => ByDocument::Run(execution.clone()),
                ChangedBy::Person(name) => ByDocument::Person(name.clone()),
            },
            status: change.status,
            destination: change.destination,
            reason: change.reason.clone(),
        }
    }
}

impl From<ChangeDocument> for DebtChange {
    fn from(change: ChangeDocument) -> Self {
        Self {
            at: change.at,
            by: match change.by {
                ByDocument::Run(execution) => ChangedBy::Run(execution),
                ByDocument::Person(name) => ChangedBy::Person(name),
            },
            status: change.status,
            destination: change.destination,
            reason: change.reason,
        }
    }
}
