//! Requests to the engine, and its answers.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use referee_exec::signal::Cancellation;
use referee_ledger::State;
use referee_ledger::attest::Signer;
use referee_model::baseline::{Baseline, TaskBaseline};
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::plan::Plan;
use referee_model::probe_set::ProbeSet;
use referee_model::record::Host;
use referee_model::report::Report;
use referee_model::run_context::{Probe, ProbeAudit};
use referee_model::suite::Suite;

use crate::clean_room::{ReadyRoom, Workspace};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::inputs::Seen;
use crate::order_queue::FleetClient;
use crate::protection;
use crate::sandbox::SandboxOptions;
use crate::selection::{Selected, Selection};

/// Request to run tasks of a specification. Everything that is read from the outside world is a value in here.
#[derive(Clone)]
pub struct RunRequest<'request> {
    /// The specification with all of its tasks.
    pub suite: &'request Suite,
    /// The requested tasks; their dependencies run too. Empty: all tasks.
    pub tasks: &'request [TaskId],
    /// Which actions of each task run.
    pub selection: &'request Selection,
    /// The baseline that the tasks are compared with. A task that is missing from it is compared with none.
    pub baseline: Option<&'request Baseline>,
    /// Which machine performs the tasks.
    pub placement: Placement,
    /// Where the tasks run.
    pub workspace: &'request Workspace,
    /// The user's state directory. `None`: there is none.
    pub state: Option<&'request State>,
    /// Whether commands are confined, and what the machine supports.
    pub sandbox: SandboxOptions,
    /// Signs the runs when they are sealed. `None`: they are not signed.
    pub signer: Option<Arc<Signer>>,
    /// The baseline of protected files. `None`: nothing is protected.
    pub protection: Option<&'request protection::Baseline>,
    /// Maximum number of parallel steps. `None`: the number of processors if the task runs its steps in
    /// parallel, otherwise 1.
    pub jobs: Option<NonZeroUsize>,
    /// Number of processors.
    pub processors: NonZeroUsize,
    /// A new run id for each task, in order.
    pub executions: Vec<ExecutionId>,
    /// Host for `exec`.
    pub exec: referee_exec::Host,
    /// Machine and program, for the record.
    pub host: Host,
    /// Signals a request to stop.
    pub cancellation: &'request Cancellation,
}

/// The machine that performs a task.
#[derive(Debug, Clone, Default)]
pub enum Placement {
    /// This one.
    #[default]
    Here,
    /// This one, for another machine that ordered the run and judges it.
    Order,
    /// A worker.
    Fleet(Box<FleetClient>),
}

/// Request to run one task.
pub struct TaskRequest<'request> {
    /// The request that this task belongs to.
    pub run: &'request RunRequest<'request>,
    /// The plan of the task.
    pub plan: &'request Plan,
    /// Id of the task's run.
    pub execution: ExecutionId,
    /// The actions that are left out.
    pub selected: Selected,
    /// Remaining time of all tasks together, in milliseconds. `None`: there is no limit.
    pub time_left: Option<u64>,
    /// Reason why the task does not run at all. `None`: it runs.
    pub block: Option<BlockReason>,
    /// Probes to run after a pass. `None`: no probes, as in the run of a probe itself.
    pub(crate) probes: Option<ProbeQuestions>,
}

/// The probes of a task whose run passed. The number is the start of the task, in milliseconds of the run's
/// clock. A result of `None` means that there is nothing to probe.
#[derive(Clone, Copy)]
pub(crate) struct ProbeQuestions {
    /// Checks whether the tests of the change fail without it.
    pub(crate) change: fn(&TaskRequest<'_>, &Report, u64, &mut dyn EventSink) -> Option<Probe>,
    /// Returns the learned probe set of the checks, if an audit is due.
    pub(crate) learned: fn(&TaskRequest<'_>) -> Result<Option<LearnedSet>, EngineError>,
    /// Checks whether the checks still report the learned defects.
    pub(crate) audit: fn(&TaskRequest<'_>, &LearnedSet, &Report, u64, &mut dyn EventSink) -> Option<ProbeAudit>,
}

/// A probe set with its digest.
pub(crate) type LearnedSet = (ProbeSet, Digest);

impl<'request> TaskRequest<'request> {
    /// Returns the baseline of the task. Findings that are in it do not block.
    pub(crate) fn baseline(&self) -> Option<&'request TaskBaseline> {
        self.run.baseline?.tasks.get(&self.plan.task)
    }

    /// Returns whether this machine starts a program of the plan. Where workers run the commands, an evaluator alone runs here.
    pub(crate) fn runs_here(&self) -> bool {
        !matches!(self.run.placement, Placement::Fleet(_)) || self.plan.evaluator.is_some()
    }

    /// Returns the clean room that contains the plan's workspace. `None`: the task runs in the workspace itself.
    pub(crate) fn room(&self) -> Option<&'request ReadyRoom> {
        self.run.workspace.room()
    }

    /// Returns the maximum number of parallel steps.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        let usual = if self.plan.parallel { self.run.processors } else { NonZeroUsize::MIN };
        self.run.jobs.unwrap_or(usual)
    }
}

/// Reason outside a task that keeps it from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
    /// A dependency did not pass (ruling 17).
    Dependency(TaskId),
    /// Protected files differ from their baseline (design, "Lock").
    ProtectedFilesDrifted,
    /// The time limit of all tasks together has passed.
    DeadlinePassed,
    /// Confinement of commands is required, and this machine does not support it.
    NotConfined,
    /// A clean room was requested and could not be built.
    NoCleanRoom {
        /// Why it could not be built.
        reason: String,
    },
    /// No worker performed the run.
    NotPerformed {
        /// Why none did.
        reason: String,
    },
    /// The run was interrupted, during an earlier task or while a worker performed this one.
    Interrupted {
        /// The signal number.
        signal: i32,
    },
}

/// A judged and sealed run.
#[derive(Debug)]
pub struct Answer {
    /// The report.
    pub report: Report,
    /// The sealed document of the report, `execution-report.json`.
    pub document: Vec<u8>,
    /// The directory of the run's evidence.
    pub directory: PathBuf,
    /// The later run that was published in the meantime; this run went to the history. `None`: this is the latest run.
    pub superseded_by: Option<ExecutionId>,
    /// Why the chain of seals has a gap before this run. `None`: it has none.
    pub gap: Option<String>,
    /// Notes about problems beside the run, one sentence each, for example with registers. No verdict depends on them.
    pub notes: Vec<String>,
    /// The inputs as the run left them. `None`: unknown.
    pub(crate) inputs: Option<Seen>,
}
