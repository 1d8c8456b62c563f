//! A run with all its options resolved: from the request and the environment, once, so that all its turns and
//! every process that resumes it ask the gate the same question.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use referee_exec::{Cancellation, Host};
use referee_ledger::State;
use referee_ledger::agent_runs::{OwnFile, RunDirectory, WorkspaceLock};
use referee_model::agent_order::{AgentOrder, PinnedFile};
use referee_model::agent_run::RunStep;
use referee_model::enrolment::FleetSettings;
use referee_model::gate::GateAnswer;
use referee_model::plan::Plan;
use referee_model::retry::{Chance, RetryPolicy};
use referee_model::suite::Suite;
use referee_model::verdict::Exit;

use super::stored_run::{StoredRun, UnfinishedRun};
use crate::agent_loop::{Agent, AgentWorkers, GateReply, Live, secrets};
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::event_sink::NoteSink;
use crate::gate::held_out::HeldOutChecks;
use crate::gate::{self, GateRequest};
use crate::run::GateOptions;
use crate::{keys, protection_source};

/// Options of the gate in every turn, and limits of the agent.
#[derive(Debug, Clone)]
pub struct RepairOptions {
    /// The specification that the agent works on.
    pub specification: SpecificationNames,
    /// Options of the gate: how checks run, and the baseline of protected files.
    pub gate: GateOptions,
    /// Path of held-out checks, which the agent never sees. `None`: those that the project is enrolled with.
    pub held_out: Option<PathBuf>,
    /// Whether a recorded verdict may answer.
    pub reuse: bool,
    /// Command of the agent: a program and its arguments. No shell is involved.
    pub command: Vec<String>,
    /// The workers that run the agent. `None`: this machine does.
    pub agent_workers: Option<FleetSettings>,
    /// Time limit of a turn of the agent, in milliseconds.
    pub agent_timeout: u64,
    /// Time limit of the run, in milliseconds.
    pub timeout: u64,
    /// Maximum number of turns.
    pub turns: u32,
    /// Which failures of the agent are retried within a turn.
    pub retry: RetryPolicy,
}

/// A requested run of an agent.
pub struct RepairRequest<'request> {
    /// The context of the call.
    pub context: &'request Context,
    /// Options of the run.
    pub options: RepairOptions,
    /// The prompt, with placeholders. `None`: the agent only gets the failures.
    pub prompt: Option<String>,
    /// Shows the output of the agent. `None`: it is not shown.
    pub live: Option<Live>,
    /// Receives notes.
    pub notes: NoteSink,
    /// Cancels the run.
    pub cancellation: &'request Cancellation,
}

/// A run that ended.
#[derive(Debug)]
pub struct Ended {
    /// The stored run.
    pub kept: StoredRun,
    /// Exit code for the program.
    pub exit: Exit,
}

/// A run that is ready to begin: its workspace is locked, and the gate can be asked.
pub struct PreparedRepair<'run> {
    context: &'run Context,
    /// Options, resolved for the whole run.
    pub options: RepairOptions,
    pub(super) prompt: Option<String>,
    pub(super) suite: Suite,
    pub(super) state: State,
    pub(super) pinned: PinnedFile,
    held_out: Option<PinnedFile>,
    /// Working directory of the agent.
    pub(super) directory: PathBuf,
    pub(super) agent: Agent,
    pub(super) host: Host,
    pub(super) cancellation: &'run Cancellation,
    notes: NoteSink,
    _lock: WorkspaceLock,
}

/// Resumes an interrupted run, in the context of its order.
///
/// # Errors
/// As [`PreparedRepair::new`] and [`PreparedRepair::begin`].
pub fn resume(
    request: RepairRequest<'_>,
    run: UnfinishedRun,
    told: &mut dyn FnMut(RunStep<'_>),
) -> Result<Ended, EngineError> {
    let mut repair = PreparedRepair::load(request, false)?;
    // The specifications recorded at the start of the run apply, whatever the agent did to them since.
    if let Some(pinned) = run.order.specification.first() {
        repair.pinned = pinned.clone();
    }
    repair.held_out = run.order.held_out.clone().or(repair.held_out);
    let StoredRun { run, directory } = run.again(&repair.state)?;
    let (run, exit) = super::go_on(&repair, &directory, told, run)?;
    Ok(Ended { kept: StoredRun { run, directory }, exit })
}

impl<'run> PreparedRepair<'run> {
    /// Loads the specification, locks the workspace, and verifies that the gate can be asked with the given key,
    /// trusted commit and held-out checks. Nothing is started if one of them is unavailable.
    ///
    /// # Errors
    /// Fails if one of these cannot be used, and for a key that can be read only once.
    pub fn new(request: RepairRequest<'run>) -> Result<Self, EngineError> {
        if request.options.gate.signing.key_fd.is_some() {
            let message = "--key-fd can be read once, and a run asks the gate several times: use --key";
            return Err(EngineError::usage(message.to_owned()));
        }
        Self::load(request, true)
    }

    fn load(request: RepairRequest<'run>, is_new: bool) -> Result<Self, EngineError> {
        let RepairRequest { context, mut options, prompt, live, notes, cancellation } = request;
        let suite = specification(context, &options, &notes)?;
        let Some(first) = suite.tasks.first() else {
            return Err(EngineError::usage("the specification has no task".to_owned()));
        };
        let directory = first.workspace.clone();
        let (state, lock) = lock(context, &suite.tasks, &directory)?;
        let path = directory.join(&suite.specification.file);
        if is_new {
            settle(context, &mut options, (&suite, &path), &state)?;
        }
        let signer = options.gate.signing.signer(context, std::slice::from_ref(&suite))?;
        protection_source::baseline(context, &suite, Some(&state), options.gate.trusted.as_deref())?;
        let named = options.gate.signing.key.iter().chain(&options.held_out);
        let workers = options
            .agent_workers
            .clone()
            .map(|settings| AgentWorkers::of_project(context, settings, signer, (&suite.tasks, &directory)));
        let agent = Agent {
            workers: workers.transpose()?,
            command: options.command.clone(),
            timeout: options.agent_timeout,
            secrets: secrets(context, named),
            live,
        };
        Ok(Self {
            held_out: pinned(context, &options, &suite, &state)?,
            pinned: PinnedFile { path: path.display().to_string(), sha256: suite.specification.digest },
            host: context.for_exec()?,
            context,
            options,
            prompt,
            suite,
            state,
            directory,
            agent,
            cancellation,
            notes,
            _lock: lock,
        })
    }

    /// Begins the run, and drives it to its end. `words` has its options as words, for a process that resumes it.
    ///
    /// # Errors
    /// Fails if the run cannot be stored: there is no run without its record.
    pub fn begin(&self, words: Vec<String>, told: &mut dyn FnMut(RunStep<'_>)) -> Result<Ended, EngineError> {
        let id = self.context.new_execution()?.as_str().replacen("exec-", "run-", 1);
        let directory = RunDirectory::make(&self.state, &id)?;
        let mut order = AgentOrder::new(id.clone(), self.context.now());
        order.directory = text(self.context.directory.as_os_str(), "the current directory")?;
        order.arguments = words;
        order.prompt.clone_from(&self.prompt);
        order.specification.push(self.pinned.clone());
        order.held_out.clone_from(&self.held_out);
        let bytes = AgentOrder::KIND.encode(&order)?;
        directory.write_own(OwnFile::Order, &bytes)?;
        let (run, exit) = super::begin(self, &directory, told, &id)?;
        Ok(Ended { kept: StoredRun { run, directory }, exit })
    }

    /// Asks the gate, with the specification as it was when the run began.
    pub(super) fn ask(&self) -> GateReply {
        GateReply::of(self.answer())
    }

    fn answer(&self) -> Result<GateAnswer, EngineError> {
        let (suite, options) = (self.unchanged()?, &self.options);
        let request = GateRequest {
            context: self.context,
            suite: &suite,
            options: &options.gate,
            held_out: options.held_out.as_deref(),
            is_settled: true,
            reuse: options.reuse,
            timeout: None,
            cancellation: self.cancellation,
        };
        gate::ask(&request, &mut self.notes.clone())
    }

    /// Verifies that the agent did not change the specifications: with or without a lock, it does not decide what
    /// is checked.
    fn unchanged(&self) -> Result<Suite, EngineError> {
        let changed = |what: &str, was: &str| {
            let until = "when the run began: whether that may be so is for a person to say";
            EngineError::specification(format!("{what} not as {was} {until}"))
        };
        let now = specification(self.context, &self.options, &self.notes)?;
        if now.specification.digest != self.pinned.sha256 {
            return Err(changed(&format!("{} is", self.pinned.path), "it was"));
        }
        // The message reveals nothing about held-out checks: neither their path nor the fault.
        match pinned(self.context, &self.options, &self.suite, &self.state) {
            Ok(held_out) if held_out == self.held_out => Ok(now),
            _ => Err(changed("the held-out checks are", "they were")),
        }
    }

    /// Draws a random number; without a source of randomness nothing is added to waits.
    pub(super) fn chance(&self) -> Chance {
        let drawn = (self.context.random)();
        drawn.map_or(Chance::NONE, |bytes| Chance::new(f64::from(u32::from_be_bytes(bytes)) / f64::from(u32::MAX)))
    }
}

/// Resolves the gate's options for every turn: the project's enrolment, absolute paths, the key from the
/// environment, and the trusted commit by its id, since the agent can move a branch.
fn settle(
    context: &Context,
    options: &mut RepairOptions,
    (suite, file): (&Suite, &Path),
    state: &State,
) -> Result<(), EngineError> {
    let absolute = |path: PathBuf| context.directory.join(path);
    (options.held_out, _) = gate::enrolled_held_out(context, options.held_out.as_deref(), suite, Some(state))?;
    options.specification.files = vec![file.to_path_buf()];
    options.specification.workspace = options.specification.workspace.take().map(absolute);
    let key = options.gate.signing.named(context);
    options.gate.signing.key = key.map(|key| if keys::is_of_agent(&key) { key } else { absolute(key) });
    if let (Some(reference), Some(plan)) = (&options.gate.trusted, suite.tasks.first()) {
        options.gate.trusted = Some(protection_source::commit_id(context, &plan.workspace, reference)?);
    }
    Ok(())
}

/// Records which file the given held-out checks are in. `None` if none are given.
fn pinned(
    context: &Context,
    options: &RepairOptions,
    suite: &Suite,
    state: &State,
) -> Result<Option<PinnedFile>, EngineError> {
    let Some(place) = &options.held_out else { return Ok(None) };
    HeldOutChecks::find(context, place, suite, Some(state))?.pin(suite).map(Some)
}

/// Opens the state directory of a project with these tasks, and takes the lock of the workspace.
pub(super) fn lock(context: &Context, tasks: &[Plan], workspace: &Path) -> Result<(State, WorkspaceLock), EngineError> {
    let state = context.state(tasks.iter().map(|plan| plan.workspace.as_path()))?.ok_or_else(|| {
        EngineError::usage(
            "a run of an agent is kept in the state directory: set REFEREE_STATE_DIR, or HOME".to_owned(),
        )
    })?;
    let lock = WorkspaceLock::take(&state, workspace)?.ok_or_else(|| {
        let place = workspace.display();
        EngineError::usage(format!("another run of an agent works in {place}: wait for it, or end it"))
    })?;
    Ok((state, lock))
}

/// Loads the selected specification.
fn specification(context: &Context, options: &RepairOptions, notes: &NoteSink) -> Result<Suite, EngineError> {
    let refusal = "an agent works for one specification: name one";
    context.load_single(&options.specification, refusal, &mut notes.clone())
}

/// Returns a text that can be stored. Fails if it is not UTF-8.
pub fn text(words: &OsStr, what: &str) -> Result<String, EngineError> {
    let kept = words.to_str().map(str::to_owned);
    kept.ok_or_else(|| EngineError::usage(format!("{what} is not text (UTF-8), so the run could not go on")))
}
