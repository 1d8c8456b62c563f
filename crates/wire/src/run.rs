//! `run.json`: the facts of a run that belong to no single action.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::circumstances::Circumstances;
use referee_model::id::{ActionId, ExecutionId};
use referee_model::record::{Host, RunEnding, RunRecord, ServiceRecord};
use referee_model::selection::Scope;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::form;
use crate::record::StoppedServiceDocument;
use crate::skip_reason::SkipReasonDocument;

const KIND: Kind = Kind { name: "run.json", key: "runVersion", version: "1.0.0" };

/// A run's header, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee run")]
pub struct RunDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    run_version: String,
    /// The run.
    execution_id: ExecutionId,
    /// When it began.
    start_time: Timestamp,
    /// When its last action was over.
    end_time: Timestamp,
    /// How it ended.
    ending: RunEnding,
    /// The machine and program that ran it.
    host: Host,
    /// Actions that never ran, sorted by id.
    skipped: Vec<SkippedDocument>,
    /// What it set out to do.
    scope: Scope,
    /// What became of the services that were ready, in plan order.
    services: Vec<StoppedServiceDocument>,
    /// Sentences that belong to the whole run.
    notices: Vec<String>,
    /// Under which circumstances it was made.
    #[serde(default)]
    circumstances: Circumstances,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SkippedDocument {
    /// The action.
    action_id: ActionId,
    /// Why it never ran.
    reason: SkipReasonDocument,
}

/// Returns a run's header as a document.
pub fn document(run: &RunRecord) -> RunDocument {
    RunDocument {
        run_version: KIND.version.to_owned(),
        execution_id: run.execution.clone(),
        start_time: run.started,
        end_time: run.ended,
        ending: run.ending.clone(),
        host: run.host.clone(),
        skipped: run
            .skipped
            .iter()
            .map(|(action, reason)| SkippedDocument { action_id: action.clone(), reason: reason.into() })
            .collect(),
        scope: run.scope,
        services: run.services.iter().map(StoppedServiceDocument::from).collect(),
        notices: run.notices.clone(),
        circumstances: run.circumstances.clone(),
    }
}

/// Reads a run's header.
pub fn read(bytes: &[u8]) -> Result<RunRecord, DocumentError> {
    KIND.read::<RunDocument>(bytes)?.try_into()
}

impl TryFrom<RunDocument> for RunRecord {
    type Error = DocumentError;

    fn try_from(document: RunDocument) -> Result<Self, DocumentError> {
        KIND.check(&document.run_version)?;
        let mut skipped = BTreeMap::new();
        for SkippedDocument { action_id, reason } in document.skipped {
            if skipped.insert(action_id.clone(), reason.into()).is_some() {
                return Err(KIND.content(format!("{action_id} is skipped twice")));
            }
        }
        Ok(Self {
            execution: document.execution_id,
            started: document.start_time,
            ended: document.end_time,
            ending: document.ending,
            host: document.host,
            skipped,
            scope: document.scope,
            services: services(document.services)?,
            notices: document.notices,
            circumstances: document.circumstances,
        })
    }
}

/// Takes services of which none ended twice.
fn services(documents: Vec<StoppedServiceDocument>) -> Result<Vec<ServiceRecord>, DocumentError> {
    let mut ended = BTreeSet::new();
    let mut services = Vec::with_capacity(documents.len());
    for document in documents {
        let service = ServiceRecord::try_from(document).map_err(|problem| KIND.content(problem))?;
        if !ended.insert((service.action.clone(), service.attempt)) {
            return Err(KIND.content(format!("the service of {} ended twice", service.action)));
        }
        services.push(service);
    }
    Ok(services)
}
