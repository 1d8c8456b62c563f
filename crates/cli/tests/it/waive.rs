//! Waivers: what a person lifts by a signed word, and what nobody does. Keys and one waiver are made with openssl.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Finished, Workspace, action, finish};

const TOOLS: &str = "checks:\n  types: npx tsc --noEmit\n  unit: npx jest\n";

const JEST: &str = "FAIL a.test.js\n  ● adds\n\n    expect(received).toBe(expected)\n\n\
    \nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total\nTime:        0.5 s\n";

const PASSED: &str = "PASS a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n\
    Snapshots:   0 total\nTime:        0.5 s\n";

const REASON: &str = "the upstream registry is down until Monday";

/// A type checker that is content, and a runner one of whose tests fails.
fn workspace() -> Workspace {
    let workspace = Workspace::with(TOOLS);
    for tool in ["tsc", "jest"] {
        let name = format!("node_modules/.bin/{tool}");
        workspace.write(&name, format!("#!/bin/sh\ncat {tool}.out\nexit $(cat {tool}.code)\n"));
        fs::set_permissions(workspace.path(&name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    says(&workspace, "tsc", "", 0);
    says(&workspace, "jest", JEST, 1);
    workspace
}

fn says(workspace: &Workspace, tool: &str, text: &str, code: i32) {
    workspace.write(&format!("{tool}.out"), text);
    workspace.write(&format!("{tool}.code"), code.to_string());
}

fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut child =
        Command::new("openssl").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "openssl {arguments:?}");
    output.stdout
}

/// Makes a key outside the workspace.
fn key(workspace: &Workspace, name: &str) -> PathBuf {
    let file = workspace.state().join(format!("{name}.pem"));
    openssl(&["genpkey", "-algorithm", "ed25519", "-out", file.to_str().unwrap()], b"");
    file
}

/// Trusts a key to approve.
fn trust(workspace: &Workspace, key: &Path) {
    let public = key.with_extension("pub.pem");
    fs::write(&public, openssl(&["pkey", "-in", key.to_str().unwrap(), "-pubout"], b"")).unwrap();
    let public = public.to_str().unwrap();
    workspace.trust_approver(public, "ada@example.org");
}

fn waive(workspace: &Workspace, key: &Path, scope: &[&str]) -> Finished {
    let rest = ["--reason", REASON, "--until", "3d", "--by", "Ada", "--key", key.to_str().unwrap()];
    workspace.referee(&[&["waive"], scope, &rest].concat())
}

#[test]
fn a_waived_step_does_not_block_is_loud_everywhere_and_blocks_again_when_it_is_revoked() {
    let workspace = workspace();
    let key = key(&workspace, "ada");
    trust(&workspace, &key);
    workspace.referee(&["run", "-q"]).exits(1);
    let given = waive(&workspace, &key, &["--action", "unit"]).exits(0);
    let id = given.stdout.trim();

    let told = workspace.referee(&["run"]).exits(0).told();
    let quiet = workspace.referee(&["run", "-q"]).exits(0).told();
    for text in [&told, &quiet] {
        assert!(text.contains("WAIVED STEP.2 unit: by Ada until") && text.contains("registry is down"), "{text}");
    }
    let report = workspace.report("T001");
    assert_eq!(report["waivers"][0]["state"], "applied");
    assert_eq!(report["waivers"][0]["approver"], "ada@example.org");
    assert_eq!(report["waivers"][0]["appliedTo"], json!(["STEP.2 unit"]));
    let summary = &report["executionSummary"];
    assert_eq!((&summary["decision"], &summary["overallStatus"]), (&json!("PASS"), &json!("PARTIAL_SUCCESS")));
    assert!(summary["reasons"].as_array().unwrap().iter().any(|reason| reason.as_str().unwrap().starts_with("WAIVED")));
    let unit = action(&report, "STEP.2");
    assert_eq!((&unit["status"], &unit["classification"]["waivedBy"]), (&json!("TEST_FAILURE"), &json!([id])));

    let directory = workspace.path("evidence/T001");
    let verified = ["evidence", "verify", directory.to_str().unwrap()];
    workspace.referee(&[&verified[..], &["--replay"]].concat()).exits(0);
    workspace.write("policy.json", r#"{"policyVersion": "1.0.0", "noWaivers": true, "replayed": true}"#);
    let strict = workspace.referee(&[&verified[..], &["--policy", "policy.json"]].concat()).exits(3).told();
    assert!(strict.contains("no waivers are asked for"), "{strict}");

    let list = workspace.referee(&["waive", "list"]).exits(0).told();
    assert!(list.contains(id) && list.contains("holds") && list.contains("the step unit"), "{list}");
    let listed = workspace.referee(&["waive", "list", "--format", "json"]).exits(0).json();
    assert_eq!(listed["inForce"], 1);
    assert!(workspace.referee(&["waive", "show", id]).exits(0).told().contains(REASON));
    workspace.referee(&["waive", "revoke", id]).exits(0);
    workspace.referee(&["waive", "revoke", id]).exits(2);
    workspace.referee(&["run", "-q"]).exits(1);
}

#[test]
fn a_waiver_counts_also_where_the_directory_is_named_like_a_secret() {
    let workspace = workspace();
    let key = key(&workspace, "ada");
    trust(&workspace, &key);
    workspace.referee(&["run", "-q"]).exits(1);
    waive(&workspace, &key, &["--action", "unit"]).exits(0);
    let root = workspace.path("");
    let mut command = workspace.command(&["run"]);
    command.env("SERVICE_TOKEN", root.file_name().unwrap());
    let told = finish(command.spawn().unwrap()).exits(0).told();
    assert!(told.contains("WAIVED STEP.2 unit: by Ada until"), "{told}");
    assert!(!workspace.report("T001").to_string().contains(root.to_str().unwrap().trim_end_matches('/')));
}

#[test]
fn a_waiver_that_an_agent_makes_for_itself_lifts_nothing_and_is_named() {
    let workspace = workspace();
    let (ada, agent) = (key(&workspace, "ada"), key(&workspace, "agent"));
    let given = waive(&workspace, &agent, &["--action", "unit"]).exits(0);
    assert!(given.stderr.contains("it lifts nothing here"), "{}", given.stderr);
    workspace.referee(&["run", "-q"]).exits(1);
    trust(&workspace, &ada);
    let told = workspace.referee(&["run"]).exits(1).told();
    assert!(told.contains("is refused: its signature is not that of a key that is trusted to approve"), "{told}");
    let report = workspace.report("T001");
    assert_eq!(report["waivers"][0]["state"], "refused");
    assert_eq!(report["waivers"][0]["terms"], Value::Null);

    // What a trusted approver signed for another step, changed.
    let id = waive(&workspace, &ada, &["--action", "types"]).exits(0).stdout;
    let file = workspace.path(&format!(".referee/waivers/{}.json", id.trim()));
    let mut envelope: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let payload = openssl(&["base64", "-d", "-A"], envelope["payload"].as_str().unwrap().as_bytes());
    let payload = String::from_utf8(payload).unwrap().replace("types", "unit");
    envelope["payload"] = String::from_utf8(openssl(&["base64", "-A"], payload.as_bytes())).unwrap().into();
    fs::write(&file, envelope.to_string()).unwrap();
    workspace.referee(&["run", "-q"]).exits(1);
    workspace.write(".referee/waivers/junk.json", "{\"decision\": \"PASS\"}");
    workspace.referee(&["run", "-q"]).exits(1);
    let states: Vec<Value> =
        workspace.report("T001")["waivers"].as_array().unwrap().iter().map(|waiver| waiver["state"].clone()).collect();
    assert_eq!(states, ["refused", "refused", "refused"]);
}

#[test]
fn a_waiver_that_openssl_signed_is_believed_and_lifts_nothing_once_it_has_ended() {
    let workspace = workspace();
    let key = key(&workspace, "ada");
    trust(&workspace, &key);
    for (until, code, state) in [("2020-01-11", 1, "expired"), ("2999-01-01", 1, "refused")] {
        // Canonical JSON: sorted keys, nothing between them.
        let terms = format!(
            r#"{{"given":"2020-01-01T00:00:00.000Z","person":"Ada","reason":"{REASON}","scope":{{"action":"unit","kind":"action","task":null}},"until":"{until}T00:00:00.000Z"}}"#
        );
        let digest = openssl(&["dgst", "-sha256", "-r"], terms.as_bytes());
        let id = format!("waiver-{}", &String::from_utf8(digest).unwrap()[..16]);
        let payload = format!(r#"{{"waiverVersion":"1.0.0","id":"{id}",{}"#, &terms[1..]);
        let kind = "application/vnd.referee.waiver+json";
        let message = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
        workspace.write("message", &message);
        let message_file = workspace.path("message");
        let sign =
            ["pkeyutl", "-sign", "-rawin", "-inkey", key.to_str().unwrap(), "-in", message_file.to_str().unwrap()];
        let signature = openssl(&sign, b"");
        let base64 = |bytes: &[u8]| String::from_utf8(openssl(&["base64", "-A"], bytes)).unwrap();
        let envelope = json!({
            "payloadType": kind,
            "payload": base64(payload.as_bytes()),
            "signatures": [{ "keyid": "any", "sig": base64(&signature) }],
        });
        let file = format!(".referee/waivers/{id}.json");
        workspace.write(&file, envelope.to_string());
        workspace.referee(&["run", "-q"]).exits(code);
        let waiver = workspace.report("T001")["waivers"][0].clone();
        assert_eq!(waiver["state"], state, "{waiver}");
        fs::remove_file(workspace.path(&file)).unwrap();
    }
}

#[test]
fn a_waived_rule_lets_no_other_rule_through() {
    let workspace = workspace();
    let key = key(&workspace, "ada");
    trust(&workspace, &key);
    says(&workspace, "jest", PASSED, 0);
    let found = |errors: &[&str]| {
        let text = errors.join("\n") + &format!("\n\nFound {} errors in 2 files.\n", errors.len());
        says(&workspace, "tsc", &text, 2);
    };
    let known = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.";
    let other = "src/b.ts(1,1): error TS2304: Cannot find name 'quote'.";
    found(&[known, known]);
    workspace.referee(&["run", "-q"]).exits(1);
    waive(&workspace, &key, &["--rule", "tsc:TS2322"]).exits(0);
    workspace.referee(&["run", "-q"]).exits(0);
    found(&[known, other]);
    workspace.referee(&["run", "-q"]).exits(1);
    assert_eq!(workspace.report("T001")["waivers"][0]["state"], "unused");
}

#[test]
fn a_waiver_of_nothing_without_a_reason_or_for_ever_is_refused() {
    let workspace = workspace();
    let key = key(&workspace, "ada");
    let rest = ["--key", key.to_str().unwrap(), "--reason", REASON, "--until"];
    for (arguments, part) in [
        (vec!["--action", "units"], "is \"unit\" meant?"),
        (vec!["--action", "unit", "--task", "T009"], "there is no task \"T009\""),
        (vec!["--rule", "eslint:no-console"], "there is tsc"),
        (vec!["--rule", "tsc"], "TOOL:RULE is needed"),
        (vec!["--file", "src/none.ts"], "no file of the workspace \"src/none.ts\""),
        (vec!["--file", "../outside"], "no file of the workspace"),
        (vec!["--weakening", "tipes"], "is \"types\" meant?"),
        (vec![], "required"),
    ] {
        let refused = workspace.referee(&[&["waive"], &arguments[..], &rest, &["3d"]].concat()).exits(2);
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    for until in ["91d", "2020-01-01", "soon"] {
        workspace.referee(&[&["waive", "--action", "unit"], &rest[..], &[until]].concat()).exits(2);
    }
    let short = ["waive", "--action", "unit", "--key", key.to_str().unwrap(), "--until", "1d", "--reason", "because"];
    assert!(workspace.referee(&short).exits(2).stderr.contains("at least 10 characters"));
    workspace.write("inside.pem", fs::read(&key).unwrap());
    let inside = ["waive", "--action", "unit", "--key", "inside.pem", "--until", "1d", "--reason", REASON];
    assert!(workspace.referee(&inside).exits(2).stderr.contains("where agents can write"));
    assert!(!workspace.path(".referee").exists(), "nothing was written");
    assert!(workspace.referee(&["waive", "list"]).exits(0).stdout.contains("nothing is waived"));
}

#[test]
fn evidence_that_lacks_what_a_policy_asks_for_never_passes_under_it() {
    let workspace = workspace();
    says(&workspace, "jest", PASSED, 0);
    workspace.referee(&["run", "-q"]).exits(0);
    let verify = |policy: &str| {
        workspace.write("policy.json", policy);
        workspace.referee(&["evidence", "verify", "evidence/T001", "--policy", "policy.json"])
    };
    let policy = |keys: &str| verify(&format!(r#"{{"policyVersion": "1.0.0", {keys}}}"#));
    policy(r#""noWaivers": true, "noBaseline": true, "wholeScope": true, "replayed": true, "maximumAgeSeconds": 3600"#)
        .exits(0);
    for (keys, part) in [
        (r#""signature": true"#, "signature is asked for"),
        (r#""trustedNames": ["ci"]"#, "a signer among ci is asked for"),
        (r#""fresh": true"#, "freshness is asked for"),
        (r#""cleanRoom": true"#, "a clean room is asked for"),
        (r#""confined": true"#, "confined commands are asked for"),
        (r#""locked": true"#, "a lock without drift is asked for"),
        (r#""minimumJudgeVersion": "99.0.0""#, "judge 99.0.0 or later is asked for"),
    ] {
        let refused = policy(keys).exits(3).told();
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert!(policy(r#""singature": true"#).exits(2).stderr.contains("unknown field `singature`"));
    verify("").exits(2);
    workspace.referee(&["run", "-q", "--only", "types"]).exits(0);
    policy(r#""wholeScope": true"#).exits(3);
}
