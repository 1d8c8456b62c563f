//! A fleet on this machine: servers, one who asks, and workers, as processes of the programs.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use referee_testkit::object_storage::{ACCESS_KEY, ObjectStorage, SECRET_KEY};
use referee_testkit::temporal::TemporalServer;
use referee_testkit::terminal;

use super::server;
use super::wait::wait_until;
use crate::process;

/// Time after which something that is waited for does not come any more.
const PATIENCE: Duration = Duration::from_mins(3);

/// The label of all orders and workers.
pub(super) const LABEL: &str = "faults";

/// What is played with.
pub(super) struct Programs {
    /// Directory of `referee` and `referee-fleet`.
    pub(super) referee: PathBuf,
    /// Directory of Temporal's programs.
    pub(super) temporal: PathBuf,
}

/// Servers, and directories of those who ask and of workers.
pub(super) struct Stage<'programs> {
    pub(super) programs: &'programs Programs,
    pub(super) directory: PathBuf,
    pub(super) temporal: TemporalServer,
    pub(super) storage: ObjectStorage,
    /// Where Temporal is asked for, in place of its own port.
    pub(super) address: Option<u16>,
}

impl<'programs> Stage<'programs> {
    /// Starts the servers, with state in a new directory.
    pub(super) fn new(programs: &'programs Programs, directory: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        let temporal = server::temporal(&programs.temporal, &directory.join("temporal"), None)?;
        Self::with_temporal(programs, directory, temporal)
    }

    /// The same, with a server of Temporal that runs already.
    pub(super) fn with_temporal(
        programs: &'programs Programs,
        directory: PathBuf,
        temporal: TemporalServer,
    ) -> io::Result<Self> {
        let storage = server::storage(&directory.join("storage"))?;
        Ok(Self { programs, directory, temporal, storage, address: None })
    }

    /// A file of the stage, which checks may read and write.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn touch(&self, name: &str) -> io::Result<()> {
        fs::write(self.file(name), "")
    }

    /// Number of lines of a file.
    pub(super) fn count(&self, name: &str) -> usize {
        fs::read_to_string(self.file(name)).map_or(0, |text| text.lines().count())
    }

    /// Writes a specification for whoever asks.
    pub(super) fn specify(&self, specification: &str) -> io::Result<()> {
        fs::create_dir_all(self.file("asker"))?;
        fs::write(self.file("asker/referee.yaml"), specification)
    }

    /// Writes a specification of one check, which notes that it ran, and ends when the file `go` is there.
    pub(super) fn specify_slow(&self) -> io::Result<()> {
        let (ran, go) = (self.file("ran"), self.file("go"));
        let (ran, go) = (ran.display(), go.display());
        self.specify(&format!(
            "checks:\n  slow: \"echo $$ >> {ran}; while ! [ -e {go} ]; do sleep 0.1; done; echo done\"\n"
        ))
    }

    /// A command of `referee` in the directory of one who asks, or of a worker, which has a state directory of its own.
    pub(super) fn referee(&self, name: &str, arguments: &[&str]) -> io::Result<Command> {
        let state = self.file(&format!("{name}-state"));
        fs::create_dir_all(&state)?;
        let own = self.file(name);
        fs::create_dir_all(&own)?;
        let mut command = Command::new(self.programs.referee.join("referee"));
        command
            .args(arguments)
            .current_dir(own)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &state)
            .env("REFEREE_STATE_DIR", &state)
            .envs(self.environment())
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Where storage and queue are.
    pub(super) fn environment(&self) -> [(&'static str, String); 6] {
        [
            ("REFEREE_DEPOT", "s3://evidence/team".to_owned()),
            ("REFEREE_PROJECT", "quote".to_owned()),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.to_owned()),
            ("AWS_ENDPOINT_URL", self.storage.url()),
            ("TEMPORAL_ADDRESS", format!("127.0.0.1:{}", self.address.unwrap_or(self.temporal.port))),
        ]
    }

    /// Makes keys of workers, and has whoever asks trust them.
    pub(super) fn trust(&self, workers: &[&str]) -> io::Result<()> {
        for worker in workers {
            self.make_key(worker)?;
            self.trust_at("asker", worker, "worker")?;
        }
        Ok(())
    }

    /// Has somebody trust the key of somebody else, in a role.
    pub(super) fn trust_at(&self, name: &str, other: &str, role: &str) -> io::Result<()> {
        let public = self.file(&format!("{other}.pub.pem")).display().to_string();
        self.tell(name, &["key", "trust", &public, "--name", other, "--as", role])
    }

    /// Has somebody trust the key of `approver`, as only a person at a terminal can.
    pub(super) fn trust_approver(&self, name: &str) -> io::Result<()> {
        let public = self.file("approver.pub.pem").display().to_string();
        let command = self.referee(name, &["key", "trust", &public, "--name", "ada", "--as", "approver"])?;
        process::output(&mut terminal::typed(&command, "")).map(drop)
    }

    /// Runs a command of somebody that succeeds.
    pub(super) fn tell(&self, name: &str, arguments: &[&str]) -> io::Result<()> {
        process::output(&mut self.referee(name, arguments)?).map(drop)
    }

    /// Makes the key of a worker, or of whoever asks.
    pub(super) fn make_key(&self, worker: &str) -> io::Result<()> {
        let key = self.file(&format!("{worker}.pem")).display().to_string();
        let told = process::output(&mut self.referee(worker, &["key", "new", "--out", &key])?)?;
        let id = told.lines().find_map(|line| line.strip_prefix("id "));
        fs::write(self.file(&format!("{worker}.id")), id.unwrap_or_default().trim())
    }

    /// Puts the names of workers in the place of the ids of their keys.
    pub(super) fn with_names(&self, told: &str) -> String {
        let name = |told: String, worker: &str| match read(&self.file(&format!("{worker}.id"))) {
            id if id.is_empty() => told,
            id => told.replace(&id, worker),
        };
        ["worker-1", "worker-2"].into_iter().fold(told.to_owned(), name)
    }

    /// Makes a worker whose key is trusted, and starts it.
    pub(super) fn trusted_worker(&self, name: &str) -> io::Result<Process> {
        self.trust(&[name])?;
        self.worker(name, &[])
    }

    /// Starts a worker that has a key, with variables, and waits until it asks for orders.
    pub(super) fn worker(&self, name: &str, variables: &[(&str, &str)]) -> io::Result<Process> {
        self.worker_with(name, &[], variables)
    }

    /// The same, with more options.
    pub(super) fn worker_with(&self, name: &str, options: &[&str], variables: &[(&str, &str)]) -> io::Result<Process> {
        let key = self.file(&format!("{name}.pem")).display().to_string();
        let mut command = self.referee(name, &[&["worker", "--label", LABEL, "--key", &key], options].concat())?;
        command.envs(variables.iter().copied());
        let worker = Process::start(&mut command, self.file(&format!("{name}.log")))?;
        wait(&format!("{name} asks for orders"), || worker.told().contains("connected to"))?;
        Ok(worker)
    }

    /// Starts a worker whose program is a script.
    pub(super) fn script_worker(&self, name: &str, jobs: usize, script: &str) -> io::Result<Process> {
        let (program, request) = (self.file(&format!("{name}.sh")), self.file(&format!("{name}.json")));
        fs::write(&program, format!("read -r request\n{script}\n"))?;
        let work = serde_json::json!({
            "labels": [LABEL], "jobs": jobs, "program": "/bin/sh", "arguments": [program.display().to_string()],
        });
        fs::write(&request, work.to_string())?;
        let mut command = Command::new(self.programs.referee.join("referee-fleet"));
        command.arg("work").envs(self.environment()).stdin(File::open(request)?);
        let worker = Process::start(&mut command, self.file(&format!("{name}.log")))?;
        wait(&format!("{name} asks for orders"), || worker.told().contains("connected to"))?;
        Ok(worker)
    }

    /// Asks for a run on a worker.
    pub(super) fn ask(&self, variables: &[(&str, &str)]) -> io::Result<Process> {
        self.ask_in("asker", variables)
    }

    /// Asks in another directory, with the keys that whoever asks trusts.
    pub(super) fn ask_in(&self, name: &str, variables: &[(&str, &str)]) -> io::Result<Process> {
        let mut command = self.referee("asker", &["run", "--fleet", "--label", LABEL])?;
        command.current_dir(self.file(name)).envs(variables.iter().copied());
        Process::start(&mut command, self.file(&format!("{name}.log")))
    }

    /// Runs an agent in a loop.
    pub(super) fn agent_run(&self, options: &[&str]) -> io::Result<Process> {
        let mut command = self.referee("asker", &[&["agent", "run"], options].concat())?;
        Process::start(&mut command, self.file("agent.log"))
    }

    /// Copies what whoever asks has, so that another one may ask the same.
    pub(super) fn copy_asker(&self, name: &str) -> io::Result<()> {
        fs::create_dir_all(self.file(name))?;
        fs::copy(self.file("asker/referee.yaml"), self.file(name).join("referee.yaml")).map(drop)
    }

    /// What the evidence of the last run says, by `referee evidence verify --replay`: its exit code.
    pub(super) fn verify(&self) -> io::Result<Option<i32>> {
        let mut command = self.referee("asker", &["evidence", "verify", "evidence/T001", "--replay"])?;
        Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status()?.code())
    }
}

/// A process, killed when this is dropped, and the file that it writes to.
pub(super) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    pub(super) fn start(command: &mut Command, log: PathBuf) -> io::Result<Self> {
        let file = File::create(&log)?;
        Ok(Self { child: command.stdout(file.try_clone()?).stderr(file).spawn()?, log })
    }

    /// What it wrote so far.
    pub(super) fn told(&self) -> String {
        read(&self.log)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, such as `STOP`.
    pub(super) fn signal(&self, signal: &str) -> io::Result<()> {
        send(signal, self.id())
    }

    /// Sends SIGKILL, and waits for the end.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Waits for the end.
    pub(super) fn wait(&mut self) -> io::Result<ExitStatus> {
        let mut status = None;
        wait_until("the program ends", PATIENCE, || {
            status = self.child.try_wait().ok().flatten();
            status.is_some()
        })?;
        status.ok_or_else(|| io::Error::other("a program ended without a status"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // What stands still hears nothing, and what does not listen is killed.
            drop(self.signal("CONT"));
            drop(self.signal("TERM"));
            let ends = wait_until("", Duration::from_secs(10), || !matches!(self.child.try_wait(), Ok(None)));
            if ends.is_err() {
                drop(self.child.kill());
            }
        }
        drop(self.child.wait());
    }
}

/// Waits until something holds.
pub(super) fn wait(what: &str, holds: impl FnMut() -> bool) -> io::Result<()> {
    wait_until(what, PATIENCE, holds)
}

/// Sends a signal to a process.
fn send(signal: &str, id: u32) -> io::Result<()> {
    process::run(Command::new("kill").args([&format!("-{signal}"), &id.to_string()]))
}

fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Memory that the machine has left.
pub(super) fn memory_left_mib() -> u64 {
    let information = read(Path::new("/proc/meminfo"));
    let left = information
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:")?.split_whitespace().next()?.parse().ok());
    left.unwrap_or(0_u64) / 1024
}
