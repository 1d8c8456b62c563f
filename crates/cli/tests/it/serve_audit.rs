//! The audit log of the server: who did what, who tried, and what happens where it cannot be written.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::served::{Server, ask_at, incident};
use crate::support::{Workspace, edit};

const ALL: &str = "/api/errors/incidents";

fn log(workspace: &Workspace) -> PathBuf {
    workspace.state().join("doors/audit.jsonl")
}

fn lines(workspace: &Workspace) -> Vec<Value> {
    let listed = workspace.referee(&["serve", "audit", "--format", "json"]).exits(0).json();
    assert_eq!(listed["fault"], Value::Null, "{listed}");
    listed["lines"].as_array().unwrap().clone()
}

/// What a line says, without what differs from run to run.
fn said(line: &Value) -> String {
    let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
    let who = [&line["who"]["kind"], &line["who"]["name"]].map(|part| part.as_str().unwrap_or_default().to_owned());
    let status = line["status"].as_u64().map_or("-".to_owned(), |status| status.to_string());
    let (who, event) = (who.join(" "), text("event"));
    let (role, method, route, subject) = (text("role"), text("method"), text("route"), text("subject"));
    format!("{event} {status} {} {role} {method} {route} {subject}", who.trim())
}

#[test]
fn every_change_and_every_try_is_a_line_and_reading_is_none() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    let created = workspace.referee(&["serve", "token", "create", "--name", "board", "--role", "viewer"]).exits(0);
    let viewer = format!("Bearer {}", created.stdout.trim());
    server.get(ALL).is(200);
    server.ask_without_token("GET", ALL, &[], None).is(401);
    let plan = format!("{ALL}/first/plan");
    server.post(&plan, "{}").is(200);
    server.post(ALL, r#"{"message":"it broke","incident_id":"second"}"#).is(201);
    server.ask_without_token("POST", &plan, &[("authorization", &viewer)], Some("{}")).is(403);
    server.ask_without_token("POST", &plan, &[("authorization", "Bearer nonsense-nonsense")], Some("{}")).is(401);
    server.post(&format!("{ALL}/first/archive"), r#"{"result":"wrong"}"#).is(400);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    server.ask_without_token("POST", "/login", &form, Some("token=wrong-wrong-wrong")).is(401);
    let cookie = server.log_in();
    let origin = format!("http://{}", server.host);
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str()), form[0]];
    server.ask_without_token("POST", "/logout", &headers, Some("")).is(303);
    let lines = lines(&workspace);
    let said: Vec<String> = lines.iter().map(said).collect();
    let route = "/api/errors/incidents";
    assert_eq!(
        said,
        [
            format!("begun - server_token operator POST {route}/{{id}}/plan first"),
            format!("answered 200 server_token operator POST {route}/{{id}}/plan first"),
            format!("begun - server_token operator POST {route} -"),
            format!("answered 201 server_token operator POST {route} second"),
            format!("refused 403 token board viewer POST {route}/{{id}}/plan first"),
            format!("refused 401 unknown - POST {route}/{{id}}/plan first"),
            format!("begun - server_token operator POST {route}/{{id}}/archive first"),
            format!("answered 400 server_token operator POST {route}/{{id}}/archive first"),
            "sign_in_failed 401 unknown - POST /login -".to_owned(),
            "signed_in 303 server_token operator GET /login -".to_owned(),
            "signed_out 303 server_token operator POST /logout -".to_owned(),
        ]
    );
    assert_eq!(lines[0]["request"], lines[1]["request"]);
    assert_ne!(lines[1]["request"], lines[2]["request"]);
    let text = fs::read_to_string(log(&workspace)).unwrap();
    let session = cookie.split_once('=').unwrap().1;
    for secret in [server.token.as_str(), viewer.trim_start_matches("Bearer "), "nonsense", "wrong-wrong", session] {
        assert!(!text.contains(secret), "{text}");
    }
    let shown = workspace.referee(&["serve", "audit", "--limit", "1"]).exits(0);
    assert!(shown.stdout.contains("signed out 303: server token (operator), POST /logout"), "{}", shown.stdout);
    assert_eq!(shown.stdout.lines().count(), 1);
    let verified = workspace.referee(&["serve", "audit", "--verify"]).exits(0);
    assert!(verified.stdout.is_empty() && verified.stderr.contains("11 lines"), "{}", verified.stderr);
}

#[test]
fn a_log_that_was_tampered_with_is_told_with_the_line() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    for _ in 0..3 {
        server.post(&format!("{ALL}/first/plan"), r#"{"force":true}"#).is(200);
    }
    let whole = fs::read_to_string(log(&workspace)).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 6);
    let broken = |text: &str, line: u64| {
        fs::write(log(&workspace), text).unwrap();
        for options in [&[][..], &["--verify"]] {
            let told = workspace.referee(&[&["serve", "audit"], options].concat()).exits(1);
            assert!(told.stderr.contains(&format!("is broken at line {line}:")), "{}", told.stderr);
        }
        let told = workspace.referee(&["serve", "audit", "--format", "json"]).exits(1).json();
        assert_eq!(told["fault"]["line"], line, "{told}");
    };
    broken(&whole.replacen("server_token", "unknown", 1), 2);
    broken(&[lines[0], lines[2], lines[3], lines[4], lines[5]].concat(), 2);
    broken(&lines[..4].concat(), 5);
    broken(&[lines[1], lines[0]].concat(), 1);
    broken("", 1);
    broken("junk\n", 1);
    fs::remove_file(log(&workspace)).unwrap();
    workspace.referee(&["serve", "audit"]).exits(1);
    fs::write(log(&workspace), &whole).unwrap();
    workspace.referee(&["serve", "audit", "--verify"]).exits(0);
    // A line that a killed server left half written is none.
    edit(&log(&workspace), |text| text + "{\"audit_version\":");
    workspace.referee(&["serve", "audit", "--verify"]).exits(0);
    server.post(&format!("{ALL}/first/plan"), r#"{"force":true}"#).is(200);
    assert!(workspace.referee(&["serve", "audit", "--verify"]).exits(0).stderr.contains("8 lines"));
}

#[test]
fn a_server_that_cannot_write_its_log_does_nothing_and_shows_everything() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let socket = workspace.path("s");
    let server = Server::start(&workspace, &["--unix", "s"]);
    server.post(&format!("{ALL}/first/plan"), "{}").is(200);
    let whole = fs::read(log(&workspace)).unwrap();
    let before = fs::read(workspace.path(".referee/reports/error_inbox/first/incident.json")).unwrap();
    // What is no file, and a device without room.
    for kind in ["directory", "full"] {
        fs::remove_file(log(&workspace)).unwrap();
        match kind {
            "directory" => fs::create_dir(log(&workspace)).unwrap(),
            _ => std::os::unix::fs::symlink("/dev/full", log(&workspace)).unwrap(),
        }
        let message = server.post(&format!("{ALL}/first/plan"), r#"{"force":true}"#).refuses(503, "infra");
        assert!(message.contains("nothing was done") && message.contains("audit"), "{message}");
        server.post(ALL, r#"{"message":"it broke"}"#).refuses(503, "infra");
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let token = format!("token={}", server.token);
        let refused = server.ask_without_token("POST", "/login", &form, Some(&token)).is(503);
        assert!(!refused.headers.contains_key("set-cookie"), "{refused:?}");
        server.get(&format!("{ALL}/first")).is(200);
        ask_at(&socket, ALL).is(200);
        workspace.referee(&["serve", "audit"]).exits(1);
        assert_eq!(fs::read(workspace.path(".referee/reports/error_inbox/first/incident.json")).unwrap(), before);
        match kind {
            "directory" => fs::remove_dir(log(&workspace)).unwrap(),
            _ => fs::remove_file(log(&workspace)).unwrap(),
        }
        fs::write(log(&workspace), &whole).unwrap();
    }
    server.post(&format!("{ALL}/first/plan"), r#"{"force":true}"#).is(200);
    workspace.referee(&["serve", "audit", "--verify"]).exits(0);
}

#[test]
fn whoever_proves_nothing_cannot_fill_the_log() {
    let workspace = Workspace::new();
    let server = Server::start(&workspace, &[]);
    for _ in 0..80 {
        server.ask_without_token("POST", ALL, &[], Some("{}")).is(401);
    }
    server.post(ALL, r#"{"message":"it broke"}"#).is(201);
    let lines = lines(&workspace);
    let unknown: Vec<&Value> = lines.iter().filter(|line| line["who"]["kind"] == "unknown").collect();
    let omitted: u64 = lines.iter().filter_map(|line| line["omitted"].as_u64()).sum();
    // A minute may end while the requests come.
    assert!(unknown.len() < 80 || omitted == 0, "{} {omitted}", unknown.len());
    assert_eq!(unknown.len() as u64 + omitted, 80);
}
