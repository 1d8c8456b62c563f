//! The agent's part of a turn: its input, its process, and its result.

use std::ffi::OsString;

use referee_ledger::agent_runs::Handed;
use referee_model::incident::attempt::{AgentTurnDocument, GivenTurnDocument};
use referee_model::incident::remediation::{LoopPolicy, PLAN};
use referee_model::record::Ending;

use super::applied::{self, Before};
use super::loop_record::hundredths;
use super::{Drive, results};
use crate::agent_loop::{Agent, AgentTurn, COPIES, Kept, TurnEnd, copies, written};
use crate::incident::IncidentError;

/// Minimum time limit of the agent's part, in milliseconds: a turn that starts is not ended before it could do
/// anything.
const LEAST_MS: u64 = 1_000;

/// Result of the agent's part of a turn.
pub(super) enum Worked {
    /// The agent ended, in whatever way, and applied these actions of the plan.
    Done(AgentTurnDocument, Vec<String>),
    /// The agent could not be started, for this reason.
    NotStarted(String),
    /// The loop was asked to stop.
    Canceled,
}

impl Drive<'_, '_> {
    /// Runs the agent. Only the checks of its work decide, whatever it prints or exits with.
    pub(super) fn work(&mut self, agent: &Agent, last: Option<&AgentTurnDocument>) -> Result<Worked, IncidentError> {
        let handed = self.runner.hand_out()?;
        let mut given = self.given()?;
        given.agent_ended = last.and_then(AgentTurnDocument::notice);
        let turn = AgentTurn {
            number: self.file.iteration,
            argv: &agent.command,
            variables: self.laid_out(&handed, &given)?,
            input: &referee_model::document::to_bytes(&given)?,
            timeout: self.timeout(agent),
        };
        let (workspace, state) = (self.runner.directory, self.context.state);
        let before = Before::look(workspace, self.context.incidents.root(), state);
        match self.runner.run(agent, &handed, turn) {
            Ok(left) => Ok(self.ended(&left, &before)),
            Err(error) => Ok(Worked::NotStarted(error.to_string())),
        }
    }

    /// Completes a turn that a worker ran, or still runs, when the loop was interrupted. `None`: there is none.
    pub(super) fn resume(&self) -> Result<Option<Worked>, IncidentError> {
        let Some(agent) = &self.request.agent else { return Ok(None) };
        let before = Before::look(self.runner.directory, self.context.incidents.root(), self.context.state);
        let resumed = self.runner.resume(agent, self.file.iteration).map_err(|error| {
            IncidentError::Refused(format!("the turn that a worker runs cannot be taken over: {error}"))
        })?;
        Ok(resumed.map(|left| self.ended(&left, &before)))
    }

    fn ended(&self, left: &TurnEnd, before: &Before) -> Worked {
        match &left.end.ending {
            Ending::CouldNotStart { message, .. } => return Worked::NotStarted(message.clone()),
            Ending::Interrupted { .. } => return Worked::Canceled,
            _ if self.runner.is_canceled() => return Worked::Canceled,
            _ => {}
        }
        let changed = before.changed(self.runner.directory, self.context.state);
        let applied = applied::applied(&left.stdout.lines(), &self.plan.plan.actions, &changed);
        Worked::Done(self.left(left), applied)
    }

    /// Returns the document that the agent gets on standard input.
    fn given(&self) -> Result<GivenTurnDocument, IncidentError> {
        let options = &self.request.options;
        let policy = LoopPolicy {
            max_loops: options.max_loops,
            max_runtime_minutes: options.max_runtime_ms / 60_000,
            same_error_limit: options.same_error_limit,
            no_progress_limit: options.no_progress_limit,
            scope: self.plan.plan.target_paths(),
        };
        let turns_left = options.max_loops.saturating_sub(self.state.loops);
        let incident = self.context.find(self.id)?.incident;
        let plan = self.plan.plan.clone();
        let mut given = GivenTurnDocument::new((self.file.iteration, turns_left), incident, plan, policy);
        given.diagnostics = results::diagnostics(self.context, self.id, &self.file.reports);
        given.reasons.clone_from(&self.reasons);
        Ok(given)
    }

    /// Writes the files that the agent may read and returns the variables that name them. Never logs, never keys.
    fn laid_out(&self, handed: &Handed, given: &GivenTurnDocument) -> Result<Vec<(OsString, OsString)>, IncidentError> {
        let report = self.file.reports.first().map(|report| self.context.incidents.root().join(report));
        let (mut variables, _) = copies(handed, report.as_deref(), COPIES);
        variables.push(("REFEREE_INCIDENT".into(), self.id.as_str().into()));
        let diagnostics = referee_model::document::to_bytes(&given.diagnostics)?;
        let documents = [
            ("diagnostics.json", "REFEREE_DIAGNOSTICS", diagnostics.as_slice()),
            (PLAN, "REFEREE_PLAN", &self.plan.bytes),
        ];
        variables.extend(written(handed, &documents)?);
        Ok(variables)
    }

    /// Time limit of the agent's part in milliseconds: the rest of the loop's time, at most the limit of a turn.
    fn timeout(&self, agent: &Agent) -> u64 {
        let used = self.state.began.map_or(0, |began| self.now().milliseconds_since(began));
        agent.timeout.min(self.request.options.max_runtime_ms.saturating_sub(used)).max(LEAST_MS)
    }

    fn left(&self, TurnEnd { end, stdout, stderr }: &TurnEnd) -> AgentTurnDocument {
        let exit_code = match end.ending {
            Ending::Exited { code } => Some(code),
            _ => None,
        };
        let ending = match &end.ending {
            Ending::Exited { .. } => "exited",
            Ending::Signaled { .. } => "signaled",
            Ending::DeadlineExceeded { .. } => "timeout",
            _ => "stopped",
        };
        let tail = |kept: &Kept| results::last(&self.context.clean(&kept.end()));
        AgentTurnDocument {
            ending: ending.to_owned(),
            exit_code,
            duration_seconds: hundredths(end.duration_ms, 1_000),
            stdout: tail(stdout),
            stderr: tail(stderr),
        }
    }
}
