//! `task-status-lock.json`: the status of a project's tasks (contracts/execution.md §4.1), and its violations.
//!
//! The lock is written for other programs to read. Its signature is a SHA-256 over its own content: it detects manual
//! edits and accidents, and anyone can recompute it. No content of the lock is trusted: `referee status` recomputes all
//! of it from sealed evidence.

use std::collections::BTreeMap;

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::status::{TaskState, TaskStatus, Violation};
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use referee_model::canonical::{self, CanonicalError};
use referee_model::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "task-status-lock.json", key: "lockVersion", version: "2.0.0" };

/// Reason why a status lock cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StatusLockError {
    /// The bytes are not a status lock.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The document cannot be hashed.
    #[error("cannot canonicalize the status lock: {0}")]
    Canonical(#[from] CanonicalError),
    /// The document cannot be serialized as JSON.
    #[error("cannot serialize the status lock: {0}")]
    Json(#[from] serde_json::Error),
}

/// Status of a project's tasks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusLock<'status> {
    lock_version: &'static str,
    generated_at: Timestamp,
    generated_by: &'status str,
    /// Id of the latest run that the status is based on. Null: no run.
    test_execution_id: Option<&'status ExecutionId>,
    task_statuses: BTreeMap<&'status TaskId, Entry<'status>>,
    /// Hash that detects edits of this file. Anyone who can write the file can recompute it.
    lock_signature: Option<LockSignature>,
    /// Permissions of agents on this file.
    agent_permissions: AgentPermissions,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'status> {
    status: TaskState,
    tests_passed: u64,
    tests_failed: u64,
    tests_total: u64,
    /// SHA-256 of the seal of the task's evidence. Null: no reliable evidence.
    evidence_hash: Option<Digest>,
    locked: bool,
    modification_prohibited: bool,
    /// When the task's evidence was sealed, or when this file was written if there is no evidence.
    last_updated: Timestamp,
    /// Ids of the technical debt items of the task. Only for failed tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    technical_debt_created: Option<&'status [String]>,
    /// Whether the task must be run again. Only for failed tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    retest_required: Option<bool>,
    /// Whether the failures do not block. Only for partial tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    acceptable_failures: Option<bool>,
    /// Reason why the failures do not block. Only for partial tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'status str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LockSignature {
    algorithm: &'static str,
    /// SHA-256 of the canonical form (RFC 8785) of this document without `lockSignature`.
    hash: Digest,
    /// Always `self-asserted`: the hash detects edits, but does not protect against being recomputed.
    tamper_detection: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the contract has these five")]
struct AgentPermissions {
    can_read_status: bool,
    can_modify_status: bool,
    can_mark_complete: bool,
    can_mark_failed: bool,
    can_override_lock: bool,
}

/// The part of a status lock that can be checked against evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedLock {
    /// State of each task, and SHA-256 of the seal that it is based on.
    pub tasks: BTreeMap<TaskId, (TaskState, Option<Digest>)>,
    /// Whether the lock's signature matches its content.
    pub signature_fits: bool,
}

/// Renders a status lock.
pub fn render(statuses: &[TaskStatus], at: Timestamp, generator: &str) -> Result<Vec<u8>, StatusLockError> {
    let runs = statuses.iter().filter_map(|status| status.run.as_ref());
    let mut lock = StatusLock {
        lock_version: KIND.version,
        generated_at: at,
        generated_by: generator,
        test_execution_id: runs.max_by_key(|run| run.sealed).map(|run| &run.execution),
        task_statuses: statuses.iter().map(|status| (&status.task, entry(status, at))).collect(),
        lock_signature: None,
        agent_permissions: AgentPermissions {
            can_read_status: true,
            can_modify_status: false,
            can_mark_complete: false,
            can_mark_failed: false,
            can_override_lock: false,
        },
    };
    let hash = hash(serde_json::to_value(&lock)?)?;
    lock.lock_signature = Some(LockSignature { algorithm: "SHA-256", hash, tamper_detection: "self-asserted" });
    Ok(document::to_bytes(&lock)?)
}

fn entry(status: &TaskStatus, at: Timestamp) -> Entry<'_> {
    let run = status.run.as_ref();
    let number = |of: fn(&referee_model::status::StatusRun) -> u64| run.map_or(0, of);
    let (failed, partial) = (status.state == TaskState::Failed, status.state == TaskState::Partial);
    Entry {
        status: status.state,
        tests_passed: number(|run| run.tests_passed),
        tests_failed: number(|run| run.tests_failed),
        tests_total: number(|run| run.tests_total),
        evidence_hash: run.map(|run| run.seal),
        locked: true,
        modification_prohibited: true,
        last_updated: run.map_or(at, |run| run.sealed),
        technical_debt_created: failed.then(|| run.map_or(&[][..], |run| &run.debt)),
        retest_required: failed.then_some(true),
        acceptable_failures: partial.then_some(true),
        reason: partial.then_some(status.reason.as_str()),
    }
}

fn hash(mut lock: Value) -> Result<Digest, CanonicalError> {
    if let Some(lock) = lock.as_object_mut() {
        lock.remove("lockSignature");
    }
    canonical::bytes(&lock).map(Digest::of)
}

/// Parses a status lock. Its content is not trusted.
///
/// # Errors
/// Fails if the bytes are not a status lock.
pub fn read(bytes: &[u8]) -> Result<StatedLock, StatusLockError> {
    let lock: Stated = KIND.read(bytes)?;
    let whole: Value = KIND.read(bytes)?;
    let stated = whole.pointer("/lockSignature/hash").and_then(Value::as_str).map(Digest::parse);
    let signature_fits = match stated {
        Some(Ok(stated)) => hash(whole)? == stated,
        Some(Err(_)) | None => false,
    };
    let tasks = lock.task_statuses.into_iter().map(|(task, entry)| (task, (entry.status, entry.evidence_hash)));
    Ok(StatedLock { tasks: tasks.collect(), signature_fits })
}

/// The keys of a lock that [`read`] uses.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stated {
    task_statuses: BTreeMap<TaskId, StatedEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StatedEntry {
    status: TaskState,
    evidence_hash: Option<Digest>,
}

/// Violations that contradict the status of a project: `status-violations-<ms>.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViolationsDocument<'found> {
    violations_version: &'static str,
    detected_at: Timestamp,
    severity: &'static str,
    /// Whether work is halted until a person intervenes.
    workflow_halted: bool,
    violations: &'found [Violation],
}

/// Returns the document of these violations.
pub fn violations(found: &[Violation], at: Timestamp) -> ViolationsDocument<'_> {
    ViolationsDocument {
        violations_version: "1.0.0",
        detected_at: at,
        severity: "CRITICAL",
        workflow_halted: true,
        violations: found,
    }
}

#[cfg(test)]
mod tests {
    use referee_model::status::StatusRun;
    use serde_json::json;

    use super::*;

    fn at(milliseconds: i64) -> Timestamp {
        Timestamp::from_millisecond(milliseconds)
    }

    fn status(task: &str, state: TaskState) -> TaskStatus {
        TaskStatus {
            task: TaskId::parse(task).unwrap(),
            state,
            reason: "2 steps passed, 1 of them with failures that do not block".to_owned(),
            tampered: false,
            outdated: false,
            exit_code: 0,
            run: Some(StatusRun {
                execution: ExecutionId::parse(format!("exec-{task}")).unwrap(),
                seal: Digest::from_bytes([7; 32]),
                sealed: at(1_000),
                tests_passed: 3,
                tests_failed: 1,
                tests_total: 4,
                debt: vec![format!("DEBT-{task}-001")],
            }),
        }
    }

    fn rendered(statuses: &[TaskStatus]) -> Value {
        serde_json::from_slice(&render(statuses, at(2_000), "referee 0.1.0").unwrap()).unwrap()
    }

    #[test]
    fn a_lock_has_the_keys_of_the_contract_and_fits_its_own_signature() {
        let missing = TaskStatus { run: None, ..status("T003", TaskState::Failed) };
        let all = [status("T001", TaskState::Complete), status("T002", TaskState::Partial), missing];
        let lock = rendered(&all);
        assert_eq!((&lock["lockVersion"], &lock["testExecutionId"]), (&json!("2.0.0"), &json!("exec-T002")));
        let of = |task: &str| &lock["taskStatuses"][task];
        assert_eq!(of("T001")["status"], "COMPLETE");
        assert_eq!(of("T001")["evidenceHash"], "07".repeat(32));
        assert_eq!(of("T001").as_object().unwrap().len(), 8, "{}", of("T001"));
        assert_eq!((&of("T002")["acceptableFailures"], of("T002").get("retestRequired")), (&json!(true), None));
        assert_eq!((&of("T003")["retestRequired"], &of("T003")["technicalDebtCreated"]), (&json!(true), &json!([])));
        assert_eq!(lock["agentPermissions"]["canMarkComplete"], false);
        let stated = read(lock.to_string().as_bytes()).unwrap();
        assert!(stated.signature_fits);
        assert_eq!(stated.tasks.len(), 3);
    }

    #[test]
    fn an_edited_lock_does_not_fit_its_signature_and_junk_is_none() {
        let mut lock = rendered(&[status("T001", TaskState::Failed)]);
        lock["taskStatuses"]["T001"]["status"] = json!("COMPLETE");
        let stated = read(lock.to_string().as_bytes()).unwrap();
        assert!(!stated.signature_fits);
        assert_eq!(stated.tasks.values().next().unwrap().0, TaskState::Complete);
        lock["lockSignature"] = json!(null);
        assert!(!read(lock.to_string().as_bytes()).unwrap().signature_fits);
        lock["taskStatuses"]["T001"]["status"] = json!("DONE");
        for junk in [lock.to_string(), String::new(), "[]".to_owned(), "{}".to_owned()] {
            assert!(read(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
