//! The API from capture to the end of a loop, where all its parts are there.

use std::fs;
use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::incident_approval::{key, trust};
use crate::served::{Server, incident, request};
use crate::support::{Workspace, wait_until};

const ALL: &str = "/api/errors/incidents";
const ROOT: &str = ".referee/reports";

/// A project whose only check passes once a file is there.
fn project() -> Workspace {
    Workspace::with("checks:\n  fixed: { run: 'test -f fixed || { echo error: not fixed >&2; exit 1; }' }\n")
}

fn captured(server: &Server) -> String {
    let body = r#"{"step":"fixed","message":"it is not fixed","log":"start\nerror: not fixed\n"}"#;
    let reply = server.post(ALL, body).is(201);
    let id = reply.json()["incident_id"].as_str().unwrap().to_owned();
    assert_eq!(reply.headers["location"], format!("{ALL}/{id}"));
    id
}

/// The line between the first and the last of a private key's PEM.
fn secret(pem: &std::path::Path) -> String {
    fs::read_to_string(pem).unwrap().lines().nth(1).unwrap().to_owned()
}

fn approved(workspace: &Workspace, server: &Server, id: &str) {
    let ada = key(workspace, "ada");
    let approve = |secret: &str| {
        let header = [("x-referee-approver", secret)];
        server.ask("POST", &format!("{ALL}/{id}/approve"), &header, Some(r#"{"person":"ada"}"#))
    };
    approve(&secret(&ada)).refuses(403, "auth");
    approve("junk").refuses(403, "auth");
    trust(workspace, &ada);
    let answer = approve(&secret(&ada)).is(200).json();
    assert_eq!((&answer["stands"], &answer["standing"]), (&json!(true), &json!("signed")));
    approve(&secret(&ada)).refuses(409, "conflict");
}

// IN-33, IN-34: plan, approve, hand off.
#[test]
fn an_incident_goes_from_capture_to_handoff() {
    let workspace = project();
    fs::create_dir(workspace.path("queue")).unwrap();
    let server = Server::start(&workspace, &["--queue-dir", "queue"]);
    let id = captured(&server);
    assert_eq!(
        server
            .post(ALL, r#"{"step":"fixed","message":"it is not fixed","log":"start\nerror: not fixed\n"}"#)
            .is(200)
            .json()["captured"],
        "occurrence"
    );
    let handoff = |body: &str| server.post(&format!("{ALL}/{id}/handoff"), body);
    handoff(r#"{"executor":"antigravity"}"#).refuses(409, "conflict");
    let plan = server.post(&format!("{ALL}/{id}/plan"), "{}").is(200).json();
    assert_eq!(plan["incident_id"], id.as_str());
    approved(&workspace, &server, &id);
    assert!(
        handoff(r#"{"executor":"x","allow_unapproved":true}"#).refuses(400, "validation").contains("allow_unapproved")
    );
    let package = handoff(r#"{"executor":"antigravity"}"#).is(200).json();
    assert_eq!(package["executor"], "antigravity");
    assert!(workspace.path(&format!("queue/{id}.json")).exists());
    let shown = server.get(&format!("{ALL}/{id}")).is(200).json();
    assert_eq!(shown["handoff"], package);
    server.post(&format!("{ALL}/{id}/ack"), r#"{"executor":"somebody else"}"#).refuses(409, "conflict");
    let taken = server.post(&format!("{ALL}/{id}/ack"), r#"{"executor":"antigravity"}"#).is(200).json();
    assert_eq!(taken["status"], "running");
    // Two readers would read two documents.
    let twice = r#"{"reason":"error","reason":"success","description":"done"}"#;
    assert!(server.post(&format!("{ALL}/{id}/handback"), twice).refuses(400, "validation").contains("twice"));
    let events = server.get(&format!("{ALL}/{id}/events")).is(200).json();
    assert!(events["events"].as_array().unwrap().len() >= 4, "{events}");
}

// IN-32: what a person looked at is what they approve of.
#[test]
fn a_plan_that_is_not_the_one_that_was_looked_at_is_not_approved() {
    let workspace = project();
    let server = Server::start(&workspace, &[]);
    let id = captured(&server);
    assert_eq!(server.get(&format!("{ALL}/{id}")).is(200).json()["plan_digest"], Value::Null);
    server.post(&format!("{ALL}/{id}/plan"), "{}").is(200);
    let seen = server.get(&format!("{ALL}/{id}")).is(200).json()["plan_digest"].as_str().unwrap().to_owned();
    let file = format!("{ROOT}/error_plans/{id}/plan.json");
    let plan = fs::read_to_string(workspace.path(&file)).unwrap();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    let secret = secret(&ada);
    let approve = |digest: &str| {
        let body = json!({ "person": "ada", "plan_digest": digest }).to_string();
        server.ask("POST", &format!("{ALL}/{id}/approve"), &[("x-referee-approver", &secret)], Some(&body))
    };
    approve("junk").refuses(400, "validation");
    workspace.write(&file, plan.replace("\"max_loops\": 8", "\"max_loops\": 80"));
    assert!(approve(&seen).refuses(409, "conflict").contains("looked at"));
    assert_eq!(server.get(&format!("{ALL}/{id}")).json()["incident"]["status"], "plan_proposed");
    workspace.write(&file, &plan);
    assert_eq!(approve(&seen).is(200).json()["plan_sha256"], seen.as_str());
}

// IN-35
#[test]
fn a_loop_that_is_asked_for_repairs_and_its_result_is_shown() {
    let workspace = project();
    let server = Server::start(&workspace, &["--agent", "touch fixed"]);
    let id = captured(&server);
    server.post(&format!("{ALL}/{id}/plan"), "{}").is(200);
    approved(&workspace, &server, &id);
    let result = server.post(&format!("{ALL}/{id}/go?wait=120"), "{}").is(200).json();
    assert_eq!(result["final_status"], "resolved", "{result}");
    // It archives unless it is told not to.
    assert_eq!(result["archived_to"], format!("error_archive/resolved/{id}"));
    let shown = server.get(&format!("{ALL}/{id}")).is(200).json();
    assert_eq!(shown["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(shown["work"], json!({ "is_running": false, "problem": null }));
}

#[test]
fn a_loop_whose_checks_never_failed_for_the_incident_leaves_it_to_a_person() {
    let workspace = project();
    workspace.write("fixed", "");
    let server = Server::start(&workspace, &["--agent", "touch worked"]);
    let id = captured(&server);
    server.post(&format!("{ALL}/{id}/plan"), "{}").is(200);
    approved(&workspace, &server, &id);
    let result = server.post(&format!("{ALL}/{id}/go?wait=120"), "{}").is(200).json();
    assert_eq!((&result["final_status"], &result["never_red"]), (&json!("running"), &json!(true)), "{result}");
    assert!(!workspace.path("worked").exists());
}

#[test]
fn a_loop_that_works_is_one_at_a_time_and_is_told_to_stop_with_the_server() {
    let workspace = project();
    let server = Server::start(&workspace, &["--agent", "sh -c 'touch begun; sleep 600'"]);
    let id = captured(&server);
    server.post(&format!("{ALL}/{id}/plan"), "{}").is(200);
    approved(&workspace, &server, &id);
    let begun = server.post(&format!("{ALL}/{id}/go"), "{}").is(202);
    assert_eq!(begun.headers["location"], format!("{ALL}/{id}"));
    wait_until("the agent works", || workspace.path("begun").exists());
    server.post(&format!("{ALL}/{id}/go"), "{}").refuses(409, "run_conflict");
    assert_eq!(server.get(&format!("{ALL}/{id}")).is(200).json()["work"]["is_running"], true);
    assert_eq!(server.stop().0.code(), Some(0));
    let status = fs::read_to_string(workspace.path(&format!("{ROOT}/error_inbox/{id}/status.txt"))).unwrap();
    assert_eq!(status.trim(), "running");
}

// IN-30
#[test]
fn one_incident_that_cannot_be_read_is_told_and_hides_no_other() {
    let workspace = Workspace::new();
    incident(&workspace, "whole", "new");
    incident(&workspace, "junk", "new");
    workspace.write(&format!("{ROOT}/error_inbox/junk/incident.json"), "{\"half");
    let server = Server::start(&workspace, &[]);
    let list = server.get(ALL).is(200).json();
    assert!(list["degraded"][0].as_str().unwrap().contains("junk"), "{list}");
    assert!(list["incidents"].as_array().unwrap().iter().any(|row| row["incident_id"] == "whole"), "{list}");
}

#[test]
fn pages_follow_one_another() {
    let workspace = Workspace::new();
    for number in 0..5 {
        incident(&workspace, &format!("i{number}"), "new");
    }
    let server = Server::start(&workspace, &[]);
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("{ALL}?limit=2{after}")).is(200).json();
        seen.extend(page["incidents"].as_array().unwrap().iter().map(|row| row["incident_id"].clone()));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    seen.sort_by_key(Value::to_string);
    assert_eq!(seen, ["i0", "i1", "i2", "i3", "i4"]);
}

#[test]
fn whoever_follows_is_told_what_a_command_does_and_goes_on_where_it_left_off() {
    let workspace = project();
    let server = Server::start(&workspace, &[]);
    let follow = |last: &str, until: &str| {
        let token = format!("Bearer {}", server.token);
        let mut headers = vec![("authorization", token.as_str())];
        if !last.is_empty() {
            headers.push(("last-event-id", last));
        }
        let mut stream = server.connect();
        stream.write_all(request("GET", "/api/events", &server.host, &headers, None).as_bytes()).unwrap();
        let (mut told, mut bytes) = (String::new(), [0; 4096]);
        if last.is_empty() {
            while !told.contains("retry:") {
                let read = stream.read(&mut bytes).unwrap();
                told += &String::from_utf8_lossy(&bytes[..read]);
            }
            workspace.referee(&["incident", "capture", "--message", "m", "--step", "s"]).exits(0);
        }
        while !told.contains(until) {
            let read = stream.read(&mut bytes).unwrap();
            assert!(read > 0, "{told}");
            told += &String::from_utf8_lossy(&bytes[..read]);
        }
        told
    };
    assert!(follow("", "\"action\":\"capture\"").contains("id: 1\n"));
    assert!(follow("0", "\"action\":\"capture\"").contains("id: 1\n"));
    assert!(follow("99", "event: reset").contains("id: 1\n"));
}
