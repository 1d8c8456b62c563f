//! Tokens with a role and an end: what each lets its holder do, and when it no longer does.

use std::fs;

use crate::incident_approval::{key, plan, standing, trust, workspace};
use crate::served::{Reply, Server, incident};
use crate::support::{Workspace, in_an_agents_shell};

const ALL: &str = "/api/errors/incidents";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// Creates a token as a person would.
fn token(workspace: &Workspace, name: &str, role: &str, more: &[&str]) -> String {
    let create = [&["serve", "token", "create", "--name", name, "--role", role], more].concat();
    let created = workspace.referee(&create).exits(0);
    let token = created.stdout.trim().to_owned();
    assert!(created.stdout.lines().count() == 1 && token.starts_with("referee_"), "{}", created.stdout);
    assert!(!created.stderr.contains(&token), "{}", created.stderr);
    token
}

fn with(server: &Server, token: &str, method: &str, path: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let body = (method != "GET" && method != "HEAD").then_some("{}");
    server.ask_without_token(method, path, &[("authorization", &bearer)], body)
}

fn sign_in(server: &Server, token: &str) -> Reply {
    server.ask_without_token("POST", "/login", &[FORM], Some(&format!("token={token}")))
}

#[test]
fn a_viewer_reads_everything_and_changes_nothing() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    // The server runs already, and a token that is made now counts.
    let viewer = token(&workspace, "board", "viewer", &[]);
    for path in [ALL, &format!("{ALL}/first"), "/api/runs", "/api/openapi.json", "/", "/incidents/first", "/runs"] {
        with(&server, &viewer, "GET", path).is(200);
    }
    let before = fs::read(workspace.path(".referee/reports/error_inbox/first/incident.json")).unwrap();
    for operation in ["plan", "approve", "reject", "handoff", "recall", "ack", "handback", "archive", "reopen", "go"] {
        let message = with(&server, &viewer, "POST", &format!("{ALL}/first/{operation}")).refuses(403, "auth");
        assert!(message.contains("viewer") && message.contains("operator"), "{message}");
    }
    with(&server, &viewer, "POST", ALL).refuses(403, "auth");
    with(&server, &viewer, "POST", &format!("{ALL}/plan-all")).refuses(403, "auth");
    with(&server, &viewer, "POST", "/incidents/first/plan").refuses(403, "auth");
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        with(&server, &viewer, method, &format!("{ALL}/first")).refuses(403, "auth");
        with(&server, &server.token, method, &format!("{ALL}/first")).refuses(405, "unsupported_action");
    }
    assert_eq!(fs::read(workspace.path(".referee/reports/error_inbox/first/incident.json")).unwrap(), before);
    let operator = token(&workspace, "ci", "operator", &[]);
    with(&server, &operator, "POST", &format!("{ALL}/first/plan")).is(200);
    // An approver's key is needed whatever the role.
    with(&server, &operator, "POST", &format!("{ALL}/first/approve")).refuses(403, "auth");
}

#[test]
fn a_viewer_at_a_browser_is_offered_nothing_and_can_leave() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    let viewer = token(&workspace, "board", "viewer", &[]);
    let cookie = sign_in(&server, &viewer).is(303).headers["set-cookie"].split(';').next().unwrap().to_owned();
    let own = format!("http://{}", server.host);
    let page = |path: &str| server.ask_without_token("GET", path, &[("cookie", &cookie)], None);
    let shown = page("/incidents/first").is(200).body;
    assert!(shown.contains("Network &#60;timeout&#62;") || shown.contains("Network &lt;timeout&gt;"), "{shown}");
    assert!(!shown.contains("/incidents/first/plan"), "{shown}");
    let headers = [("cookie", cookie.as_str()), ("origin", own.as_str()), FORM];
    server.ask_without_token("POST", "/incidents/first/plan", &headers, Some("")).refuses(403, "auth");
    server.ask_without_token("POST", "/logout", &headers, Some("")).is(303);
    assert_eq!(page("/").is(303).headers["location"], "/login");
}

#[test]
fn a_viewer_who_looks_moves_no_incident() {
    let workspace = workspace();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    workspace.referee(&["incident", "approve", "inc_1", "--key", ada.to_str().unwrap()]).exits(0);
    plan(&workspace, "Delete the test", &[]);
    let server = Server::start(&workspace, &[]);
    let viewer = token(&workspace, "board", "viewer", &[]);
    let seen = with(&server, &viewer, "GET", &format!("{ALL}/inc_1")).is(200).json();
    assert_eq!(seen["approval"]["stands"], false, "{seen}");
    with(&server, &viewer, "GET", "/incidents/inc_1").is(200);
    assert_eq!(standing(&workspace).trim(), "approved");
    server.get(&format!("{ALL}/inc_1")).is(200);
    assert_eq!(standing(&workspace).trim(), "plan_proposed");
}

#[test]
fn a_token_that_is_revoked_or_over_lets_nobody_in_from_then_on() {
    let workspace = Workspace::new();
    let server = Server::start(&workspace, &[]);
    let viewer = token(&workspace, "board", "viewer", &["--until", "2w"]);
    let cookie = sign_in(&server, &viewer).is(303).headers["set-cookie"].split(';').next().unwrap().to_owned();
    let page = || server.ask_without_token("GET", ALL, &[("cookie", &cookie)], None);
    page().is(200);
    let listed = workspace.referee(&["serve", "token", "list", "--format", "json"]).exits(0);
    assert!(!listed.stdout.contains(&viewer), "{}", listed.stdout);
    let record = &listed.json()["tokens"][0];
    assert_eq!((record["name"].as_str(), record["role"].as_str()), (Some("board"), Some("viewer")));
    // Its end comes.
    let file = workspace.state().join("doors/tokens.json");
    let kept = fs::read_to_string(&file).unwrap();
    fs::write(&file, kept.replace(record["until"].as_str().unwrap(), "2026-01-01T00:00:00.000Z")).unwrap();
    let message = with(&server, &viewer, "GET", ALL).refuses(401, "auth");
    assert!(message.contains("`board` is over"), "{message}");
    page().refuses(401, "auth");
    sign_in(&server, &viewer).is(401);
    let shown = workspace.referee(&["serve", "token", "list"]).exits(0).stdout;
    assert!(shown.contains("viewer") && shown.contains("expired 2026-01-01"), "{shown}");
    // It is revoked.
    fs::write(&file, kept).unwrap();
    page().is(200);
    workspace.referee(&["serve", "token", "revoke", "board"]).exits(0);
    with(&server, &viewer, "GET", ALL).refuses(401, "auth");
    page().refuses(401, "auth");
    assert!(workspace.referee(&["serve", "token", "revoke", "board"]).exits(1).stderr.contains("no such token"));
    server.get(ALL).is(200);
}

#[test]
fn a_list_of_tokens_that_is_junk_lets_nobody_in_by_it() {
    let workspace = Workspace::new();
    let server = Server::start(&workspace, &[]);
    let viewer = token(&workspace, "board", "viewer", &[]);
    for junk in ["", "{}", "{\"tokens_version\":\"9.0.0\",\"tokens\":[]}"] {
        fs::write(workspace.state().join("doors/tokens.json"), junk).unwrap();
        with(&server, &viewer, "GET", ALL).refuses(503, "infra");
        sign_in(&server, &viewer).refuses(503, "infra");
        server.get(ALL).is(200);
        workspace.referee(&["serve", "token", "list"]).exits(1);
        workspace.referee(&["serve", "token", "create", "--name", "x", "--role", "viewer"]).exits(1);
    }
    with(&server, "referee_00", "GET", "/api/health").is(200);
}

#[test]
fn a_token_is_made_by_a_person_with_a_name_of_its_own_and_an_end_that_comes() {
    let workspace = Workspace::new();
    let create = |more: &[&str]| workspace.referee(&[&["serve", "token", "create"], more].concat());
    create(&["--name", "x"]).exits(2);
    create(&["--name", "x", "--role", "root"]).exits(2);
    create(&["--name", "x y", "--role", "viewer"]).exits(1);
    create(&["--name", "x", "--role", "viewer", "--until", "soon"]).exits(2);
    assert!(
        create(&["--name", "x", "--role", "viewer", "--until", "2020-01-01"]).exits(2).stderr.contains("in the past")
    );
    create(&["--name", "x", "--role", "viewer"]).exits(0);
    assert!(create(&["--name", "x", "--role", "operator"]).exits(1).stderr.contains("`x` already"));
    let by_an_agent = ["serve", "token", "create", "--name", "y", "--role", "operator"];
    assert!(in_an_agents_shell(&workspace, &by_an_agent).exits(2).stderr.contains("only a person"));
    in_an_agents_shell(&workspace, &["serve", "token", "revoke", "x"]).exits(2);
    assert_eq!(workspace.referee(&["serve", "token", "list"]).exits(0).stdout.lines().count(), 1);
}
