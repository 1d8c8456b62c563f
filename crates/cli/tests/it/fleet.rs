//! Runs that a worker performs on another machine: what both programs say before there is a queue, and, with a real queue,
//! that a run is the same wherever it takes place.

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use self::queue::Queue;
use crate::depot::is_built;
use crate::support::{Finished, Workspace, finish, processes_with, replace_all, wait_until};

mod agent_stop;
mod agent_turns;
mod incident_takeover;
mod orders;
mod parts;
mod queue;
mod receipts;
mod sandbox;
mod standby;
mod takeover;

const CHECKS: &str = "checks:\n  speak: echo hello\n";

/// Number of fleets so far: each has a label of its own.
static FLEETS: AtomicUsize = AtomicUsize::new(0);

/// The machine that asks, one that works, and a depot in a directory between them.
struct Fleet {
    asker: Workspace,
    /// Home and state directory of the worker, with its key.
    worker: Workspace,
    depot: TempDir,
    label: String,
}

impl Fleet {
    fn new(specification: &str) -> Self {
        let fleet = Self {
            asker: Workspace::with(specification),
            worker: Workspace::new(),
            depot: tempfile::tempdir().unwrap(),
            label: format!("tests-{}", FLEETS.fetch_add(1, Ordering::Relaxed)),
        };
        let (key, public) = (fleet.key("pem"), fleet.key("pub.pem"));
        fleet.worker.referee(&["key", "new", "--out", &key]).exits(0);
        fleet.asker.referee(&["key", "trust", &public, "--name", "worker 1", "--as", "worker"]).exits(0);
        fleet
    }

    /// The key of the worker, outside of its workspace.
    fn key(&self, ending: &str) -> String {
        self.depot.path().canonicalize().unwrap().join(format!("worker.{ending}")).display().to_string()
    }

    fn url(&self) -> String {
        let directory = self.depot.path().canonicalize().unwrap().join("depot");
        fs::create_dir_all(&directory).unwrap();
        format!("file://{}", directory.display())
    }

    fn command(&self, workspace: &Workspace, arguments: &[&str]) -> Command {
        let mut command = workspace.command(arguments);
        command.env("REFEREE_DEPOT", self.url());
        command
    }

    fn run(&self, more: &[&str]) -> Finished {
        let arguments = [&["run", "--fleet", "--label", &self.label, "--format", "json"], more].concat();
        let mut command = self.command(&self.asker, &arguments);
        command.envs(Queue::shared().map(Queue::address));
        finish(command.spawn().unwrap())
    }

    /// Starts a worker with the label of this test.
    fn work(&self) -> Worker {
        Worker::start(self.worker_command(&self.key("pem"), &[]))
    }

    /// Returns the command of a worker with the label of this test, a key, and more options.
    fn worker_command(&self, key: &str, options: &[&str]) -> Command {
        let arguments = [&["worker", "--label", &self.label, "--key", key], options].concat();
        let mut command = self.command(&self.worker, &arguments);
        command.envs(Queue::shared().map(Queue::address));
        command
    }

    /// Performs an order as the program does that a worker is, and returns the lines.
    fn perform(&self, request: &Value) -> (Finished, Vec<Value>) {
        let key = self.key("pem");
        let mut command = self.command(&self.worker, &["worker", "perform", "--key", &key]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(request.to_string().as_bytes()).unwrap();
        let finished = finish(child);
        let lines = finished.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (finished, lines)
    }
}

/// A worker that is stopped when the test is over.
struct Worker(Child);

impl Worker {
    fn start(mut command: Command) -> Self {
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(Command::new("kill").arg(self.0.id().to_string()).status());
        drop(self.0.wait());
    }
}

fn has_queue() -> bool {
    is_built() && Queue::shared().is_some()
}

#[test]
fn a_run_on_workers_says_what_it_lacks_before_anything_runs() {
    let workspace = Workspace::with(CHECKS);
    let refused = |arguments: &[&str], part: &str| {
        let refused = workspace.referee(arguments).exits(2);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    };
    for command in ["run", "gate"] {
        refused(&[command, "--fleet"], "--evidence, or set REFEREE_DEPOT");
        refused(&[command, "--label", "gpu"], "--fleet");
        refused(&[command, "--parts", "2"], "--fleet");
        refused(&[command, "--fleet", "--parts", "0", "--evidence", "depot"], "from 1 to 64");
        refused(&[command, "--fleet", "--parts", "65", "--evidence", "depot"], "from 1 to 64");
        refused(&[command, "--fleet", "--label", "GPU", "--evidence", "depot"], "--label");
        refused(&[command, "--fleet", "--clean-room", "--keep-room", "--evidence", "depot"], "cannot be used with");
        refused(&[command, "--fleet", "--evidence", "depot"], "no worker is trusted");
    }
    assert!(!workspace.path("evidence/T001").exists());
}

#[test]
fn a_worker_needs_labels_and_a_key() {
    let workspace = Workspace::new();
    let refused = workspace.referee(&["worker"]).exits(2);
    assert!(refused.stderr.contains("--label"), "{}", refused.stderr);
    let mut command = workspace.command(&["worker", "--label", "linux"]);
    let refused = finish(command.env("XDG_CONFIG_HOME", workspace.path("no")).spawn().unwrap()).exits(2);
    assert!(refused.stderr.contains("referee key new"), "{}", refused.stderr);
    workspace.referee(&["worker", "--label", "linux", "--key", "no.pem"]).exits(2);
    let help = workspace.referee(&["worker", "--help"]).exits(0).stdout;
    assert!(!help.contains("perform the order") && !help.contains("Commands:"), "{help}");
}

#[test]
fn without_the_depot_or_the_queue_there_is_no_verdict() {
    if !is_built() {
        return;
    }
    let fleet = Fleet::new(CHECKS);
    let away = format!("file://{}", fleet.asker.path("away").display());
    let lost = fleet.run(&["--evidence", &away]).exits(74);
    assert!(!lost.stdout.contains("PASS"), "{}", lost.stdout);
    let mut command = fleet.command(&fleet.asker, &["run", "--fleet", "--label", &fleet.label, "--format", "json"]);
    // Nobody listens at this port.
    let lost = finish(command.env("TEMPORAL_ADDRESS", "127.0.0.1:1").spawn().unwrap()).exits(74);
    assert!(!lost.stdout.contains("PASS"), "{}", lost.stdout);
}

#[test]
fn what_no_worker_could_perform_is_refused_and_what_another_one_might_is_not_answered() {
    if !is_built() {
        return;
    }
    let fleet = Fleet::new(CHECKS);
    let version = fleet.asker.referee(&["--version"]).exits(0).stdout;
    let version = version.trim().rsplit(' ').next().unwrap().to_owned();
    let digest = "0".repeat(64);
    let request = |version: &str, depot: &str| {
        json!({
            "order": {
                "project": "quote", "tree": { "sha256": digest, "bytes": 10 }, "inputs": digest,
                "specification": "referee.yaml", "specificationDigest": digest, "task": "T001", "leftOut": {},
                "jobs": null, "timeoutMs": null, "engineVersion": version, "labels": [],
            },
            "depot": { "kind": "files", "directory": depot },
            "attempt": 1,
        })
    };
    let depot = fleet.url();
    fleet.asker.referee(&["run", "--evidence", &depot]).exits(0);
    let depot = depot.strip_prefix("file://").unwrap();
    for (request, part) in [(request("0.0.1", depot), "0.0.1"), (request(&version, depot), "missing")] {
        let (finished, lines) = fleet.perform(&request);
        let outcome = &lines.last().unwrap_or_else(|| panic!("{finished:?}"))["outcome"];
        assert_eq!((finished.code, &outcome["kind"]), (Some(0), &json!("refused")), "{finished:?}");
        assert!(outcome["reason"].as_str().unwrap().contains(part), "{outcome}");
    }
    let away = fleet.asker.path("away").display().to_string();
    let (finished, lines) = fleet.perform(&request(&version, &away));
    assert!(finished.code != Some(0) && lines.is_empty(), "{finished:?}");
    let (finished, lines) = fleet.perform(&json!({ "order": 7 }));
    assert!(finished.code != Some(0) && lines.is_empty(), "{finished:?}");
}

/// Specifications of which a run here and one on a worker have to have the same report, with options of the run.
const CASES: &[(&str, &[&str])] = &[
    ("checks:\n  speak: echo hello from $PWD\n  look: { file: a.txt, minSize: 1 }\n", &[]),
    ("checks:\n  bad: \"cat missing\"\n  next: echo next\n", &[]),
    ("checks:\n  bad: { run: \"cat missing\", continueOnFailure: false }\n  next: echo next\n", &[]),
    ("checks:\n  flaky: { run: \"test -f mark || { touch mark; exit 1; }\", retries: 2 }\n", &[]),
    ("checks:\n  bad: { run: \"exit 3\", retries: 1 }\n", &[]),
    ("checks:\n  one: \"false\"\n  two: { run: echo two, needs: [one] }\n  three: echo three\n", &[]),
    ("checks:\n  one: sleep 0.2\n  two: echo two\n  three: { run: echo 3, needs: [one, two] }\n", &["--jobs", "3"]),
    ("checks:\n  one: echo one\n  two: echo two\n", &["--only", "one"]),
    ("checks:\n  one: echo one\n  two: { run: echo two, needs: [one] }\n", &["--skip", "one"]),
    ("checks:\n  tsc: \"echo 'a.ts(1,2): error TS2304: Cannot find name x.'; exit 2\"\n", &[]),
    ("checks:\n  change: \"echo more >> a.txt\"\n  look: { file: a.txt }\n", &[]),
    ("checks:\n  ask: { http: \"http://127.0.0.1:1/\", status: 200 }\n", &[]),
    ("setup: \"echo installed > deps.txt\"\noutputs: [deps.txt]\nchecks:\n  use: cat deps.txt\n", &[]),
    (
        "services:\n  web: { run: \"python3 -m http.server $PORT --bind 127.0.0.1\", port: auto, ready: \
         \"http://127.0.0.1:${PORT}/a.txt\", timeout: 30s }\nchecks:\n  ask: { http: \"http://127.0.0.1:${PORT}/a.txt\", \
         status: 200 }\n",
        &[],
    ),
];

/// Keys of a report that tell of the machine, of the time and of the place of a run.
const OF_THIS_RUN: &[&str] = &[
    "executionId",
    "processId",
    "reportHash",
    "planDigest",
    "sha256",
    "startTime",
    "endTime",
    "generatedAt",
    "lastModified",
    "failedAt",
    "timestamp",
    "at",
    "duration",
    "durationMs",
    "totalDuration",
    "totalMs",
    "headTime",
    "responseTime",
    "readyAfter",
    "actualDuration",
    "attempts",
    "listensOn",
    "evidence",
    "evidenceFiles",
    "notices",
    "port",
    "pid",
    "headers",
    "events",
    "directory",
];

/// Returns a report without what tells of the machine, of the time and of the place of its run.
fn without_place(value: &mut Value) {
    match value {
        Value::String(text) => {
            *text = replace_all(
                std::mem::take(text),
                &[
                    (r"(/[\w.+-]+){2,}", "PATH"),
                    (r"127\.0\.0\.1:\d+", "HOST"),
                    (r"http\.server \d+", "SERVER"),
                    (r"\d+(\.\d+)? m?s\b", "TIME"),
                    (r"\d+ \(sleep", "PROCESS (sleep"),
                ],
            );
        }
        Value::Array(values) => values.iter_mut().for_each(without_place),
        Value::Object(members) => {
            members.retain(|key, _| !OF_THIS_RUN.contains(&key.as_str()));
            members.values_mut().for_each(without_place);
        }
        _ => {}
    }
}

#[test]
fn a_run_on_a_worker_has_the_report_that_it_has_here() {
    if !has_queue() {
        return;
    }
    for (specification, options) in CASES {
        let fleet = Fleet::new(specification);
        fleet.asker.write("a.txt", "text\n");
        let _worker = fleet.work();
        let remote = fleet.run(options);
        // In a project of its own: debt that the other run has found would not be new.
        let here = Workspace::with(specification).file("a.txt", "text\n");
        let here = here.referee(&[&["run", "--clean-room", "--format", "json"], *options].concat());
        assert_eq!(remote.code, here.code, "{specification}: {remote:?}");
        let (mut remote, mut here) = (remote.json(), here.json());
        assert!(remote.to_string().contains("performed by a worker"), "{specification}");
        without_place(&mut remote);
        without_place(&mut here);
        assert_eq!(remote, here, "{specification}");
    }
}

#[test]
fn what_a_worker_performed_is_evidence_like_any_other_and_names_who_signed_it() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new(CHECKS);
    let _worker = fleet.work();
    fleet.run(&[]).exits(0);
    let arguments = ["evidence", "verify", "evidence/T001", "--replay"];
    fleet.asker.referee(&arguments).exits(0);
    let evidence = fleet.asker.evidence("T001");
    let signed = String::from_utf8(evidence["fleet-result.dsse.json"].clone()).unwrap();
    assert!(signed.contains("application/vnd.referee.run-order-result+json"), "{signed}");
    assert_eq!(evidence["STEP.1-speak.log"], b"hello\n");
}

#[test]
fn a_worker_that_is_not_trusted_has_no_say() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new(CHECKS);
    let other = fleet.key("other.pem");
    fleet.worker.referee(&["key", "new", "--out", &other]).exits(0);
    let _worker = Worker::start(fleet.worker_command(&other, &[]));
    let refused = fleet.run(&[]).exits(74);
    assert!(refused.stderr.contains("cannot be trusted") && !refused.stdout.contains("PASS"), "{refused:?}");
}

#[test]
fn an_order_of_a_worker_that_is_killed_is_performed_by_the_next_one() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new("checks:\n  slow: sleep 3\n");
    let mut first = fleet.work();
    let asking = {
        let mut command = fleet.command(&fleet.asker, &["run", "--fleet", "--label", &fleet.label, "--format", "json"]);
        command.envs(Queue::shared().map(Queue::address));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let orders = fleet.worker.state().join("orders");
    wait_until("an order is performed", || fs::read_dir(&orders).is_ok_and(|mut orders| orders.next().is_some()));
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let _second = fleet.work();
    finish(asking).exits(0);
}

#[test]
fn what_a_killed_worker_performed_ends_with_it_even_if_its_checks_say_nothing() {
    if !has_queue() {
        return;
    }
    let marker = "WHAT_RUNS=the silent check of a killed worker";
    let fleet = Fleet::new(&format!("checks:\n  silent: \"env '{marker}' sleep 4321\"\n"));
    let mut worker = fleet.work();
    let mut command = fleet.command(&fleet.asker, &["run", "--fleet", "--label", &fleet.label]);
    command.envs(Queue::shared().map(Queue::address));
    let asking = command.spawn().unwrap();
    wait_until("the check runs", || !processes_with(marker).is_empty());
    worker.0.kill().unwrap();
    worker.0.wait().unwrap();
    wait_until("nothing of it runs", || processes_with(marker).is_empty());
    drop(Command::new("kill").args(["-INT", &asking.id().to_string()]).status());
    finish(asking).exits(130);
}
