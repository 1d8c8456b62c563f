//! `baseline.json`: what stood when a baseline was taken, so that a later run blocks only on what is new.
//!
//! `referee baseline` writes it for all tasks of a specification; a run that is held against it stores the part of its own
//! task, in the same form, in the folder of evidence.

use std::collections::BTreeMap;

use referee_model::baseline::{ActionBaseline, Baseline, KnownFinding, KnownTest, KnownTests, TaskBaseline};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::reading::RuleCounts;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError, Kind};
use crate::form;

const KIND: Kind = Kind { name: "baseline.json", key: "baselineVersion", version: "1.0.0" };

/// The version of the rule whose fingerprints are held against findings. Those of another would match nothing.
const FINGERPRINT_VERSION: u16 = 1;

/// A baseline, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee baseline")]
pub struct BaselineDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    baseline_version: String,
    /// What stood, sorted by task.
    #[schemars(length(min = 1))]
    tasks: Vec<TaskDocument>,
}

/// What stood in one run of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TaskDocument {
    task_id: TaskId,
    /// The file of the specification, as the plan names it.
    specification: String,
    /// The run that it was taken from.
    execution_id: ExecutionId,
    /// When that run was over.
    made_at: Timestamp,
    /// In plan order. Of an action that is not among them nothing is known.
    actions: Vec<ActionDocument>,
}

/// What stood in the output of one action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ActionDocument {
    action_id: ActionId,
    /// Its name, by which it is found again.
    name: String,
    exit_code: i32,
    /// Errors and warnings that were kept one by one, sorted by fingerprint.
    findings: Vec<FindingDocument>,
    /// Exact counts of the errors and warnings that were not, sorted by rule.
    unlisted: Vec<UnlistedDocument>,
    /// Null: no runner of its own summed tests up.
    tests: Option<TestsDocument>,
    /// What its reader noted, normalized.
    notes: Vec<String>,
}

/// Findings with one fingerprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FindingDocument {
    fingerprint: Fingerprint,
    errors: u64,
    warnings: u64,
    /// The file of the first one.
    file: Option<String>,
    /// Code or rule.
    code: Option<String>,
    /// The beginning of what it says.
    message: String,
}

/// Findings of one rule that were not kept one by one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UnlistedDocument {
    /// Empty: they have none.
    rule: String,
    errors: u64,
    warnings: u64,
}

/// A run of tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TestsDocument {
    /// How many ran: skipped ones did not.
    ran: u64,
    /// Suites that failed, where the runner counts them.
    suites_failed: u64,
    /// In the order of the output.
    failed: Vec<TestDocument>,
}

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TestDocument {
    fingerprint: Fingerprint,
    /// Its full name.
    name: String,
    file: Option<String>,
    /// The beginning of what it says.
    message: String,
}

/// Returns a baseline as a document.
pub fn document(baseline: &Baseline) -> BaselineDocument {
    BaselineDocument {
        baseline_version: KIND.version.to_owned(),
        tasks: baseline.tasks.iter().map(task_document).collect(),
    }
}

/// Returns the bytes of `baseline.json`: the same for the same baseline, always.
///
/// # Errors
/// Fails only for values that JSON cannot hold.
pub fn render(baseline: &Baseline) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&document(baseline))
}

/// Reads a baseline. It comes from outside: what contradicts itself is refused, and nothing in it is passed over.
pub fn read(bytes: &[u8]) -> Result<Baseline, DocumentError> {
    let document = KIND.read::<BaselineDocument>(bytes)?;
    KIND.check(&document.baseline_version)?;
    let mut tasks = BTreeMap::new();
    for task in document.tasks {
        let id = task.task_id.clone();
        let task = task_baseline(task).map_err(|problem| KIND.content(format!("{id}: {problem}")))?;
        if tasks.insert(id.clone(), task).is_some() {
            return Err(KIND.content(format!("{id} stands in it twice")));
        }
    }
    if tasks.is_empty() {
        return Err(KIND.content("there is no task in it"));
    }
    Ok(Baseline { tasks })
}

fn task_document((id, task): (&TaskId, &TaskBaseline)) -> TaskDocument {
    TaskDocument {
        task_id: id.clone(),
        specification: task.specification.clone(),
        execution_id: task.execution.clone(),
        made_at: task.made,
        actions: task.actions.iter().map(action_document).collect(),
    }
}

fn action_document(action: &ActionBaseline) -> ActionDocument {
    let findings = action.findings.iter().map(|(fingerprint, finding)| FindingDocument {
        fingerprint: *fingerprint,
        errors: finding.errors,
        warnings: finding.warnings,
        file: finding.file.clone(),
        code: finding.code.clone(),
        message: finding.message.clone(),
    });
    let unlisted = action.unlisted.iter().map(|(rule, counts)| UnlistedDocument {
        rule: rule.clone(),
        errors: counts.errors,
        warnings: counts.warnings,
    });
    ActionDocument {
        action_id: action.action.clone(),
        name: action.name.clone(),
        exit_code: action.exit_code,
        findings: findings.collect(),
        unlisted: unlisted.collect(),
        tests: action.tests.as_ref().map(tests_document),
        notes: action.notes.clone(),
    }
}

fn tests_document(tests: &KnownTests) -> TestsDocument {
    let failed = tests.failed.iter().map(|test| TestDocument {
        fingerprint: test.fingerprint,
        name: test.name.clone(),
        file: test.file.clone(),
        message: test.message.clone(),
    });
    TestsDocument { ran: tests.ran, suites_failed: tests.suites_failed, failed: failed.collect() }
}

fn task_baseline(document: TaskDocument) -> Result<TaskBaseline, String> {
    let mut actions: Vec<ActionBaseline> = Vec::with_capacity(document.actions.len());
    for action in document.actions {
        if actions.iter().any(|other| other.action == action.action_id) {
            return Err(format!("{} stands in it twice", action.action_id));
        }
        actions.push(action_baseline(action)?);
    }
    Ok(TaskBaseline {
        specification: document.specification,
        execution: document.execution_id,
        made: document.made_at,
        actions,
    })
}

fn action_baseline(document: ActionDocument) -> Result<ActionBaseline, String> {
    let id = &document.action_id;
    let mut findings = BTreeMap::new();
    for found in document.findings {
        let fingerprint = own(found.fingerprint)?;
        if found.errors == 0 && found.warnings == 0 {
            return Err(format!("{fingerprint} of {id} stands for no finding"));
        }
        let known = KnownFinding {
            errors: found.errors,
            warnings: found.warnings,
            file: found.file,
            code: found.code,
            message: found.message,
        };
        if findings.insert(fingerprint, known).is_some() {
            return Err(format!("{fingerprint} of {id} stands in it twice"));
        }
    }
    let mut unlisted = BTreeMap::new();
    for UnlistedDocument { rule, errors, warnings } in document.unlisted {
        if unlisted.insert(rule.clone(), RuleCounts { errors, warnings, infos: 0 }).is_some() {
            return Err(format!("the rule `{rule}` of {id} stands in it twice"));
        }
    }
    Ok(ActionBaseline {
        tests: document.tests.map(known_tests).transpose()?,
        action: document.action_id,
        name: document.name,
        exit_code: document.exit_code,
        findings,
        unlisted,
        notes: document.notes,
    })
}

fn known_tests(document: TestsDocument) -> Result<KnownTests, String> {
    let failed = document.failed.into_iter().map(|test| {
        let fingerprint = own(test.fingerprint)?;
        Ok(KnownTest { fingerprint, name: test.name, file: test.file, message: test.message })
    });
    Ok(KnownTests {
        ran: document.ran,
        suites_failed: document.suites_failed,
        failed: failed.collect::<Result<_, String>>()?,
    })
}

fn own(fingerprint: Fingerprint) -> Result<Fingerprint, String> {
    match fingerprint.version() {
        FINGERPRINT_VERSION => Ok(fingerprint),
        other => Err(format!(
            "its fingerprints are of version {other}, and this Referee makes version {FINGERPRINT_VERSION}: take it anew"
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn print(digit: &str) -> String {
        format!("v1:{}", digit.repeat(64))
    }

    fn sample() -> Value {
        json!({
            "baselineVersion": "1.0.0",
            "tasks": [{
                "taskId": "T001",
                "specification": "referee.yaml",
                "executionId": "exec-1",
                "madeAt": "2026-11-21T09:05:24.123Z",
                "actions": [{
                    "actionId": "STEP.1",
                    "name": "types",
                    "exitCode": 2,
                    "findings": [
                        { "fingerprint": print("1"), "errors": 2, "warnings": 0, "file": "src/a.ts", "code": "TS1", "message": "wrong" },
                        { "fingerprint": print("2"), "errors": 0, "warnings": 1, "file": null, "code": null, "message": "" },
                    ],
                    "unlisted": [{ "rule": "", "errors": 4, "warnings": 0 }],
                    "tests": {
                        "ran": 3,
                        "suitesFailed": 0,
                        "failed": [{ "fingerprint": print("3"), "name": "adds", "file": null, "message": "no" }],
                    },
                    "notes": ["cut <n> lines"],
                }],
            }],
        })
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let baseline = read(sample().to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(document(&baseline)).unwrap(), sample());
        assert_eq!(read(&render(&baseline).unwrap()).unwrap(), baseline);
    }

    #[test]
    fn a_baseline_that_means_something_else_is_refused() {
        let with = |pointer: &str, value: Value| {
            let mut baseline = sample();
            *baseline.pointer_mut(pointer).unwrap() = value;
            baseline.to_string()
        };
        let finding = sample()["tasks"][0]["actions"][0]["findings"][0].clone();
        let action = sample()["tasks"][0]["actions"][0].clone();
        let first = "/tasks/0/actions/0";
        let rows = [
            (String::new(), "cannot be read"),
            ("[]".to_owned(), "cannot be read"),
            ("{}".to_owned(), "does not say its version"),
            (sample().to_string()[..300].to_owned(), "cannot be read"),
            (with("/baselineVersion", json!("0.9.0")), "use the Referee that wrote it"),
            (with("/baselineVersion", json!("1.1.0")), "use a newer Referee"),
            (with("/tasks", json!([])), "there is no task in it"),
            (with("/tasks", json!([sample()["tasks"][0], sample()["tasks"][0]])), "T001 stands in it twice"),
            (with("/tasks/0/taskId", json!("../T001")), "is not a task id"),
            (with("/tasks/0/actions", json!([action, action])), "STEP.1 stands in it twice"),
            (with(&format!("{first}/findings"), json!([finding, finding])), "stands in it twice"),
            (with(&format!("{first}/findings/0/errors"), json!(0)), "stands for no finding"),
            (with(&format!("{first}/findings/0/errors"), json!(-1)), "invalid value"),
            (with(&format!("{first}/findings/0/fingerprint"), json!("v1:00")), "is not a fingerprint"),
            (with(&format!("{first}/findings/0/fingerprint"), json!(format!("v2:{}", "1".repeat(64)))), "take it anew"),
            (
                with(&format!("{first}/tests/failed/0/fingerprint"), json!(format!("v2:{}", "1".repeat(64)))),
                "take it anew",
            ),
            (with(&format!("{first}/name"), json!(null)), "invalid type"),
            (
                with(&format!("{first}/unlisted"), json!([{ "rule": "a", "errors": 1, "warnings": 0, "all": true }])),
                "unknown field",
            ),
        ];
        for (text, part) in rows {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
