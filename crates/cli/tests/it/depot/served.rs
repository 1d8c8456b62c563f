//! Two servers of a fleet over one depot: what one of them lets in or shows, the other one does, too.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;

use super::{Depot, Key, Machine, every};
use crate::served::{Reply, Server};
use crate::support::{finish, wait_until};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// Servers with one state directory, one session key and one depot.
struct Fleet<'depot> {
    machine: Machine<'depot>,
    key: Key,
}

impl<'depot> Fleet<'depot> {
    fn new(depot: &'depot Depot) -> Self {
        let key = Key::new();
        let fleet = Self { machine: Machine::trusting(depot, &key), key };
        fs::write(fleet.session_key(), [7; 32]).unwrap();
        fs::set_permissions(fleet.session_key(), fs::Permissions::from_mode(0o600)).unwrap();
        fleet
    }

    fn session_key(&self) -> PathBuf {
        PathBuf::from(self.key.private()).with_file_name("session.key")
    }

    fn server(&self) -> Server {
        let key = self.session_key();
        Server::spawn(self.machine.command(&["serve", "--fleet", "--session-key", key.to_str().unwrap()]))
    }

    fn audit(&self) -> crate::support::Finished {
        let key = self.session_key();
        self.machine.referee(&["serve", "audit", "--session-key", key.to_str().unwrap(), "--format", "json"])
    }

    fn token(&self, name: &str, role: &str) -> String {
        let created = self.machine.referee(&["serve", "token", "create", "--name", name, "--role", role]).exits(0);
        created.stdout.trim().to_owned()
    }
}

fn with_cookie(server: &Server, cookie: &str, path: &str) -> Reply {
    server.ask_without_token("GET", path, &[("cookie", cookie)], None)
}

fn sign_in(server: &Server, token: &str) -> String {
    let reply = server.ask_without_token("POST", "/login", &[FORM], Some(&format!("token={token}"))).is(303);
    reply.headers["set-cookie"].split(';').next().unwrap().to_owned()
}

/// Waits until a server lists a run as it should.
fn listed(server: &Server, holds: impl Fn(&Value) -> bool) -> Value {
    let mut list = Value::Null;
    wait_until("the runs", || {
        list = server.get("/api/runs").is(200).json();
        list["runs"].as_array().unwrap().iter().any(&holds)
    });
    list
}

fn passes(run: &Value) -> bool {
    run["evidence"] == "as-sealed" && run["report"]["decision"] == "PASS"
}

#[test]
fn a_browser_that_signed_in_at_one_server_goes_on_at_the_other_until_its_token_is_revoked() {
    every(|depot| {
        let fleet = Fleet::new(depot);
        let (one, other) = (fleet.server(), fleet.server());
        let own = one.log_in();
        let viewer = sign_in(&one, &fleet.token("board", "viewer"));
        for cookie in [&own, &viewer] {
            assert!(with_cookie(&other, cookie, "/runs").is(200).body.contains("href=\"/orders\""));
        }
        let (name, value) = viewer.split_once('=').unwrap();
        let forged = format!("{name}={}", value.replace("1.", "1.e30."));
        with_cookie(&other, &forged, "/api/runs").refuses(401, "auth");
        with_cookie(&other, &format!("{name}=1.e30.00"), "/api/runs").refuses(401, "auth");
        one.signal(Signal::KILL);
        with_cookie(&other, &viewer, "/api/runs").is(200);
        fleet.machine.referee(&["serve", "token", "revoke", "board"]).exits(0);
        with_cookie(&other, &viewer, "/api/runs").refuses(401, "auth");
        with_cookie(&other, &own, "/api/runs").is(200);
        let other_key = Fleet::new(depot);
        fs::write(other_key.session_key(), [8; 32]).unwrap();
        with_cookie(&other_key.server(), &own, "/api/runs").refuses(401, "auth");
    });
}

#[test]
fn a_run_that_a_machine_pushes_appears_at_all_servers_and_at_those_that_are_left() {
    every(|depot| {
        let fleet = Fleet::new(depot);
        let servers = [fleet.server(), fleet.server()];
        for server in &servers {
            // What is written down of a sign-in begins the depot.
            server.log_in();
            assert_eq!(server.get("/api/runs").is(200).json()["kept"], 0);
        }
        let third = Machine::new(depot);
        third.run_and_push(&fleet.key);
        for server in &servers {
            let list = listed(server, passes);
            let run = list["runs"][0]["executionId"].as_str().unwrap().to_owned();
            assert_eq!(server.get("/api/runs/T001").is(200).json()["run"]["executionId"], *run);
            server.get(&format!("/api/runs/T001/{run}/report")).is(200);
            server.get("/api/runs/T001/latest/actions/STEP.1/log").is(200);
            let verified = server.get("/api/runs/T001/latest/verification?replay=true").is(200).json();
            assert_ne!(verified["verdict"], "tampered", "{verified}");
            assert!(server.ask("GET", "/runs", &[("accept", "text/html")], None).is(200).body.contains("PASS"));
        }
        let [killed, left] = servers;
        killed.signal(Signal::KILL);
        third.run_and_push(&fleet.key);
        wait_until("the second run", || left.get("/api/runs").is(200).json()["runs"].as_array().unwrap().len() == 2);
    });
}

#[test]
fn a_run_that_nobody_trusted_signed_or_that_was_changed_is_listed_and_never_passes() {
    every(|depot| {
        let fleet = Fleet::new(depot);
        let forger = Machine::new(depot);
        forger.referee(&["run", "-q"]).exits(0);
        forger.push().exits(0);
        let server = fleet.server();
        let list = listed(&server, |run| run["evidence"] == "unverified");
        let run = &list["runs"][0];
        assert!(run["report"].is_null() && run["problem"].as_str().unwrap().contains("cannot be trusted"), "{run}");
        let id = run["executionId"].as_str().unwrap();
        assert_eq!(server.get("/api/runs?decision=PASS").is(200).json()["runs"], Value::Array(Vec::new()));
        assert_eq!(server.get("/api/runs/T001").is(200).json()["run"]["evidence"], "unverified");
        for path in [format!("/api/runs/T001/{id}/report"), format!("/api/runs/T001/{id}/verification")] {
            server.get(&path).refuses(409, "conflict");
        }
        let page = server.ask("GET", "/runs", &[("accept", "text/html")], None).is(200).body;
        assert!(page.contains("cannot be trusted") && !page.contains("tone good"), "{page}");
        // A run that a trusted key signed, with a file that another one took the place of.
        depot.lose("heads/quote/T001.json");
        let runner = Machine::new(depot);
        runner.run_and_push(&fleet.key);
        let report = fs::read(runner.workspace.path("evidence/T001/execution-report.json")).unwrap();
        let mut changed = report.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(depot.file(&Depot::blob(&report)), changed).unwrap();
        let server = fleet.server();
        listed(&server, |run| run["evidence"] == "unverified");
        assert_eq!(server.get("/api/runs?decision=PASS").is(200).json()["runs"], Value::Array(Vec::new()));
    });
}

#[test]
fn without_the_depot_nothing_is_shown_and_nothing_is_done() {
    if !super::is_built() {
        return;
    }
    let mut depots = super::depots();
    let depot = depots.remove(0);
    let fleet = Fleet::new(&depot);
    let server = fleet.server();
    let cookie = server.log_in();
    server.get("/api/runs").is(200);
    let away = depot.file("").with_extension("away");
    fs::rename(depot.file(""), &away).unwrap();
    wait_until("the depot is missed", || server.get("/api/runs").status == 503);
    server.get("/api/runs").refuses(503, "infra");
    let page = with_cookie(&server, &cookie, "/runs").is(503);
    assert!(!page.body.contains("PASS"), "{page:?}");
    let order = "0".repeat(64);
    let refused = server.post(&format!("/api/orders/{order}/cancel"), "{}").refuses(503, "infra");
    assert!(refused.contains("nothing was done"), "{refused}");
    server.ask_without_token("GET", &format!("/login?token={}", server.token), &[], None).refuses(503, "infra");
    fs::rename(&away, depot.file("")).unwrap();
    wait_until("the depot is back", || server.get("/api/runs").status == 200);
}

#[test]
fn copies_that_vanish_are_fetched_again() {
    every(|depot| {
        let fleet = Fleet::new(depot);
        Machine::new(depot).run_and_push(&fleet.key);
        let copies = tempfile::tempdir().unwrap();
        let key = fleet.session_key();
        let mut command = fleet.machine.command(&["serve", "--fleet", "--session-key", key.to_str().unwrap()]);
        command.env("TMPDIR", copies.path());
        let server = Server::spawn(command);
        listed(&server, passes);
        for found in fs::read_dir(copies.path()).unwrap() {
            fs::remove_dir_all(found.unwrap().path()).unwrap();
        }
        listed(&server, passes);
    });
}

#[test]
fn each_server_writes_a_log_that_only_holders_of_the_key_can_write() {
    every(|depot| {
        let fleet = Fleet::new(depot);
        let servers = [fleet.server(), fleet.server()];
        for server in &servers {
            drop(server.log_in());
        }
        let order = "ab".repeat(32);
        servers[0].ask_without_token("POST", &format!("/api/orders/{order}/cancel"), &[], Some("{}")).is(401);
        let logs = fleet.audit().exits(0).json();
        let logs = logs["servers"].as_array().unwrap();
        let totals: Vec<u64> = logs.iter().map(|log| log["total"].as_u64().unwrap()).collect();
        assert!(totals == [2, 1] || totals == [1, 2], "{logs:?}");
        let subjects = logs.iter().flat_map(|log| log["lines"].as_array().unwrap()).map(|line| &line["subject"]);
        assert_eq!(subjects.filter(|subject| **subject == order).count(), 1);
        let of = |log: &Value, number: u32| format!("audit/{}/{number:020}", log["server"].as_str().unwrap());
        let (two, one) = if totals[0] == 2 { (&logs[0], &logs[1]) } else { (&logs[1], &logs[0]) };
        // A line of another log is none of this one.
        let line = fs::read(depot.file(&of(one, 1))).unwrap();
        let own = fs::read(depot.file(&of(two, 1))).unwrap();
        fs::write(depot.file(&of(two, 1)), &line).unwrap();
        assert!(fleet.audit().exits(1).stderr.contains("no server with this session key wrote it"));
        fs::write(depot.file(&of(two, 1)), own).unwrap();
        fleet.audit().exits(0);
        depot.lose(&of(two, 1));
        assert!(fleet.audit().exits(1).stderr.contains("line 1"));
    });
}

#[test]
fn a_fleet_needs_a_key_and_keeps_no_incidents() {
    let depots = super::depots();
    let fleet = Fleet::new(&depots[0]);
    let key = fleet.session_key();
    let key = key.to_str().unwrap();
    let refused = |arguments: &[&str], part: &str| {
        let all = [&["serve", "--fleet"], arguments].concat();
        let refused = fleet.machine.referee(&all).exits(2);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    };
    refused(&[], "--session-key");
    refused(&["--session-key", key, "--agent", "x"], "--agent");
    refused(&["--session-key", key, "--agent", "x", "--agent-label", "y"], "--agent");
    let mut command = fleet.machine.command(&["serve", "--fleet", "--session-key", key]);
    let unnamed = finish(command.env_remove("REFEREE_PROJECT").spawn().unwrap()).exits(2);
    assert!(unnamed.stderr.contains("--project"), "{}", unnamed.stderr);
    fs::set_permissions(key, fs::Permissions::from_mode(0o640)).unwrap();
    refused(&["--session-key", key], "chmod 600");
    fs::write(key, [7; 31]).unwrap();
    fs::set_permissions(key, fs::Permissions::from_mode(0o600)).unwrap();
    refused(&["--session-key", key], "32 bytes");
    fs::write(key, [7; 32]).unwrap();
    if !super::is_built() {
        return;
    }
    let server = fleet.server();
    for path in ["/api/errors/incidents", "/api/errors/incidents/x", "/api/events", "/api/debt", "/incidents/x"] {
        let message = server.get(path).refuses(404, "not_found");
        assert!(message.contains("machine that keeps them"), "{message}");
    }
    server.post("/api/errors/incidents", "{}").refuses(404, "not_found");
    assert_eq!(server.get("/").is(303).headers["location"], "/runs");
}
