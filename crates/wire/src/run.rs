//! `run.json`: the facts of a run that belong to no single action.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::id::{ActionId, ExecutionId};
use referee_model::record::{Host, RunEnding, RunRecord, ServiceRecord};
use referee_model::selection::{Profile, Scope};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::circumstances::CircumstancesDocument;
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
    #[schemars(with = "form::ExecutionId")]
    execution_id: ExecutionId,
    /// When it began.
    #[schemars(with = "form::Time")]
    start_time: Timestamp,
    /// When its last action was over.
    #[schemars(with = "form::Time")]
    end_time: Timestamp,
    /// How it ended.
    ending: RunEndingDocument,
    /// The machine and program that ran it.
    host: HostDocument,
    /// Actions that never ran, sorted by id.
    skipped: Vec<SkippedDocument>,
    /// What it set out to do.
    scope: ScopeDocument,
    /// What became of the services that were ready, in plan order.
    services: Vec<StoppedServiceDocument>,
    /// Sentences that belong to the whole run.
    notices: Vec<String>,
    /// Under which circumstances it was made.
    #[serde(default)]
    circumstances: CircumstancesDocument,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum RunEndingDocument {
    /// All that was to run was run or skipped.
    Finished {},
    /// A signal ended it.
    Interrupted {
        /// The signal's number.
        signal: i32,
    },
    /// Referee itself failed.
    Failed {
        /// What failed.
        message: String,
    },
}

/// The machine and program that ran it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HostDocument {
    /// Operating system, such as `linux`.
    platform: String,
    /// Processor architecture, such as `x86_64`.
    architecture: String,
    /// The process id of Referee.
    process_id: u32,
    /// The program's version.
    version: String,
    /// The agent that is known to have started it.
    agent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SkippedDocument {
    /// The action.
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    /// Why it never ran.
    reason: SkipReasonDocument,
}

/// What a run set out to do of its task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScopeDocument {
    /// The profile.
    #[schemars(with = "form::Profile")]
    profile: Profile,
    /// Whether anything was left out.
    reduced: bool,
}

/// Returns a run's header as a document.
pub fn document(run: &RunRecord) -> RunDocument {
    RunDocument {
        run_version: KIND.version.to_owned(),
        execution_id: run.execution.clone(),
        start_time: run.started,
        end_time: run.ended,
        ending: match &run.ending {
            RunEnding::Finished => RunEndingDocument::Finished {},
            RunEnding::Interrupted { signal } => RunEndingDocument::Interrupted { signal: *signal },
            RunEnding::Failed { message } => RunEndingDocument::Failed { message: message.clone() },
        },
        host: HostDocument {
            platform: run.host.platform.clone(),
            architecture: run.host.architecture.clone(),
            process_id: run.host.process_id,
            version: run.host.version.clone(),
            agent: run.host.agent.clone(),
        },
        skipped: run
            .skipped
            .iter()
            .map(|(action, reason)| SkippedDocument { action_id: action.clone(), reason: reason.into() })
            .collect(),
        scope: ScopeDocument { profile: run.scope.profile, reduced: run.scope.reduced },
        services: run.services.iter().map(StoppedServiceDocument::from).collect(),
        notices: run.notices.clone(),
        circumstances: (&run.circumstances).into(),
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
            ending: match document.ending {
                RunEndingDocument::Finished {} => RunEnding::Finished,
                RunEndingDocument::Interrupted { signal } => RunEnding::Interrupted { signal },
                RunEndingDocument::Failed { message } => RunEnding::Failed { message },
            },
            host: Host {
                platform: document.host.platform,
                architecture: document.host.architecture,
                process_id: document.host.process_id,
                version: document.host.version,
                agent: document.host.agent,
            },
            skipped,
            scope: Scope { profile: document.scope.profile, reduced: document.scope.reduced },
            services: services(document.services)?,
            notices: document.notices,
            circumstances: document.circumstances.into(),
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
