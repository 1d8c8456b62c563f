//! A run from what is asked for to what is sealed: who signs, what protected files are compared with, and where the checks run.
//! Commands, hooks, loops and stages all assemble their runs here.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use referee_exec::signal::Cancellation;
use referee_ledger::attest::Signer;
use referee_ledger::{State, receipts};
use referee_model::baseline::Baseline;
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_model::suite::Suite;

use crate::baseline;
use crate::clean_room::Workspace;
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::keys::SigningOptions;
use crate::protection;
use crate::protection_source::{self, known_locks};
use crate::request::{EventSink, RunRequest};
use crate::sandbox::{SandboxMode, SandboxOptions};
use crate::selection::Selection;
use crate::status;
use crate::suite::{self, SuiteAnswer};

mod clean_room;

/// Most actions that a message lists where a name was not found.
const NAMES_LISTED: usize = 20;

/// How checks run, and what protected files are compared with.
#[derive(Debug, Clone, Default)]
pub struct GateOptions {
    /// How many steps may run at once. None: as the specification says.
    pub jobs: Option<NonZeroUsize>,
    /// Whether commands are confined.
    pub sandbox: SandboxMode,
    /// Whether they run in a clean room.
    pub clean_room: bool,
    /// Whether the room is kept.
    pub keep_room: bool,
    /// By which key runs are signed.
    pub signing: SigningOptions,
    /// A commit that protected files are compared with, beside whatever else they are.
    pub trusted: Option<String>,
}

/// What is asked for, before any specification of it is looked at closely.
pub struct RunBuilder<'run> {
    context: &'run Context,
    options: &'run GateOptions,
    suites: &'run [Suite],
    cancellation: &'run Cancellation,
    /// The time that there is for an answer began with it.
    exec: referee_exec::Host,
    state: Option<State>,
    signer: Option<Arc<Signer>>,
    tasks: &'run [TaskId],
    selection: Selection,
    baseline: Option<Baseline>,
    vouched: Option<&'run str>,
}

impl<'run> RunBuilder<'run> {
    /// Begins a run of these specifications: opens the state directory, and finds who signs.
    ///
    /// # Errors
    /// Fails where the state directory or the key cannot be used.
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

    /// Runs these tasks alone, and those that they depend on, and so much of them. No task: all.
    ///
    /// # Errors
    /// Fails where something that is named is not there.
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

    /// Lets what stood in the baseline that is named not block. None: all blocks.
    ///
    /// # Errors
    /// Fails where it cannot be used.
    pub fn baseline(mut self, path: Option<&Path>, events: &mut dyn EventSink) -> Result<Self, EngineError> {
        let given = path.map(|path| baseline::given(self.context, path, self.suites, self.tasks, events));
        self.baseline = given.transpose()?;
        Ok(self)
    }

    /// Says why a lock need not know the specification, in a sentence.
    #[must_use]
    pub fn vouched(mut self, why: &'run str) -> Self {
        self.vouched = Some(why);
        self
    }

    /// Returns the user's state directory. None: there is none.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Makes sure that nothing is gone that was locked in the directories that are named.
    ///
    /// # Errors
    /// Fails where something is.
    pub fn check_directories(&self, names: &SpecificationNames) -> Result<(), EngineError> {
        let mut directories = names.files.iter().filter(|file| self.context.directory.join(file).is_dir());
        directories.try_for_each(|directory| known_locks::hold_below(self.context, directory, self.state()))
    }

    /// Returns the specifications that have a task which is asked for.
    pub fn suites(&self) -> impl Iterator<Item = &'run Suite> {
        self.suites.iter().filter(|suite| !suite::wanted(suite, self.tasks).is_empty())
    }

    /// Finds what protected files of a specification's workspace are compared with, and where its checks run.
    ///
    /// # Errors
    /// Fails where the commit or the clean room cannot be had, and where the specification in the room is wrong.
    pub fn prepare(&self, suite: &Suite, events: &mut dyn EventSink) -> Result<PreparedRun<'_>, EngineError> {
        // All of the specification is compared: that only part of it is run is no weaker specification.
        let trusted = self.options.trusted.as_deref();
        let mut protection = protection_source::baseline(self.context, suite, self.state(), trusted)?;
        if let Some(baseline) = &mut protection {
            baseline.vouch(self.vouched);
        }
        let (suite, workspace) = if self.options.clean_room {
            clean_room::enter(self, suite, protection.as_ref(), events)?
        } else {
            (suite.clone(), Workspace::InPlace)
        };
        Ok(PreparedRun { builder: self, suite, workspace, protection })
    }

    /// Prepares a run of a specification that nothing is compared for, in its workspace: one of which nothing can run.
    pub fn unprotected(&self, suite: &Suite) -> PreparedRun<'_> {
        PreparedRun { builder: self, suite: suite.clone(), workspace: Workspace::InPlace, protection: None }
    }
}

/// A specification that is ready to be run.
pub struct PreparedRun<'run> {
    builder: &'run RunBuilder<'run>,
    /// As it is run: as it stands in the clean room, where there is one. Whoever narrows or moves it does that here.
    pub suite: Suite,
    workspace: Workspace,
    protection: Option<protection::Baseline>,
}

impl PreparedRun<'_> {
    /// Whether anything protects the specification and the tests.
    pub fn is_protected(&self) -> bool {
        self.protection.is_some()
    }

    /// What a person should look at about what the work is compared with, a sentence each.
    pub fn doubts(&self) -> Vec<String> {
        let all = self.protection.iter().flat_map(protection::Baseline::all);
        all.filter_map(|baseline| baseline.doubt.clone()).collect()
    }

    /// Says what differs from what the work is compared with, also where that would not block. None: nothing does, or it is compared
    /// with nothing.
    ///
    /// # Errors
    /// Fails where the workspace cannot be listed.
    pub fn drift(&self) -> Result<Option<String>, EngineError> {
        let Some((baseline, plan)) = self.protection.as_ref().zip(self.suite.tasks.first()) else { return Ok(None) };
        let drift = baseline.observe(plan)?.drift;
        Ok(drift.first().map(|drift| format!("{}: {}", drift.path, drift.detail)))
    }

    /// Returns the run as it is asked for.
    ///
    /// # Errors
    /// Fails where the system has no random numbers.
    pub fn request(&self) -> Result<RunRequest<'_>, EngineError> {
        let RunBuilder { context, options, .. } = *self.builder;
        let ids = self.suite.tasks.iter().map(|_| context.new_execution());
        Ok(RunRequest {
            suite: &self.suite,
            tasks: self.builder.tasks,
            selection: &self.builder.selection,
            baseline: self.builder.baseline.as_ref(),
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

    /// Runs the checks, with the turn to ask about their workspace where it is free: whoever
    /// asks the gate meanwhile waits, and finds what this run recorded. A run waits for nobody; a gate that runs checks at the
    /// same time holds its answer against the inputs.
    ///
    /// # Errors
    /// As [`suite::run`].
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

    /// Writes how the tasks stand, where the project keeps that.
    ///
    /// # Errors
    /// Fails where the state directory cannot be used.
    pub fn record_status(&self, events: &mut dyn EventSink) -> Result<(), EngineError> {
        status::record(self.builder.context, &self.suite, events)
    }
}
