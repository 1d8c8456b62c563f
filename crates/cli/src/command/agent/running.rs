//! `referee agent run`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Parser;
use referee_engine::repair::{self, Asked, Doors, Ended, RepairRequest};
use referee_engine::request::Failure;
use referee_exec::signal::{self, Cancellation};
use referee_judge::retry;
use referee_ledger::State;
use referee_ledger::agent_runs::{OwnFile, RunFolder, WorkspaceLock};
use referee_model::limit::PROMPT_BYTES;
use referee_model::retry::{Chance, RetryPolicy};
use referee_model::suite::Suite;
use referee_model::verdict::Exit;
use referee_wire::agent_order::{self, AgentOrder, PinnedFile};
use referee_wire::{agent_run, exit_code};

use super::{follow, kept};
use crate::args::agent::{Agent, AgentRun, Retry};
use crate::args::{Arguments, Command, PlainFormat};
use crate::command::gating::{self, Question, Silent};
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::{self, World};
use crate::terminal::Terminal;

/// Begins a run, or goes on with one.
pub(super) fn execute(world: &World, arguments: &AgentRun) -> Result<u8, Problem> {
    match &arguments.resume {
        Some(run) => resume(world, arguments, run),
        None => begin(world, arguments),
    }
}

fn begin(world: &World, arguments: &AgentRun) -> Result<u8, Problem> {
    if arguments.command.is_empty() {
        return Err(Problem::usage(
            "name the agent's command behind `--`, such as `-- claude -p 'Mend it'`".to_owned(),
        ));
    }
    if arguments.asked.signing.key_fd.is_some() {
        let message = "--key-fd can be read once, and a run asks the gate several times: use --key";
        return Err(Problem::usage(message.to_owned()));
    }
    let prompt = arguments.prompt.as_ref().map(|path| prompt(world, path)).transpose()?;
    let job = Job::load(world, arguments, prompt)?;
    let run = resolve::new_execution()?.as_str().replacen("exec-", "run-", 1);
    let folder = RunFolder::make(&job.state, &run).map_err(Failure::from)?;
    let mut order = AgentOrder::new(run.clone(), resolve::now());
    order.directory = text(world.directory.clone().into_os_string(), "the current folder")?;
    order.arguments = std::env::args_os().skip(1).map(|word| text(word, "what was typed")).collect::<Result<_, _>>()?;
    order.prompt.clone_from(&job.prompt);
    order.specification.push(job.pinned.clone());
    let bytes = referee_wire::to_bytes(&order)?;
    folder.write_own(OwnFile::Order, &bytes).map_err(Failure::from)?;
    let ended = job.drive(&folder, |request, doors| repair::begin(request, doors, &run))?;
    answer(world, arguments, &folder, &ended)
}

fn resume(world: &World, arguments: &AgentRun, run: &str) -> Result<u8, Problem> {
    let state = world.state_if_any()?;
    let state = state.ok_or_else(|| Problem::usage(format!("there is no run {run}: no run was ever kept here")))?;
    let folder = kept::find(&state, run)?;
    unfinished(&folder, run)?;
    let order = order(&folder)?;
    let ordered = ordered(&order)?;
    let Terminal { stdout, stderr } = world.terminal;
    let there = World {
        directory: PathBuf::from(&order.directory),
        environment: world.environment.clone(),
        terminal: Terminal { stdout, stderr },
    };
    let mut job = Job::load(&there, &ordered, order.prompt.clone())?;
    // What the run began with stands, whatever the agent made of it meanwhile.
    if let Some(pinned) = order.specification.first() {
        job.pinned = pinned.clone();
    }
    // Only now that the workspace is held nobody else drives it.
    let found = unfinished(&folder, run)?;
    let ended = job.drive(&folder, |request, doors| repair::resume(request, doors, found))?;
    answer(world, arguments, &folder, &ended)
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

/// Reads what was typed when the run was ordered.
fn ordered(order: &AgentOrder) -> Result<AgentRun, Problem> {
    let words = std::iter::once("referee").chain(order.arguments.iter().map(String::as_str));
    let parsed = Arguments::try_parse_from(words)
        .map_err(|error| Problem::usage(format!("what was ordered cannot be read any more: {error}")))?;
    match parsed.command {
        Command::Agent(Agent::Run(arguments)) => Ok(*arguments),
        _ => Err(Problem::usage("what was ordered is no run of an agent".to_owned())),
    }
}

/// All that a run needs.
struct Job<'world> {
    world: &'world World,
    arguments: &'world AgentRun,
    prompt: Option<String>,
    suite: Suite,
    state: State,
    pinned: PinnedFile,
    workspace: PathBuf,
    cancellation: Cancellation,
    _lock: WorkspaceLock,
}

impl<'world> Job<'world> {
    /// Loads the specification and takes the workspace. Nothing is started where either cannot be had.
    fn load(world: &'world World, arguments: &'world AgentRun, prompt: Option<String>) -> Result<Self, Problem> {
        let suite = specification(world, arguments)?;
        let Some(first) = suite.tasks.first() else {
            return Err(Problem::usage("the specification has no task".to_owned()));
        };
        let workspace = first.workspace.clone();
        let state = world.state(suite.tasks.iter().map(|plan| plan.workspace.as_path()))?.ok_or_else(|| {
            Problem::usage("a run of an agent is kept in the state folder: set REFEREE_STATE_DIR, or HOME".to_owned())
        })?;
        let lock = WorkspaceLock::take(&state, &workspace).map_err(Failure::from)?;
        let lock = lock.ok_or_else(|| {
            let place = world.shown(&workspace).display();
            Problem::usage(format!("another run of an agent works in {place}: wait for it, or end it"))
        })?;
        let path = workspace.join(&suite.specification.file);
        let pinned = PinnedFile { path: path.display().to_string(), sha256: suite.specification.digest };
        let cancellation =
            signal::install().map_err(|error| Problem::internal(format!("signals cannot be listened for: {error}")))?;
        Ok(Self { world, arguments, prompt, suite, state, pinned, workspace, cancellation, _lock: lock })
    }

    /// Has the run driven to its end.
    fn drive(
        &self,
        folder: &RunFolder,
        run: impl FnOnce(&RepairRequest<'_>, Doors<'_>) -> Result<Ended, Failure>,
    ) -> Result<Ended, Problem> {
        let style = self.world.terminal.stderr;
        let hidden = self.hidden();
        let temporary = self.temporary();
        let request = RepairRequest {
            folder,
            state: &self.state,
            command: &self.arguments.command,
            prompt: self.prompt.as_deref(),
            suite: &self.suite,
            directory: &self.workspace,
            environment: &self.world.environment,
            hidden: &hidden,
            temporary: &temporary,
            agent_ms: self.arguments.agent_timeout,
            run_ms: self.arguments.max_minutes.saturating_mul(60_000),
            turns: self.arguments.max_iterations,
            retry: policy(self.arguments.retry),
            host: self.world.for_exec()?,
            cancellation: &self.cancellation,
            live: follow::live(style),
        };
        let doors = Doors { ask: &mut || self.ask(), told: &mut |step| follow::step(step, style), chance: &mut chance };
        Ok(run(&request, doors)?)
    }

    /// Asks the gate, with the specification as it was when the run began.
    fn ask(&self) -> Asked {
        let question = Question { asked: &self.arguments.asked, deadline_ms: None, cancellation: &self.cancellation };
        let answer = self.unchanged().and_then(|()| gating::ask(self.world, &question, &mut Silent));
        match answer {
            Ok(answer) => Asked::Answer(Box::new(answer)),
            Err(problem) => Asked::None {
                exit: match problem.kind {
                    Kind::Usage | Kind::Specification => Exit::Specification,
                    Kind::Evidence => Exit::Evidence,
                    Kind::Internal => Exit::Internal,
                },
                reason: problem.message,
            },
        }
    }

    /// Makes sure that the agent left the specification alone: with or without a lock, it does not decide what is checked.
    fn unchanged(&self) -> Result<(), Problem> {
        let now = specification(self.world, self.arguments)?;
        if now.specification.digest == self.pinned.sha256 {
            return Ok(());
        }
        Err(Problem {
            kind: Kind::Specification,
            message: format!(
                "{} is not as it was when the run began: whether it may be so is for a person to say",
                self.pinned.path
            ),
            complaints: Vec::new(),
        })
    }

    /// What no variable of the agent may say: where keys, the state folder and held-out checks lie.
    fn hidden(&self) -> Vec<OsString> {
        let asked = &self.arguments.asked;
        let typed = asked.signing.key.iter().chain(&asked.held_out);
        let mut hidden: Vec<OsString> = typed
            .flat_map(|path| [path.clone(), self.world.directory.join(path)])
            .map(PathBuf::into_os_string)
            .collect();
        let ours = ["REFEREE_KEY", "REFEREE_STATE_DIR", "REFEREE_HELD_OUT"];
        let variables = self.world.environment.iter().filter(|(name, _)| ours.iter().any(|own| name == own));
        hidden.extend(variables.map(|(_, value)| value.clone()));
        hidden.push(self.state.path().as_os_str().to_owned());
        hidden
    }

    fn temporary(&self) -> PathBuf {
        let named = self.world.environment.iter().find(|(name, value)| name == "TMPDIR" && !value.is_empty());
        let named = named.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| PathBuf::from("/tmp"))
    }
}

/// Loads the one specification that is meant.
fn specification(world: &World, arguments: &AgentRun) -> Result<Suite, Problem> {
    let mut loaded = world.load(&arguments.asked.specification)?.into_iter();
    match (loaded.next(), loaded.next()) {
        (Some(loaded), None) => Ok(loaded?.suite),
        _ => Err(Problem::usage("an agent works for one specification: name one".to_owned())),
    }
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

fn prompt(world: &World, path: &Path) -> Result<String, Problem> {
    let unusable = |reason: &dyn std::fmt::Display| Problem::usage(format!("--prompt {}: {reason}", path.display()));
    let mut bytes = Vec::new();
    let bound = u64::try_from(PROMPT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let file = File::open(world.directory.join(path)).map_err(|error| unusable(&error))?;
    let read = file.take(bound).read_to_end(&mut bytes).map_err(|error| unusable(&error))?;
    if read > PROMPT_BYTES {
        return Err(unusable(&format_args!("it is larger than {} KiB", PROMPT_BYTES >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| unusable(&"it is no text (UTF-8)"))
}

fn text(words: OsString, what: &str) -> Result<String, Problem> {
    words.into_string().map_err(|_| Problem::usage(format!("{what} is no text (UTF-8), so the run could not go on")))
}

/// Prints the run that is over.
fn answer(world: &World, arguments: &AgentRun, folder: &RunFolder, ended: &Ended) -> Result<u8, Problem> {
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&agent_run::document(&ended.run))?,
        PlainFormat::Human => kept::shown(world, folder, &ended.run)?,
    };
    output::answer(&text)?;
    Ok(exit_code::of(ended.exit))
}
