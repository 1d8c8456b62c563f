//! The stage for one fault: a workspace and a state directory of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use referee_exec::own::{self, Ended, Going, Own};
use referee_exec::sandbox::Kernel;
use referee_ledger::evidence::Evidence;
use referee_ledger::{private_directory, project_file};

use super::{BOUND, SelftestOutcome, SelftestRequest};
use crate::error::EngineError;

/// Directory of the task's evidence in a workspace.
const EVIDENCE: &str = "evidence/T001";

/// A workspace for one fault.
pub(super) struct Stage<'request> {
    own: Own,
    directory: PathBuf,
    pub(super) kernel: &'request Kernel,
}

impl<'request> Stage<'request> {
    /// Creates the workspace. The caller's environment is passed on, without Referee's own variables.
    pub(super) fn set(
        request: &'request SelftestRequest<'_>,
        directory: &Path,
        number: usize,
    ) -> Result<Self, EngineError> {
        let directory = directory.join(number.to_string());
        let (workspace, state) = (directory.join("work"), directory.join("state"));
        private_directory::nested(&workspace)?;
        private_directory::nested(&state)?;
        let is_ours = |name: &OsString| name.to_string_lossy().starts_with("REFEREE_");
        let mut environment: Vec<(OsString, OsString)> =
            request.host.environment.iter().filter(|(name, _)| !is_ours(name)).cloned().collect();
        environment.push(("REFEREE_STATE_DIR".into(), state.into()));
        let own = Own { program: request.program.clone(), directory: workspace, environment };
        Ok(Self { own, directory, kernel: &request.kernel })
    }

    /// Returns a path in the workspace.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.own.directory.join(name)
    }

    /// Returns a path beside the workspace.
    pub(super) fn outside(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn specify(&self, specification: &str) -> Result<(), EngineError> {
        project_file::write(&self.own.directory, "referee.yaml", specification.as_bytes())?;
        Ok(())
    }

    /// Writes the specification, and runs it.
    pub(super) fn run(&self, specification: &str) -> Result<Ended, EngineError> {
        self.specify(specification)?;
        self.referee(&["run", "--color=never"])
    }

    /// Runs this program in the workspace.
    pub(super) fn referee(&self, arguments: &[&str]) -> Result<Ended, EngineError> {
        self.own.run(arguments, BOUND).map_err(broken)
    }

    /// Starts this program in the workspace.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Going, EngineError> {
        self.own.start(arguments).map_err(broken)
    }

    pub(super) fn verify(&self, arguments: &[&str]) -> Result<Ended, EngineError> {
        let mut all = vec!["evidence", "verify", EVIDENCE];
        all.extend(arguments);
        self.referee(&all)
    }

    /// Waits for a check to write a line, such as its process id.
    pub(super) fn line_of(&self, name: &str) -> Result<String, EngineError> {
        let line = own::line_of(&self.path(name), BOUND);
        line.ok_or_else(|| EngineError::internal(format!("no check has written {name}")))
    }

    /// Waits for a check to write its process id.
    pub(super) fn pid_of(&self, name: &str) -> Result<u32, EngineError> {
        let line = self.line_of(name)?;
        line.trim().parse().map_err(|_| EngineError::internal(format!("{name} holds no process id")))
    }

    /// Returns all files of the evidence, by name.
    pub(super) fn evidence(&self) -> Result<Vec<(String, Vec<u8>)>, EngineError> {
        let evidence = Evidence::open(&self.path(EVIDENCE))?;
        let names = evidence.names()?;
        names.into_iter().map(|name| Ok((name.clone(), evidence.read(&name)?))).collect()
    }

    /// Changes a file of the evidence without Referee.
    pub(super) fn change(&self, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Result<(), EngineError> {
        let directory = self.path(EVIDENCE);
        let bytes = Evidence::open(&directory)?.read(name)?;
        project_file::write(&directory, name, &change(bytes))?;
        Ok(())
    }
}

/// Holds if a run exited with one of these codes.
pub(super) fn exits(ended: &Ended, codes: &[i32]) -> SelftestOutcome {
    if ended.code.is_some_and(|code| codes.contains(&code)) {
        return SelftestOutcome::Holds;
    }
    let code = ended.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
    SelftestOutcome::Fails(format!("it exited with {code}, and printed: {}", tail(&ended.output)))
}

/// Holds if all of these do; otherwise returns the first failure.
pub(super) fn all(found: impl IntoIterator<Item = SelftestOutcome>) -> SelftestOutcome {
    found.into_iter().find(|found| *found != SelftestOutcome::Holds).unwrap_or(SelftestOutcome::Holds)
}

/// Holds if a condition is true; `otherwise` is the message of the failure.
pub(super) fn holds(condition: bool, otherwise: &str) -> SelftestOutcome {
    if condition { SelftestOutcome::Holds } else { SelftestOutcome::Fails(otherwise.to_owned()) }
}

/// Returns the last lines of an output.
fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join(" / ")
}

fn broken(error: impl std::fmt::Display) -> EngineError {
    EngineError::internal(format!("this program could not be run again: {error}"))
}
