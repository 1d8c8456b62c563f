//! A workspace in a directory of its own, and the program run in it with a cleared environment.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

/// A directory that is gone when the test is over.
pub(crate) struct Workspace {
    directory: TempDir,
    state: TempDir,
    /// The usual place of state directories, which other state directories are mentioned in.
    usual: TempDir,
}

/// What a finished program left.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit code; None where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// Fails the test, with everything that was printed, unless the program exited so.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// What was printed, without the line breaks that make it fit.
    pub(crate) fn told(&self) -> String {
        self.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let directory = || tempfile::Builder::new().prefix("referee-test-").tempdir().unwrap();
        Self { directory: directory(), state: directory(), usual: directory() }
    }

    /// A workspace with this `referee.yaml`.
    pub(crate) fn with(specification: &str) -> Self {
        Self::new().file("referee.yaml", specification)
    }

    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        // Resolved, because reports name resolved paths.
        self.directory.path().canonicalize().unwrap().join(name)
    }

    /// The user's state directory, outside the workspace.
    pub(crate) fn state(&self) -> PathBuf {
        self.state.path().canonicalize().unwrap()
    }

    /// The directories of a task's runs that are being written, or were when they died.
    pub(crate) fn staged(&self, task: &str) -> Vec<PathBuf> {
        let directories = |path: PathBuf| {
            fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        let roots = directories(self.state().join("staging"));
        roots.into_iter().flat_map(|root| directories(root.join(task))).collect()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.tool(program());
        command.args(arguments);
        command
    }

    /// Another program, with the directory, the variables and the pipes of ours.
    pub(crate) fn tool(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.directory.path())
            .env_clear()
            .envs(kept_variables())
            .env("REFEREE_STATE_DIR", self.state())
            .env("XDG_STATE_HOME", self.usual.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn referee(&self, arguments: &[&str]) -> Finished {
        finish(self.command(arguments).spawn().unwrap())
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.signalled(arguments).spawn().unwrap()
    }

    /// The program with signals that are not ignored, whatever whoever runs the tests ignores.
    pub(crate) fn signalled(&self, arguments: &[&str]) -> Command {
        let mut command = self.tool("env");
        command.arg("--default-signal=INT,TERM,HUP,QUIT").arg(program()).args(arguments);
        command
    }

    /// Has a person at a terminal add an approver.
    pub(crate) fn trust_approver(&self, public: &str, name: &str) {
        at_a_terminal(&self.command(&["key", "trust", public, "--name", name, "--as", "approver"]), "").exits(0);
    }

    pub(crate) fn report(&self, task: &str) -> Value {
        let path = self.path(&format!("evidence/{task}/execution-report.json"));
        serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
    }

    /// Every file below the evidence directory of a task, by name.
    pub(crate) fn evidence(&self, task: &str) -> BTreeMap<String, Vec<u8>> {
        let directory = self.path(&format!("evidence/{task}"));
        fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect()
    }
}

/// What a program printed to both streams, without the line breaks that make it fit.
pub(crate) fn words(finished: &Finished) -> String {
    format!("{} {}", finished.stdout, finished.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs it as from a shell of an agent.
pub(crate) fn in_an_agents_shell(workspace: &Workspace, arguments: &[&str]) -> Finished {
    finish(workspace.command(arguments).env("CLAUDECODE", "1").spawn().unwrap())
}

pub(crate) fn edit(path: &Path, change: impl FnOnce(String) -> String) {
    fs::write(path, change(fs::read_to_string(path).unwrap())).unwrap();
}

/// Says what was not tried, and why.
#[expect(clippy::print_stderr, reason = "who runs the tests must see what was not tried")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// Replaces what matches each of these regular expressions, one after the other.
pub(crate) fn replace_all(text: String, patterns: &[(&str, &str)]) -> String {
    patterns
        .iter()
        .fold(text, |text, (pattern, with)| Regex::new(pattern).unwrap().replace_all(&text, *with).into_owned())
}

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_referee"))
}

pub(crate) fn finish(child: Child) -> Finished {
    let output = child.wait_with_output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs git in a directory, for somebody without a configuration of their own, and returns what it printed.
#[track_caller]
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// What tools need to run at all; everything else of the developer's environment stays out.
fn kept_variables() -> impl Iterator<Item = (&'static str, String)> {
    ["PATH", "HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME"]
        .into_iter()
        .filter_map(|name| Some((name, std::env::var(name).ok()?)))
}

/// The result of one action in a report, in whatever phase.
#[track_caller]
pub(crate) fn action<'report>(report: &'report Value, id: &str) -> &'report Value {
    ["prerequisiteExecution", "stepExecution", "cleanupExecution"]
        .iter()
        .flat_map(|phase| report[*phase]["results"].as_array().into_iter().flatten())
        .find(|result| result["actionId"] == id)
        .unwrap_or_else(|| panic!("{id} is not in the report: {report:#}"))
}

/// Runs a command as a person types it at a terminal, who answers what is asked.
pub(crate) fn at_a_terminal(command: &Command, answer: &str) -> Finished {
    let mut typed = referee_testkit::terminal::typed(command, answer);
    finish(typed.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Waits until something holds; the bound is generous and only ends tests that would hang.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_mins(1), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The first of these programs that says its version.
pub(crate) fn first_that_answers(programs: &[&str]) -> Option<String> {
    let answers = |program: &&&str| {
        let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    programs.iter().find(answers).map(|program| (*program).to_owned())
}

/// Processes whose environment holds this text.
pub(crate) fn processes_with(marker: &str) -> Vec<u32> {
    let holds = |path: &Path| {
        fs::read(path.join("environ"))
            .is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|entry| entry == marker.as_bytes()))
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .filter(|entry| holds(&entry.path()))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// The workspace's root directory.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Copies a directory, but for what tools make in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if ["node_modules", "evidence", "dist", "coverage"].iter().any(|made| name == *made) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(name));
        } else {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}
