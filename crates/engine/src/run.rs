//! Assembles a run, from options to sealed evidence: signer, baselines of protected files, and workspace.
//! Commands, hooks, loops and stages all use this module.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use referee_exec::signal::Cancellation;
use referee_ledger::attest::Signer;
use referee_ledger::{State, receipts};
use referee_model::baseline::Baseline;
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_model::sandbox::SandboxMode;
use referee_model::suite::Suite;

use crate::clean_room::Workspace;
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::keys::SigningOptions;
use crate::order_queue::{FleetClient, FleetOptions};
use crate::protection_source::{self, known_locks};
use crate::request::{Placement, RunRequest};
use crate::sandbox::SandboxOptions;
use crate::selection::Selection;
use crate::suite::{self, SuiteAnswer};
use crate::{baseline, protection, status};

mod clean_room;

/// Maximum number of actions that the message about an unknown name lists.
const NAMES_LISTED: usize = 20;

/// Options for how checks run, and the baseline of protected files.
#[derive(Debug, Clone, Default)]
pub struct GateOptions {
    /// Maximum number of parallel steps. `None`: as the specification says.
    pub jobs: Option<NonZeroUsize>,
    /// Whether commands are confined.
    pub sandbox: SandboxMode,
    /// Whether checks run in a clean room.
    pub clean_room: bool,
    /// Whether the clean room is kept after the run.
    pub keep_room: bool,
    /// Which key signs runs.
    pub signing: SigningOptions,
    /// The workers that perform the checks, in a clean room. `None`: this machine does.
    pub fleet: Option<FleetOptions>,
    /// A commit that protected files are compared with, in addition to all other baselines. `None`: no such commit.
    pub trusted: Option<String>,
}

/// A run that is being assembled, before a single specification is prepared.
pub struct RunBuilder<'run> {
    context: &'run Context,
    options: &'run GateOptions,
    suites: &'run [Suite],
    cancellation: &'run Cancellation,
    /// Host for `exec`. Its clock starts with the builder, and so do time limits.
    exec: referee_exec::Host,
    state: Option<State>,
    signer: Option<Arc<Signer>>,
    tasks: &'run [TaskId],
    selection: Selection,
    baseline: Option<Baseline>,
    vouched: Option<&'run str>,
}

impl<'run> RunBuilder<'run> {
    /// Starts a run of these specifications: opens the state directory, and finds the signer.
    ///
    /// # Errors
    /// Fails if the state directory or the key cannot be used.
    pub fn new(
        context: &'run Context,
        options: &'run GateOptions,
        suites: &'run [Suite],
        cancellation: &'run Cancellation,
    ) -> Result<Self, EngineError> {
        let exec = context.for_exec()?;
        let plans = suites.iter().flat_map(|suite| &suite.tasks);
        let state = context.state(plans.map(|plan| plan.workspace.as_path()))?;
        let signer = options.signing.signer(context, suites)?;
        Ok(Self {
            context,
            options,
            suites,
            cancellation,
            exec,
            state,
            signer,
            tasks: &[],
            selection: Selection::default(),
            baseline: None,
            vouched: None,
        })
    }

    /// Restricts the run to these tasks and their dependencies, and to a selection of their actions. Empty: all tasks.
    ///
    /// # Errors
    /// Fails if a named task or action does not exist.
    pub fn select(mut self, tasks: &'run [TaskId], selection: Selection) -> Result<Self, EngineError> {
        let all = || self.suites.iter().flat_map(|suite| &suite.tasks);
        if let Some(unknown) = tasks.iter().find(|task| all().all(|plan| plan.task != **task)) {
            let known: Vec<&str> = all().map(|plan| plan.task.as_str()).collect();
            return Err(EngineError::usage(format!("task not found: {unknown} (tasks: {})", known.join(", "))));
        }
        let plans: Vec<&Plan> = self.suites.iter().flat_map(|suite| suite::wanted(suite, tasks)).collect();
        if let Some(unknown) = selection.unknown(&plans).first() {
            let actions = plans.iter().flat_map(|plan| &plan.actions).take(NAMES_LISTED);
            let names: Vec<String> = actions.map(|action| format!("{} ({})", action.id, action.name)).collect();
            let listed = names.join(", ");
            return Err(EngineError::usage(format!("action not found: {unknown} (actions: {listed})")));
        }
        (self.tasks, self.selection) = (tasks, selection);
        Ok(self)
    }

    /// Sets the baseline of findings, which do not block. `None`: every finding blocks.
    ///
    /// # Errors
    /// Fails if the baseline cannot be used.
    pub fn baseline(mut self, path: Option<&Path>, events: &mut dyn EventSink) -> Result<Self, EngineError> {
        let given = path.map(|path| baseline::given(self.context, path, self.suites, self.tasks, events));
        self.baseline = given.transpose()?;
        Ok(self)
    }

    /// Sets the reason, one sentence, why a lock need not know the specification.
    #[must_use]
    pub fn vouched(mut self, why: &'run str) -> Self {
        self.vouched = Some(why);
        self
    }

    /// Returns the user's state directory. `None`: there is none.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Checks that no locked specification or sub-project is missing in the named directories.
    ///
    /// # Errors
    /// Fails if one is missing.
    pub fn check_directories(&self, names: &SpecificationNames) -> Result<(), EngineError> {
        let mut directories = names.files.iter().filter(|file| self.context.directory.join(file).is_dir());
        directories.try_for_each(|directory| known_locks::hold_below(self.context, directory, self.state()))
    }

    /// Returns the specifications that contain a requested task.
    pub fn suites(&self) -> impl Iterator<Item = &'run Suite> {
        self.suites.iter().filter(|suite| !suite::wanted(suite, self.tasks).is_empty())
    }

    /// Finds the baseline of protected files for a specification's workspace, and prepares where its checks run.
    ///
    /// # Errors
    /// Fails if the commit or the clean room is not available, or if the specification in the room is wrong.
    pub fn prepare(&self, suite: &Suite, events: &mut dyn EventSink) -> Result<PreparedRun<'_>, EngineError> {
        // The whole specification is compared: running only a part of it is no weakening.
        let trusted = self.options.trusted.as_deref();
        let mut protection = protection_source::baseline(self.context, suite, self.state(), trusted)?;
        if let Some(baseline) = &mut protection {
            baseline.vouch(self.vouched);
        }
        let placement = self.placement(suite)?;
        let (suite, workspace) = if self.options.clean_room || self.options.fleet.is_some() {
            clean_room::enter(self, suite, protection.as_ref(), events)?
        } else {
            (suite.clone(), Workspace::InPlace)
        };
        Ok(PreparedRun { builder: self, suite, placement, workspace, protection })
    }

    /// Returns which machine performs the checks.
    fn placement(&self, suite: &Suite) -> Result<Placement, EngineError> {
        let Some(options) = &self.options.fleet else { return Ok(Placement::Here) };
        let root = suite.tasks.first().map_or(Path::new(""), |plan| plan.evidence_root.as_path());
        Ok(Placement::Fleet(Box::new(FleetClient::new(self.context, self.state(), options, root)?)))
    }

    /// Prepares a run in the workspace without any baseline, for a specification of which nothing can run.
    pub fn unprotected(&self, suite: &Suite) -> PreparedRun<'_> {
        PreparedRun {
            builder: self,
            suite: suite.clone(),
            placement: Placement::Here,
            workspace: Workspace::InPlace,
            protection: None,
        }
    }
}

/// A specification that is ready to run.
pub struct PreparedRun<'run> {
    builder: &'run RunBuilder<'run>,
    /// The specification as it runs: the one in the clean room, if there is one. Callers may narrow or change it here.
    pub suite: Suite,
    placement: Placement,
    workspace: Workspace,
    protection: Option<protection::Baseline>,
}

impl PreparedRun<'_> {
    /// Returns whether a baseline protects the specification and the tests.
    pub fn is_protected(&self) -> bool {
        self.protection.is_some()
    }

    /// Returns warnings about the baselines for a person, one sentence each.
    pub fn doubts(&self) -> Vec<String> {
        let all = self.protection.iter().flat_map(protection::Baseline::all);
        all.filter_map(|baseline| baseline.doubt.clone()).collect()
    }

    /// Returns the first difference from the baselines, blocking or not. `None`: there is no difference, or no
    /// baseline.
    ///
    /// # Errors
    /// Fails if the workspace cannot be listed.
    pub fn drift(&self) -> Result<Option<String>, EngineError> {
        let Some((baseline, plan)) = self.protection.as_ref().zip(self.suite.tasks.first()) else { return Ok(None) };
        let drift = baseline.observe(plan)?.drift;
        Ok(drift.first().map(|drift| format!("{}: {}", drift.path, drift.detail)))
    }

    /// Returns the run request.
    ///
    /// # Errors
    /// Fails if the system has no random numbers.
    pub fn request(&self) -> Result<RunRequest<'_>, EngineError> {
        let RunBuilder { context, options, .. } = *self.builder;
        let ids = self.suite.tasks.iter().map(|_| context.new_execution());
        Ok(RunRequest {
            suite: &self.suite,
            tasks: self.builder.tasks,
            selection: &self.builder.selection,
            baseline: self.builder.baseline.as_ref(),
            placement: self.placement.clone(),
            workspace: &self.workspace,
            state: self.builder.state(),
            sandbox: SandboxOptions::of(options.sandbox),
            signer: self.builder.signer.clone(),
            protection: self.protection.as_ref(),
            jobs: options.jobs,
            processors: context.processors,
            executions: ids.collect::<Result<_, _>>()?,
            exec: self.builder.exec.clone(),
            host: context.host(),
            cancellation: self.builder.cancellation,
        })
    }

    /// Runs the checks, holding the gate's turn for the workspace if it is free: a gate that is asked meanwhile
    /// waits, and finds the recorded verdict. A run never waits; a gate that runs checks at the same time
    /// compares its answer with the inputs.
    ///
    /// # Errors
    /// Fails as [`suite::run`] does.
    pub fn run(&self, events: &mut dyn EventSink) -> Result<SuiteAnswer, EngineError> {
        events.on_suite(&self.suite);
        let request = self.request()?;
        let workspace = self.suite.tasks.first().map(|plan| plan.workspace.as_path());
        let turn = request.state.zip(workspace);
        let turn =
            turn.and_then(|(state, workspace)| receipts::take_turn(state, workspace, &mut || false).ok().flatten());
        let answer = suite::run(&request, events);
        drop(turn);
        answer
    }

    /// Writes the status of the tasks, if the project keeps status files.
    ///
    /// # Errors
    /// Fails if the state directory cannot be used.
    pub fn record_status(&self, events: &mut dyn EventSink) -> Result<(), EngineError> {
        status::record(self.builder.context, &self.suite, events)
    }
}
