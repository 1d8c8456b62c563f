//! Takes a snapshot for a lock: the protected files and their contents.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::suppressions;
use referee_ledger::workspace::{self, Listed, Looked, WorkspaceFile};
use referee_model::id::{Digest, TaskId};
use referee_model::lock::{Lock, LockRule, LockedFile, LockedKind, LockedValue, NamedTests, RuleSource, Sources};
use referee_model::plan::Plan;
use referee_model::run_context::protection::Mode;
use referee_model::time::Timestamp;
use referee_model::{canonical, limit};
use referee_spec::project_file;
use referee_syntax::program::{Language, test_names};
use serde_json::Value;

use super::book::RuleBook;
use super::newcomers::{Known, governed};
use super::{Look, ProtectionError, fate};

/// A lock, with the contents of its files.
#[derive(Debug)]
pub struct LockSnapshot {
    /// The lock.
    pub lock: Lock,
    /// Contents of the files by digest, without those that are too large to be inspected.
    pub contents: BTreeMap<Digest, Vec<u8>>,
}

/// Tests of the last sealed runs.
#[derive(Debug, Default)]
pub struct LastTests {
    /// Names of tests that passed, by file.
    pub passed: BTreeMap<String, BTreeSet<String>>,
    /// Names of tests for which the runner reports no file, by task and check.
    pub named: NamedTests,
    /// Number of tests that each check ran, by task and name, in runs over the current workspace.
    pub counts: BTreeMap<TaskId, BTreeMap<String, u64>>,
}

/// Lists the files of the workspace of a plan, for the caller that makes the rules.
///
/// # Errors
/// Fails if the workspace cannot be listed.
pub fn files(plan: &Plan) -> Result<Vec<Listed>, ProtectionError> {
    super::list(plan)
}

/// Returns the text of a file of the workspace. `None` if it is not a text file, or too large to be inspected.
pub fn text(plan: &Plan, path: &str) -> Option<String> {
    match workspace::look(&plan.workspace, path) {
        Looked::File(held) => String::from_utf8(held.content?).ok(),
        _ => None,
    }
}

/// Takes a lock of a workspace in its current state. All plans must have the same workspace; `shown` has the same
/// plans as they are stored, and `known` the tests of their last sealed runs.
///
/// # Errors
/// Fails if a protected file cannot be read, or cannot be inspected although the specification protects a value of it.
pub fn of_workspace(
    plans: &[Plan],
    shown: &[Plan],
    rules: Vec<LockRule>,
    made: Timestamp,
    known: LastTests,
) -> Result<LockSnapshot, ProtectionError> {
    let Some(first) = plans.first() else {
        return Err(ProtectionError::Content("there is no plan to lock".to_owned()));
    };
    let mut listed: BTreeSet<Listed> = BTreeSet::new();
    for plan in plans {
        listed.extend(super::list(plan)?);
    }
    let listed: Vec<Listed> = listed.into_iter().collect();
    let look = |path: &str| workspace::look(&first.workspace, path);
    let (files, contents) = lock_files(&rules, &listed, &look, &known.passed)?;
    let sources = sources(&listed, &look);
    let named_tests = bounded(current(known.named, &known.counts, &files));
    let lock = Lock { made, plans: digests(shown)?, rules, files, test_counts: known.counts, named_tests, sources };
    Ok(LockSnapshot { lock, contents })
}

/// Returns the names that apply to the current workspace: of a run over other inputs, only those that test files
/// declare now.
fn current(
    mut named: NamedTests,
    of_this_tree: &BTreeMap<TaskId, BTreeMap<String, u64>>,
    files: &[LockedFile],
) -> NamedTests {
    let declared = fate::Declared::of(files);
    for checks in named.iter_mut().filter(|(task, _)| !of_this_tree.contains_key(*task)).map(|(_, checks)| checks) {
        for names in checks.values_mut() {
            names.retain(|name| declared.title(name).is_some());
        }
    }
    named
}

/// Limits the names to the maximum of a lock.
fn bounded(mut named: NamedTests) -> NamedTests {
    let mut left = limit::LOCKED_TESTS;
    for names in named.values_mut().flat_map(BTreeMap::values_mut) {
        names.truncate(left);
        left -= names.len();
    }
    named
}

/// Returns the suppressions in the sources. `None` if there are more than a lock can list.
fn sources(listed: &[Listed], look: Look<'_>) -> Option<Sources> {
    let mut sources = Sources::new();
    let mut count = 0;
    for path in listed.iter().filter(|file| !file.ignored).map(|file| file.path.as_str()) {
        if Language::of(path).is_some()
            && let Looked::File(held) = look(path)
            && let Some(known) = held.content.and_then(|content| suppressions::known(path, content))
        {
            count += known.len();
            sources.insert(path.to_owned(), known);
        }
    }
    (count <= limit::LOCKED_SUPPRESSIONS).then_some(sources)
}

/// Returns the digests of plans, as in evidence.
pub(super) fn digests(shown: &[Plan]) -> Result<BTreeMap<TaskId, Digest>, ProtectionError> {
    let digest = |plan: &Plan| {
        Ok((plan.task.clone(), referee_model::plan::plan_document::digest(plan).map_err(ProtectionError::content)?))
    };
    shown.iter().map(digest).collect()
}

/// Protected files, and their contents by digest.
type LockedFiles = (Vec<LockedFile>, BTreeMap<Digest, Vec<u8>>);

/// Locks every listed file that a rule protects, with its content.
pub(super) fn lock_files(
    rules: &[LockRule],
    listed: &[Listed],
    look: Look<'_>,
    passed: &BTreeMap<String, BTreeSet<String>>,
) -> Result<LockedFiles, ProtectionError> {
    let book = RuleBook::new(rules).map_err(ProtectionError::Content)?;
    let (mut files, mut contents) = (Vec::new(), BTreeMap::new());
    let known: Known<'_> = listed.iter().filter(|file| !file.ignored).map(|file| file.path.as_str()).collect();
    for Listed { path, ignored } in listed {
        let Some(applied) = book.of(path) else { continue };
        // A file that git ignores is generated: it has no tests that were written by hand, and in a directory of
        // ignored files it governs nothing.
        let governs = || book.deciding(path).iter().any(|rule| known.is_below(governed(&rule.pattern, path)));
        if *ignored && (applied.mode != Mode::Frozen || !governs()) {
            continue;
        }
        let unreadable =
            |why: &str| ProtectionError::Content(format!("{path} is protected and cannot be locked: {why}"));
        let (kind, held) = match look(path) {
            Looked::Missing => continue,
            Looked::File(held) => (LockedKind::File, held),
            Looked::Link(held) => (LockedKind::Link, held),
            Looked::Unreadable(why) => return Err(unreadable(&why)),
        };
        let values = match values(path, &applied.values, kind, &held) {
            Ok(values) => values,
            // No value of it is declared, so the whole file is protected.
            Err(_) if applied.source == RuleSource::Default => Vec::new(),
            Err(why) => return Err(unreadable(&why)),
        };
        files.push(LockedFile {
            path: path.clone(),
            mode: applied.mode,
            kind,
            bytes: held.bytes,
            sha256: held.sha256,
            values,
            tests: if applied.mode == Mode::Additive { declared_in(path, &held) } else { Vec::new() },
            passed: passed.get(path).into_iter().flatten().cloned().collect(),
            reason: applied.reason.to_owned(),
        });
        contents.extend(held.content.map(|content| (held.sha256, content)));
        if files.len() > limit::PROTECTED_FILES {
            let message = format!("more than {} files are protected: protect fewer", limit::PROTECTED_FILES);
            return Err(ProtectionError::Content(message));
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok((files, contents))
}

/// Returns the names of tests that a file declares, sorted.
pub(super) fn declared_in(path: &str, held: &WorkspaceFile) -> Vec<String> {
    text_of(held).and_then(|text| test_names(path, text)).into_iter().flatten().collect()
}

/// Returns the text of a file. `None` if it is not text, or too large to be inspected.
pub(super) fn text_of(held: &WorkspaceFile) -> Option<&str> {
    held.content.as_ref().and_then(|content| std::str::from_utf8(content).ok())
}

fn values(
    path: &str,
    wanted: &[(&str, Mode)],
    kind: LockedKind,
    held: &WorkspaceFile,
) -> Result<Vec<LockedValue>, String> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    if kind == LockedKind::Link {
        return Err("it is a link, and a value of it is protected".to_owned());
    }
    let document = document(path, held)?;
    let value = |(pointer, mode): &(&str, Mode)| {
        Ok(LockedValue { pointer: (*pointer).to_owned(), mode: *mode, digest: digest_at(&document, pointer)? })
    };
    wanted.iter().map(value).collect()
}

/// Parses a file of which values are protected.
pub(super) fn document(path: &str, held: &WorkspaceFile) -> Result<Value, String> {
    project_file::document(path, held.content.as_ref().ok_or("it is too large to be looked into")?)
}

/// Returns the digest of a value's canonical form. `None` if there is no such value.
pub(super) fn digest_at(document: &Value, pointer: &str) -> Result<Option<Digest>, String> {
    document
        .pointer(pointer)
        .map(|value| canonical::bytes(value).map(Digest::of).map_err(|error| error.to_string()))
        .transpose()
}
