//! What protected files are held against: found, or made of a commit. Specifications are read here, because the engine reads
//! none.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use referee_engine::protection::commit::Committed;
use referee_engine::protection::{Baseline, ProtectionError, kept};
use referee_engine::suite;
use referee_exec::git::{GitError, Repository};
use referee_ledger::State;
use referee_model::circumstances::protection::TrustedBaseline;
use referee_model::id::Digest;
use referee_model::plan::Plan;
use referee_model::suite::Suite;
use referee_spec::{Options, compare, protect};

use crate::error::{Kind, Problem};
use crate::resolve::{self, World};
use crate::worktree;

/// Finds what a specification's workspace is held against: a commit where one is named, else the lock. None: there is
/// neither, so nothing is protected.
pub(crate) fn baseline(
    world: &World,
    suite: &Suite,
    state: Option<&State>,
    reference: Option<&str>,
) -> Result<Option<Baseline>, Problem> {
    let Some(plan) = suite.tasks.first() else { return Ok(None) };
    let found = if let Some(reference) = reference {
        Some(at_commit(world, suite, plan, reference)?)
    } else {
        let main = worktree::counterpart(&plan.workspace);
        kept::find(&plan.workspace, main.as_deref(), state, resolve::now()).map_err(unusable_lock)?
    };
    Ok(found.map(|baseline| compared(baseline, suite, plan)))
}

/// Finds the locks of a workspace that another state folder keeps than the one that is meant, or that HEAD holds where none is
/// kept: whoever names another state folder, or removes a lock, has it locked all the same. What cannot be read is passed over.
pub(crate) fn locks_elsewhere(world: &World, plan: &Plan, state: Option<&State>, has_kept: bool) -> Vec<Baseline> {
    let main = worktree::counterpart(&plan.workspace);
    let mut found: Vec<Baseline> = world
        .state_folders()
        .iter()
        .filter_map(|folder| State::find(folder).ok().flatten())
        .filter(|other| state.is_none_or(|state| state.path() != other.path()))
        .filter_map(|other| kept::find(&plan.workspace, main.as_deref(), Some(&other), resolve::now()).ok().flatten())
        .filter(Baseline::is_kept)
        .collect();
    if !has_kept && found.is_empty() {
        let head = Committed::open(&plan.workspace, &world.environment, "HEAD").ok();
        let bytes = head.and_then(|head| head.content(referee_wire::lock::FILE_NAME));
        found.extend(bytes.and_then(|bytes| kept::of_bytes(&bytes).ok()));
    }
    found
}

/// Returns the digest of the lock that a baseline is. None: it is a commit.
pub(crate) fn lock_digest(baseline: &Baseline) -> Option<Digest> {
    match &baseline.trusted {
        TrustedBaseline::Lock { digest, .. } => Some(*digest),
        TrustedBaseline::Git { .. } => None,
    }
}

/// Holds the specification against the one at the baseline, where that is known.
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

fn unusable_lock(error: ProtectionError) -> Problem {
    let mut problem = Problem::from(error);
    problem.message = format!("{}; put it back, or write another with `referee lock`", problem.message);
    problem
}

/// Makes a baseline of a commit, by the specification and the files of that commit alone: whoever changes `protect` today
/// unprotects nothing.
fn at_commit(world: &World, suite: &Suite, plan: &Plan, reference: &str) -> Result<Baseline, Problem> {
    let committed = Committed::open(&plan.workspace, &world.environment, reference).map_err(|error| refused(&error))?;
    let file = &suite.specification.file;
    let loaded = match committed.content(file) {
        None => None,
        Some(bytes) => {
            let options = Options { workspace: Some(plan.workspace.clone()) };
            let loaded = referee_spec::load_text(&plan.workspace.join(file), &bytes, &options).map_err(|error| {
                let mut problem = Problem::from(error);
                problem.message = format!("{file} cannot be loaded as it is at {reference}: {}", problem.message);
                problem
            })?;
            Some(loaded.suite.tasks)
        }
    };
    let plans = loaded.as_ref().unwrap_or(&suite.tasks);
    let texts = CommittedTexts { committed: &committed, known: RefCell::default() };
    let rules = protect::rules(plans, committed.paths(), &|path| texts.of(path));
    let shown: Vec<Plan> = plans.iter().map(|plan| suite::shown(plan, &world.environment)).collect();
    Ok(committed.baseline(rules, &shown, resolve::now())?)
}

/// How many files of a commit are asked for at once.
const FILES_AT_ONCE: usize = 256;

/// The texts of a commit's files, which git is asked for in bulk.
struct CommittedTexts<'a> {
    committed: &'a Committed,
    known: RefCell<BTreeMap<String, Option<String>>>,
}

impl CommittedTexts<'_> {
    /// The text of a file; asks for the next ones of its kind, too.
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

/// Returns the id of the commit that a name means now.
///
/// # Errors
/// Fails where it names none, and where the commit is not whole.
pub(crate) fn commit_id(world: &World, workspace: &Path, reference: &str) -> Result<String, Problem> {
    let path = world.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
    let commit = Repository::open(workspace, path).and_then(|repository| repository.commit(reference));
    commit.map(|commit| commit.id).map_err(|error| refused(&error))
}

fn refused(error: &GitError) -> Problem {
    let mut problem = Problem::usage(format!("the trusted baseline cannot be used: {error}"));
    if matches!(error, GitError::Damaged { .. }) {
        problem.kind = Kind::Specification;
    }
    problem
}
