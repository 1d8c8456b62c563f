//! The agent's part of a turn: what it is given, its process, and what it left.

use std::ffi::OsString;
use std::path::Path;

use referee_exec::agent_process::{self, AgentCommand, AgentEnd};
use referee_ledger::agent_runs::Handed;
use referee_model::limit;
use referee_model::record::Ending;
use referee_wire::attempt::{AgentTurnDocument, GivenTurnDocument};
use referee_wire::evidence_name;
use referee_wire::remediation_plan::{LoopPolicyDocument, PLAN};

use super::applied::{self, Before};
use super::driving::Drive;
use super::keeping::hundredths;
use super::results;
use crate::incident::IncidentError;
use crate::repair::{Kept, Streams, inherited, of_state};

/// The least that a turn of the agent may take, in milliseconds: a turn that begins is not ended before it could do anything.
const LEAST_MS: u64 = 1_000;

/// The copies: a file of the evidence, its name in the folder, and the variable that names it.
const COPIES: [(&str, &str, &str); 2] = [
    (evidence_name::EXECUTION_REPORT, "report.json", "REFEREE_REPORT"),
    (evidence_name::TECHNICAL_DEBT, "debt.json", "REFEREE_DEBT"),
];

/// What came of the agent's part of a turn.
pub(super) enum Worked {
    /// It is done, however it ended; these actions it applied.
    Done(AgentTurnDocument, Vec<String>),
    /// It could not even be started.
    NotStarted(String),
    /// Somebody asked the loop to stop.
    Canceled,
}

impl Drive<'_, '_> {
    /// Has the agent work. Whatever it says or exits with, its work is checked: only that decides.
    pub(super) fn work(
        &mut self,
        command: &[String],
        last: Option<&AgentTurnDocument>,
    ) -> Result<Worked, IncidentError> {
        let request = self.request;
        let handed = Handed::make(&request.temporary, &self.name)?;
        let mut given = self.given()?;
        given.agent_ended = last.and_then(AgentTurnDocument::notice);
        let variables = self.laid_out(&handed, &given)?;
        let mut environment = inherited(request.environment, request.hidden);
        environment.extend([of_state(self.desk.state)]);
        environment.extend(variables);
        let input = given.render().map_err(|error| IncidentError::Internal(error.to_string()))?;
        let streams = Streams::new(self.desk.redactor, request.live.clone());
        let before = Before::look(&request.workspace, self.desk.incidents.root(), self.desk.state);
        let agent = AgentCommand {
            argv: command,
            directory: &request.workspace,
            environment,
            input: &input,
            marker: &self.marker,
            turn: self.file.iteration,
            deadline_ms: self.deadline_ms(),
            grace_ms: limit::GRACE_MS,
        };
        let ended = agent_process::run_agent(&agent, self.desk.host, request.cancellation, streams.tap());
        let [stdout, stderr] = streams.finish();
        let end = match ended {
            Ok(end) => end,
            Err(error) => return Ok(Worked::NotStarted(error.to_string())),
        };
        match &end.ending {
            Ending::CouldNotStart { message, .. } => return Ok(Worked::NotStarted(message.clone())),
            Ending::Interrupted { .. } => return Ok(Worked::Canceled),
            _ if self.is_canceled() => return Ok(Worked::Canceled),
            _ => {}
        }
        let changed = before.changed(&request.workspace, self.desk.state);
        let applied = applied::applied(&stdout.lines(), &self.ground.plan.actions, &changed);
        Ok(Worked::Done(self.left(&end, [&stdout, &stderr]), applied))
    }

    /// What it is given on standard input.
    fn given(&self) -> Result<GivenTurnDocument, IncidentError> {
        let options = &self.request.options;
        let policy = LoopPolicyDocument {
            max_loops: options.max_loops,
            max_runtime_minutes: options.max_runtime_ms / 60_000,
            same_error_limit: options.same_error_limit,
            no_progress_limit: options.no_progress_limit,
            scope: self.ground.plan.target_paths(),
        };
        let turns_left = options.max_loops.saturating_sub(self.state.loops);
        let incident = self.desk.find(self.id)?.incident;
        let plan = self.ground.plan.clone();
        let mut given = GivenTurnDocument::new((self.file.iteration, turns_left), incident, plan, policy);
        given.diagnostics = results::diagnostics(self.desk, self.id, &self.file.reports);
        given.reasons.clone_from(&self.reasons);
        Ok(given)
    }

    /// Lays out what it may read, and returns the variables that name it. Never logs, never keys.
    fn laid_out(&self, handed: &Handed, given: &GivenTurnDocument) -> Result<Vec<(OsString, OsString)>, IncidentError> {
        let mut variables = vec![("REFEREE_INCIDENT".into(), self.id.as_str().into())];
        let report = self.file.reports.first().map(|report| self.desk.incidents.root().join(report));
        if let Some(folder) = report.as_deref().and_then(Path::parent) {
            for (file, name, variable) in COPIES {
                // What cannot be copied is not handed on: the turn does without.
                if let Ok(Some(path)) = handed.copy(folder, file, name) {
                    variables.push((variable.into(), path.into_os_string()));
                }
            }
        }
        let diagnostics =
            referee_wire::to_bytes(&given.diagnostics).map_err(|error| IncidentError::Internal(error.to_string()))?;
        for (variable, name, bytes) in
            [("REFEREE_DIAGNOSTICS", "diagnostics.json", &diagnostics), ("REFEREE_PLAN", PLAN, &self.ground.bytes)]
        {
            variables.push((variable.into(), handed.write(name, bytes)?.into_os_string()));
        }
        Ok(variables)
    }

    /// What is left of the loop's time, and no more than a turn may take.
    fn deadline_ms(&self) -> u64 {
        let used = self.state.began.map_or(0, |began| self.now().milliseconds_since(began));
        self.request.agent_ms.min(self.request.options.max_runtime_ms.saturating_sub(used)).max(LEAST_MS)
    }

    fn left(&self, end: &AgentEnd, [stdout, stderr]: [&Kept; 2]) -> AgentTurnDocument {
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
        let tail = |kept: &Kept| results::last(&self.desk.redactor.text_strictly(&kept.end()));
        AgentTurnDocument {
            ending: ending.to_owned(),
            exit_code,
            duration_seconds: hundredths(end.duration_ms, 1_000),
            stdout: tail(stdout),
            stderr: tail(stderr),
        }
    }
}
