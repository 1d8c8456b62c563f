//! Status of the tasks of a specification: recomputed from sealed evidence, whatever any file says
//! (contracts/execution.md §4; ruling 17).
//!
//! | the task's evidence                                                | status   |
//! |--------------------------------------------------------------------|----------|
//! | a whole run that passed without any failure                        | COMPLETE |
//! | a whole run that passed with failures that do not block, or waived | PARTIAL  |
//! | a reduced run, or one that failed or could not be judged           | FAILED   |
//! | a run of another plan than the current specification's             | FAILED   |
//! | none; a later run that died; changed or unverifiable evidence      | FAILED   |

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use referee_ledger::evidence::Evidence;
use referee_ledger::{State, Store, status_files, status_lock};
use referee_model::id::{Digest, TaskId};
use referee_model::plan::Plan;
use referee_model::status::{StatusRun, TaskState, TaskStatus, Violation, ViolationKind};
use referee_model::suite::Suite;
use referee_model::time::Timestamp;
use referee_model::{evidence_name, exit_code, seal};
use serde_json::Value;

use crate::context::Context;
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};
use crate::redaction;
use crate::verification::{self, AxisState, Verification, VerificationOutcome, Verifier, VerifyRequest};

mod checkbox;
mod status_answer;

pub use self::status_answer::{StatusAnswer, StatusRequest, answer, set_checkboxes};

/// Options for recomputing a status.
#[derive(Debug, Clone, Copy)]
pub struct Looking<'a> {
    /// The caller's environment variables, for redacting plans like the stored ones.
    pub environment: &'a [(OsString, OsString)],
    /// The user's state directory, which knows the latest run. `None`: there is none.
    pub state: Option<&'a State>,
    /// Whether the evidence is also judged again.
    pub replay: bool,
}

/// Recomputes the status of all tasks of a specification, in its order.
///
/// # Errors
/// Fails only if existing evidence cannot be read at all.
pub fn recompute(suite: &Suite, looking: Looking<'_>) -> Result<Vec<TaskStatus>, EngineError> {
    suite.tasks.iter().map(|plan| of_task(plan, looking)).collect()
}

fn of_task(plan: &Plan, looking: Looking<'_>) -> Result<TaskStatus, EngineError> {
    let status = |state, reason: String, exit_code, run| TaskStatus {
        task: plan.task.clone(),
        state,
        reason,
        tampered: false,
        outdated: false,
        exit_code,
        run,
    };
    let directory = plan.evidence_root.join(plan.task.as_str());
    if !directory.join(evidence_name::SEAL).is_file() {
        let reason = "there is no sealed run of it".to_owned();
        return Ok(status(TaskState::Failed, reason, exit_code::NOTHING_RAN, None));
    }
    let verification = verification::verify(&VerifyRequest {
        directory: &directory,
        replay: looking.replay,
        state: looking.state,
        verifier: &Verifier::nobody(),
    })?;
    let standing = verification.standing();
    if matches!(standing, VerificationOutcome::Tampered | VerificationOutcome::Unverifiable) {
        let reason = bad_axes(&verification);
        let tampered = standing == VerificationOutcome::Tampered;
        return Ok(TaskStatus { tampered, ..status(TaskState::Failed, reason, exit_code::SPECIFICATION, None) });
    }
    let evidence = Evidence::open(&directory)?;
    let report = serde_json::from_slice::<Value>(&evidence.read(evidence_name::EXECUTION_REPORT)?);
    let report = report.map_err(EngineError::internal)?;
    let run = Some(run(&evidence, &report)?);
    if asks_otherwise(plan, &evidence, looking.environment)? {
        let reason = "the specification asks for something else than its last sealed run was for".to_owned();
        let status = status(TaskState::Failed, reason, exit_code::NOTHING_RAN, run);
        return Ok(TaskStatus { outdated: true, ..status });
    }
    let (state, reason, code) = judged(&report, standing);
    Ok(status(state, reason, code, run))
}

/// Returns the state of a task from an authentic report, with the reason and the exit code.
fn judged(report: &Value, standing: VerificationOutcome) -> (TaskState, String, u8) {
    let summary = report.get("executionSummary").unwrap_or(&Value::Null);
    let reasons = summary.get("reasons").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let reason = reasons.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ");
    if standing != VerificationOutcome::Passed {
        let code = summary.get("exitCode").and_then(Value::as_u64).and_then(|code| u8::try_from(code).ok());
        return (TaskState::Failed, reason, code.filter(|code| *code != 0).unwrap_or(exit_code::FAILED));
    }
    if summary.pointer("/scope/reduced") != Some(&Value::Bool(false)) {
        return (TaskState::Failed, format!("a reduced run never counts as done: {reason}"), exit_code::NOTHING_RAN);
    }
    let is_waived = report.get("waivers").is_some_and(|waivers| {
        waivers.as_array().is_none_or(|waivers| waivers.iter().any(|waiver| waiver["state"] == "applied"))
    });
    if summary["overallStatus"] == "SUCCESS" && !is_waived {
        (TaskState::Complete, reason, exit_code::PASSED)
    } else {
        (TaskState::Partial, reason, exit_code::FAILED)
    }
}

fn bad_axes(verification: &Verification) -> String {
    let bad = verification
        .axes
        .iter()
        .filter(|axis| matches!(axis.state, AxisState::Broken | AxisState::Unverifiable))
        .map(|axis| format!("{}: {}", axis.name, axis.reasons.join("; ")));
    let bad: Vec<String> = bad.collect();
    if bad.is_empty() { "its evidence says no decision".to_owned() } else { bad.join("; ") }
}

fn run(evidence: &Evidence, report: &Value) -> Result<StatusRun, EngineError> {
    let bytes = evidence.read(evidence_name::SEAL)?;
    let seal = seal::read(&bytes).map_err(EngineError::internal)?;
    let tests = report.pointer("/executionSummary/testResults").unwrap_or(&Value::Null);
    let number = |key: &str| tests.get(key).and_then(Value::as_u64).unwrap_or(0);
    Ok(StatusRun {
        execution: seal.execution_id,
        seal: Digest::of(&bytes),
        sealed: seal.sealed_at,
        tests_passed: number("passed"),
        tests_failed: number("failed"),
        tests_total: number("total"),
        debt: debt(evidence),
    })
}

/// Returns the ids of the debt items that a run left. Empty if the run did not track debt.
fn debt(evidence: &Evidence) -> Vec<String> {
    let bytes = evidence.read(evidence_name::TECHNICAL_DEBT).unwrap_or_default();
    let document: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let items = document.get("debtItems").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.get("debtId")?.as_str().map(str::to_owned)).collect()
}

/// Returns whether the specification requires something else than the evidence. Its title and the bytes of its
/// file may differ.
fn asks_otherwise(plan: &Plan, evidence: &Evidence, caller: &[(OsString, OsString)]) -> Result<bool, EngineError> {
    let before = referee_model::plan::plan_document::read(&evidence.read(evidence_name::PLAN)?)
        .map_err(EngineError::internal)?;
    let now = redaction::stored(plan, caller);
    let now = Plan { specification: before.specification.clone(), title: before.title.clone(), ..now };
    Ok(now != before)
}

/// Finds contradictions between the evidence and files of the workspace: the status lock, and task lists.
///
/// # Errors
/// Fails if a list cannot be read. An unreadable status lock is a violation.
pub fn violations(suite: &Suite, statuses: &[TaskStatus], lists: &[String]) -> Result<Vec<Violation>, EngineError> {
    let Some(workspace) = suite.tasks.first().map(|plan| plan.workspace.as_path()) else { return Ok(Vec::new()) };
    let mut found: Vec<Violation> = Vec::new();
    for status in statuses.iter().filter(|status| status.tampered) {
        found.push(Violation {
            kind: ViolationKind::EvidenceTampering,
            task: Some(status.task.clone()),
            file: evidence_directory(suite, workspace, &status.task),
            message: format!("the evidence of {} was changed after it was sealed: {}", status.task, status.reason),
        });
    }
    found.extend(of_lock(workspace, suite, statuses)?);
    for list in lists {
        let Some(bytes) = status_files::read(workspace, list)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        found.extend(of_list(list, &text, statuses));
    }
    Ok(found)
}

/// Returns the evidence directory of a task, relative to the workspace.
fn evidence_directory(suite: &Suite, workspace: &Path, task: &TaskId) -> String {
    let root = suite.tasks.iter().find(|plan| plan.task == *task).map(|plan| plan.evidence_root.join(task.as_str()));
    root.map_or_else(String::new, |directory| {
        directory.strip_prefix(workspace).unwrap_or(&directory).display().to_string()
    })
}

fn of_list(list: &str, text: &str, statuses: &[TaskStatus]) -> Vec<Violation> {
    let checked = checkbox::find(text).into_iter().filter(|checkbox| checkbox.is_checked);
    let unfounded = checked.filter_map(|checkbox| {
        let status = statuses.iter().find(|status| status.task == checkbox.task)?;
        (status.state != TaskState::Complete).then(|| Violation {
            kind: ViolationKind::UnauthorizedCompletion,
            task: Some(checkbox.task.clone()),
            file: list.to_owned(),
            message: format!(
                "line {} calls {} complete, which is {}: {}",
                checkbox.line,
                checkbox.task,
                status.state.as_str(),
                status.reason
            ),
        })
    });
    unfounded.collect()
}

fn of_lock(workspace: &Path, suite: &Suite, statuses: &[TaskStatus]) -> Result<Vec<Violation>, EngineError> {
    let violation = |kind, task: Option<&TaskId>, message: String| Violation {
        kind,
        task: task.cloned(),
        file: status_files::LOCK.to_owned(),
        message,
    };
    let tampered = |message: String| vec![violation(ViolationKind::LockFileTampered, None, message)];
    let bytes = match status_files::read(workspace, status_files::LOCK) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(Vec::new()),
        Err(error) => return Ok(tampered(error.to_string())),
    };
    let lock = match status_lock::read(&bytes) {
        Ok(lock) => lock,
        Err(error) => return Ok(tampered(error.to_string())),
    };
    let mut found = Vec::new();
    if !lock.signature_fits {
        let message = "its content is not what its own signature was made of: it was edited".to_owned();
        found.extend(tampered(message));
    }
    for (task, (stated, hash)) in &lock.tasks {
        let Some(status) = statuses.iter().find(|status| status.task == *task) else { continue };
        let present = status.run.as_ref().map(|run| run.seal);
        if hash.is_some() && *hash != present && !is_known(suite, task, *hash)? {
            let message =
                format!("the evidence that the status of {task} rests on is not there: no sealed run has its hash");
            found.push(violation(ViolationKind::EvidenceTampering, Some(task), message));
        }
        // A run that was sealed after the lock was written, or a changed specification, does not make the lock false.
        let is_current = *hash == present && !status.outdated;
        if *stated == TaskState::Complete && status.state != TaskState::Complete && (is_current || hash.is_none()) {
            let message = format!("it calls {task} complete, which is {}: {}", status.state.as_str(), status.reason);
            found.push(violation(ViolationKind::UnauthorizedCompletion, Some(task), message));
        }
    }
    Ok(found)
}

/// Returns whether an earlier sealed run of a task has this hash.
fn is_known(suite: &Suite, task: &TaskId, hash: Option<Digest>) -> Result<bool, EngineError> {
    let Some(plan) = suite.tasks.iter().find(|plan| plan.task == *task) else { return Ok(false) };
    let directory = plan.evidence_root.join(task.as_str());
    if !directory.is_dir() {
        return Ok(false);
    }
    let Some(store) = Store::around(&directory, task, None)? else { return Ok(false) };
    let chain = store.chain(task)?;
    let of_run = |directory: &Path| {
        let bytes = Evidence::open(directory).and_then(|evidence| evidence.read(evidence_name::SEAL)).ok();
        bytes.map(|bytes| Digest::of(&bytes))
    };
    Ok(chain.iter().any(|run| hash.is_some() && of_run(&run.directory) == hash))
}

/// Writes the status lock.
///
/// # Errors
/// Fails if the lock cannot be written.
pub fn write_lock(
    workspace: &Path,
    statuses: &[TaskStatus],
    at: Timestamp,
    generator: &str,
) -> Result<(), EngineError> {
    let bytes = status_lock::render(statuses, at, generator).map_err(EngineError::internal)?;
    status_files::write_lock(workspace, &bytes)?;
    Ok(())
}

/// Writes the status lock after a run, if the project keeps status files and the specification enables the lock.
/// A failed write becomes a note, and changes no verdict.
///
/// # Errors
/// Fails if the state directory cannot be used.
pub fn record(context: &Context, suite: &Suite, events: &mut dyn EventSink) -> Result<(), EngineError> {
    let wanted = suite.tasks.iter().any(|plan| plan.completion.task_status_lock);
    let Some(workspace) = suite.tasks.first().map(|plan| plan.workspace.as_path()) else { return Ok(()) };
    if !wanted || !status_files::are_kept(workspace) {
        return Ok(());
    }
    let state = context.state_if_any()?;
    let looking = Looking { environment: &context.environment, state: state.as_ref(), replay: false };
    let written = recompute(suite, looking)
        .and_then(|statuses| write_lock(workspace, &statuses, context.now(), &generator(context)));
    if let Err(failure) = written {
        events.on_note(&Note::Text(format!("the status of the tasks was not written: {failure}")));
    }
    Ok(())
}

/// Returns the generator name for a status lock.
pub fn generator(context: &Context) -> String {
    format!("referee {}", context.host().version)
}

/// Writes the violations of the status.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_violations(workspace: &Path, found: &[Violation], at: Timestamp) -> Result<(), EngineError> {
    let bytes =
        referee_model::document::to_bytes(&status_lock::violations(found, at)).map_err(EngineError::internal)?;
    status_files::write_violations(workspace, at.as_millisecond(), &bytes)?;
    Ok(())
}

/// Sets the checkboxes of a task list: `[x]` only for COMPLETE. Returns whether the list changed.
///
/// # Errors
/// Fails if the list is not UTF-8, or cannot be read or written.
pub fn write_list(workspace: &Path, list: &str, statuses: &[TaskStatus]) -> Result<bool, EngineError> {
    let Some(bytes) = status_files::read(workspace, list)? else { return Ok(false) };
    let text = String::from_utf8(bytes).map_err(|_| EngineError::internal(format!("{list} is not UTF-8")))?;
    let complete: BTreeMap<&TaskId, bool> =
        statuses.iter().map(|status| (&status.task, status.state == TaskState::Complete)).collect();
    let Some(rewritten) = checkbox::rewritten(&text, &complete) else { return Ok(false) };
    status_files::write_list(workspace, list, rewritten.as_bytes())?;
    Ok(true)
}

/// Returns every task id that the project's task lists mention, in any form. None of these ids is free.
///
/// # Errors
/// Fails if a list cannot be read.
pub fn listed_tasks(workspace: &Path) -> Result<Vec<TaskId>, EngineError> {
    let mut tasks = Vec::new();
    for list in status_files::all_lists(workspace)? {
        let bytes = status_files::read(workspace, &list)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let words = text.split(|character: char| !character.is_ascii_alphanumeric());
        tasks.extend(words.filter_map(|word| TaskId::parse(word).ok()));
    }
    Ok(tasks)
}

/// Returns the exit code of the program: the most severe of all tasks (design, "Exit codes"), and at least a
/// specification error if there are violations.
pub fn exit(statuses: &[TaskStatus], violations: &[Violation]) -> u8 {
    let mut codes: Vec<u8> = statuses.iter().map(|status| status.exit_code).collect();
    codes.extend((!violations.is_empty()).then_some(exit_code::SPECIFICATION));
    let failing = codes.into_iter().filter(|code| *code != exit_code::PASSED);
    let most_severe = failing.max_by_key(|code| (exit_code::gravity(*code), Reverse(*code)));
    let all_complete = !statuses.is_empty() && statuses.iter().all(|status| status.state == TaskState::Complete);
    match most_severe {
        Some(code) => code,
        None if all_complete => exit_code::PASSED,
        None => exit_code::NOTHING_RAN,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(task: &str, state: TaskState, exit_code: u8) -> TaskStatus {
        let task = TaskId::parse(task).unwrap();
        TaskStatus {
            task,
            state,
            reason: "so it is".to_owned(),
            tampered: false,
            outdated: false,
            exit_code,
            run: None,
        }
    }

    #[test]
    fn only_a_whole_run_that_passed_clean_is_complete() {
        let report = |status: &str, reduced: bool, rest: Value| {
            let mut report = json!({ "executionSummary": {
                "overallStatus": status, "reasons": ["a", "b"], "exitCode": 6, "scope": { "reduced": reduced } } });
            report.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            report
        };
        let none = || json!({});
        let waived = |state: &str| json!({ "waivers": [{ "state": state }] });
        for (report, standing, state, code) in [
            (report("SUCCESS", false, none()), VerificationOutcome::Passed, TaskState::Complete, 0),
            (report("SUCCESS", false, waived("unused")), VerificationOutcome::Passed, TaskState::Complete, 0),
            (report("SUCCESS", false, waived("applied")), VerificationOutcome::Passed, TaskState::Partial, 1),
            (report("SUCCESS", false, json!({ "waivers": 1 })), VerificationOutcome::Passed, TaskState::Partial, 1),
            (report("PARTIAL_SUCCESS", false, none()), VerificationOutcome::Passed, TaskState::Partial, 1),
            (report("SUCCESS", true, none()), VerificationOutcome::Passed, TaskState::Failed, 4),
            (report("FAILURE", false, none()), VerificationOutcome::Failed, TaskState::Failed, 6),
            (json!({}), VerificationOutcome::Failed, TaskState::Failed, 1),
            (json!({}), VerificationOutcome::Passed, TaskState::Failed, 4),
        ] {
            let (found, _, exit) = judged(&report, standing);
            assert_eq!((found, exit), (state, code), "{report}");
        }
    }

    #[test]
    fn the_gravest_task_decides_and_violations_never_pass() {
        use TaskState::{Complete, Failed, Partial};
        let violation = Violation {
            kind: ViolationKind::UnauthorizedCompletion,
            task: None,
            file: "tasks.md".to_owned(),
            message: String::new(),
        };
        let complete = status("T001", Complete, 0);
        for (statuses, violations, code) in [
            (vec![complete.clone()], vec![], 0),
            (vec![], vec![], 4),
            (vec![complete.clone(), status("T002", Partial, 1)], vec![], 1),
            (vec![status("T002", Failed, 4), status("T003", Failed, 1)], vec![], 1),
            (vec![status("T002", Failed, 6), status("T003", Failed, 5)], vec![], 5),
            (vec![complete], vec![violation], 3),
        ] {
            assert_eq!(exit(&statuses, &violations), code, "{statuses:?}");
        }
    }

    #[test]
    fn a_checked_box_of_a_task_that_is_not_complete_is_a_violation() {
        let statuses = [status("T001", TaskState::Complete, 0), status("T002", TaskState::Failed, 1)];
        let found = of_list("tasks.md", "- [x] T001\n- [x] T002\n- [ ] T002\n- [x] T009\n", &statuses);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].task.as_ref().map(TaskId::as_str), found[0].kind.as_str()),
            (Some("T002"), "UNAUTHORIZED_COMPLETION")
        );
        assert!(found[0].message.starts_with("line 2 calls T002 complete, which is FAILED"), "{}", found[0].message);
    }
}
