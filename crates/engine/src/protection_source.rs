//! Finds the baselines that protected files are compared with: locks and commits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use referee_exec::git::{GitError, Repository, Worktree};
use referee_ledger::{State, locks};
use referee_model::enrolment::TrustedCommit;
use referee_model::id::Digest;
use referee_model::plan::Plan;
use referee_model::run_context::protection::TrustedBaseline;
use referee_model::suite::Suite;
use referee_spec::{Options, compare, protect};

use crate::context::Context;
use crate::error::{EngineError, ErrorKind};
use crate::protection::commit::Committed;
use crate::protection::{Baseline, ProtectionError, kept};
use crate::{enrolment, redaction};

pub mod known_locks;

/// Minimum number of digits in a full commit id.
const ID_DIGITS: usize = 40;
/// Number of digits of a commit id in a message.
const SHORT_DIGITS: usize = 12;

/// Finds the baselines that a specification's workspace is compared with, for a decision about done work.
/// Everything that a person approved applies, and nothing named on the command line replaces it:
///
/// | baseline | applies |
/// |---|---|
/// | the commit that the project is enrolled with, in any state directory | always |
/// | the commit that is named, by option or variable | in addition |
/// | the lock, as known to any state directory, the workspace or HEAD | if the project is enrolled without a commit |
///
/// `None`: there is no baseline, so nothing is protected.
///
/// # Errors
/// Fails if a commit is not available, if a lock exists and cannot be read, or if the specification, or a locked
/// sub-project, is no longer where it was.
pub fn baseline(
    context: &Context,
    suite: &Suite,
    state: Option<&State>,
    named: Option<&str>,
) -> Result<Option<Baseline>, EngineError> {
    let Some(plan) = suite.tasks.first() else { return Ok(None) };
    known_locks::hold(context, suite, plan, state)?;
    let mut found = Vec::new();
    for enrolment in enrolment::everywhere(context, &plan.workspace, state)? {
        if let Some(commit) = enrolment.trusted.as_ref().filter(|_| enrolment.project == plan.workspace) {
            let mut baseline = at_commit(context, suite, plan, &commit.id)?;
            baseline.doubt = moved(context, plan, commit);
            found.push(baseline);
        }
    }
    let is_enrolled = !found.is_empty();
    found.extend(named.map(|named| at_commit(context, suite, plan, named)).transpose()?);
    if !is_enrolled {
        let own = lock(context, plan, state)?;
        let elsewhere = locks_elsewhere(context, plan, state, own.as_ref());
        let is_known = own.is_some() || !elsewhere.is_empty();
        found.extend(own.into_iter().chain(elsewhere));
        if !is_known {
            found.extend(lock_at_head(context, plan).and_then(|bytes| kept::removed(&bytes).ok()));
        }
    }
    let mut all: Vec<Baseline> = Vec::new();
    for baseline in found {
        if all.iter().all(|known| id(known) != id(&baseline)) {
            all.push(compared(baseline, suite, plan));
        }
    }
    if let Some(state) = state {
        known_locks::remember(state, suite, plan, &all);
    }
    let mut all = all.into_iter();
    let Some(mut first) = all.next() else { return Ok(None) };
    first.beside.extend(all);
    Ok(Some(first))
}

/// Returns the single baseline of a workspace: the named commit, otherwise the lock. `None`: there is neither.
pub fn one(
    context: &Context,
    suite: &Suite,
    state: Option<&State>,
    reference: Option<&str>,
) -> Result<Option<Baseline>, EngineError> {
    let Some(plan) = suite.tasks.first() else { return Ok(None) };
    let found = match reference {
        Some(reference) => Some(at_commit(context, suite, plan, reference)?),
        None => lock(context, plan, state)?,
    };
    Ok(found.map(|baseline| compared(baseline, suite, plan)))
}

fn lock(context: &Context, plan: &Plan, state: Option<&State>) -> Result<Option<Baseline>, EngineError> {
    let main = Worktree::counterpart(&plan.workspace);
    kept::find(&plan.workspace, main.as_deref(), state, context.now()).map_err(unusable_lock)
}

/// Returns what identifies a baseline: a commit id, or the digest of a lock.
fn id(baseline: &Baseline) -> String {
    match &baseline.trusted {
        TrustedBaseline::Git { commit, .. } => commit.clone(),
        TrustedBaseline::Lock { digest, .. } => digest.to_string(),
    }
}

/// Returns a warning, one sentence, if the name that a project was enrolled with means another commit now.
fn moved(context: &Context, plan: &Plan, commit: &TrustedCommit) -> Option<String> {
    let Some(name) = &commit.name else {
        let is_id = commit.id.len() >= ID_DIGITS && commit.id.bytes().all(|digit| digit.is_ascii_hexdigit());
        let name = &commit.id;
        let told = || {
            format!(
                "the project is enrolled with {name}, a name that whoever changes the repository can move: `referee enroll \
                 --trusted {name}` at a terminal keeps the commit that it means now"
            )
        };
        return (!is_id).then(told);
    };
    let short = |id: &str| id.chars().take(SHORT_DIGITS).collect::<String>();
    let now = commit_id(context, &plan.workspace, name);
    let means = match &now {
        Ok(now) if *now == commit.id => return None,
        Ok(now) => format!("means {} now", short(now)),
        Err(_) => "means none now".to_owned(),
    };
    Some(format!(
        "{name} was commit {} when the project was enrolled, and {means}: protected files are compared with the one that it \
         was then, until a person types `referee enroll --trusted {name}` at a terminal",
        short(&commit.id)
    ))
}

/// Finds the locks of a workspace that other state directories keep or remember. Locks older than an approved
/// lock in `state` are superseded and left out. Unreadable ones are ignored.
pub fn locks_elsewhere(context: &Context, plan: &Plan, state: Option<&State>, own: Option<&Baseline>) -> Vec<Baseline> {
    let main = Worktree::counterpart(&plan.workspace);
    let last = |state: &State| locks::remembered(state, &plan.workspace).ok()??.locks.last().map(|lock| lock.at);
    let own = own.filter(|own| own.is_kept() && own.doubt.is_none()).and_then(|_| last(state?));
    context
        .other_states(state, &plan.workspace)
        .iter()
        .filter(|other| own.is_none_or(|own| last(other).is_none_or(|last| last > own)))
        .filter_map(|other| kept::find(&plan.workspace, main.as_deref(), Some(other), context.now()).ok().flatten())
        .filter(|found| found.is_kept() || found.is_missed())
        .collect()
}

/// Returns the lock of a workspace as committed in HEAD. `None`: it is not committed, or git cannot tell.
pub fn lock_at_head(context: &Context, plan: &Plan) -> Option<Vec<u8>> {
    let repository = Repository::open(&plan.workspace, context.search_path()).ok()?;
    let name = referee_ledger::locks::lock_document::FILE_NAME.to_owned();
    if repository.tracked(std::slice::from_ref(&name)).ok()?.is_empty() {
        return None;
    }
    Committed::open(&plan.workspace, &context.environment, "HEAD").ok()?.content(&name)
}

/// Returns the digest of a baseline that is a lock. `None`: the baseline is a commit.
pub fn lock_digest(baseline: &Baseline) -> Option<Digest> {
    match &baseline.trusted {
        TrustedBaseline::Lock { digest, .. } => Some(*digest),
        TrustedBaseline::Git { .. } => None,
    }
}

/// Compares the specification with the one at the baseline, if that is available, and adds the weakenings.
fn compared(mut baseline: Baseline, suite: &Suite, plan: &Plan) -> Baseline {
    let file = &suite.specification.file;
    let before = baseline.content(file);
    if before.is_none() && !baseline.knows_all_files() {
        return baseline;
    }
    let options = Options { workspace: Some(plan.workspace.clone()) };
    let found = compare::with_text(before.as_deref(), &plan.workspace.join(file), &options, suite);
    baseline.notes.extend(found.note);
    let of_task = |plan: &Plan| (plan.task.clone(), found.weakenings.of_task(&plan.task));
    baseline.weakenings = suite.tasks.iter().map(of_task).collect();
    baseline
}

fn unusable_lock(error: ProtectionError) -> EngineError {
    let mut problem = EngineError::from(error);
    problem.message = format!("{}; put it back, or write another with `referee lock`", problem.message);
    problem
}

/// Creates a baseline from the specification and the files of a commit alone, so that a change of `protect` in
/// the work unprotects nothing.
fn at_commit(context: &Context, suite: &Suite, plan: &Plan, reference: &str) -> Result<Baseline, EngineError> {
    let committed =
        Committed::open(&plan.workspace, &context.environment, reference).map_err(|error| refused(&error))?;
    let file = &suite.specification.file;
    let loaded = match committed.content(file) {
        None => None,
        Some(bytes) => {
            let options = Options { workspace: Some(plan.workspace.clone()) };
            let loaded = referee_spec::load_text(&plan.workspace.join(file), &bytes, &options).map_err(|error| {
                let mut problem = EngineError::from(error);
                problem.message = format!("{file} cannot be loaded as it is at {reference}: {}", problem.message);
                problem
            })?;
            Some(loaded.suite.tasks)
        }
    };
    let plans = loaded.as_ref().unwrap_or(&suite.tasks);
    let texts = CommittedTexts { committed: &committed, known: RefCell::default() };
    let rules = protect::rules(plans, committed.paths(), &|path| texts.of(path));
    let shown: Vec<Plan> = plans.iter().map(|plan| redaction::stored(plan, &context.environment)).collect();
    Ok(committed.baseline(rules, &shown, context.now())?)
}

/// Maximum number of files that git is asked for at once.
const FILES_AT_ONCE: usize = 256;

/// The texts of a commit's files, which are read from git in bulk.
struct CommittedTexts<'a> {
    committed: &'a Committed,
    known: RefCell<BTreeMap<String, Option<String>>>,
}

impl CommittedTexts<'_> {
    /// Returns the text of a file. Also reads the next files with the same extension.
    fn of(&self, path: &str) -> Option<String> {
        if let Some(text) = self.known.borrow().get(path) {
            return text.clone();
        }
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let next = self.committed.paths().skip_while(|next| *next != path).filter(|next| ending(next) == ending(path));
        let next: Vec<String> = next.take(FILES_AT_ONCE).map(str::to_owned).collect();
        let contents = self.committed.contents(&next);
        let texts = contents.into_iter().map(|content| String::from_utf8(content?).ok());
        self.known.borrow_mut().extend(next.into_iter().zip(texts));
        self.known.borrow().get(path).cloned().flatten()
    }
}

/// Returns the id of the commit that a revision currently names.
///
/// # Errors
/// Fails if it names no commit, or if the commit is incomplete.
pub fn commit_id(context: &Context, workspace: &Path, reference: &str) -> Result<String, EngineError> {
    let commit = Repository::open(workspace, context.search_path()).and_then(|repository| repository.commit(reference));
    commit.map(|commit| commit.id).map_err(|error| refused(&error))
}

fn refused(error: &GitError) -> EngineError {
    let mut problem = EngineError::usage(format!("the trusted baseline cannot be used: {error}"));
    if matches!(error, GitError::Damaged { .. }) {
        problem.kind = ErrorKind::Specification;
    }
    problem
}
