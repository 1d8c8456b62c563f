//! What a front end needs to plan, check and repair the incidents of a project for as long as it runs.

use std::path::{Path, PathBuf};

use referee_judge::doctor::shell_words;
use referee_ledger::private_directory::PrivateDirectory;
use referee_model::enrolment::FleetSettings;
use referee_model::id::WorkspacePath;
use referee_model::incident::attempt::RunResultDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::Verification;
use referee_model::plan::Plan;
use referee_model::suite::Suite;

use super::plan::PlanRequest;
use super::repair_loop::{self, IncidentTakeover, LoopOptions, LoopRequest};
use super::verification::{self, Checks, VerificationOptions};
use super::{Cancellation, IncidentError, IncidentService};
use crate::agent_loop::{Agent, AgentWorkers, GateReply, Live, Standby, secrets};
use crate::clean_room;
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note, NoteSink};

/// Actor of a loop's actions, in events.
const BY: &str = "loop";

/// How the incidents of a project are planned, checked and repaired.
pub struct BackendOptions {
    /// How the checks of a plan run.
    pub verification: VerificationOptions,
    /// Command line of the agent. `None`: nothing is repaired.
    pub agent: Option<String>,
    /// Time limit of a turn of the agent, in milliseconds.
    pub agent_timeout: u64,
    /// The workers that run the agent. `None`: this machine does.
    pub agent_workers: Option<FleetSettings>,
    /// Shows the output of the agent. `None`: it is not shown.
    pub live: Option<Live>,
    /// Command line of the planner. `None`: plans are made by rules.
    pub planner: Option<String>,
    /// Receives notes.
    pub notes: NoteSink,
}

/// Everything that plans and loops of incidents need from a project.
pub struct Backend {
    context: Context,
    checks: Checks,
    /// Command line of the agent, as given. `None`: nothing is repaired.
    pub agent_line: Option<String>,
    agent: Option<Agent>,
    plan: PlanRequest,
    notes: NoteSink,
}

impl Backend {
    /// Loads the specification as it is now: an agent that changes it later does not change what is checked.
    ///
    /// # Errors
    /// Fails if the specification is invalid, or if a named key or command cannot be used.
    pub fn new(context: &Context, options: BackendOptions) -> Result<Self, EngineError> {
        let BackendOptions { verification, agent, agent_timeout, agent_workers, live, planner, mut notes } = options;
        let signing = &verification.gate.signing;
        if signing.key_fd.is_some() {
            let message = "--key-fd can be read once, and a loop runs the checks several times: use --key";
            return Err(EngineError::usage(message.to_owned()));
        }
        let secrets = secrets(context, &signing.key);
        let signing = signing.clone();
        let checks = Checks::load(context, verification, &mut notes)?;
        let workers = agent_workers.map(|settings| {
            let signer = signing.signer(context, checks.suites())?;
            AgentWorkers::of_project(context, settings, signer, (checks.tasks(), checks.workspace()))
        });
        let workers = workers.transpose()?;
        let command = agent.as_deref().map(|line| words("--agent", line)).transpose()?;
        let tasks: Vec<&Plan> = checks.tasks().iter().collect();
        let plan = plan_with(&tasks, checks.workspace().to_path_buf(), planner.as_deref())?;
        Ok(Self {
            context: context.clone(),
            checks,
            agent_line: agent,
            agent: command.map(|command| Agent { command, timeout: agent_timeout, secrets, live, workers }),
            plan,
            notes,
        })
    }

    /// Returns the workspace.
    pub fn workspace(&self) -> &Path {
        self.checks.workspace()
    }

    /// Returns the evidence root of the project.
    pub fn evidence_root(&self) -> PathBuf {
        clean_room::evidence_root(self.checks.tasks(), self.workspace())
    }

    /// Returns the request by which plans are made for this project.
    pub fn plan_request(&self, force: bool) -> PlanRequest {
        PlanRequest { force, ..self.plan.clone() }
    }

    /// Runs the loop of an incident until it is decided.
    ///
    /// # Errors
    /// As [`repair_loop::run`].
    pub fn run(
        &self,
        service: &IncidentService,
        id: &IncidentId,
        options: LoopOptions,
        cancellation: &Cancellation,
    ) -> Result<RunResultDocument, IncidentError> {
        let context = service.context(BY);
        let root = context.incidents.root();
        let request = LoopRequest {
            agent: self.agent_beside(root),
            options,
            plan: self.plan.clone(),
            specification: self.specification().and_then(|(suite, file)| {
                // One outside of the workspace is on this machine alone.
                Some((WorkspacePath::parse(file).ok()?, suite.specification.digest))
            }),
            cancellation,
        };
        repair_loop::run(context, id, &request, &mut self.verify(root, id, cancellation))
    }

    /// Takes an incident over from a machine that is gone, by its last checkpoint in the depot of the workers, so that its loop
    /// can go on here. Does nothing if this machine has done so before.
    ///
    /// # Errors
    /// Fails, before anything is changed, if this machine cannot go on with the incident.
    pub fn take_over(
        &self,
        service: &IncidentService,
        id: &IncidentId,
        standby: Option<&Standby<'_>>,
        cancellation: &Cancellation,
    ) -> Result<(), EngineError> {
        let context = service.context(BY);
        let root = context.incidents.root();
        let workers = self.agent_beside(root).and_then(|agent| agent.workers).ok_or_else(|| {
            EngineError::usage("an incident is taken over together with the workers of its agent".to_owned())
        })?;
        let specification = self.specification().ok_or_else(|| {
            EngineError::usage(
                "an incident is taken over where its specification is: change to its directory".to_owned(),
            )
        })?;
        let room = PrivateDirectory::make(context.state, &self.context.new_execution()?)?;
        let takeover = IncidentTakeover {
            context,
            id,
            workers: &workers,
            specification,
            checks: &self.plan.checks,
            workspace: self.workspace(),
            room: room.path(),
            standby,
            cancellation,
        };
        takeover.take_over(&mut self.verify(root, id, cancellation))
    }

    /// Returns the agent. Workers do not get the incidents in the workspace.
    fn agent_beside(&self, root: &Path) -> Option<Agent> {
        let within = root.strip_prefix(self.workspace()).ok().and_then(Path::to_str);
        let within = within.and_then(|path| WorkspacePath::parse(path).ok());
        self.agent.clone().map(|agent| Agent { workers: agent.workers.map(|workers| workers.without(within)), ..agent })
    }

    /// Returns the specification, and its file relative to the workspace.
    fn specification(&self) -> Option<(&Suite, &str)> {
        let suite = self.checks.suites().first()?;
        Some((suite, suite.tasks.first()?.specification.file.as_str()))
    }

    /// Returns how the checks of an incident run, with evidence in the directory of its loop.
    fn verify<'call>(
        &'call self,
        root: &'call Path,
        id: &IncidentId,
        cancellation: &'call Cancellation,
    ) -> impl FnMut(&[Verification], &str) -> GateReply + 'call {
        let of_loop = root.join("error_runs").join(id.as_str()).join("evidence");
        move |verifications, evidence| {
            let location = (root, of_loop.join(evidence));
            self.checks.ask(&self.context, location, verifications, cancellation, &mut self.notes.clone())
        }
    }
}

/// Returns a plan request with the checks of a specification and the given planner. If no specification is named
/// and the discovered one cannot be loaded, the request has no checks and a note says so: its failure may be what
/// is planned.
///
/// # Errors
/// Fails if the named specification cannot be loaded, or if the planner is not a command.
pub fn plan_request(
    context: &Context,
    specification: Option<&Path>,
    planner: Option<&str>,
    events: &mut dyn EventSink,
) -> Result<PlanRequest, EngineError> {
    let files = specification.map(Path::to_path_buf).into_iter().collect();
    let loaded = context.load_all(&SpecificationNames { files, workspace: None }, events);
    let suites = match loaded {
        Ok(suites) => suites,
        Err(problem) if specification.is_some() => return Err(problem),
        Err(problem) => {
            let note = format!("no check of a specification verifies this plan: {}", problem.message);
            events.on_note(&Note::Text(note));
            Vec::new()
        }
    };
    let tasks: Vec<&Plan> = suites.iter().flat_map(|suite| &suite.tasks).collect();
    let workspace = tasks.first().map_or_else(|| context.directory.clone(), |plan| plan.workspace.clone());
    plan_with(&tasks, workspace, planner)
}

/// Returns a plan request with the checks of some tasks. A blank planner counts as none.
fn plan_with(tasks: &[&Plan], workspace: PathBuf, planner: Option<&str>) -> Result<PlanRequest, EngineError> {
    let planner = planner.filter(|line| !line.trim().is_empty());
    let planner = planner.map(|line| words("--planner", line)).transpose()?;
    Ok(PlanRequest { checks: verification::steps(tasks), workspace, planner, ..PlanRequest::default() })
}

/// Splits a command line into a program and its arguments. No shell is involved.
fn words(option: &str, line: &str) -> Result<Vec<String>, EngineError> {
    shell_words(line).filter(|words| !words.is_empty()).ok_or_else(|| {
        EngineError::usage(format!("{option} takes a program and its arguments alone: put anything else into a script"))
    })
}

#[cfg(test)]
mod tests;
