//! `referee incident run`.

use std::ffi::OsString;
use std::path::PathBuf;

use referee_engine::incident::planning::PlanRequest;
use referee_engine::incident::running::{self, LoopOptions, LoopRequest};
use referee_engine::incident::{Cancellation, IncidentError, Office};
use referee_engine::keys;
use referee_engine::repair::Live;
use referee_judge::doctor::shell_words;
use referee_model::incident::id::IncidentId;
use referee_model::verdict::Exit;
use referee_report::human;
use referee_wire::attempt::{FinalStatus, RunResultDocument};
use referee_wire::exit_code;

use super::verifying::Checks;
use crate::args::PlainFormat;
use crate::args::incident::running::{Run, Verifying};
use crate::command::agent::follow;
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Variables whose values no agent may have: they say where keys, state and held-out checks lie.
const HIDDEN: [&str; 4] = ["REFEREE_KEY", "REFEREE_STATE_DIR", "REFEREE_HELD_OUT", "REFEREE_TOKEN"];

/// Who does what the loop does, in events.
const BY: &str = "loop";

pub(super) fn run(world: &World, arguments: &Run) -> Result<u8, Problem> {
    let id = super::id(&arguments.id)?;
    let office = super::office(world, &arguments.root)?;
    let agent = arguments.agent.as_deref().map(|line| words("--agent", line)).transpose()?;
    let planner = arguments.planner.as_deref().map(|line| words("--planner", line)).transpose()?;
    let mut worker = Worker::new(world, &arguments.verifying)?;
    worker.agent = agent;
    worker.agent_ms = arguments.agent_timeout;
    worker.plan.planner = planner;
    worker.live = follow::live(world.terminal.stderr);
    let cancellation = crate::command::run::signals()?;
    let result = worker.run((&office, BY), &id, arguments.options(), &cancellation)?;
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&result)?,
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::incident_run::show(&result, world.terminal.stdout, &mut text)?;
            text
        }
    };
    output::answer(&text)?;
    Ok(exit(&result, &cancellation))
}

/// What a loop that ended so exits with.
fn exit(result: &RunResultDocument, cancellation: &Cancellation) -> u8 {
    let signal = cancellation.requests().first().copied();
    match (result.final_status, signal) {
        (FinalStatus::Resolved, _) => exit_code::of(Exit::Passed),
        (FinalStatus::Running, Some(signal)) => exit_code::of(Exit::Interrupted { signal }),
        (FinalStatus::Running | FinalStatus::Escalated | FinalStatus::ReplanRequested, _) => {
            exit_code::of(Exit::Failed)
        }
    }
}

/// All that loops of incidents need of the world, held for as long as a program runs them.
pub(in crate::command) struct Worker {
    world: World,
    verifying: Verifying,
    checks: Checks,
    /// The agent's command. None: nobody repairs.
    pub(in crate::command) agent: Option<Vec<String>>,
    /// Milliseconds that a turn of it may take.
    pub(in crate::command) agent_ms: u64,
    /// How another plan is made.
    pub(in crate::command) plan: PlanRequest,
    /// What the agent prints is shown here. None: to nobody.
    pub(in crate::command) live: Option<Live>,
    hidden: Vec<OsString>,
}

impl Worker {
    /// Looks at the specification as it is now: an agent that changes it changes nothing of what is checked.
    ///
    /// # Errors
    /// Fails where the specification is wrong, and where the key that is named cannot be used.
    pub(in crate::command) fn new(world: &World, verifying: &Verifying) -> Result<Self, Problem> {
        if verifying.holding.manner.signing.key_fd.is_some() {
            let message = "--key-fd can be read once, and a loop runs the checks several times: use --key";
            return Err(Problem::usage(message.to_owned()));
        }
        let checks = Checks::load(world, verifying)?;
        let plan =
            PlanRequest { checks: checks.all(), workspace: checks.workspace().to_path_buf(), ..PlanRequest::default() };
        Ok(Self {
            hidden: hidden(world, verifying),
            world: world.clone(),
            verifying: verifying.clone(),
            checks,
            agent: None,
            agent_ms: referee_model::limit::AGENT_DEADLINE_MS,
            plan,
            live: None,
        })
    }

    /// Runs the loop of an incident until it is decided.
    ///
    /// # Errors
    /// As [`running::run`].
    pub(in crate::command) fn run(
        &self,
        (office, by): (&Office, &str),
        id: &IncidentId,
        options: LoopOptions,
        cancellation: &Cancellation,
    ) -> Result<RunResultDocument, IncidentError> {
        let desk = office.desk(by);
        let root = desk.incidents.root().to_path_buf();
        let request = LoopRequest {
            agent: self.agent.clone(),
            workspace: self.checks.workspace().to_path_buf(),
            environment: &self.world.environment,
            hidden: &self.hidden,
            temporary: temporary(&self.world),
            agent_ms: self.agent_ms,
            options,
            plan: self.plan.clone(),
            cancellation,
            live: self.live.clone(),
        };
        let mut verify = |verifications: &[_], evidence: &str| {
            self.checks.ask(&self.world, &self.verifying, (&root, id, evidence), verifications, cancellation)
        };
        running::run(desk, id, &request, &mut verify)
    }
}

/// Splits a command into a program and its arguments. No shell ever sees it.
pub(in crate::command) fn words(option: &str, line: &str) -> Result<Vec<String>, Problem> {
    shell_words(line).filter(|words| !words.is_empty()).ok_or_else(|| {
        Problem::usage(format!("{option} takes a program and its arguments alone: put anything else into a script"))
    })
}

/// What no variable of the agent may say: where keys, the state folder and held-out checks lie, and how an SSH agent is reached
/// that signs for us.
fn hidden(world: &World, verifying: &Verifying) -> Vec<OsString> {
    let key = verifying.holding.manner.signing.key.iter();
    let mut hidden: Vec<OsString> =
        key.flat_map(|path| [path.clone(), world.directory.join(path)]).map(PathBuf::into_os_string).collect();
    let signs_by_agent = verifying.holding.manner.signing.key.as_deref().is_some_and(keys::is_of_agent);
    let is_hidden = |name: &OsString| {
        HIDDEN.iter().any(|own| name == own) || (signs_by_agent && (name == "SSH_AUTH_SOCK" || name == "SSH_AGENT_PID"))
    };
    hidden.extend(world.environment.iter().filter(|(name, _)| is_hidden(name)).map(|(_, value)| value.clone()));
    hidden.extend(world.state_if_any().ok().flatten().map(|state| state.path().as_os_str().to_owned()));
    hidden
}

fn temporary(world: &World) -> PathBuf {
    let named = world.environment.iter().find(|(name, value)| name == "TMPDIR" && !value.is_empty());
    let named = named.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| PathBuf::from("/tmp"))
}
