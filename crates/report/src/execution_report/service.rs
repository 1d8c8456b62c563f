//! The services of a run and how they ended.

use referee_model::id::ActionId;
use referee_model::record::{Ending, LeakedProcess, Notice, ServiceRecord};
use referee_model::report::Report;
use referee_model::time::Timestamp;

use referee_model::number::Count;

use super::evidence;

/// A service that became ready, and how it ended.
#[document(nulls)]
pub(super) struct ServiceDocument {
    /// Action that started the service.
    action_id: ActionId,
    /// Name of the check in the specification.
    description: String,
    /// Number of the attempt that made the service ready.
    attempt: u32,
    /// When the service was started, in UTC.
    start_time: Timestamp,
    /// When the service had ended, in UTC.
    end_time: Timestamp,
    /// How long the service ran, in milliseconds.
    duration: Count,
    /// How the service ended; `interrupted` where Referee stopped it as planned.
    ending: Ending,
    /// Signal that ended the process, from whatever sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// Whether the service ended by itself while it was still needed.
    ended_early: bool,
    /// File with all of the service's output. Null: it is not kept.
    log: Option<String>,
    /// Processes that the service left behind, and that were stopped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaked_processes: Vec<LeakedProcess>,
    /// Notices about the service, in addition to its facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
}

/// Returns all services that became ready, in plan order.
pub(super) fn all(report: &Report) -> Vec<ServiceDocument> {
    report.run.services.iter().map(|service| ServiceDocument::new(report, service)).collect()
}

impl ServiceDocument {
    fn new(report: &Report, service: &ServiceRecord) -> Self {
        let action = report.plan.action(&service.action);
        Self {
            action_id: service.action.clone(),
            description: action.map(|action| action.name.clone()).unwrap_or_default(),
            attempt: service.attempt,
            start_time: service.span.started,
            end_time: service.span.ended,
            duration: service.span.duration_ms.into(),
            ending: service.ending.clone(),
            signal: service.ending.signal(),
            ended_early: service.ended_early(),
            log: service.log.as_ref().map(|log| evidence::shown(&report.plan, &log.file)),
            leaked_processes: service.leaked.clone(),
            notices: service.notices.clone(),
        }
    }
}
