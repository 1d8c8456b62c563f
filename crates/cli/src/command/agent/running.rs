//! `referee agent run`.

use std::path::PathBuf;

use referee_engine::agent_loop::{Agent, Asked};
use referee_engine::context::Context;
use referee_engine::gate::held_out::HeldOutChecks;
use referee_engine::gate::{self, GateRequest};
use referee_engine::problem::{Kind, Problem};
use referee_engine::protection_source;
use referee_engine::repair::{self, Callbacks, Ended, RepairRequest};
use referee_engine::request::Failure;
use referee_exec::signal::Cancellation;
use referee_judge::retry;
use referee_ledger::State;
use referee_ledger::agent_runs::{OwnFile, RunFolder, WorkspaceLock};
use referee_model::gate::GateAnswer;
use referee_model::limit::PROMPT_BYTES;
use referee_model::retry::{Chance, RetryPolicy};
use referee_model::suite::Suite;
use referee_wire::agent_order::{self, AgentOrder, PinnedFile};
use referee_wire::{agent_run, exit_code};

use super::{follow, kept, ordering};
use crate::args::PlainFormat;
use crate::args::agent::{AgentRun, Retry};
use crate::args::gate as gate_args;
use crate::follower::Notes;
use crate::resolve;
use crate::{input, output};

/// Begins a run, or goes on with one.
pub(super) fn execute(context: &Context, arguments: &AgentRun) -> Result<u8, Problem> {
    match &arguments.resume {
        Some(run) => resume(context, arguments, run),
        None => begin(context, arguments),
    }
}

fn begin(context: &Context, arguments: &AgentRun) -> Result<u8, Problem> {
    if arguments.command.is_empty() {
        return Err(Problem::usage(
            "name the agent's command behind `--`, such as `-- claude -p 'Mend it'`".to_owned(),
        ));
    }
    if arguments.asked.holding.manner.signing.key_fd.is_some() {
        let message = "--key-fd can be read once, and a run asks the gate several times: use --key";
        return Err(Problem::usage(message.to_owned()));
    }
    let prompt = arguments.prompt.as_ref().map(|path| input::text(context, path, PROMPT_BYTES as u64)).transpose()?;
    let job = Job::load(context, arguments, prompt, Words::Typed)?;
    let run = context.new_execution()?.as_str().replacen("exec-", "run-", 1);
    let folder = RunFolder::make(&job.state, &run).map_err(Failure::from)?;
    let mut order = AgentOrder::new(run.clone(), resolve::now());
    order.directory = ordering::text(context.directory.as_os_str(), "the current folder")?;
    order.arguments = ordering::words(&job.arguments)?;
    order.prompt.clone_from(&job.prompt);
    order.specification.push(job.pinned.clone());
    order.held_out.clone_from(&job.held_out);
    let bytes = referee_wire::to_bytes(&order)?;
    folder.write_own(OwnFile::Order, &bytes).map_err(Failure::from)?;
    let ended = job.drive(&folder, |request, callbacks| repair::begin(request, callbacks, &run))?;
    answer(context, arguments, &folder, &ended)
}

fn resume(context: &Context, arguments: &AgentRun, run: &str) -> Result<u8, Problem> {
    ordering::resumes_alone()?;
    let state = context.state_if_any()?;
    let state = state.ok_or_else(|| Problem::usage(format!("there is no run {run}: no run was ever kept here")))?;
    let folder = kept::find(&state, run)?;
    unfinished(&folder, run)?;
    let order = order(&folder)?;
    let ordered = ordering::read(&order)?;
    let there = Context {
        directory: PathBuf::from(&order.directory),
        // Which key signs was ordered, too.
        environment: context.environment.iter().filter(|(name, _)| name != "REFEREE_KEY").cloned().collect(),
        ..context.clone()
    };
    let mut job = Job::load(&there, &ordered, order.prompt.clone(), Words::Settled)?;
    // What the run began with stands, whatever the agent made of it meanwhile.
    if let Some(pinned) = order.specification.first() {
        job.pinned = pinned.clone();
    }
    job.held_out = order.held_out.clone().or(job.held_out);
    // Only now that the workspace is held nobody else drives it.
    let found = unfinished(&folder, run)?;
    let ended = job.drive(&folder, |request, callbacks| repair::resume(request, callbacks, found))?;
    answer(context, arguments, &folder, &ended)
}

/// Reads a run that is not over.
fn unfinished(folder: &RunFolder, run: &str) -> Result<referee_model::agent_run::AgentRun, Problem> {
    let found = kept::run(folder, run)?;
    match found.result {
        None => Ok(found),
        Some(result) => Err(Problem::usage(format!("{run} is over ({}): begin another one", result.as_str()))),
    }
}

/// What was ordered.
fn order(folder: &RunFolder) -> Result<AgentOrder, Problem> {
    let unreadable = |reason: &dyn std::fmt::Display| Problem {
        kind: Kind::Evidence,
        message: folder.unreadable("order.json", reason).to_string(),
        complaints: Vec::new(),
    };
    let bytes = folder.read_own(OwnFile::Order).map_err(Failure::from)?;
    agent_order::read(&bytes.ok_or_else(|| unreadable(&"it was never written"))?).map_err(|error| unreadable(&error))
}

/// How a run was asked for.
#[derive(Clone, Copy)]
enum Words {
    /// As somebody typed it now.
    Typed,
    /// As it was settled when it was ordered: nothing that changed since counts.
    Settled,
}

/// All that a run needs.
struct Job<'context> {
    context: &'context Context,
    /// As they are settled for the whole run.
    arguments: AgentRun,
    prompt: Option<String>,
    suite: Suite,
    state: State,
    pinned: PinnedFile,
    held_out: Option<PinnedFile>,
    workspace: PathBuf,
    cancellation: Cancellation,
    _lock: WorkspaceLock,
}

impl<'context> Job<'context> {
    /// Loads the specification and takes the workspace, and makes sure that the gate can be asked: by the key, the trusted
    /// commit and the held-out checks that are named. Nothing is started where one of them cannot be had.
    fn load(
        context: &'context Context,
        arguments: &'context AgentRun,
        prompt: Option<String>,
        words: Words,
    ) -> Result<Self, Problem> {
        let suite = specification(context, &arguments.asked)?;
        let Some(first) = suite.tasks.first() else {
            return Err(Problem::usage("the specification has no task".to_owned()));
        };
        let workspace = first.workspace.clone();
        let state = context.state(suite.tasks.iter().map(|plan| plan.workspace.as_path()))?.ok_or_else(|| {
            Problem::usage("a run of an agent is kept in the state folder: set REFEREE_STATE_DIR, or HOME".to_owned())
        })?;
        let lock = WorkspaceLock::take(&state, &workspace).map_err(Failure::from)?;
        let lock = lock.ok_or_else(|| {
            let place = workspace.display();
            Problem::usage(format!("another run of an agent works in {place}: wait for it, or end it"))
        })?;
        let path = workspace.join(&suite.specification.file);
        let pinned = PinnedFile { path: path.display().to_string(), sha256: suite.specification.digest };
        let cancellation = crate::resolve::signals()?;
        let asked = match words {
            Words::Typed => ordering::settled(context, &arguments.asked, (&suite, &path), &state)?,
            Words::Settled => arguments.asked.clone(),
        };
        asked.holding.manner.signing.options().signer(context, std::slice::from_ref(&suite))?;
        protection_source::baseline(context, &suite, Some(&state), asked.holding.trusted.as_deref())?;
        let held_out = held_out(context, &asked, &suite, &state)?;
        let arguments = AgentRun { asked, ..arguments.clone() };
        Ok(Self { context, arguments, prompt, suite, state, pinned, held_out, workspace, cancellation, _lock: lock })
    }

    /// Has the run driven to its end.
    fn drive(
        &self,
        folder: &RunFolder,
        run: impl FnOnce(&RepairRequest<'_>, Callbacks<'_>) -> Result<Ended, Failure>,
    ) -> Result<Ended, Problem> {
        let style = self.context.terminal.stderr;
        let asked = &self.arguments.asked;
        let request = RepairRequest {
            folder,
            state: &self.state,
            agent: Agent {
                command: self.arguments.command.clone(),
                timeout: self.arguments.agent_timeout,
                secrets: secrets(self.context, asked.holding.manner.signing.key.iter().chain(&asked.held_out)),
                live: follow::live(style),
            },
            prompt: self.prompt.as_deref(),
            suite: &self.suite,
            directory: &self.workspace,
            timeout: self.arguments.max_minutes.saturating_mul(60_000),
            turns: self.arguments.max_iterations,
            retry: policy(self.arguments.retry),
            host: self.context.for_exec()?,
            cancellation: &self.cancellation,
        };
        let callbacks =
            Callbacks { ask: &mut || self.ask(), told: &mut |step| follow::step(step, style), chance: &mut chance };
        Ok(run(&request, callbacks)?)
    }

    /// Asks the gate, with the specification as it was when the run began.
    fn ask(&self) -> Asked {
        Asked::of(self.answer())
    }

    fn answer(&self) -> Result<GateAnswer, Problem> {
        let (suite, asked) = (self.unchanged()?, &self.arguments.asked);
        let options = asked.holding.options();
        let request =
            GateRequest { is_settled: true, ..asked.request(self.context, &suite, &options, &self.cancellation) };
        gate::ask(&request, &mut Notes::new(self.context))
    }

    /// Makes sure that the agent left the specifications alone: with or without a lock, it does not decide what is checked.
    fn unchanged(&self) -> Result<Suite, Problem> {
        let changed = |what: &str, verb: &str| Problem {
            kind: Kind::Specification,
            message: format!(
                "{what} {verb} not as {} when the run began: whether that may be so is for a person to say",
                if verb == "is" { "it was" } else { "they were" }
            ),
            complaints: Vec::new(),
        };
        let now = specification(self.context, &self.arguments.asked)?;
        if now.specification.digest != self.pinned.sha256 {
            return Err(changed(&self.pinned.path, "is"));
        }
        // Whatever there is to be said of them is not said: neither where they lie, nor what is wrong.
        match held_out(self.context, &self.arguments.asked, &self.suite, &self.state) {
            Ok(held_out) if held_out == self.held_out => Ok(now),
            _ => Err(changed("the held-out checks", "are")),
        }
    }
}

/// Files that no variable of an agent may lead to, as they were named and as absolute paths.
pub(in crate::command) fn secrets<'path>(
    context: &Context,
    named: impl IntoIterator<Item = &'path PathBuf>,
) -> Vec<PathBuf> {
    named.into_iter().flat_map(|path| [path.clone(), context.directory.join(path)]).collect()
}

/// Records which file the held-out checks that are named are in. None: none are named.
fn held_out(
    context: &Context,
    asked: &gate_args::Asked,
    suite: &Suite,
    state: &State,
) -> Result<Option<PinnedFile>, Problem> {
    let Some(place) = &asked.held_out else { return Ok(None) };
    HeldOutChecks::find(context, place, suite, Some(state))?.pin(suite).map(Some)
}

/// Loads the one specification that is meant.
fn specification(context: &Context, asked: &gate_args::Asked) -> Result<Suite, Problem> {
    resolve::load_one(context, &asked.specification, "an agent works for one specification: name one")
}

fn policy(retry: Retry) -> RetryPolicy {
    match retry {
        Retry::None => retry::no_retries(),
        Retry::Default => retry::default_policy(),
        Retry::Aggressive => retry::aggressive_policy(),
    }
}

/// Draws a number by chance; without a source nothing is added to waits.
fn chance() -> Chance {
    let mut bytes = [0_u8; 4];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(filled) if filled == bytes.len() => Chance::new(f64::from(u32::from_be_bytes(bytes)) / f64::from(u32::MAX)),
        _ => Chance::NONE,
    }
}

/// Prints the run that is over.
fn answer(context: &Context, arguments: &AgentRun, folder: &RunFolder, ended: &Ended) -> Result<u8, Problem> {
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&agent_run::document(&ended.run))?,
        PlainFormat::Human => kept::shown(context, folder, &ended.run)?,
    };
    output::answer(&text)?;
    Ok(exit_code::of(ended.exit))
}
