//! Runs a user's planner program: once, bounded in time and bytes, and validated against the rules. Any fault of
//! it leads to a plan by rules, never to an error.

use std::sync::{Arc, Mutex, PoisonError};

use referee_exec::agent_process::{self, AgentCommand};
use referee_exec::signal::Cancellation;
use referee_judge::incident::plan::proposal::Proposal;
use referee_ledger::redact::Redactor;
use referee_model::id::ExecutionId;
use referee_model::incident::id::IncidentId;
use referee_model::incident::planner::PlannerAnswer;
use referee_model::limit;
use referee_model::record::{Ending, Stream};
use referee_schema::published as schema;
use referee_schema::validator::Validator;
use referee_syntax::line;
use serde_json::Value;

use super::PlanRequest;
use crate::agent_loop::inherited;
use crate::incident::{IncidentContext, IncidentError};

/// Name of the schema that an answer is validated against.
const SCHEMA: &str = "planner-answer";

/// Maximum number of bytes kept of standard error, and read of both streams together.
const COMPLAINT_BYTES: usize = 8 * 1024;
const OUTPUT_BYTES: u64 = 2 * limit::PLANNER_ANSWER_BYTES as u64;

const REASON: usize = 300;

/// Asks the planner of a request. Returns its proposal, or why the answer cannot be used.
///
/// # Errors
/// Fails on a request to stop, and if a system call fails that no run can do without.
pub(super) fn ask(
    context: IncidentContext<'_>,
    id: &IncidentId,
    (command, request): (&[String], &PlanRequest),
    question: &[u8],
) -> Result<Result<Proposal, String>, IncidentError> {
    let answer = run(context, command, request, question)?;
    let proposal = answer.and_then(|bytes| read(&bytes, id, context.redactor));
    Ok(proposal.map_err(|reason| line::bounded(&context.clean(&reason), REASON)))
}

/// Runs the program and returns its standard output.
fn run(
    context: IncidentContext<'_>,
    command: &[String],
    request: &PlanRequest,
    question: &[u8],
) -> Result<Result<Vec<u8>, String>, IncidentError> {
    let internal = |what: &str, error: &dyn std::fmt::Display| IncidentError::Internal(format!("{what}: {error}"));
    let cancellation = match &request.cancellation {
        Some(cancellation) => cancellation.clone(),
        None => Cancellation::new().map_err(|error| internal("a planner cannot be watched", &error))?,
    };
    let now: String = context.now().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    let marker = ExecutionId::parse(format!("exec-{now}-planner"));
    let printed = Arc::new(Mutex::new([Vec::new(), Vec::new()]));
    let kept = Arc::clone(&printed);
    let tap = move |stream: Stream, bytes: &[u8]| {
        let (place, most) = match stream {
            Stream::Stdout => (0, limit::PLANNER_ANSWER_BYTES + 1),
            Stream::Stderr => (1, COMPLAINT_BYTES),
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = most.saturating_sub(kept[place].len()).min(bytes.len());
        kept[place].extend_from_slice(&bytes[..room]);
    };
    let timeout_ms = if request.planner_ms == 0 { limit::PLANNER_DEADLINE_MS } else { request.planner_ms };
    let started = AgentCommand {
        argv: command,
        directory: &request.workspace,
        environment: inherited(&context.host.environment, &[], context.state),
        input: question,
        marker: &marker.map_err(|error| internal("a planner cannot be marked", &error))?,
        turn: 1,
        timeout_ms,
        grace_ms: limit::GRACE_MS,
    };
    let end = agent_process::run_bounded(&started, context.host, &cancellation, Box::new(tap), OUTPUT_BYTES)
        .map_err(|error| internal("the planner cannot be run", &error))?;
    let [stdout, stderr] = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(match end.ending {
        Ending::Exited { code: 0 } if stdout.len() > limit::PLANNER_ANSWER_BYTES => Err(too_much()),
        Ending::Exited { code: 0 } => Ok(stdout),
        Ending::Exited { code } => Err(format!("the planner exited with code {code}{}", last_line(&stderr))),
        Ending::Signaled { signal } => Err(format!("the planner was ended by signal {signal}")),
        Ending::DeadlineExceeded { timeout_ms, .. } => Err(format!("the planner gave no answer in {timeout_ms} ms")),
        Ending::Interrupted { .. } => {
            return Err(IncidentError::Refused("planning was interrupted: nothing was changed".to_owned()));
        }
        Ending::OutputLimitExceeded { .. } => Err(too_much()),
        Ending::CouldNotStart { message, .. } => Err(format!("the planner could not be started: {message}")),
        other => Err(format!("the planner did not end by itself: {other:?}")),
    })
}

fn too_much() -> String {
    format!("the planner printed more than {} bytes", limit::PLANNER_ANSWER_BYTES)
}

/// Returns the last line of standard error, formatted to follow a sentence.
fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!(": {line}"))
}

/// Parses an answer and removes secrets from it.
fn read(bytes: &[u8], id: &IncidentId, redactor: &Redactor) -> Result<Proposal, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("its answer is not JSON: {error}"))?;
    if !value.is_object() {
        return Err("its answer is not a JSON object".to_owned());
    }
    let schema = schema::schema(SCHEMA).ok_or("the schema of its answer is missing")?;
    let validator = Validator::new(&schema).map_err(|error| error.to_string())?;
    let (complaints, _) = validator.complaints(&value, 1);
    if let Some(complaint) = complaints.first() {
        return Err(format!("its answer does not match the schema {SCHEMA}: {complaint}"));
    }
    let answer: PlannerAnswer =
        serde_json::from_value(value).map_err(|error| format!("its answer cannot be read: {error}"))?;
    match &answer.incident_id {
        Some(other) if other != id => Err(format!("its answer is about another incident: {other}")),
        _ => Ok(Proposal::new(answer, |text| redactor.text_strictly(text))),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::incident::planner::AnswerAction;
    use referee_model::incident::remediation::Confidence;

    use super::*;

    fn told(answer: &str) -> Result<Proposal, String> {
        read(answer.as_bytes(), &IncidentId::parse("one").unwrap(), &Redactor::new(Vec::new(), Vec::new()))
    }

    #[test]
    fn an_answer_fits_the_schema_or_is_none() {
        let good = told(
            r#"{"incident_id": "one", "unheard": 1, "summary": "token=abcdef",
                "actions": [{"id": "A1", "title": "t", "priority": "P1", "risk": "low"}]}"#,
        )
        .unwrap();
        let action = AnswerAction {
            title: "t".to_owned(),
            priority: "P1".to_owned(),
            risk: Confidence::Low,
            target_paths: Vec::new(),
            verification: Vec::new(),
        };
        let answer = PlannerAnswer {
            incident_id: IncidentId::parse("one").ok(),
            summary: Some("token=******".to_owned()),
            actions: Some(vec![action]),
            ..PlannerAnswer::default()
        };
        assert_eq!(good, Proposal::new(answer, str::to_owned));
        assert_eq!(told("{}").unwrap(), Proposal::default());
        for (junk, reason) in [
            ("", "not JSON"),
            ("null", "not a JSON object"),
            ("[]", "not a JSON object"),
            ("Here it is: {}", "not JSON"),
            (r#"{"incident_id": "two"}"#, "another incident"),
            (r#"{"incident_id": "../x"}"#, "cannot be read"),
            (r#"{"summary": 3}"#, "does not match the schema"),
            (r#"{"confidence_score": 7}"#, "does not match the schema"),
            (r#"{"actions": [{"title": "t", "priority": "now", "risk": "low"}]}"#, "does not match the schema"),
            (
                r#"{"root_cause_hypotheses": [{"reason": "r", "confidence": "sure", "evidence_ids": ["E1"]}]}"#,
                "does not match",
            ),
        ] {
            let refused = told(junk).unwrap_err();
            assert!(refused.contains(reason), "{junk}: {refused}");
        }
    }
}
