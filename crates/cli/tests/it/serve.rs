//! The API.

use serde_json::{Value, json};

use crate::served::{Server, incident};
use crate::support::{Workspace, repository};

const ALL: &str = "/api/errors/incidents";

#[test]
fn incidents_are_listed_and_filtered_and_what_nobody_knows_is_refused_by_name() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    incident(&workspace, "second", "plan_proposed");
    let server = Server::start(&workspace, &[]);
    let list = server.get(ALL).is(200).json();
    assert_eq!(
        list["counts"],
        json!({ "unresolved": 2, "resolved": 0, "escalated": 0, "by_status": { "new": 1, "plan_proposed": 1 } })
    );
    let ids = |path: &str| {
        let list = server.get(path).is(200).json();
        let mut ids: Vec<String> = list["incidents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["incident_id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ids(ALL), ["first", "second"]);
    assert_eq!(ids(&format!("{ALL}?status=new")), ["first"]);
    // `planned` is the older spelling.
    assert_eq!(ids(&format!("{ALL}?status=planned,approved")), ["second"]);
    for wrong in ["?stauts=new", "?status=odd", "?limit=0", "?limit=1001", "?limit=x", "?open=maybe", "?after="] {
        server.get(&format!("{ALL}{wrong}")).refuses(400, "validation");
    }
    assert!(server.get(&format!("{ALL}?stauts=new")).body.contains("stauts"));
}

#[test]
fn an_unchanged_answer_is_not_sent_again() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    let tag = server.get(ALL).is(200).headers["etag"].clone();
    let again = |tag: &str| server.ask("GET", ALL, &[("if-none-match", tag)], None);
    assert_eq!(again(&tag).is(304).body, "");
    incident(&workspace, "second", "new");
    again(&tag).is(200);
}

// IN-31, IN-36
#[test]
fn an_incident_is_shown_whole_and_parts_that_are_missing_or_junk_hide_nothing_else() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "handed_off");
    let part = |name: &str, text: &str| workspace.write(&format!(".referee/reports/{name}"), text);
    part("error_handoffs/first/handoff.json", r#"{"status":"ok","incident_id":"first"}"#);
    part("error_plans/first/plan.json", "{\"half");
    part("error_plans/first/plan.md", "# Plan\n");
    part("error_runs/first/attempt_02.json", r#"{"iteration":2}"#);
    part("error_runs/first/attempt_10.json", r#"{"iteration":10}"#);
    part("error_runs/first/run_result.json", r#"{"incident_id":"first","final_status":"running"}"#);
    let server = Server::start(&workspace, &[]);
    let shown = server.get(&format!("{ALL}/first")).is(200).json();
    assert_eq!(shown["incident"]["message"], "Network <timeout>");
    assert_eq!(shown["handoff"]["status"], "ok");
    assert_eq!(shown["plan"], Value::Null);
    assert_eq!(shown["plan_text"], "# Plan\n");
    assert_eq!(shown["unreadable"], json!(["plan.json"]));
    assert_eq!(shown["attempts"], json!([{ "iteration": 2 }, { "iteration": 10 }]));
    assert_eq!(shown["run_result"], json!({ "incident_id": "first", "final_status": "running" }));
    assert_eq!(shown["approval"]["stands"], false);
    assert_eq!(shown["paths"]["incident"], "error_inbox/first");
    assert_eq!(shown["log_tail"], "start\nNetwork timeout\n");
}

// A store that cannot be read must not look like no incidents.
#[test]
fn a_store_that_cannot_be_read_answers_503() {
    let workspace = Workspace::new().file(".referee/reports/error_inbox", "no directory");
    let server = Server::start(&workspace, &[]);
    let reply = server.get(ALL);
    assert_eq!(reply.headers["retry-after"], "1");
    reply.refuses(503, "infra");
}

#[test]
fn no_path_in_a_request_reaches_a_file() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    workspace.write("secret.txt", "Zq81Lm20");
    let server = Server::start(&workspace, &[]);
    for path in [
        "/api/errors/incidents/..",
        "/api/errors/incidents/.",
        "/api/errors/incidents/%2e%2e",
        "/api/errors/incidents/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/api/errors/incidents/..%2f..%2fsecret.txt",
        "/api/errors/incidents/..%5c..%5csecret.txt",
        "/api/errors/incidents/%2fetc%2fpasswd",
        "/api/errors/incidents/first%00",
        "/api/errors/incidents/%20first",
        "/api/errors/incidents/%ff%fe",
        "/api/errors/incidents/%c0%ae%c0%ae",
        "/api/errors/incidents/-rf",
        "/api/errors/incidents/first/../../../secret.txt",
        "/../secret.txt",
        "//etc/passwd",
        "/.referee/reports/error_inbox/first/incident.json",
        "/assets/../secret.txt",
        "/assets/%2e%2e/secret.txt",
        &format!("/api/errors/incidents/{}", "x".repeat(129)),
    ] {
        let reply = server.get(path);
        assert!(matches!(reply.status, 400 | 404), "{path}: {reply:?}");
        assert!(!reply.body.contains("Zq81Lm20") && !reply.body.contains("root:"), "{path}: {reply:?}");
    }
    let long = server.get(&format!("/{}", "x".repeat(80_000)));
    assert!(matches!(long.status, 414 | 431), "{long:?}");
}

#[test]
fn what_is_sent_is_bounded_and_held_against_its_form() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    let refused = |body: &str| server.post(ALL, body).refuses(400, "validation");
    assert!(refused(r#"{"logg":"x"}"#).contains("logg"));
    assert!(refused(r#"{"log_path":"/etc/passwd"}"#).contains("log_path"));
    assert!(refused(r#"{"year":0}"#).contains("/year"));
    for wrong in ["[]", "null", "{", "\"x\"", r#"{"step":1}"#, r#"{"step":"a","step":"b"}"#, "{}x"] {
        refused(wrong);
    }
    refused(&format!(r#"{{"incident_id":"{}"}}"#, "../".repeat(3)));
    refused(&format!(r#"{{"step":"{}"}}"#, "x".repeat(201)));
    let go = |body: &str| server.post(&format!("{ALL}/first/go"), body).refuses(400, "validation");
    assert!(go(r#"{"agent":"rm -rf /"}"#).contains("agent"));
    go(r#"{"remote":"--upload-pack=x"}"#);
    server.post(&format!("{ALL}/first/go?wait=99999"), "{}").refuses(400, "validation");
    // IN-22 by the API: a result that there is not.
    server.post(&format!("{ALL}/first/archive"), r#"{"result":"done"}"#).refuses(400, "validation");
    // A reason is needed, in whichever script; and as long as a command may give it.
    let reject = |reason: &str| server.post(&format!("{ALL}/first/reject"), &json!({ "reason": reason }).to_string());
    for wrong in ["", " \t\u{3000}\u{200b}", &"é".repeat(2_001)] {
        reject(wrong).refuses(400, "validation");
    }
    reject("計画が違う").refuses(409, "conflict");
    let archive = json!({ "result": "escalated", "reason": "é".repeat(2_000) }).to_string();
    server.post(&format!("{ALL}/first/archive"), &archive).is(200);
    server.post(&format!("{ALL}/first/reopen"), r#"{"reason":"続ける"}"#).is(200);
    for (operation, executor) in [("handoff", "レビュー担当"), ("ack", "Ada L.")] {
        let body = json!({ "executor": executor }).to_string();
        server.post(&format!("{ALL}/first/{operation}"), &body).refuses(409, "conflict");
        for wrong in ["", " ", "two\nlines", " Ada", &"x".repeat(129)] {
            let body = json!({ "executor": wrong }).to_string();
            server.post(&format!("{ALL}/first/{operation}"), &body).refuses(400, "validation");
        }
    }
    // What must be sent is said to be needed.
    let described = server.get("/api/openapi.json").is(200).json();
    for (path, is_needed) in [("{id}/reject", true), ("{id}/handback", true), ("{id}/plan", false), ("{id}/go", false)]
    {
        assert_eq!(described["paths"][format!("{ALL}/{path}")]["post"]["requestBody"]["required"], is_needed, "{path}");
    }
    server.get(&format!("{ALL}/first/events?after=9223372036854775808")).refuses(400, "validation");
    server.get("/api/events?after=9223372036854775808").refuses(400, "validation");
    // A report vouches for itself.
    assert!(server.post(ALL, r#"{"report":{}}"#).refuses(409, "conflict").contains("`report`"));
    server.ask("POST", ALL, &[("content-type", "text/plain")], Some("{}")).refuses(415, "validation");
    server.ask("POST", ALL, &[("content-type", "")], Some("{\"step\":\"x\"}")).refuses(415, "validation");
}

#[test]
fn an_address_says_how_it_is_asked_and_every_answer_is_kept_by_nobody() {
    let server = Server::start(&Workspace::new(), &[]);
    for (method, path, allow) in [
        ("DELETE", ALL, "GET,HEAD,POST"),
        ("PUT", "/api/errors/incidents/x", "GET,HEAD"),
        ("GET", "/api/errors/incidents/x/approve", "POST"),
        ("OPTIONS", "/api/health", "GET,HEAD"),
    ] {
        let reply = server.ask(method, path, &[], None);
        assert_eq!(reply.headers["allow"], allow, "{method} {path}");
        reply.refuses(405, "unsupported_action");
    }
    server.get("/api/nothing").refuses(404, "not_found");
    for path in [ALL, "/api/nothing", "/login"] {
        let reply = server.get(path);
        assert_eq!(reply.headers["cache-control"], "no-store");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff");
        // With `no-referrer` browsers send `Origin: null` with a form, and the form would be refused.
        assert_eq!(reply.headers["referrer-policy"], "same-origin");
        assert!(reply.headers["content-security-policy"].contains("default-src 'none'"));
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
    }
}

// IN-32; ruling 27: the token does not approve.
#[test]
fn the_token_approves_of_nothing() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "plan_proposed");
    incident(&workspace, "unplanned", "new");
    workspace.write(".referee/reports/error_plans/first/plan.json", "{}");
    let server = Server::start(&workspace, &[]);
    let approve = |id: &str| server.post(&format!("{ALL}/{id}/approve"), r#"{"person":"Eve"}"#);
    approve("none").refuses(404, "not_found");
    approve("unplanned").refuses(409, "conflict");
    approve("first").refuses(403, "auth");
    let secret = "MC4CAQAwBQYDK2VwBCIEIJunkJunkJunkJunkJunkJunkJunkJunkJunkJunkJunk";
    let key = [("x-referee-approver", secret)];
    let reply = server.ask("POST", &format!("{ALL}/first/approve"), &key, Some(r#"{"person":"Eve"}"#));
    assert!(!reply.body.contains(secret), "{reply:?}");
    // That plan is none: nobody's key would do.
    reply.refuses(409, "conflict");
    assert_eq!(server.get(&format!("{ALL}/first")).json()["incident"]["status"], "plan_proposed");
    let (_, said) = server.stop();
    assert!(!said.contains(secret));
}

#[test]
fn a_loop_needs_an_approved_plan() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &["--agent", "true"]);
    server.post(&format!("{ALL}/first/go"), "{}").refuses(409, "conflict");
    server.post(&format!("{ALL}/none/go"), "{}").refuses(404, "not_found");
}

#[test]
fn the_description_of_the_api_is_the_one_that_is_published() {
    let server = Server::start(&Workspace::new(), &[]);
    let described = server.get("/api/openapi.json").is(200).json();
    assert_eq!(described["openapi"], "3.1.0");
    for (path, methods) in described["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}");
            assert!(operation["operationId"].is_string(), "{method} {path}");
        }
    }
    let file = repository().join("schemas/openapi.json");
    let text = format!("{described:#}\n");
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(published == text, "schemas/openapi.json is not what is served");
}
