use std::collections::BTreeSet;

use serde_json::json;

use super::*;

const SECRET: &str = "pl3ase-keep-th1s-qu1et";

fn redactor() -> Redactor {
    Redactor::new(vec![("DEPLOY_TOKEN".to_owned(), SECRET.to_owned())], Vec::new())
}

fn log() -> Value {
    json!({
        "file": "STEP.1-a.log", "bytes": 3, "sha256": "ab".repeat(32), "streamMap": "out 3",
        "redactions": [{ "rule": "a", "offset": 0, "bytes": 1 }], "redactionCount": 1,
    })
}

fn of_kind(kind: &str, facts: Value) -> Value {
    let time = "2026-11-21T09:05:24.120Z";
    let mut record = json!({
        "actionId": "STEP.1", "attempt": 1, "kind": kind,
        "execution": { "startTime": time, "endTime": time, "duration": 0 },
        "notices": [{ "code": "idle", "message": "a" }],
    });
    if let (Some(members), Value::Object(facts)) = (record.as_object_mut(), facts) {
        members.extend(facts);
    }
    record
}

/// Returns records of all kinds, with every text that can occur.
#[expect(clippy::too_many_lines, reason = "a sample of each kind, as it is written")]
fn samples() -> Vec<Value> {
    let executables = json!([{ "name": "a", "path": "a", "sha256": null, "version": "a" }]);
    let leaked = json!([{ "pid": 1, "command": "a", "heldOutput": false }]);
    let unstarted = json!({ "kind": "could-not-start", "cause": "system", "message": "a" });
    let port =
        json!({ "port": 1, "portInUse": true, "holders": [{ "pid": 1, "name": "a", "command": "a", "own": true }] });
    let schema = json!({ "kind": "invalid", "errors": ["a"], "errorCount": 1 });
    let file = |schema: Value| {
        json!({
            "kind": "file", "bytes": 1, "sha256": "ab".repeat(32), "modified": null, "contains": null, "matches": null,
            "syntax": { "kind": "malformed", "message": "a" }, "schema": schema, "content": log(),
        })
    };
    let http = |response: Value| {
        of_kind(
            "http",
            json!({
                "request": { "method": "a", "url": "a", "headerLines": [["a", "a"]], "body": "a", "bodyBytes": 1 },
                "redirects": [{ "status": 301, "to": "a" }],
                "response": response,
                "diagnostics": {
                    "port": 1, "portInUse": true, "holders": port["holders"], "host": "a", "addresses": ["a"],
                    "serverHealthCheck": { "url": "a", "held": false, "result": "a", "duration": 1 },
                },
            }),
        )
    };
    let service = |readiness: Value| {
        of_kind(
            "service",
            json!({
                "started": {
                    "argv": ["a"], "workingDirectory": "a", "executables": executables, "environment": { "A": "a" },
                    "droppedVariables": ["a"], "pid": 1,
                },
                "port": 1,
                "probes": [{ "probe": "a", "held": false, "attempts": 1, "last": "a", "duration": 1 }],
                "diagnostics": port, "readiness": readiness, "output": log(), "leakedProcesses": leaked,
            }),
        )
    };
    let unusable = json!({ "kind": "unusable", "message": "a" });
    let files = json!([
        { "filePath": "a", "observation": file(unusable) },
        { "filePath": "b", "observation": { "kind": "outside", "target": "a" } },
        { "filePath": "c", "observation": { "kind": "unreadable", "message": "a" } },
    ]);
    vec![
        of_kind(
            "command",
            json!({
                "argv": ["a", "a"], "workingDirectory": "a", "executables": executables, "environment": { "A": "a" },
                "droppedVariables": ["a"], "ending": unstarted, "leakedProcesses": leaked, "output": log(),
            }),
        ),
        of_kind("file", json!({ "filePath": "a", "observation": file(schema.clone()) })),
        of_kind("glob", json!({ "pattern": "a", "files": files, "truncated": false, "failure": "a" })),
        http(json!({
            "kind": "answered", "status": 200, "headerLines": [["a", "a"]], "body": log(), "bodyBytes": 1, "headMs": 1,
            "duration": 1, "assertions": [{ "holds": false, "found": "a", "schema": schema }],
            "captures": [{ "name": "a", "found": true, "secret": true }],
        })),
        http(json!({
            "kind": "no-answer", "cause": "other", "status": null,
            "error": { "code": "a", "errno": 1, "syscall": "a", "address": "a", "port": 1, "message": "a" },
        })),
        http(json!({
            "kind": "deadline-exceeded", "limitMs": 1, "ofTask": false, "waitingFor": "a", "status": null,
        })),
        service(unstarted.clone()),
        service(json!({ "kind": "ended", "ending": unstarted })),
        of_kind("not-executed", json!({})),
    ]
}

/// Returns the pointers of all texts.
fn texts(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(pointer.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| texts(item, &format!("{pointer}/{at}"), found));
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| texts(member, &format!("{pointer}/{key}"), found));
        }
        _ => {}
    }
}

#[test]
fn a_secret_in_any_text_of_a_record_goes() {
    let (mut cut, mut kept) = (0, BTreeSet::new());
    for sample in samples() {
        let record: Record = serde_json::from_value(sample.clone()).unwrap();
        assert_eq!(redactor().record(&record).unwrap(), record);
        let mut pointers = Vec::new();
        texts(&sample, "", &mut pointers);
        for pointer in pointers {
            let mut told = sample.clone();
            *told.pointer_mut(&pointer).unwrap() = format!("it is {SECRET}, too").into();
            // Ids, digests, times and words of closed sets contain no secret.
            let Ok(record) = serde_json::from_value::<Record>(told) else { continue };
            let redacted = serde_json::to_string(&redactor().record(&record).unwrap()).unwrap();
            if redacted.contains(SECRET) {
                kept.insert(pointer.rsplit('/').next().unwrap_or_default().to_owned());
            } else {
                cut += 1;
            }
        }
    }
    assert!(cut > 80, "{cut}");
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), ["code", "file", "rule"]);
}

#[test]
fn a_variable_and_a_header_that_are_secret_by_name_are_hidden_whole() {
    let mut command = samples().swap_remove(0);
    command["environment"] = json!({ "DB_PASSWORD": "abc", "PATH": "/bin", (SECRET): "a" });
    let record = redactor().record(&serde_json::from_value(command).unwrap()).unwrap();
    let record = serde_json::to_value(record).unwrap();
    let hidden = "*".repeat(SECRET.len());
    assert_eq!(record["environment"], json!({ "DB_PASSWORD": "***", "PATH": "/bin", (hidden): "a" }));
    let mut request = samples().swap_remove(3);
    request["response"]["headerLines"] = json!([["Set-Cookie", "a=b"], ["x-api-key", "1"], ["Accept", "a/b"]]);
    let record = redactor().record(&serde_json::from_value(request).unwrap()).unwrap();
    let lines = &serde_json::to_value(record).unwrap()["response"]["headerLines"];
    assert_eq!(*lines, json!([["Set-Cookie", "***"], ["x-api-key", "*"], ["Accept", "a/b"]]));
}

#[test]
fn names_of_captures_stay_and_what_became_of_a_service_is_cut() {
    let mut request = samples().swap_remove(3);
    request["response"]["captures"][0]["name"] = SECRET.into();
    let record: Record = serde_json::from_value(request).unwrap();
    assert_eq!(redactor().record(&record).unwrap(), record);
    let service = json!({
        "actionId": "STEP.1", "attempt": 1, "inCleanup": false, "output": null, "leakedProcesses": [],
        "execution": samples()[0]["execution"], "ending": { "kind": "could-not-start", "cause": "system", "message": SECRET },
    });
    let service = redactor().service(&serde_json::from_value(service).unwrap()).unwrap();
    assert!(!serde_json::to_string(&service).unwrap().contains(SECRET));
}
