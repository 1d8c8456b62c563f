//! Trying the actions of a specification one by one, before anybody relies on it (`referee init`).
//!
//! Each attempt is a run like any other, of one action and the services that it needs: through [`suite::run`], recorded and
//! judged. Its evidence lies in a private directory. What it changes among the inputs of the workspace is put back.

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
use crate::request::{EventSink, RunRequest};
use crate::sandbox::SandboxOptions;
use crate::selection::Selection;
use crate::suite;

/// The directory of evidence in a workspace that says nothing else.
const EVIDENCE: &str = "evidence";

/// A lock of nothing, as what reads all files finds it.
const LOCK: &[u8] =
    b"{\"files\":[],\"lockVersion\":\"1.0.0\",\"made\":\"2026-01-01T00:00:00.000Z\",\"plans\":{},\"rules\":[]}\n";

/// What is needed to try the actions of a specification.
pub struct TrialRequest<'request> {
    /// The specification, which need not be written yet.
    pub suite: &'request Suite,
    /// The directory that it is for.
    pub workspace: &'request Path,
    /// The state directory, in which the private directory is made.
    pub state: &'request State,
    /// Names the private directory.
    pub execution: ExecutionId,
    /// Milliseconds after which an action is stopped, where its own limit is longer.
    pub timeout_ms: u64,
    /// The world as `exec` needs it.
    pub exec: referee_exec::Host,
    /// The machine and program, for the record.
    pub host: Host,
    /// How the trial is told to stop.
    pub cancellation: &'request Cancellation,
}

/// A trial that goes on. Whoever began it ends it with [`Trial::restore`].
pub struct Trial<'request> {
    request: TrialRequest<'request>,
    copy: TreeCopy,
    state: State,
    directory: PrivateDirectory,
    /// Whether a lock was put into the workspace. Git may ignore it, so that it is no input.
    has_lock: bool,
}

/// Why nothing can be tried.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// What checks may change cannot be copied, so that it could not be put back.
    #[error("cannot back up the project's files: {0}")]
    NoCopy(#[from] CopyError),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What came of trying one action.
#[derive(Debug)]
pub struct Attempt {
    /// What it says of the action.
    pub standing: TrialOutcome,
    /// How it was judged. None: it was not, because a service that it needs does not work.
    pub outcome: Option<Outcome>,
    /// Why it came out so: the judge's sentence.
    pub reason: String,
    /// What to do about it: the judge's advice. May be empty.
    pub advice: String,
    /// The first failed test or finding, where there is one.
    pub finding: Option<String>,
    /// The role by which it was judged.
    pub role: Option<Role>,
    /// The tool that ran, where it is known.
    pub tool: Option<String>,
    /// The action as a line, and the lines that were found by looking through it.
    pub lines: Vec<String>,
    /// Milliseconds that it took.
    pub duration_ms: u64,
    /// Inputs that it changed or removed. They are as they were again.
    pub edited: Vec<PathBuf>,
    /// What it left that was not there: the outermost new directories and files. They are there until the trial ends.
    pub left: BTreeSet<PathBuf>,
    /// Whether what it printed speaks of the evidence or of the specification.
    pub speaks_of_ours: bool,
}

impl<'request> Trial<'request> {
    /// Copies what may have to be put back, and makes ready.
    ///
    /// # Errors
    /// Fails where that cannot be copied, and where the private directory cannot be made. Nothing was tried then.
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

    /// Runs one action, and puts back what it edited.
    ///
    /// # Errors
    /// Fails as [`suite::run`] does, and where files cannot be put back.
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

    /// Puts the specification, a lock and the evidence of what was tried where they lie once they are in use, so that actions
    /// are tried beside them from here on. A lock and evidence that are there already stay what they are.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn place(&mut self, name: &str, specification: &[u8]) -> Result<(), EngineError> {
        project_file::write(self.request.workspace, name, specification)?;
        if self.lock().symlink_metadata().is_err() {
            self.has_lock = true;
            project_file::write(self.request.workspace, lock_document::FILE_NAME, LOCK)?;
        }
        self.copy.add_directory(&self.evidence(), EVIDENCE)?;
        self.look_again()
    }

    /// Takes what is there now for granted: it is no change of the next action.
    ///
    /// # Errors
    /// Fails where the inputs cannot be listed.
    pub fn look_again(&mut self) -> Result<(), EngineError> {
        Ok(self.copy.changes().map(drop)?)
    }

    /// Makes the workspace what it was. Returns what could not be made as it was.
    ///
    /// # Errors
    /// Fails where the system refuses.
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

    /// The specification with this action alone, and the services that it needs. What else it needs was tried before.
    fn narrowed(&self, action: &ActionId) -> Result<Suite, EngineError> {
        let whole = self.request.suite.tasks.iter().find(|plan| plan.action(action).is_some());
        let whole = whole.ok_or_else(|| EngineError::internal(format!("the specification has no action {action}")))?;
        let mut kept = BTreeSet::from([action.clone()]);
        // Needs stand before what needs them.
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

/// Reads from a report what came of one action.
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

/// An action as a line, and the lines that were found by looking through it.
pub fn lines(action: &Action) -> Vec<String> {
    let through = match &action.work {
        Work::Command(command) => command.seen_through.as_slice(),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Unsupported(_) => &[],
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
