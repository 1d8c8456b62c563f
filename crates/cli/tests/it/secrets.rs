//! No secret that is declared, that the caller's environment holds, or that has the shape of one, stands in any file below
//! the evidence directory or on the terminal.

use std::fs;
use std::path::Path;

use referee_testkit::server::{Reply, Server};
use serde_json::json;

use crate::support::{Finished, Workspace, finish};

/// Put together here, so that no scanner takes this file for a leak.
fn planted() -> Vec<(&'static str, String)> {
    let random = "a8Fk2LmQ0zXc7VbN4tYu1RwE6pSd9GhJ3kLm";
    vec![
        ("declared", "q7declared-w9x2".to_owned()),
        ("of the caller", "k3caller-z8y4-value".to_owned()),
        ("github", format!("ghp_{random}")),
        ("gitlab", format!("glpat-{}", &random[..20])),
        ("slack", format!("xoxb-{}", &random[..24])),
        ("npm", format!("npm_{random}")),
        ("pypi", format!("pypi-{random}{random}")),
        ("stripe", format!("sk_live_{}", &random[..24])),
        ("anthropic", format!("sk-ant-api03-{random}")),
        ("google", format!("AIza{}", &random[..35])),
        ("amazon", format!("AKIA{}", "J7Q2X4M9B1C8D3E5")),
        ("web token", format!("eyJ{random}.eyJ{random}.{random}")),
        ("bearer", "b3arer.v4lue-x".to_owned()),
        ("basic", "dTNlcjpwNHNz".to_owned()),
        ("cookie", "c00kie-v4lue".to_owned()),
        ("query", "qu3ry-v4lue".to_owned()),
        ("address", "addr3ss-p4ss".to_owned()),
        ("long value", "x7Kq2mP9vR4tW8zB1n".to_owned()),
        ("private key", "MIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkq".to_owned()),
    ]
}

/// What a careless program prints, with everything in it.
fn careless() -> String {
    let secret = |name: &str| planted().into_iter().find(|(known, _)| *known == name).unwrap().1;
    let by_shape = planted().into_iter().skip(2).take(10).map(|(name, value)| format!("{name} {value} end\n"));
    let mut text: String = by_shape.collect();
    text.extend([format!("Authorization: Bearer {}\r\n", secret("bearer"))]);
    text.extend([format!("authorization: Basic {}\n", secret("basic"))]);
    text.extend([format!("Set-Cookie: sid={}; Path=/\n", secret("cookie"))]);
    text.extend([format!("GET /cb?token={}&x=1 HTTP/1.1\n", secret("query"))]);
    text.extend([format!("postgres://user:{}@db/app\n", secret("address"))]);
    text.extend([format!("{{\"apiKey\": \"{}\"}}\n", secret("long value"))]);
    text.extend([format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", secret("private key"))]);
    text.push_str("src/a.ts(3,5): error TS2345: Not so.\n");
    text
}

fn files_below(directory: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files_below(&entry.path(), found);
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
}

#[track_caller]
fn holds_no_secret(workspace: &Workspace, finished: &Finished) {
    let mut all = vec![
        ("standard output".to_owned(), finished.stdout.clone().into_bytes()),
        ("standard error".to_owned(), finished.stderr.clone().into_bytes()),
    ];
    files_below(&workspace.path("evidence"), &mut all);
    assert!(all.len() > 6, "there is evidence");
    for (place, bytes) in &all {
        let text = String::from_utf8_lossy(bytes);
        for (name, secret) in planted() {
            assert!(!text.contains(&secret), "{place} holds the secret of kind {name}");
        }
    }
}

fn run(workspace: &Workspace, arguments: &[&str]) -> Finished {
    let caller = planted()[1].1.clone();
    let child = workspace.command(arguments).env("CALLER_API_KEY", &caller).env("CALLER_PASSWORD", caller).spawn();
    finish(child.unwrap())
}

#[test]
fn no_secret_stands_in_the_evidence_or_on_the_terminal() {
    let declared = planted()[0].1.clone();
    let caller = planted()[1].1.clone();
    let specification = json!({
        "title": format!("with {caller}"),
        "env": { "DEPLOY_TOKEN": declared },
        "checks": {
            // By a file: what a command prints is not in its words.
            "types": { "run": "cat careless.txt; exit 2", "role": "typecheck" },
            "prints": "echo \"declared $DEPLOY_TOKEN\"; echo \"$DEPLOY_TOKEN\" >&2; exit 3",
            "words": { "argv": ["sh", "-c", "exit 4", format!("--password={caller}"), declared] },
            "unknown": { "argv": [format!("./missing-{caller}")] },
            "file": { "file": format!("missing-{declared}.txt") },
            format!("named {caller}"): "exit 5",
        },
    });
    let workspace = Workspace::with(&specification.to_string()).file("careless.txt", careless());
    for arguments in
        [&["run"][..], &["run", "-v", "--format=human"], &["run", "--format=jsonl"], &["run", "--format=json"]]
    {
        let finished = run(&workspace, arguments);
        assert_ne!(finished.code, Some(0));
        holds_no_secret(&workspace, &finished);
    }
    let of_types = |(name, bytes): (String, Vec<u8>)| name.ends_with("-types.log").then_some(bytes);
    let log = workspace.evidence("T001").into_iter().find_map(of_types).unwrap();
    let log = String::from_utf8(log).unwrap();
    assert_eq!(log.len(), careless().len(), "lengths stay");
    assert!(log.contains("error TS2345: Not so.") && log.contains("postgres://user:"), "{log}");
    for arguments in [
        &["explain", "STEP.1"][..],
        &["diagnostics"],
        &["debt", "list"],
        &["evidence", "verify", "evidence/T001", "--replay"],
    ] {
        holds_no_secret(&workspace, &run(&workspace, arguments));
    }
}

#[test]
fn no_secret_of_a_request_or_its_answer_is_kept() {
    let (declared, caller) = (planted()[0].1.clone(), planted()[1].1.clone());
    let served = Server::start(|_| Reply::http(200, &["Set-Cookie: sid=c00kie-v4lue; Path=/"], careless()));
    let specification = json!({
        "env": { "API_TOKEN": declared },
        "checks": { "asks": {
            "http": served.url(&format!("/x?token={}&y=1", planted()[15].1)),
            "headers": { "Authorization": format!("Bearer {declared}"), "X-Key": caller },
            "status": 418,
        } },
    });
    let workspace = Workspace::with(&specification.to_string());
    let finished = run(&workspace, &["run"]);
    assert_ne!(finished.code, Some(0));
    holds_no_secret(&workspace, &finished);
}
