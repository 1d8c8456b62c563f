//! Protected files, compared with a trusted baseline before the first action and after the last (design,
//! "Lock"). If a file differs that may not, nothing runs: the run is sealed as BLOCKED.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use referee_exec::Host;
use referee_judge::criteria;
use referee_ledger::LedgerError;
use referee_ledger::locks::KeptLock;
use referee_ledger::workspace::{self, Listed, Looked};
use referee_model::id::{Digest, TaskId, WorkspacePath};
use referee_model::limit;
use referee_model::lock::{Lock, LockedFile, LockedKind};
use referee_model::plan::Plan;
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::{
    Drift, DriftChange, Mode, Protection, TestFate, TrustedBaseline, Weakening,
};
use referee_model::test_file::is_of_tests;
use referee_model::time::Timestamp;
use referee_syntax::program::{self, Language};

use self::commit::Committed;
use self::fate::Fates;
use self::newcomers::Known;
use crate::weakenings;

pub mod acceptance;
mod beside;
mod book;
pub mod choice;
pub mod commit;
mod compare;
pub mod descent;
mod explanation;
mod fate;
mod hollowed;
pub mod kept;
pub mod lock_snapshot;
mod loss;
mod lost_tests;
mod newcomers;
mod silenced;
mod subject;
mod switched;

/// Maximum number of test names that a sentence lists.
const NAMES_LISTED: usize = 5;

pub use self::book::{Applied, RuleBook};

/// Contents of workspace files by path. `None`: there must be no such file.
pub type ProtectedContents = BTreeMap<WorkspacePath, Option<Vec<u8>>>;

/// Error while protected files are recorded or compared with a baseline.
#[derive(Debug, thiserror::Error)]
pub enum ProtectionError {
    /// Files cannot be listed, read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A lock, a rule or a protected file is invalid.
    #[error("{0}")]
    Content(String),
}

impl ProtectionError {
    fn content(error: impl std::fmt::Display) -> Self {
        Self::Content(error.to_string())
    }
}

/// A baseline that protected files are compared with.
#[derive(Debug)]
pub struct Baseline {
    /// The lock or commit that this baseline is.
    pub trusted: TrustedBaseline,
    /// The protected files, and the rules.
    pub lock: Lock,
    /// Drift of the lock itself.
    pub(crate) of_itself: Vec<Drift>,
    /// Notes about the baseline, one sentence each.
    pub notes: Vec<String>,
    /// A warning for a person, one sentence: no person approved the lock, or the enrolled name means another
    /// commit now.
    pub doubt: Option<String>,
    /// How each task of the specification requires less than at the baseline.
    pub weakenings: BTreeMap<TaskId, Vec<Weakening>>,
    /// Why the specification need not be known to the baseline, one sentence: its bytes are vouched for
    /// elsewhere. `None`: it must be known.
    pub vouched: Option<String>,
    /// Further baselines that apply as well. None of them replaces another.
    pub beside: Vec<Baseline>,
    contents: Contents,
}

/// Where the file contents of a baseline are stored.
#[derive(Debug)]
enum Contents {
    /// In the state directory: the contents of protected files.
    Kept(Box<KeptLock>),
    /// In a commit: the contents of all files.
    Committed(Box<Committed>),
    /// The contents are not available.
    Unknown,
}

impl Baseline {
    /// Returns the content of a file at the baseline. `None`: there was no such file, or its content is not available.
    pub fn content(&self, path: &str) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Kept(kept) => kept.content(&self.lock.file(path)?.sha256),
            Contents::Committed(committed) => committed.content(path),
            Contents::Unknown => None,
        }
    }

    /// Returns the paths of all files that are known to have existed at the baseline.
    fn paths(&self) -> BTreeSet<String> {
        if let Contents::Committed(committed) = &self.contents {
            return committed.paths().map(str::to_owned).collect();
        }
        let sources = self.lock.sources.iter().flat_map(BTreeMap::keys).cloned();
        self.lock.files.iter().map(|file| file.path.clone()).chain(sources).collect()
    }

    /// Returns the content of a protected file by its digest. `None`: it is not available.
    fn content_of(&self, digest: &Digest) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Kept(kept) => kept.content(digest),
            Contents::Committed(_) | Contents::Unknown => None,
        }
    }

    /// Adds drift of the lock itself.
    pub(crate) fn with(mut self, of_itself: Option<Drift>) -> Self {
        self.of_itself.extend(of_itself);
        self
    }

    /// Returns this baseline and all that apply beside it.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.beside)
    }

    /// Sets [`vouched`](Self::vouched) for this baseline and all beside it.
    pub fn vouch(&mut self, why: Option<&str>) {
        for baseline in
            std::iter::once(&mut self.vouched).chain(self.beside.iter_mut().map(|beside| &mut beside.vouched))
        {
            *baseline = why.map(str::to_owned);
        }
    }

    /// Returns whether this is a lock that is kept in a state directory.
    pub fn is_kept(&self) -> bool {
        matches!(self.contents, Contents::Kept(_))
    }

    /// Returns why a lock that no state directory keeps is not the one that was recorded. `None`: it is, or it is kept.
    pub fn loss(&self) -> Option<&str> {
        let drift = self.of_itself.iter().find(|drift| drift.blocks && !self.is_kept());
        drift.map(|drift| drift.detail.as_str())
    }

    /// Returns the commit, if this baseline is one.
    pub(crate) fn committed(&self) -> Option<&Committed> {
        match &self.contents {
            Contents::Committed(committed) => Some(committed),
            Contents::Kept(_) | Contents::Unknown => None,
        }
    }

    /// Returns whether this represents a lock that is missing: known to have existed, without its rules.
    pub fn is_missed(&self) -> bool {
        self.lock.rules.is_empty() && !self.knows_all_files()
    }

    /// Returns whether the contents of all files are available, not only those of protected files.
    pub fn knows_all_files(&self) -> bool {
        matches!(self.contents, Contents::Committed(_))
    }

    /// Returns the required contents of the protected files of a workspace: the content at the baseline, or
    /// `None` if the file must not exist. Not included: files that may change; files with only protected values;
    /// test files that were dropped with the code they tested; edited test helpers and test data that still
    /// assert the same, since new tests may need them; and a specification outside the workspace.
    ///
    /// # Errors
    /// Fails if the workspace cannot be listed, or if the content of a protected file is not available.
    pub fn protected_contents(&self, plan: &Plan) -> Result<ProtectedContents, ProtectionError> {
        let mut contents = self.own_contents(plan)?;
        for beside in &self.beside {
            for (path, content) in beside.own_contents(plan)? {
                contents.entry(path).or_insert(content);
            }
        }
        let inside =
            contents.into_iter().filter_map(|(path, content)| Some((WorkspacePath::parse(&path).ok()?, content)));
        Ok(inside.collect())
    }

    fn own_contents(&self, plan: &Plan) -> Result<BTreeMap<String, Option<Vec<u8>>>, ProtectionError> {
        let mut contents = BTreeMap::new();
        let listed = list(plan)?;
        let gone = self.compared(plan, &listed)?.fates;
        // A test file that was dropped with the code it tested is not restored.
        let is_dropped = |file: &LockedFile| {
            gone.get(&file.path).is_some_and(|fates| fates.values().any(|fate| *fate == TestFate::Dropped))
        };
        for file in self.lock.files.iter().filter(|file| file.values.is_empty()) {
            if file.mode == Mode::Review || is_dropped(file) || self.keeps_asserting(file, &plan.workspace) {
                continue;
            }
            let content = self.content(&file.path);
            let unknown = || ProtectionError::Content(format!("what {} held at the baseline is not known", file.path));
            contents.insert(file.path.clone(), Some(content.ok_or_else(unknown)?));
        }
        let book = RuleBook::new(&self.lock.rules).map_err(ProtectionError::Content)?;
        let (known, look) = (self.known(), |path: &str| workspace::look(&plan.workspace, path));
        for listed in listed {
            let is_new = self.lock.file(&listed.path).is_none();
            if is_new && newcomers::refusal(&book, &known, &listed, &look).is_some() {
                contents.insert(listed.path, None);
            }
        }
        Ok(contents)
    }

    /// Returns the paths of all files that the baseline knows.
    fn known(&self) -> Known<'_> {
        match &self.contents {
            Contents::Committed(committed) => committed.paths().collect(),
            Contents::Kept(_) | Contents::Unknown => Known::of_lock(&self.lock),
        }
    }

    /// Returns whether a file that tests load, and that declares no tests, was edited and still has all of its
    /// assertions.
    fn keeps_asserting(&self, file: &LockedFile, workspace: &Path) -> bool {
        let text = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        if file.mode != Mode::Additive || !file.tests.is_empty() || file.kind != LockedKind::File {
            return false;
        }
        let Looked::File(held) = workspace::look(workspace, &file.path) else { return false };
        match (text(self.content(&file.path)), text(held.content)) {
            (Some(before), Some(now)) => program::keeps(&before, &now),
            _ => false,
        }
    }

    /// Compares a workspace with the baseline.
    ///
    /// # Errors
    /// Fails if the workspace cannot be listed: a file that was not looked at counts as changed.
    pub fn observe(&self, plan: &Plan) -> Result<Protection, ProtectionError> {
        self.observe_listed(plan, &list(plan)?)
    }

    /// Compares a workspace that contains these files with the baseline.
    fn observe_listed(&self, plan: &Plan, listed: &[Listed]) -> Result<Protection, ProtectionError> {
        let found = self.all().map(|baseline| baseline.observe_own(plan, listed));
        beside::together(found.collect::<Result<_, _>>()?)
    }

    fn observe_own(&self, plan: &Plan, listed: &[Listed]) -> Result<Protection, ProtectionError> {
        let look = |path: &str| workspace::look(&plan.workspace, path);
        let mut drift = self.of_itself.clone();
        let mut notes = self.notes.clone();
        notes.extend(self.doubt.clone());
        let compared = self.compared(plan, listed)?;
        let fates = compared.fates;
        drift.extend(compared.drift);
        for drift in &mut drift {
            drift.removed = drift.removed.take().or_else(|| self.removed(drift, &look));
            self.switch_off(drift, &look);
        }
        if self.vouched.is_some() {
            let is_vouched =
                |drift: &Drift| drift.path == plan.specification.file && drift.change == DriftChange::Added;
            drift.retain(|drift| !is_vouched(drift));
        }
        drift.extend(self.specification(plan, &drift, &mut notes));
        Ok(protection(self, &plan.task, &fates, drift, notes))
    }

    fn compared(&self, plan: &Plan, listed: &[Listed]) -> Result<compare::Compared, ProtectionError> {
        let then = compare::Then { lock: &self.lock, content: &|path| self.content(path), paths: &|| self.paths() };
        compare::compare(then, &self.known(), listed, &|path| workspace::look(&plan.workspace, path))
    }

    /// Returns what an edit removed from a test file, or from a file that is not frozen. `None`: nothing.
    fn removed(&self, drift: &Drift, look: Look<'_>) -> Option<String> {
        let is_looked_into = drift.mode != Mode::Frozen || is_of_tests(&drift.path);
        if drift.change != DriftChange::Modified || drift.pointer.is_some() || !is_looked_into {
            return None;
        }
        let Looked::File(held) = look(&drift.path) else { return None };
        loss::removed(&drift.path, &self.content(&drift.path)?, held.content.as_deref()?)
    }

    /// Makes an edit block if it disables tests that the file still declares, or leaves a test helper without
    /// assertions.
    fn switch_off(&self, drift: &mut Drift, look: Look<'_>) {
        if drift.mode != Mode::Additive || drift.change != DriftChange::Modified || drift.blocks {
            return;
        }
        let text = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let Looked::File(held) = look(&drift.path) else { return };
        let (Some(before), Some(now)) = (text(self.content(&drift.path)), text(held.content)) else { return };
        let is_helper = Language::of(&drift.path).is_some()
            && self.lock.file(&drift.path).is_some_and(|file| file.tests.is_empty());
        let emptied = || is_helper.then(|| program::emptied(&before, &now)).flatten();
        if let Some(detail) = switched::off(&drift.path, &before, &now).or_else(emptied) {
            (drift.detail, drift.blocks) = (detail, true);
        }
    }

    /// Compares a workspace that contains these files with the baseline, including added suppressions, and
    /// weakenings of the specification.
    fn observe_all(
        &self,
        plan: &Plan,
        listed: &[Listed],
        host: &Host,
        redact: &dyn Fn(&str) -> String,
    ) -> Result<Protection, ProtectionError> {
        let of_each = |baseline: &Self| -> Result<Protection, ProtectionError> {
            let mut protection = baseline.observe_own(plan, listed)?;
            let silenced = silenced::find(baseline, plan, listed, host, redact)?;
            protection.suppressions = silenced.suppressions;
            protection.notes.extend(silenced.notes);
            let weaker = baseline.weakenings.get(&plan.task).cloned().unwrap_or_default();
            protection.weakenings = weakenings::redacted(weaker, redact);
            Ok(protection)
        };
        beside::together(self.all().map(of_each).collect::<Result<_, _>>()?)
    }

    /// Returns drift if the baseline does not know the specification: it is not the approved one.
    fn specification(&self, plan: &Plan, known: &[Drift], notes: &mut Vec<String>) -> Option<Drift> {
        let file = &plan.specification.file;
        // Nothing is known of a missing lock, except that it is missing.
        if self.is_missed() || self.lock.file(file).is_some() || known.iter().any(|drift| drift.path == *file) {
            return None;
        }
        if let Some(vouched) = &self.vouched {
            notes.push(vouched.clone());
            return None;
        }
        if Path::new(file).is_absolute() && self.knows_all_files() {
            notes.push(format!("the specification {file} is outside the workspace, so the commit says nothing of it"));
            return None;
        }
        Some(compare::unknown_specification(file))
    }
}

/// Sorts drift: blocking entries first, then by path and value.
fn sort(drift: &mut [Drift]) {
    drift.sort_by(|one, other| {
        (!one.blocks, &one.path, &one.pointer).cmp(&(!other.blocks, &other.path, &other.pointer))
    });
}

fn protection(
    baseline: &Baseline,
    task: &TaskId,
    fates: &Fates,
    mut drift: Vec<Drift>,
    mut notes: Vec<String>,
) -> Protection {
    sort(&mut drift);
    if drift.len() > limit::DRIFT_LISTED {
        let blocking = drift.iter().filter(|drift| drift.blocks).count();
        notes.push(format!("{} protected files or values differ, {blocking} of them block", drift.len()));
        drift.truncate(limit::DRIFT_LISTED);
    }
    Protection {
        baseline: baseline.trusted.clone(),
        files: baseline.lock.files.len() as u64,
        drift,
        tests: fate::known(&baseline.lock, task, fates),
        suppressions: Vec::new(),
        weakenings: Vec::new(),
        notes,
    }
}

/// Lists the files of a plan's workspace, and its specification if that lies outside.
pub(crate) fn list(plan: &Plan) -> Result<Vec<Listed>, ProtectionError> {
    let listed = workspace::list(&plan.workspace, std::slice::from_ref(&plan.evidence_root))?;
    Ok(of_plan(plan, listed))
}

/// Adds the specification to a listing of a plan's workspace if it lies outside, and removes the lock files.
pub(crate) fn of_plan(plan: &Plan, mut listed: Vec<Listed>) -> Vec<Listed> {
    if Path::new(&plan.specification.file).is_absolute() {
        listed.push(Listed { path: plan.specification.file.clone(), ignored: false });
        listed.sort();
    }
    listed.retain(|file| !is_our_own(&file.path));
    listed
}

/// Returns whether a file is the lock or its signature.
fn is_our_own(path: &str) -> bool {
    path == referee_ledger::locks::lock_document::FILE_NAME || path == kept::ENVELOPE
}

/// Comparison of protected files before and after a run.
#[derive(Debug)]
pub(crate) struct Observed<'run> {
    baseline: Option<&'run Baseline>,
    before: Option<Protection>,
}

impl<'run> Observed<'run> {
    /// Compares before the first action. `listed` are the files of the workspace at that time.
    pub(crate) fn before(
        baseline: Option<&'run Baseline>,
        plan: &Plan,
        listed: &[Listed],
        host: &Host,
        redact: &dyn Fn(&str) -> String,
    ) -> Result<Self, ProtectionError> {
        let before = baseline.map(|baseline| baseline.observe_all(plan, listed, host, redact)).transpose()?;
        Ok(Self { baseline, before })
    }

    /// Returns whether drift keeps the task from running.
    pub(crate) fn hinders(&self, run_context: &RunContext, started: Timestamp) -> bool {
        let mut drift = self.before.iter().flat_map(|protection| &protection.drift);
        drift.any(|drift| criteria::stands(drift, run_context, started))
    }

    /// Compares again after the last action, and adds the drift that is new. `listed` are the files at that time.
    pub(crate) fn after(
        self,
        plan: &Plan,
        listed: &[Listed],
        redact: &dyn Fn(&str) -> String,
    ) -> Result<Option<Protection>, ProtectionError> {
        let (Some(baseline), Some(mut protection)) = (self.baseline, self.before) else { return Ok(None) };
        let key = |drift: &Drift| (drift.path.clone(), drift.pointer.clone(), drift.change);
        let known: BTreeSet<_> = protection.drift.iter().map(key).collect();
        let later =
            baseline.observe_listed(plan, listed)?.drift.into_iter().filter(|drift| !known.contains(&key(drift)));
        let later = later.map(|drift| Drift { detail: format!("while the checks ran, {}", drift.detail), ..drift });
        protection.drift.extend(later);
        for drift in &mut protection.drift {
            drift.detail = redact(&drift.detail);
            drift.removed = drift.removed.as_deref().map(redact);
        }
        protection.drift.sort_by(|one, other| (!one.blocks, &one.path).cmp(&(!other.blocks, &other.path)));
        protection.drift.truncate(limit::DRIFT_LISTED);
        Ok(Some(protection))
    }
}

/// Looks up the file at a path.
pub(crate) type Look<'look> = &'look dyn Fn(&str) -> Looked;

/// Returns a list of test names, shortened to the first ones.
fn listed_names(names: &[&String]) -> String {
    referee_syntax::count::list(names.iter().map(|name| format!("`{name}`")), NAMES_LISTED)
}

#[cfg(test)]
mod tests;
