//! Evidence in depots: pushed by one machine and pulled by another one, with all that a depot can do to it.

use std::fs;
use std::process::Command;

use referee_testkit::object_storage::SECRET_KEY;
use serde_json::Value;
use tempfile::TempDir;

use self::server::{Depot, bucket, bucket_over_tls, depots};
use crate::support::{Finished, Workspace, finish, program, skipped};

mod served;
mod server;

const CHECKS: &str = "checks:\n  speak: echo hello\n  look: { file: referee.yaml }\n";

/// A machine: a workspace with a state directory of its own, and the key that the runners share.
struct Machine<'depot> {
    workspace: Workspace,
    depot: &'depot Depot,
}

/// The key of the runners, outside of all workspaces.
struct Key(TempDir);

impl Key {
    fn new() -> Self {
        let key = Self(tempfile::tempdir().unwrap());
        Workspace::new().referee(&["key", "new", "--out", &key.private()]).exits(0);
        key
    }

    fn private(&self) -> String {
        self.0.path().canonicalize().unwrap().join("ci.pem").display().to_string()
    }

    fn public(&self) -> String {
        self.0.path().canonicalize().unwrap().join("ci.pub.pem").display().to_string()
    }
}

impl<'depot> Machine<'depot> {
    fn new(depot: &'depot Depot) -> Self {
        Self { workspace: Workspace::with(CHECKS), depot }
    }

    /// A machine that trusts the runners.
    fn trusting(depot: &'depot Depot, key: &Key) -> Self {
        let machine = Self::new(depot);
        machine.referee(&["key", "trust", &key.public(), "--name", "CI", "--as", "runner"]).exits(0);
        machine
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.workspace.command(arguments);
        command.envs(self.depot.environment(SECRET_KEY)).env("REFEREE_DEPOT", self.depot.url());
        command
    }

    fn referee(&self, arguments: &[&str]) -> Finished {
        finish(self.command(arguments).spawn().unwrap())
    }

    fn run(&self, key: &Key) {
        self.referee(&["run", "-q", "--key", &key.private()]).exits(0);
    }

    fn run_and_push(&self, key: &Key) {
        self.run(key);
        self.push().exits(0);
    }

    fn push(&self) -> Finished {
        self.referee(&["evidence", "push"])
    }

    fn pull(&self) -> Finished {
        self.referee(&["evidence", "pull"])
    }

    fn has_run(&self) -> bool {
        self.workspace.path("evidence/T001").exists()
    }

    /// The states of the axes of the latest run.
    fn axis(&self, name: &str) -> String {
        let arguments = ["evidence", "verify", "evidence/T001", "--replay", "--format", "json"];
        let verified = self.referee(&arguments).exits(0).json();
        let axes = verified["axes"].as_array().unwrap();
        let axis = axes.iter().find(|axis| axis["name"] == name).unwrap_or_else(|| panic!("{verified}"));
        axis["state"].as_str().unwrap().to_owned()
    }
}

/// Whether the program that speaks with depots was built.
pub(crate) fn is_built() -> bool {
    let is_built = program().with_file_name("referee-fleet").is_file();
    if !is_built {
        skipped("no referee-fleet: cargo build --manifest-path crates/fleet/Cargo.toml --target-dir target");
    }
    is_built
}

/// Holds something against every depot.
fn every(check: impl Fn(&Depot)) {
    if is_built() {
        depots().iter().for_each(check);
    }
}

#[test]
fn another_machine_pulls_what_was_pushed_verifies_it_and_goes_on_with_the_chain() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.run(&key);
        here.run_and_push(&key);
        let pulled = there.pull().exits(0);
        assert!(pulled.stdout.contains("pulled to evidence/T001"), "{}", pulled.stdout);
        assert_eq!(there.workspace.evidence("T001"), here.workspace.evidence("T001"));
        for axis in ["integrity", "chain", "signature", "trust", "replay"] {
            assert_eq!(there.axis(axis), "holds", "{axis}");
        }
        assert!(there.pull().exits(0).stdout.contains("up to date"));
        assert!(there.push().exits(0).stdout.contains("0 files"));

        there.run_and_push(&key);
        here.referee(&["key", "trust", &key.public(), "--name", "CI", "--as", "runner"]).exits(0);
        here.pull().exits(0);
        assert_eq!(here.axis("chain"), "holds");
        let list = here.referee(&["evidence", "list", "--format", "json"]).exits(0).json();
        let numbers: Vec<_> = list["runs"].as_array().unwrap().iter().map(|run| run["sequence"].clone()).collect();
        assert_eq!(numbers, [3, 2, 1]);
    });
}

#[test]
fn a_run_is_pushed_once_it_is_sealed() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        let run = here.referee(&["run", "-q", "--key", &key.private(), "--evidence", &depot.url()]).exits(0);
        assert!(run.stderr.contains("pushed to"), "{}", run.stderr);
        there.pull().exits(0);
        assert_eq!(there.workspace.evidence("T001"), here.workspace.evidence("T001"));
        here.workspace.write("referee.yaml", "checks: 7\n");
        here.referee(&["run", "-q", "--evidence", &depot.url()]).exits(3);
        let out = there.referee(&["evidence", "pull", "T001", "--out", "copy", "--unsigned"]).exits(0);
        assert!(out.stdout.contains("in copy"), "{}", out.stdout);
        there.referee(&["evidence", "verify", "copy"]).exits(1);
    });
}

#[test]
fn what_an_answer_of_the_gate_or_of_ci_rests_on_is_in_the_depot() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        let asked = ["--key", &key.private(), "--evidence", &depot.url(), "--format", "json"];
        let is_there = |basis: &str, gate: &Finished| {
            assert!(gate.stdout.contains(&format!("\"basis\": \"{basis}\"")), "{}", gate.stdout);
            assert!(gate.stderr.contains("pushed to"), "{}", gate.stderr);
            there.pull().exits(0);
            assert_eq!(there.workspace.evidence("T001"), here.workspace.evidence("T001"), "{basis}");
        };
        // This run is not pushed, and its verdict is the one that answers next.
        here.run(&key);
        is_there("recorded", &here.referee(&[&["gate"], &asked[..]].concat()).exits(0));
        is_there("ran", &here.referee(&[&["gate", "--no-reuse"], &asked[..]].concat()).exits(0));
        let ci = here.referee(&[&["ci"], &asked[..]].concat()).exits(0);
        assert!(ci.stderr.contains("pushed to"), "{}", ci.stderr);
        there.pull().exits(0);
        assert_eq!(there.workspace.evidence("T001"), here.workspace.evidence("T001"));
    });
}

#[test]
fn the_gate_and_ci_have_no_verdict_without_their_depot() {
    if !is_built() {
        return;
    }
    let workspace = Workspace::with(CHECKS);
    let away = format!("file://{}", workspace.path("away").display());
    for command in ["gate", "ci"] {
        let lost = workspace.referee(&[command, "--evidence", &away, "--format", "json"]).exits(74);
        assert!(lost.stderr.contains("referee evidence push"), "{}", lost.stderr);
        assert!(!lost.stdout.contains("PASS"), "{}", lost.stdout);
        assert!(workspace.path("evidence/T001").exists());
    }
}

#[test]
fn a_gate_that_began_nothing_has_nothing_to_push() {
    if !is_built() {
        return;
    }
    let workspace = Workspace::with("checks:\n  slow: sleep 2\n");
    workspace.referee(&["gate"]).exits(0);
    workspace.write("new.txt", "");
    let away = format!("file://{}", workspace.path("away").display());
    let asked = ["gate", "--deadline", "2s", "--evidence", &away, "--format", "json"];
    let answer = workspace.referee(&asked).exits(7).json();
    assert_eq!((&answer["decision"], &answer["tasks"]), (&"BLOCKED".into(), &serde_json::json!([])), "{answer:#}");
}

#[test]
fn a_run_that_is_larger_than_it_may_be_is_refused_before_any_of_it_is_there() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.run_and_push(&key);
        let refused = there.referee(&["evidence", "pull", "--max-bytes", "1KB"]).exits(1);
        assert!(refused.stderr.contains("at most 1000 bytes are pulled"), "{}", refused.stderr);
        assert!(!there.has_run());
        let out = ["evidence", "pull", "T001", "--out", "copy", "--max-bytes", "1KB"];
        there.referee(&out).exits(1);
        assert!(!there.workspace.path("copy").exists());
        there.referee(&["evidence", "pull", "--max-bytes", "1000"]).exits(2);
        there.referee(&["evidence", "pull", "--max-bytes", "1MB"]).exits(0);
    });
}

#[test]
fn what_nobody_signed_is_published_only_where_a_person_accepts_it() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.referee(&["run", "-q"]).exits(0);
        here.push().exits(0);
        let refused = there.pull().exits(1);
        assert!(refused.stderr.contains("cannot be trusted"), "{}", refused.stderr);
        let required = there.referee(&["evidence", "pull", "--key", &key.public()]).exits(74);
        assert!(required.stderr.contains("does not verify"), "{}", required.stderr);
        let mut agent = there.command(&["evidence", "pull", "--unsigned"]);
        finish(agent.env("CLAUDECODE", "1").spawn().unwrap()).exits(2);
        assert!(!there.has_run());
        there.referee(&["evidence", "pull", "--unsigned"]).exits(0);
        assert!(there.has_run());
    });
}

#[test]
fn an_object_that_was_meddled_with_is_named_and_nothing_is_published() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.run_and_push(&key);
        let evidence = here.workspace.evidence("T001");
        let head = fs::read(depot.file("heads/quote/T001.json")).unwrap();
        for name in ["execution-report.json", "run.json", "journal.jsonl", "seal.json"] {
            let content = &evidence[name];
            let object = Depot::blob(content);
            let mut swapped = content.clone();
            swapped[0] ^= 1;
            for wrong in [&content[..content.len() / 2], &[], &swapped, &evidence["plan.json"]] {
                fs::write(depot.file(&object), wrong).unwrap();
                let refused = there.pull().exits(74);
                assert!(refused.stderr.contains(&object), "{name}: {}", refused.stderr);
            }
            depot.lose(&object);
            let lost = there.pull().exits(74);
            assert!(lost.stderr.contains(&object) && lost.stderr.contains("is missing"), "{}", lost.stderr);
            assert!(!there.has_run());
            here.push().exits(0);
        }
        for wrong in [&head[..head.len() / 2], b"{}", b""] {
            fs::write(depot.file("heads/quote/T001.json"), wrong).unwrap();
            assert!(there.pull().exits(74).stderr.contains("heads/quote/T001.json"));
        }
        fs::write(depot.file("heads/quote/T001.json"), head).unwrap();
        there.pull().exits(0);
    });
}

#[test]
fn a_signature_that_was_taken_away_or_changed_is_noticed() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.run_and_push(&key);
        let seal = Depot::blob(&here.workspace.evidence("T001")["seal.json"]);
        let statements = depot.file(&seal.replace("blobs/", "statements/"));
        let signed = fs::read(&statements).unwrap();
        for wrong in [&b""[..], &signed[..signed.len() / 2], b"{}\n"] {
            fs::write(&statements, wrong).unwrap();
            assert!(there.pull().exits(74).stderr.contains("does not verify"));
            there.referee(&["evidence", "pull", "--unsigned"]).exits(74);
        }
        fs::remove_file(&statements).unwrap();
        assert!(there.pull().exits(1).stderr.contains("only the seal"));
        assert!(!there.has_run());
    });
}

#[test]
fn a_head_that_was_set_back_is_noticed_by_who_knows_better() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.run_and_push(&key);
        let old = fs::read(depot.file("heads/quote/T001.json")).unwrap();
        here.run_and_push(&key);
        there.pull().exits(0);
        let newest = there.workspace.evidence("T001");
        fs::write(depot.file("heads/quote/T001.json"), old).unwrap();
        let refused = there.pull().exits(1);
        assert!(refused.stderr.contains("the depot was set back"), "{}", refused.stderr);
        assert_eq!(there.workspace.evidence("T001"), newest);
    });
}

#[test]
fn of_two_machines_that_push_at_once_one_moves_the_head_and_the_other_is_told() {
    every(|depot| {
        let key = Key::new();
        let machines = [Machine::trusting(depot, &key), Machine::trusting(depot, &key)];
        machines[0].run_and_push(&key);
        machines[1].pull().exits(0);
        for machine in &machines {
            machine.run(&key);
        }
        let pushing = machines.each_ref().map(|machine| machine.command(&["evidence", "push"]).spawn().unwrap());
        let pushed = pushing.map(finish);
        let mut codes: Vec<_> = pushed.iter().map(|pushed| pushed.code).collect();
        codes.sort();
        assert_eq!(codes, [Some(0), Some(1)], "{pushed:?}");
        let (winner, loser) = if pushed[0].code == Some(0) { (0, 1) } else { (1, 0) };
        assert!(pushed[loser].stderr.contains("does not follow it: another machine pushed"), "{pushed:?}");
        let refused = machines[loser].pull().exits(1);
        assert!(refused.stderr.contains("does not follow the newest one of this machine"), "{}", refused.stderr);
        let fresh = Machine::trusting(depot, &key);
        fresh.pull().exits(0);
        assert_eq!(fresh.workspace.evidence("T001"), machines[winner].workspace.evidence("T001"));
    });
}

#[test]
fn what_was_removed_is_told_from_what_was_lost() {
    every(|depot| {
        let key = Key::new();
        let (here, there) = (Machine::new(depot), Machine::trusting(depot, &key));
        here.run_and_push(&key);
        let seal: Value = serde_json::from_slice(&here.workspace.evidence("T001")["seal.json"]).unwrap();
        let first = seal["executionId"].as_str().unwrap().to_owned();
        let journal = Depot::blob(&here.workspace.evidence("T001")["journal.jsonl"]);
        here.run_and_push(&key);
        let prune = |more: &[&str]| {
            let arguments = ["evidence", "prune", "--keep", "0", "--from", &depot.url()];
            here.referee(&arguments.iter().chain(more).copied().collect::<Vec<_>>()).exits(0).stdout
        };
        assert!(prune(&["--dry-run"]).contains("would be removed") && depot.file(&journal).exists());
        assert!(prune(&[]).contains(&first) && !depot.file(&journal).exists());
        assert!(prune(&[]).starts_with("0 runs"));
        let old = |out: &str| there.referee(&["evidence", "pull", "T001", "--run", &first, "--out", out]);
        let removed = old("old").exits(1);
        assert!(removed.stderr.contains("was removed from the depot at"), "{}", removed.stderr);
        there.pull().exits(0);
        assert_eq!(there.axis("chain"), "holds");
        let tombstones = depot.file("tombstones");
        fs::remove_dir_all(tombstones).unwrap();
        let lost = old("lost").exits(74);
        assert!(lost.stderr.contains("is missing in the depot"), "{}", lost.stderr);
        assert!(!there.workspace.path("old").exists() && !there.workspace.path("lost").exists());
    });
}

#[test]
fn without_the_depot_there_is_no_verdict_and_the_run_is_kept() {
    if !is_built() {
        return;
    }
    let Some(mut depot) = bucket() else { return };
    let machine = Machine::new(&depot);
    let typed = ["run", "-q", "--evidence", "s3://evidence/team-a"];
    let denied =
        finish(machine.command(&typed).env("AWS_SECRET_ACCESS_KEY", "wrong-s3cret").spawn().unwrap()).exits(74);
    assert!(denied.stderr.contains("refuses access") && denied.stdout.is_empty(), "{denied:?}");
    assert!(!denied.stderr.contains("s3cret") && !denied.stderr.contains(SECRET_KEY), "{}", denied.stderr);
    assert!(machine.has_run());
    let text = String::from_utf8_lossy(&machine.workspace.evidence("T001").into_values().flatten().collect::<Vec<_>>())
        .into_owned();
    assert!(!text.contains("wrong-s3cret"));

    let workspace = machine.workspace;
    let environment = depot.environment(SECRET_KEY);
    depot.stop();
    let away = |arguments: &[&str]| finish(workspace.command(arguments).envs(environment.clone()).spawn().unwrap());
    let lost = away(&typed).exits(74);
    assert!(
        lost.stderr.contains("does not answer") && lost.stderr.contains("referee evidence push"),
        "{}",
        lost.stderr
    );
    away(&["evidence", "push", "--to", "s3://evidence"]).exits(74);
    away(&["evidence", "pull", "--from", "s3://evidence"]).exits(74);
}

#[test]
fn over_https_the_server_has_to_prove_who_it_is() {
    if !is_built() {
        return;
    }
    let Some((depot, authority)) = bucket_over_tls() else { return };
    let machine = Machine::new(&depot);
    machine.referee(&["run", "-q"]).exits(0);
    let endpoint = format!("https://localhost:{}", depot.port());
    let push = |certificates: Option<&str>| {
        let mut command = machine.command(&["evidence", "push"]);
        command.env("AWS_ENDPOINT_URL", &endpoint);
        command.envs(certificates.map(|name| ("SSL_CERT_FILE", authority.path().join(name))));
        finish(command.spawn().unwrap())
    };
    assert!(push(None).exits(74).stderr.contains("certificate"));
    push(Some("ca.pem")).exits(0);
}

#[test]
fn a_depot_that_cannot_be_used_is_told_before_anything_runs() {
    if !is_built() {
        return;
    }
    let workspace = Workspace::with(CHECKS);
    for (url, part) in [
        ("https://host/bucket", "not the address of a depot"),
        ("s3://Bucket", "not the name of a bucket"),
        ("file://host/x", "not a file URL"),
    ] {
        let refused = workspace.referee(&["run", "--evidence", url]).exits(2);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    assert!(!workspace.path("evidence/T001").exists());
    let alone = tempfile::tempdir_in(program().parent().unwrap()).unwrap();
    fs::hard_link(program(), alone.path().join("referee")).unwrap();
    let mut command = Command::new(alone.path().join("referee"));
    command.args(["run", "--evidence", "depot"]).current_dir(workspace.path("")).env("HOME", workspace.state());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("referee-fleet is missing: install it beside referee"), "{told}");
}
