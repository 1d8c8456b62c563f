//! What is asked of the engine, and what it answers.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use referee_exec::signal::Cancellation;
use referee_ledger::attest::Signer;
use referee_ledger::{LedgerError, State};
use referee_model::baseline::TaskBaseline;
use referee_model::event::Event;
use referee_model::id::{ExecutionId, TaskId};
use referee_model::plan::Plan;
use referee_model::record::Host;
use referee_model::report::Report;

use crate::clean_room::ReadyRoom;
use crate::inputs::Seen;
use crate::protection::{self, ProtectionError};
use crate::sandboxing::Sandboxing;
use crate::selection::Selected;

/// A run that is asked for. Everything that is read from the world outside (clock, environment, terminal) is a value in
/// here.
pub struct RunRequest<'request> {
    /// What is to run.
    pub plan: &'request Plan,
    /// All tasks of the specification that it belongs to: a task of the sprint takes none of their numbers.
    pub tasks: &'request [TaskId],
    /// The run's id.
    pub execution: ExecutionId,
    /// The world as `exec` needs it: the caller's environment, the clock, the shim.
    pub world: referee_exec::Host,
    /// The machine and program, for the record.
    pub host: Host,
    /// How the run is told to stop.
    pub cancellation: &'request Cancellation,
    /// What of the task is left out.
    pub selected: Selected,
    /// How many steps may run at once, where the plan lets several.
    pub jobs: NonZeroUsize,
    /// What is left of the time of all tasks together, in milliseconds.
    pub time_left_ms: Option<u64>,
    /// What keeps the task from running at all.
    pub hindrance: Option<Hindrance>,
    /// The baseline that it is held against: what stood in it does not block.
    pub baseline: Option<&'request TaskBaseline>,
    /// The tree that was built for the run, in which the plan's workspace lies. None: it runs in the workspace itself.
    pub room: Option<&'request ReadyRoom>,
    /// The user's state folder. None: there is none, so nothing is kept out of the workspace's reach.
    pub state: Option<&'request State>,
    /// Whether commands are to be confined, and what the machine can do.
    pub sandbox: Sandboxing,
    /// Who signs the run when it is sealed. None: nobody, so it is self-asserted.
    pub signer: Option<Arc<Signer>>,
    /// What protected files are held against. None: nothing is protected.
    pub protection: Option<&'request protection::Baseline>,
}

/// What keeps a task from running, and is not of its own making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hindrance {
    /// A task that it depends on did not pass (ruling 17).
    Dependency(TaskId),
    /// Protected files differ from their baseline (design, "Lock").
    ProtectedFilesDrifted,
    /// The time of all tasks together was used up.
    DeadlinePassed,
    /// Commands were to be confined whatever it takes, and this machine cannot do it.
    NotConfined,
    /// A clean room was asked for and could not be built.
    NoCleanRoom {
        /// Why not.
        reason: String,
    },
    /// The run of the tasks before it was interrupted.
    Interrupted {
        /// The signal's number.
        signal: i32,
    },
}

/// Who follows a run. Told of an event only after it stands in the journal.
pub trait Listener {
    /// Takes one event.
    fn told(&mut self, event: &Event);

    /// Is told once of a command that prints nothing for a minute.
    fn silent(&mut self, _: &referee_exec::Silence) {}

    /// Is called several times a second while nothing happens.
    fn idle(&mut self) {}
}

/// A judged and sealed run.
#[derive(Debug)]
pub struct Answer {
    /// The report.
    pub report: Report,
    /// The report as it was sealed, `execution-report.json`.
    pub document: Vec<u8>,
    /// The folder that holds it.
    pub folder: PathBuf,
    /// The run that was started later and stands in the task's place, where there is one: this one went to the history.
    pub superseded_by: Option<ExecutionId>,
    /// Why the chain of seals has a gap before this run, where it has one.
    pub gap: Option<String>,
    /// What went wrong beside the run: of the registers, which no verdict rests on. One sentence each.
    pub notes: Vec<String>,
    /// The inputs as the run left them. None: they are not known.
    pub(crate) inputs: Option<Seen>,
}

/// Why there is no answer. A failing check is none of these: it is a verdict.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Evidence could not be written or read; without evidence there is no verdict.
    #[error("evidence could not be kept: {0}")]
    Evidence(#[from] LedgerError),
    /// Output of a command could not be kept.
    #[error("evidence could not be kept: {0}")]
    Output(String),
    /// A document could not be made or read.
    #[error("{0}")]
    Document(String),
    /// What is protected cannot be held against its baseline.
    #[error("what is protected cannot be looked at: {0}")]
    Protection(#[from] ProtectionError),
    /// The engine itself failed.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// Says that a document could not be made or read.
    pub(crate) fn document(error: impl std::fmt::Display) -> Self {
        Self::Document(error.to_string())
    }
}
