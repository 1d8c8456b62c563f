//! What is asked of the engine, and what it answers.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use referee_exec::signal::Cancellation;
use referee_ledger::State;
use referee_ledger::attest::Signer;
use referee_model::baseline::{Baseline, TaskBaseline};
use referee_model::event::Event;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::plan::Plan;
use referee_model::probe_set::ProbeSet;
use referee_model::record::Host;
use referee_model::report::Report;
use referee_model::run_context::{Probe, ProbeAudit};
use referee_model::suite::Suite;
use referee_spec::Complaint;

use crate::clean_room::{ReadyRoom, Workspace};
use crate::error::EngineError;
use crate::inputs::Seen;
use crate::protection;
use crate::sandbox::SandboxOptions;
use crate::selection::{Selected, Selection};

/// A run of several tasks that is asked for. Everything that is read from the world outside is a value in here.
#[derive(Clone)]
pub struct RunRequest<'request> {
    /// All tasks of the specification.
    pub suite: &'request Suite,
    /// The tasks that are asked for; those that they depend on run too. Empty: all.
    pub tasks: &'request [TaskId],
    /// How much of each task.
    pub selection: &'request Selection,
    /// The baseline that the tasks are held against. A task that is not in it is held against none.
    pub baseline: Option<&'request Baseline>,
    /// Where the tasks run.
    pub workspace: &'request Workspace,
    /// The user's state directory. None: there is none.
    pub state: Option<&'request State>,
    /// Whether commands are to be confined, and what the machine can do.
    pub sandbox: SandboxOptions,
    /// Who signs the runs when they are sealed. None: nobody.
    pub signer: Option<Arc<Signer>>,
    /// What protected files are held against. None: nothing is protected.
    pub protection: Option<&'request protection::Baseline>,
    /// How many steps may run at once. None: one, or as many as there are processors where a task says that its steps may.
    pub jobs: Option<NonZeroUsize>,
    /// How many processors there are.
    pub processors: NonZeroUsize,
    /// A new id a task, in order.
    pub executions: Vec<ExecutionId>,
    /// The world as `exec` needs it.
    pub exec: referee_exec::Host,
    /// The machine and program, for the record.
    pub host: Host,
    /// How the run is told to stop.
    pub cancellation: &'request Cancellation,
}

/// One task of a run.
pub struct TaskRequest<'request> {
    /// The run.
    pub run: &'request RunRequest<'request>,
    /// What is to run.
    pub plan: &'request Plan,
    /// The id of the task's run.
    pub execution: ExecutionId,
    /// What of the task is left out.
    pub selected: Selected,
    /// What is left of the time of all tasks together, in milliseconds.
    pub time_left: Option<u64>,
    /// What keeps the task from running at all.
    pub block: Option<BlockReason>,
    /// What is asked after a pass. None: nothing, as in the run of a probe.
    pub(crate) probes: Option<ProbeQuestions>,
}

/// What is asked of a task whose run came to a report, and whose time began at that many milliseconds of the run's clock. None:
/// there is nothing to ask.
#[derive(Clone, Copy)]
pub(crate) struct ProbeQuestions {
    /// Whether the tests of the change fail without it.
    pub(crate) change: fn(&TaskRequest<'_>, &Report, u64, &mut dyn EventSink) -> Option<Probe>,
    /// What was learned of the checks, where they are to be asked about it now.
    pub(crate) learned: fn(&TaskRequest<'_>) -> Result<Option<LearnedSet>, EngineError>,
    /// Whether the checks still report the defects that were learned.
    pub(crate) audit: fn(&TaskRequest<'_>, &LearnedSet, &Report, u64, &mut dyn EventSink) -> Option<ProbeAudit>,
}

/// A probe set, with its digest.
pub(crate) type LearnedSet = (ProbeSet, Digest);

impl<'request> TaskRequest<'request> {
    /// Returns the baseline that the task is held against: what stood in it does not block.
    pub(crate) fn baseline(&self) -> Option<&'request TaskBaseline> {
        self.run.baseline?.tasks.get(&self.plan.task)
    }

    /// Returns the tree that was built for the run, in which the plan's workspace lies. None: it runs in the workspace itself.
    pub(crate) fn room(&self) -> Option<&'request ReadyRoom> {
        self.run.workspace.room()
    }

    /// Returns how many steps may run at once.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        let usual = if self.plan.parallel { self.run.processors } else { NonZeroUsize::MIN };
        self.run.jobs.unwrap_or(usual)
    }
}

/// What keeps a task from running, and is not of its own making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
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

/// Who follows a run. It has an event only after that stands in the journal.
pub trait EventSink {
    /// Is told what is about to run.
    fn on_suite(&mut self, _: &Suite) {}

    /// Takes one event.
    fn on_event(&mut self, event: &Event);

    /// Is told once of a command that prints nothing for a minute.
    fn on_silence(&mut self, _: &referee_exec::Silence) {}

    /// Is called several times a second while nothing happens.
    fn on_idle(&mut self) {}

    /// Takes what is worth knowing beside the answer.
    fn on_note(&mut self, _: &Note<'_>) {}
}

/// What is worth knowing beside an answer.
#[derive(Debug)]
pub enum Note<'note> {
    /// One sentence.
    Text(String),
    /// Warnings about a specification that was loaded.
    Complaints(&'note [Complaint]),
}

/// Takes what is worth knowing, from whatever thread it comes.
pub type NoteSink = Arc<dyn Fn(&Note<'_>) + Send + Sync>;

impl EventSink for NoteSink {
    fn on_event(&mut self, _: &Event) {}

    fn on_note(&mut self, note: &Note<'_>) {
        self(note);
    }
}

/// A judged and sealed run.
#[derive(Debug)]
pub struct Answer {
    /// The report.
    pub report: Report,
    /// The report as it was sealed, `execution-report.json`.
    pub document: Vec<u8>,
    /// The directory that holds it.
    pub directory: PathBuf,
    /// The run that was started later and stands in the task's place, where there is one: this one went to the history.
    pub superseded_by: Option<ExecutionId>,
    /// Why the chain of seals has a gap before this run, where it has one.
    pub gap: Option<String>,
    /// What went wrong beside the run: of the registers, which no verdict rests on. One sentence each.
    pub notes: Vec<String>,
    /// The inputs as the run left them. None: they are not known.
    pub(crate) inputs: Option<Seen>,
}
