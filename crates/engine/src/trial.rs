//! Tries the actions of a specification one by one, before the specification is relied on (`referee init`).
//!
//! Each attempt is an ordinary run through [`suite::run`], recorded and judged, of one action and the services
//! that it needs. Its evidence is stored in a private directory. Changes to the inputs of the workspace are
//! reverted.

mod result;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use referee_exec::signal::Cancellation;
use referee_ledger::locks::lock_document;
use referee_ledger::private_directory::{self, PrivateDirectory};
use referee_ledger::tree::Exclusions;
use referee_ledger::tree_copy::{CopyError, TreeCopy};
use referee_ledger::{State, project_file};
use referee_model::id::{ActionId, ExecutionId};
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Criteria, Phase, Plan, Role, Work};
use referee_model::record::Host;
use referee_model::report::{ActionReport, Report};
use referee_model::run_context::tree::TreeChangeKind;
use referee_model::selection::Profile;
use referee_model::suite::Suite;

pub use self::result::{Cause, TrialOutcome};
use crate::clean_room::Workspace;
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::request::{Placement, RunRequest};
use crate::sandbox::SandboxOptions;
use crate::selection::Selection;
use crate::suite;

/// Default evidence directory of a workspace.
const EVIDENCE: &str = "evidence";

/// An empty lock, for checks that read all files.
const LOCK: &[u8] =
    b"{\"files\":[],\"lockVersion\":\"1.0.0\",\"made\":\"2026-01-01T00:00:00.000Z\",\"plans\":{},\"rules\":[]}\n";

/// What a trial needs.
pub struct TrialRequest<'request> {
    /// The specification, which need not exist as a file yet.
    pub suite: &'request Suite,
    /// The workspace of the specification.
    pub workspace: &'request Path,
    /// The state directory, in which the private directory is created.
    pub state: &'request State,
    /// Id that names the private directory.
    pub execution: ExecutionId,
    /// Time limit of an action, in milliseconds, unless its own limit is shorter.
    pub timeout_ms: u64,
    /// Host for `exec`.
    pub exec: referee_exec::Host,
    /// Machine and program, for the record.
    pub host: Host,
    /// Signals a request to stop the trial.
    pub cancellation: &'request Cancellation,
}

/// A trial in progress. End it with [`Trial::restore`].
pub struct Trial<'request> {
    request: TrialRequest<'request>,
    copy: TreeCopy,
    state: State,
    directory: PrivateDirectory,
    /// Whether a lock was written into the workspace. Git may ignore it, so that it is no input.
    has_lock: bool,
}

/// Error that keeps a trial from starting.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The files that checks may change cannot be copied, so they could not be restored.
    #[error("cannot back up the project's files: {0}")]
    NoCopy(#[from] CopyError),
    /// Any other error.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Result of trying one action.
#[derive(Debug)]
pub struct Attempt {
    /// Outcome of the trial.
    pub standing: TrialOutcome,
    /// Outcome of the judgement. `None`: there was none, because a service that the action needs does not work.
    pub outcome: Option<Outcome>,
    /// Reason for the outcome, by the judge.
    pub reason: String,
    /// Advice by the judge. May be empty.
    pub advice: String,
    /// The first failed test or finding. `None`: there is none.
    pub finding: Option<String>,
    /// The role by which the action was judged.
    pub role: Option<Role>,
    /// The tool that ran. `None`: unknown.
    pub tool: Option<String>,
    /// The action as a line, and the command lines of the npm scripts and make targets that it runs.
    pub lines: Vec<String>,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Inputs that the action changed or removed. They have been restored.
    pub edited: Vec<PathBuf>,
    /// The outermost new directories and files that the action left. They exist until the trial ends.
    pub left: BTreeSet<PathBuf>,
    /// Whether the output mentions the evidence, the specification or the lock.
    pub speaks_of_ours: bool,
}

impl<'request> Trial<'request> {
    /// Copies the files that may have to be restored, and prepares the trial.
    ///
    /// # Errors
    /// Fails if the files cannot be copied, or if the private directory cannot be created. Nothing was tried then.
    pub fn begin(request: TrialRequest<'request>) -> Result<Self, TrialError> {
        let directory = PrivateDirectory::make(request.state, &request.execution).map_err(EngineError::from)?;
        let state = State::open(&directory.path().join("state")).map_err(EngineError::from)?;
        let evidence = request.workspace.join(EVIDENCE);
        let exclusions = Exclusions::new(request.workspace, &[&evidence], &[])
            .map_err(|error| EngineError::internal(error.to_string()))?;
        let copies = directory.path().join("copy");
        private_directory::nested(&copies).map_err(EngineError::from)?;
        let copy = TreeCopy::take(request.workspace, exclusions, copies, &state)?;
        Ok(Self { request, copy, state, directory, has_lock: false })
    }

    /// Runs one action, and restores the inputs that it edited.
    ///
    /// # Errors
    /// Fails as [`suite::run`] does, and if files cannot be restored.
    pub fn attempt(
        &mut self,
        action: &ActionId,
        execution: ExecutionId,
        events: &mut dyn EventSink,
    ) -> Result<Attempt, EngineError> {
        let suite = self.narrowed(action)?;
        let run = RunRequest {
            suite: &suite,
            tasks: &[],
            selection: &Selection::default(),
            baseline: None,
            placement: Placement::Here,
            workspace: &Workspace::InPlace,
            state: Some(&self.state),
            sandbox: SandboxOptions::default(),
            signer: None,
            protection: None,
            jobs: Some(NonZeroUsize::MIN),
            processors: NonZeroUsize::MIN,
            executions: vec![execution],
            exec: self.request.exec.clone(),
            host: self.request.host.clone(),
            cancellation: self.request.cancellation,
        };
        let answer = suite::run(&run, events)?;
        let report = answer.answers.into_iter().next().map(|answer| answer.report);
        let report = report.ok_or_else(|| EngineError::internal(format!("nothing was answered about {action}")))?;
        let mut attempt = attempt(&report, action);
        let ran = report.actions.iter().find(|found| &found.action.id == action).and_then(ActionReport::ran);
        let product = ran.and_then(|ran| result::only_in(ran, |file| self.copy.is_product(Path::new(file))));
        if let Some(file) = product.filter(|_| attempt.standing == TrialOutcome::Fails) {
            attempt.standing = TrialOutcome::FindsProducts(file);
        }
        for change in self.copy.changes()? {
            match change.kind {
                TreeChangeKind::Added => {
                    attempt.left.insert(self.copy.outermost_new(&change.path).to_path_buf());
                }
                TreeChangeKind::Modified | TreeChangeKind::Removed => attempt.edited.push(change.path),
            }
        }
        if !attempt.edited.is_empty() {
            self.copy.put_back(attempt.edited.iter().map(PathBuf::as_path))?;
        }
        Ok(attempt)
    }

    /// Writes the specification, a lock and the evidence of earlier attempts to the places where they will be in
    /// use, so that further actions are tried beside them. An existing lock and existing evidence are kept.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn place(&mut self, name: &str, specification: &[u8]) -> Result<(), EngineError> {
        project_file::write(self.request.workspace, name, specification)?;
        if self.lock().symlink_metadata().is_err() {
            self.has_lock = true;
            project_file::write(self.request.workspace, lock_document::FILE_NAME, LOCK)?;
        }
        self.copy.add_directory(&self.evidence(), EVIDENCE)?;
        self.look_again()
    }

    /// Accepts the current state: later attempts do not count it as a change.
    ///
    /// # Errors
    /// Fails if the inputs cannot be listed.
    pub fn look_again(&mut self) -> Result<(), EngineError> {
        Ok(self.copy.changes().map(drop)?)
    }

    /// Restores the workspace. Returns the paths that could not be restored.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn restore(mut self) -> Result<Vec<PathBuf>, EngineError> {
        if self.has_lock && self.lock().symlink_metadata().is_ok() {
            private_directory::without(self.request.workspace, lock_document::FILE_NAME)?;
        }
        Ok(self.copy.restore()?)
    }

    fn lock(&self) -> PathBuf {
        self.request.workspace.join(lock_document::FILE_NAME)
    }

    fn evidence(&self) -> PathBuf {
        self.directory.path().join(EVIDENCE)
    }

    /// Returns the specification with only this action and the services that it needs. Its other needs were
    /// tried before.
    fn narrowed(&self, action: &ActionId) -> Result<Suite, EngineError> {
        let whole = self.request.suite.tasks.iter().find(|plan| plan.action(action).is_some());
        let whole = whole.ok_or_else(|| EngineError::internal(format!("the specification has no action {action}")))?;
        let mut kept = BTreeSet::from([action.clone()]);
        // An action stands after all that it needs.
        for other in whole.actions.iter().rev().filter(|other| matches!(other.work, Work::Service(_))) {
            let is_needed = |by: &&Action| kept.contains(&by.id) && by.needs.contains(&other.id);
            if whole.actions.iter().any(|by| is_needed(&by)) {
                kept.insert(other.id.clone());
            }
        }
        let mut plan = Plan {
            evidence_root: self.evidence(),
            criteria: Criteria::default(),
            evaluator: None,
            timeout_ms: None,
            depends_on: Vec::new(),
            profile: Profile::Strict,
            ..whole.clone()
        };
        plan.completion.required_evidence.clear();
        plan.completion.task_status_lock = false;
        plan.actions.retain(|action| kept.contains(&action.id));
        for action in &mut plan.actions {
            action.needs.retain(|need| kept.contains(need));
            action.timeout_ms = action.timeout_ms.min(self.request.timeout_ms);
        }
        Ok(Suite { tasks: vec![plan], timeout_ms: None, captures_incidents: false, ..self.request.suite.clone() })
    }
}

/// Reads the result of one action from a report.
fn attempt(report: &Report, id: &ActionId) -> Attempt {
    let mut attempt = Attempt {
        standing: TrialOutcome::Broken(Cause::Other),
        outcome: None,
        reason: String::new(),
        advice: String::new(),
        finding: None,
        role: None,
        tool: None,
        lines: Vec::new(),
        duration_ms: 0,
        edited: Vec::new(),
        left: BTreeSet::new(),
        speaks_of_ours: false,
    };
    let Some(found) = report.actions.iter().find(|found| &found.action.id == id) else { return attempt };
    attempt.lines = lines(&found.action);
    let Some(ran) = found.ran() else {
        let is_service = |other: &&ActionReport| other.action.id != *id && other.action.phase == Phase::Prerequisite;
        let service = report.actions.iter().filter(is_service).find_map(|other| Some((other, other.ran()?)));
        if let Some((other, ran)) = service {
            attempt.standing = TrialOutcome::NoService(other.action.name.clone());
            attempt.reason.clone_from(&ran.judgement.reason);
            attempt.advice.clone_from(&ran.judgement.advice);
        }
        return attempt;
    };
    attempt.standing = result::of(ran);
    attempt.outcome = Some(ran.judgement.outcome);
    attempt.reason.clone_from(&ran.judgement.reason);
    attempt.advice.clone_from(&ran.judgement.advice);
    attempt.finding = result::first_finding(&ran.reading);
    (attempt.role, attempt.tool) = (ran.judgement.role, ran.judgement.tool.clone());
    attempt.duration_ms = ran.record.span.duration_ms;
    attempt.speaks_of_ours =
        result::speaks_of(&ran.reading, &["evidence/", &report.plan.specification.file, lock_document::FILE_NAME]);
    attempt
}

/// Returns an action as a line, and the command lines of the npm scripts and make targets that it runs.
pub fn lines(action: &Action) -> Vec<String> {
    let through = match &action.work {
        Work::Command(command) => command.seen_through.as_slice(),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_) => &[],
    };
    std::iter::once(action.work.as_line()).chain(through.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_that_is_put_beside_is_one() {
        let lock = lock_document::read(LOCK).unwrap();
        assert_eq!((lock_document::render(&lock).unwrap(), lock.files.len()), (LOCK.to_vec(), 0));
    }
}
