//! Servers that a fleet stands on: Temporal's, PostgreSQL, and object storage. Each is killed when it is dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use referee_testkit::object_storage::ObjectStorage;
use referee_testkit::port::{free_ports, wait_for_listener};
use referee_testkit::temporal::{TemporalProgram, TemporalServer};
use serde_json::Value;

use crate::process;
use crate::repository::root;

/// Builds Temporal's server where it is not built yet, and returns the directory of its programs.
pub(super) fn temporal_programs() -> io::Result<PathBuf> {
    if let Some(programs) = std::env::var_os("REFEREE_TEMPORAL_SERVER") {
        return Ok(programs.into());
    }
    let mut script = Command::new(root().join(".ci/temporal"));
    let directory = process::output(script.arg("--server").stderr(Stdio::inherit()))?;
    Ok(Path::new(directory.trim()).join("bin"))
}

/// Starts a server of Temporal that keeps its state in a directory, or in the PostgreSQL server on this port.
pub(super) fn temporal(programs: &Path, state: &Path, sql: Option<u16>) -> io::Result<TemporalServer> {
    TemporalServer::start(TemporalProgram::Lasting {
        programs: programs.to_owned(),
        state: Some(state.to_owned()),
        sql,
    })
}

/// Asks the HTTP interface of a server about the namespace.
pub(super) fn get(server: &TemporalServer, path: &str) -> io::Result<Value> {
    let url = format!("http://127.0.0.1:{}/api/v1/namespaces/default/{path}", server.port + 1);
    let answer = process::output(Command::new("curl").args(["--silent", "--show-error", "--fail", &url]))?;
    Ok(serde_json::from_str(&answer)?)
}

/// A PostgreSQL server, as the user `postgres`, since it refuses to run as root.
pub(super) struct Postgres {
    server: Child,
    pub(super) port: u16,
}

impl Postgres {
    /// Starts a server with an empty cluster in a new directory. None: it is not installed.
    pub(super) fn start(directory: &Path) -> io::Result<Option<Self>> {
        let Some(programs) = postgres_programs() else { return Ok(None) };
        fs::create_dir_all(directory)?;
        let is_root = process::output(Command::new("id").arg("-u"))?.trim() == "0";
        if is_root {
            process::run(Command::new("chown").arg("postgres").arg(directory))?;
        }
        let command = |name: &str| {
            let program = programs.join(name);
            let mut command = Command::new(if is_root { Path::new("setpriv") } else { &program });
            if is_root {
                command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(&program);
            }
            command.current_dir(directory).stdin(Stdio::null());
            command
        };
        let cluster = directory.join("cluster");
        let mut initialize = command("initdb");
        process::output(initialize.args(["--auth=trust", "--username=postgres", "--pgdata"]).arg(&cluster))?;
        let port = free_ports()?;
        let log = fs::File::create(directory.join("log"))?;
        let server = command("postgres")
            .arg("-D")
            .arg(&cluster)
            .arg("-k")
            .arg(directory)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "max_connections=200"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let server = Self { server, port };
        wait_for_listener(port)?;
        Ok(Some(server))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Its processes end with the first one, at once.
        drop(Command::new("kill").args(["-QUIT", &self.server.id().to_string()]).status());
        drop(self.server.wait());
    }
}

/// Finds the newest PostgreSQL of the machine.
fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
    let mut programs: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    programs.retain(|programs| programs.join("postgres").is_file());
    programs.sort();
    programs.pop()
}

/// Starts object storage over a directory.
pub(super) fn storage(directory: &Path) -> io::Result<ObjectStorage> {
    let program = ObjectStorage::program();
    let program = program.ok_or_else(|| io::Error::other("there is no versitygw: .ci/run installs it"))?;
    ObjectStorage::start(program, directory, &[])
}

/// Returns the files behind the objects whose name begins so.
pub(super) fn objects(storage: &ObjectStorage, prefix: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    add_files(&storage.file(prefix), &mut files);
    files.sort();
    files
}

fn add_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            add_files(&path, files);
        } else {
            files.push(path);
        }
    }
}
