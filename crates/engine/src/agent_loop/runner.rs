//! Turns of an agent: its process, the files that it may read, and its time limit.

use std::ffi::OsString;
use std::path::Path;

use referee_exec::agent_process::{self, AgentCommand, AgentEnd};
use referee_exec::git::Repository;
use referee_exec::{Cancellation, ExecError, Host, sweep_orphans};
use referee_ledger::agent_runs::Handed;
use referee_ledger::redact::Redactor;
use referee_ledger::{LedgerError, State, pending_turn};
use referee_model::id::ExecutionId;
use referee_model::time::Timestamp;
use referee_model::{evidence_name, limit};

use super::Agent;
use super::checkpoint::Checkpoints;
use super::environment::{inherited, temporary};
use super::streams::{Kept, Streams};

/// The variable that names the state directory.
const STATE: &str = "REFEREE_STATE_DIR";

/// The process that currently runs a loop. Earlier processes may have run the same loop and been interrupted.
pub(crate) struct AgentRunner<'run> {
    pub(crate) host: &'run Host,
    pub(crate) state: &'run State,
    pub(crate) redactor: Redactor,
    pub(crate) cancellation: &'run Cancellation,
    /// Working directory of the agent.
    pub(crate) directory: &'run Path,
    name: String,
    pub(super) marker: ExecutionId,
    since: Timestamp,
    /// Milliseconds that earlier processes spent on the loop.
    pub(crate) earlier_ms: u64,
    /// Checkpoints, from which another machine may go on. `None`: none are taken.
    pub(crate) checkpoints: Option<Checkpoints<'run>>,
}

pub(crate) struct AgentTurn<'turn> {
    /// 1-based number of the turn.
    pub(crate) number: u32,
    pub(crate) argv: &'turn [String],
    /// Variables in addition to those that an agent inherits.
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) input: &'turn [u8],
    /// Time limit of the turn, in milliseconds.
    pub(crate) timeout: u64,
}

pub(crate) struct TurnEnd {
    pub(crate) end: AgentEnd,
    pub(crate) stdout: Kept,
    pub(crate) stderr: Kept,
}

impl<'run> AgentRunner<'run> {
    /// Takes over a loop and ends what an earlier process of it left running. `name` identifies the loop across
    /// all of its processes.
    pub(crate) fn new(
        name: String,
        directory: &'run Path,
        (host, state): (&'run Host, &'run State),
        redactor: Redactor,
        cancellation: &'run Cancellation,
    ) -> Result<Self, String> {
        let marker = marker(&name)?;
        sweep_orphans(&marker);
        let since = host.clock.now();
        Ok(Self {
            host,
            state,
            redactor,
            cancellation,
            directory,
            name,
            marker,
            since,
            earlier_ms: 0,
            checkpoints: None,
        })
    }

    /// Returns the checked-out commit. `None`: there is none, or git cannot be asked.
    pub(crate) fn head(&self) -> Option<String> {
        let repository = Repository::open(self.directory, referee_exec::search_path(&self.host.environment));
        repository.ok()?.head().ok()?
    }

    /// Creates the directory of files that the agent may read.
    pub(crate) fn hand_out(&self) -> Result<Handed, LedgerError> {
        Handed::make(&temporary(&self.host.environment), &self.name)
    }

    /// Forgets a turn that nobody will complete.
    pub(crate) fn forget_turn(&self) -> Result<(), LedgerError> {
        pending_turn::forget(self.state, &self.marker)
    }

    /// Runs a turn of the agent on this machine.
    pub(crate) fn run_here(&self, agent: &Agent, turn: AgentTurn<'_>) -> Result<TurnEnd, ExecError> {
        let mut environment = inherited(&self.host.environment, &agent.secrets, self.state);
        // Not a secret. Hooks inside the agent must use the same state directory, or they would find another lock,
        // other sessions and no receipts.
        environment.insert(STATE.into(), self.state.path().as_os_str().to_owned());
        environment.extend(turn.variables);
        let streams = Streams::new(&self.redactor, agent.live.clone());
        let command = AgentCommand {
            argv: turn.argv,
            directory: self.directory,
            environment,
            input: turn.input,
            marker: &self.marker,
            turn: turn.number,
            timeout_ms: turn.timeout,
            grace_ms: limit::GRACE_MS,
        };
        let end = agent_process::run_agent(&command, self.host, self.cancellation, streams.tap());
        let [stdout, stderr] = streams.finish();
        Ok(TurnEnd { end: end?, stdout, stderr })
    }

    pub(crate) fn is_canceled(&self) -> bool {
        self.cancellation.level() > 0
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.host.clock.now()
    }

    /// Milliseconds of work so far, without the time in which no process ran the loop.
    pub(crate) fn spent_ms(&self) -> u64 {
        self.earlier_ms.saturating_add(self.now().milliseconds_since(self.since))
    }
}

/// Ends what a process of another loop left running. Returns the number of processes ended.
pub(crate) fn sweep(name: &str) -> usize {
    marker(name).map_or(0, |marker| sweep_orphans(&marker).len())
}

/// Returns the name by which the processes of a loop are recognized.
pub(crate) fn marker(name: &str) -> Result<ExecutionId, String> {
    ExecutionId::parse(format!("exec-{name}")).map_err(|error| error.to_string())
}

/// Returns the start of a plan's clock, moved forward by the time since `written` in which no process ran the loop.
pub(crate) fn moved_on(began: Timestamp, written: Timestamp, now: Timestamp) -> Timestamp {
    let worked = i64::try_from(written.milliseconds_since(began)).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(now.as_millisecond().saturating_sub(worked))
}

/// A file of the evidence, the name of its copy, and the variable that names the copy.
pub(crate) type Copied = (&'static str, &'static str, &'static str);

/// Files of a sealed run that every agent may read. Never logs, never keys.
pub(crate) const COPIES: [Copied; 2] = [
    (evidence_name::EXECUTION_REPORT, "report.json", "REFEREE_REPORT"),
    (evidence_name::TECHNICAL_DEBT, "debt.json", "REFEREE_DEBT"),
];

/// Copies documents beside a sealed report and returns the variables that name the copies, and a message for each
/// document that could not be copied. Missing documents are skipped; the turn proceeds without either.
pub(crate) fn copies(
    handed: &Handed,
    report: Option<&Path>,
    documents: impl IntoIterator<Item = Copied>,
) -> (Vec<(OsString, OsString)>, Vec<String>) {
    let Some(directory) = report.and_then(Path::parent) else { return Default::default() };
    let (mut variables, mut failed) = (Vec::new(), Vec::new());
    for (file, name, variable) in documents {
        match handed.copy(directory, file, name) {
            Ok(path) => variables.extend(path.map(|path| (variable.into(), path.into_os_string()))),
            Err(error) => failed.push(format!("{name} could not be handed to the agent: {error}")),
        }
    }
    (variables, failed)
}

/// Writes documents for the agent to read and returns the variables that name them.
pub(crate) fn written(
    handed: &Handed,
    documents: &[(&str, &str, &[u8])],
) -> Result<Vec<(OsString, OsString)>, LedgerError> {
    let write = |(name, variable, bytes): &(&str, &str, &[u8])| {
        Ok((OsString::from(variable), handed.write(name, bytes)?.into_os_string()))
    };
    documents.iter().map(write).collect()
}
