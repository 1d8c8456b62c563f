//! Where a host plays: a project that fails its check, a home, and a network with a loopback alone.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::host::Host;
use crate::support::{Finished, Workspace, finish, program, repository};

/// Where the model listens. Each network is its own, so the port is always free.
pub(super) const PORT: u16 = 8181;

/// What the host is asked to do.
const TASK: &str = "Please let the sum be one.";

/// Seconds after which a host is ended that has not ended by itself.
const SECONDS: u64 = 300;

/// A network, and processes that end with it. What is started there first brings the loopback up.
const ALONE: [&str; 10] = [
    "-rn",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--",
    "sh",
    "-c",
    "ip link set lo up && exec \"$@\"",
    "sh",
];

/// A host with its project.
pub(super) struct Stage<'host> {
    host: &'host Host,
    version: String,
    workspace: Workspace,
    home: TempDir,
    /// The first directory of the search path: `node` and, in most scenes, `referee`.
    programs: TempDir,
}

/// What became of a play.
#[derive(Debug)]
pub(super) struct Played {
    /// The host and its version.
    host: String,
    finished: Finished,
    /// What the model was asked, in order, without asides.
    requests: Vec<Value>,
}

impl<'host> Stage<'host> {
    /// A project that is enrolled and fails its check, with the host's hooks; None where the host cannot be tried here, which
    /// is said.
    pub(super) fn of(host: &'host Host) -> Option<Self> {
        let Some(version) = host.version() else {
            say_once(format!("skipped: {} is not installed; .ci/hosts installs it and runs these tests", host.name));
            return None;
        };
        if !has_networks() {
            say_once(format!("skipped: {} {version}: this machine gives no network of one's own", host.name));
            return None;
        }
        let workspace = Workspace::with("checks:\n  sum: grep -q 'a + b' calc.py\n")
            .file("calc.py", "def add(a, b):\n    return a - b\n");
        let directory = || tempfile::Builder::new().prefix("referee-host-").tempdir().unwrap();
        let stage = Self { host, version, workspace, home: directory(), programs: directory() };
        symlink(found("node"), stage.programs.path().join("node")).unwrap();
        symlink(program(), stage.programs.path().join("referee")).unwrap();
        if let Some((name, content)) = &host.settings {
            let path = stage.home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        stage.run(program(), &["enroll"]).exits(0);
        stage.configure(&[]);
        Some(stage)
    }

    /// Writes the host's hooks.
    pub(super) fn configure(&self, more: &[&str]) {
        let user: &[&str] = if self.host.for_the_user { &["--user"] } else { &[] };
        self.run(program(), &[&["hook", "config", self.host.name, "--write"], user, more].concat()).exits(0);
    }

    /// Writes the entry by which the host of a project starts Referee's tools.
    pub(super) fn configure_tools(&self) {
        self.run(program(), &["mcp", "config", self.host.name, "--write"]).exits(0);
    }

    /// Takes Referee off the search path.
    pub(super) fn without_referee(&self) {
        fs::remove_file(self.programs.path().join("referee")).unwrap();
    }

    /// Puts a script in Referee's place.
    pub(super) fn referee_is(&self, script: &str) {
        self.without_referee();
        let path = self.programs.path().join("referee");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Has the host do its task before a model that plays this.
    pub(super) fn play(&self, play: &Value) -> Played {
        let mut play = play.clone();
        play["port"] = PORT.into();
        play["seconds"] = SECONDS.into();
        let file = self.home.path().join("play.json");
        let log = self.home.path().join("model.jsonl");
        fs::write(&file, play.to_string()).unwrap();
        fs::write(&log, "").unwrap();
        let mut command = self.command(Path::new("unshare"));
        command
            .args(ALONE)
            .arg("node")
            .arg(repository().join("crates/cli/tests/it/hosts/model.mjs"))
            .arg(file)
            .arg(&log);
        command.arg(self.host.directory().unwrap().join(".bin").join(self.host.program));
        command.args(self.host.words).arg(TASK).envs(self.host.variables.iter().cloned());
        let finished = finish(command.spawn().unwrap());
        let requests = fs::read_to_string(&log).unwrap();
        let requests = requests.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let requests = requests.filter(|request| request["aside"] == json!(false)).collect();
        Played { host: format!("{} {}", self.host.name, self.version), finished, requests }
    }

    /// Asks the gate, as a person does after it.
    pub(super) fn gate(&self, code: i32) {
        self.run(program(), &["gate"]).exits(code);
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Finished {
        finish(self.command(program).args(arguments).spawn().unwrap())
    }

    fn command(&self, program: &Path) -> Command {
        let path = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", self.programs.path().display());
        let mut command = Command::new(program);
        command
            .current_dir(self.workspace.path(""))
            .env_clear()
            .envs([("PATH", path.as_str()), ("LANG", "C.UTF-8"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("CI", "1")])
            .env("HOME", self.home.path())
            .env("REFEREE_STATE_DIR", self.workspace.state())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Played {
    /// Fails where the host ended otherwise. 250: the model was called too often; 251: the host did not end.
    #[track_caller]
    pub(super) fn ends(self, code: i32) -> Self {
        assert_eq!(self.finished.code, Some(code), "{self:#?}");
        self
    }

    /// Fails where the host had to be ended.
    #[track_caller]
    pub(super) fn ends_by_itself(self) -> Self {
        assert!(self.finished.code.is_some_and(|code| code != 250 && code != 251), "{self:#?}");
        self
    }

    /// What Referee said to the model, as the model got it.
    pub(super) fn blocks(&self) -> Vec<&str> {
        let last = self.requests.iter().filter(|request| request["tool"] == json!(false));
        last.filter_map(|request| request["last"].as_str()).filter(|last| last.contains("[referee]")).collect()
    }

    /// The documents that the model got from tools, in order.
    pub(super) fn documents(&self) -> Vec<Value> {
        let told = self.requests.iter().filter(|request| request["tool"] == json!(true));
        told.filter_map(|request| serde_json::from_str(request["last"].as_str()?).ok()).collect()
    }

    /// Everything that the person was shown.
    pub(super) fn told(&self) -> String {
        format!("{}\n{}", self.finished.stdout, self.finished.stderr)
    }

    /// Notes what was measured, for the table in docs/design/hosts.md.
    pub(super) fn seen(&self, what: &str) {
        say(&format!(
            "seen: {}: {what}: {} calls of the model, {} blocks, exit {}",
            self.host,
            self.requests.len(),
            self.blocks().len(),
            self.finished.code.unwrap_or(-1)
        ));
    }
}

/// Says something beside what a test prints, which is seen only where it fails.
fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn say_once(line: String) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap();
    if !said.contains(&line) {
        say(&line);
        said.push(line);
    }
}

/// Whether a process here can have a network of its own, with a loopback.
fn has_networks() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let mut command = Command::new("unshare");
        command.args(ALONE).arg("true").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// Where a program lies on the search path of these tests.
fn found(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|path| path.is_file()).unwrap()
}
