//! Facts observed of a service until it was ready or given up.

use referee_model::plan::Action;
use referee_model::record::ServiceFacts;
use referee_model::record::service::{ProbeObservation, Readiness};
use referee_model::report::Ran;
use serde::Serialize;

use referee_model::number::Count;

use super::super::connection::HealthCheck;

/// The wait for a service to become ready.
#[document(open)]
pub(super) struct ServiceResult {
    /// How the wait for the service ended.
    readiness: ReadinessWord,
    /// Milliseconds from the start of the service until it was ready. Left out where it did not become ready.
    ready_after: Option<Count>,
    /// Time in which the service must become ready, in milliseconds.
    timeout: Count,
    /// Time until the service was ready or given up, in milliseconds.
    actual_duration: Count,
    /// Command that started the service. Left out where Referee does not start it.
    command: Option<String>,
    /// Process id of the service. Left out where it never started.
    pid: Option<u32>,
    /// Port that the service was to listen on.
    listens_on: Option<u16>,
    /// End of the service's output, standard error first.
    server_output: Option<String>,
    /// Result of the most telling sign of readiness: the first that was not seen, else the first.
    health_check: HealthCheck,
    /// Result of each sign of readiness.
    probes: Vec<ProbeDocument>,
}

/// How the wait for a service ended.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum ReadinessWord {
    Ready,
    PortTaken,
    ForeignPort,
    Ended,
    DeadlineExceeded,
    Interrupted,
    CouldNotStart,
}

/// One sign of readiness.
#[document]
struct ProbeDocument {
    /// Sign that was looked for: a URL, a port or a line of output.
    probe: String,
    /// Whether the sign of readiness was seen.
    holds: bool,
    /// Number of times that the sign was looked for.
    attempts: Count,
    /// Last observation: a status, an error, or what was still missing.
    result: String,
    /// Time during which the sign was looked for, in milliseconds.
    duration: Count,
}

impl ServiceResult {
    pub(super) fn new(action: &Action, facts: &ServiceFacts, ran: &Ran) -> Self {
        let (readiness, ready_after) = match &facts.readiness {
            Readiness::Ready { after_ms } => (ReadinessWord::Ready, Some(*after_ms)),
            Readiness::PortTaken => (ReadinessWord::PortTaken, None),
            Readiness::ForeignPort => (ReadinessWord::ForeignPort, None),
            Readiness::Ended { .. } => (ReadinessWord::Ended, None),
            Readiness::DeadlineExceeded { .. } => (ReadinessWord::DeadlineExceeded, None),
            Readiness::Interrupted => (ReadinessWord::Interrupted, None),
            Readiness::CouldNotStart { .. } => (ReadinessWord::CouldNotStart, None),
        };
        let limit = match facts.readiness {
            Readiness::DeadlineExceeded { timeout_ms, .. } => timeout_ms,
            _ => action.timeout_ms,
        };
        let outputs = [&ran.reading.excerpts.stderr, &ran.reading.excerpts.stdout].map(super::end);
        Self {
            readiness,
            ready_after: ready_after.map(Count::from),
            timeout: limit.into(),
            actual_duration: ran.record.span.duration_ms.into(),
            command: facts.started.as_ref().map(|start| start.argv.join(" ")),
            pid: facts.started.as_ref().and_then(|start| start.pid),
            listens_on: facts.port,
            server_output: outputs.into_iter().find(|text| !text.trim().is_empty()),
            health_check: HealthCheck::of_probes(&facts.probes),
            probes: facts.probes.iter().map(ProbeDocument::from).collect(),
        }
    }
}

impl From<&ProbeObservation> for ProbeDocument {
    fn from(observed: &ProbeObservation) -> Self {
        Self {
            probe: observed.probe.clone(),
            holds: observed.held,
            attempts: observed.attempts.into(),
            result: observed.last.clone(),
            duration: observed.duration_ms.into(),
        }
    }
}
