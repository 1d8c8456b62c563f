//! `referee incident run`.

use referee_engine::agent_loop::{Agent, Live};
use referee_engine::context::Context;
use referee_engine::incident::planning::PlanRequest;
use referee_engine::incident::running::{self, LoopOptions, LoopRequest};
use referee_engine::incident::{Cancellation, IncidentError, IncidentService};
use referee_engine::problem::Problem;
use referee_judge::doctor::shell_words;
use referee_model::incident::id::IncidentId;
use referee_model::verdict::Exit;
use referee_report::human;
use referee_wire::attempt::{FinalStatus, RunResultDocument};
use referee_wire::exit_code;

use super::verifying::Checks;
use crate::args::incident::running::{Run, Verifying};
use crate::command::agent::follow;
use crate::command::agent::running::secrets;
use crate::output;

/// Who does what the loop does, in events.
const BY: &str = "loop";

pub(super) fn run(world: &Context, arguments: &Run) -> Result<u8, Problem> {
    let id = super::id(&arguments.id)?;
    let service = super::service(world, &arguments.root)?;
    let mut worker = Worker::new(world, &arguments.verifying)?;
    let agent = arguments.agent.as_deref().map(|line| words("--agent", line)).transpose()?;
    worker.work_by(agent, arguments.agent_timeout, follow::live(world.terminal.stderr));
    worker.plan.planner = arguments.planner.as_deref().map(|line| words("--planner", line)).transpose()?;
    let cancellation = crate::resolve::signals()?;
    let result = worker.run((&service, BY), &id, arguments.options(), &cancellation)?;
    output::document(
        arguments.format,
        || referee_wire::to_bytes(&result),
        |out| human::incident_run::show(&result, world.terminal.stdout, out),
    )?;
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
    world: Context,
    verifying: Verifying,
    checks: Checks,
    /// None: nobody repairs.
    agent: Option<Agent>,
    /// How another plan is made.
    pub(in crate::command) plan: PlanRequest,
}

impl Worker {
    /// Looks at the specification as it is now: an agent that changes it changes nothing of what is checked.
    ///
    /// # Errors
    /// Fails where the specification is wrong, and where the key that is named cannot be used.
    pub(in crate::command) fn new(world: &Context, verifying: &Verifying) -> Result<Self, Problem> {
        if verifying.holding.manner.signing.key_fd.is_some() {
            let message = "--key-fd can be read once, and a loop runs the checks several times: use --key";
            return Err(Problem::usage(message.to_owned()));
        }
        let checks = Checks::load(world, verifying)?;
        let plan =
            PlanRequest { checks: checks.all(), workspace: checks.workspace().to_path_buf(), ..PlanRequest::default() };
        Ok(Self { world: world.clone(), verifying: verifying.clone(), checks, agent: None, plan })
    }

    /// Has an agent repair. None: nobody does.
    pub(in crate::command) fn work_by(&mut self, command: Option<Vec<String>>, timeout: u64, live: Option<Live>) {
        let secrets = secrets(&self.world, &self.verifying.holding.manner.signing.key);
        self.agent = command.map(|command| Agent { command, timeout, secrets, live });
    }

    /// Runs the loop of an incident until it is decided.
    ///
    /// # Errors
    /// As [`running::run`].
    pub(in crate::command) fn run(
        &self,
        (service, by): (&IncidentService, &str),
        id: &IncidentId,
        options: LoopOptions,
        cancellation: &Cancellation,
    ) -> Result<RunResultDocument, IncidentError> {
        let context = service.context(by);
        let root = context.incidents.root().to_path_buf();
        let request = LoopRequest { agent: self.agent.clone(), options, plan: self.plan.clone(), cancellation };
        let mut verify = |verifications: &[_], evidence: &str| {
            self.checks.ask(&self.world, &self.verifying, (&root, id, evidence), verifications, cancellation)
        };
        running::run(context, id, &request, &mut verify)
    }
}

/// Splits a command into a program and its arguments. No shell ever sees it.
pub(in crate::command) fn words(option: &str, line: &str) -> Result<Vec<String>, Problem> {
    shell_words(line).filter(|words| !words.is_empty()).ok_or_else(|| {
        Problem::usage(format!("{option} takes a program and its arguments alone: put anything else into a script"))
    })
}
