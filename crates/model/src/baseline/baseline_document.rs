//! `baseline.json`: the findings at the time when a baseline was recorded, so that a later run blocks only on
//! new ones.
//!
//! `referee baseline` writes the document for all tasks of a specification. A run that is compared with a
//! baseline stores the part for its own task, in the same form, in its evidence directory.

use std::collections::BTreeSet;

use crate::baseline::{ActionBaseline, Baseline};
use crate::fingerprint::Fingerprint;

use crate::document::{DocumentError, Kind};

/// The document that holds a [`Baseline`].
pub const KIND: Kind = Kind { name: "baseline.json", key: "baselineVersion", version: "2.0.0" };

/// Version of the rule for fingerprints of findings. Fingerprints of another version would match nothing.
const FINGERPRINT_VERSION: u16 = 1;

/// Parses a baseline. The document comes from outside, so contradictory content is refused, and nothing in it
/// is ignored.
pub fn read(bytes: &[u8]) -> Result<Baseline, DocumentError> {
    let baseline: Baseline = KIND.decode(bytes)?;
    if baseline.tasks.is_empty() {
        return Err(KIND.content("it has no tasks"));
    }
    for (id, task) in &baseline.tasks {
        let mut seen = BTreeSet::new();
        let twice = |action: &ActionBaseline| Err(format!("{} appears twice", action.action));
        let mut actions = task.actions.iter();
        actions
            .try_for_each(|action| if seen.insert(&action.action) { check(action) } else { twice(action) })
            .map_err(|problem| KIND.content(format!("{id}: {problem}")))?;
    }
    Ok(baseline)
}

fn check(action: &ActionBaseline) -> Result<(), String> {
    let failed = action.tests.iter().flat_map(|tests| &tests.failed).map(|test| &test.fingerprint);
    action.findings.keys().chain(failed).try_for_each(own)?;
    match action.findings.iter().find(|(_, finding)| finding.errors == 0 && finding.warnings == 0) {
        Some((fingerprint, _)) => Err(format!("{fingerprint} of {} stands for no finding", action.action)),
        None => Ok(()),
    }
}

fn own(fingerprint: &Fingerprint) -> Result<(), String> {
    match fingerprint.version() {
        FINGERPRINT_VERSION => Ok(()),
        other => Err(format!(
            "its fingerprints are of version {other}, and this Referee makes version {FINGERPRINT_VERSION}: take it again"
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
            "baselineVersion": "2.0.0",
            "tasks": { "T001": {
                "specification": "referee.yaml",
                "executionId": "exec-1",
                "madeAt": "2026-11-21T09:05:24.123Z",
                "actions": [{
                    "actionId": "STEP.1",
                    "name": "types",
                    "exitCode": 2,
                    "findings": {
                        print("1"): { "errors": 2, "warnings": 0, "file": "src/a.ts", "code": "TS1", "message": "wrong" },
                        print("2"): { "errors": 0, "warnings": 1, "file": null, "code": null, "message": "" },
                    },
                    "unlisted": { "": { "errors": 4, "warnings": 0, "infos": 0 } },
                    "tests": {
                        "ran": 3,
                        "suitesFailed": 0,
                        "failed": [{ "fingerprint": print("3"), "name": "adds", "file": null, "message": "no" }],
                    },
                    "notes": ["cut <n> lines"],
                }],
            }},
        })
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let baseline = read(sample().to_string().as_bytes()).unwrap();
        let written = KIND.encode(&baseline).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), sample());
        assert_eq!(read(&written).unwrap(), baseline);
    }

    #[test]
    fn a_baseline_that_means_something_else_is_refused() {
        let with = |pointer: &str, value: Value| {
            let mut baseline = sample();
            *baseline.pointer_mut(pointer).unwrap() = value;
            baseline.to_string()
        };
        let twice = |parent: &str, key: &str| {
            let text = sample().to_string();
            let at = text.find(&format!("\"{key}\":")).unwrap();
            format!("{}\"{key}\":{},{}", &text[..at], sample().pointer(parent).unwrap()[key], &text[at..])
        };
        let action = sample()["tasks"]["T001"]["actions"][0].clone();
        let first = "/tasks/T001/actions/0";
        let finding = json!({ "errors": 2, "warnings": 0, "file": null, "code": null, "message": "" });
        let rows = [
            (String::new(), "cannot read"),
            ("[]".to_owned(), "cannot read"),
            ("{}".to_owned(), "has no version"),
            (sample().to_string()[..300].to_owned(), "cannot read"),
            (with("/baselineVersion", json!("0.9.0")), "use the Referee that wrote it"),
            (with("/baselineVersion", json!("2.1.0")), "use a newer Referee"),
            (with("/tasks", json!({})), "it has no tasks"),
            (with("/tasks", json!({ "../T001": sample()["tasks"]["T001"] })), "is not a task id"),
            (with("/tasks/T001/actions", json!([action, action])), "STEP.1 appears twice"),
            (with(&format!("{first}/findings/{}/errors", print("1")), json!(0)), "stands for no finding"),
            (with(&format!("{first}/findings/{}/errors", print("1")), json!(-1)), "invalid value"),
            (with(&format!("{first}/findings"), json!({ "v1:00": finding })), "is not a fingerprint"),
            (with(&format!("{first}/findings"), json!({ format!("v2:{}", "1".repeat(64)): finding })), "take it again"),
            (
                with(&format!("{first}/tests/failed/0/fingerprint"), json!(format!("v2:{}", "1".repeat(64)))),
                "take it again",
            ),
            (with(&format!("{first}/name"), json!(null)), "invalid type"),
            (
                with(
                    &format!("{first}/unlisted"),
                    json!({ "a": { "errors": 1, "warnings": 0, "infos": 0, "all": true } }),
                ),
                "unknown field",
            ),
        ];
        let doubled =
            [twice("/tasks", "T001"), twice(&format!("{first}/findings"), &print("1"))].map(|text| (text, "twice"));
        for (text, part) in rows.into_iter().chain(doubled) {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
