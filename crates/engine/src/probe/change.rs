//! Splits a change into the tests that it adds or edits and all else, as it was at the commit at which the work began.

use std::collections::BTreeSet;
use std::path::Path;

use referee_ledger::tree::{self, EntryKind};
use referee_ledger::workspace::{self, Looked};
use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use referee_model::run_context::protection::Mode;
use referee_model::test_file::is_of_tests;
use referee_syntax::program;

use super::source::{self, Candidate, exclusions, is_configuration};
use crate::protection::commit::Committed;
use crate::protection::{Baseline, ProtectedContents, RuleBook};

/// Maximum number of a commit's files in memory at once.
const FILES_AT_ONCE: usize = 256;

/// Replacement for a source in a tree with broken sources, invalid in every language.
const BROKEN: &[u8] = b"}{ ) this source is broken on purpose ( }{\n";

/// A change of tests and sources.
#[derive(Debug)]
pub(super) struct Change {
    /// Id of the commit at which the work began.
    pub(super) commit: String,
    /// Paths of the test files that the change adds or edits.
    pub(super) tests: Vec<String>,
    /// Names of the tests that these files declare.
    pub(super) names: BTreeSet<String>,
    /// All other files that differ, as they were before.
    pub(super) before: ProtectedContents,
    pub(super) broken: ProtectedContents,
}

impl Change {
    /// Finds the change of a candidate. Returns `None` if no commit is named to compare it with, or if it does not
    /// change both tests and sources.
    ///
    /// # Errors
    /// Returns the reason if that cannot be determined.
    pub(super) fn find(candidate: Candidate<'_>, baseline: &Baseline) -> Result<Option<Self>, String> {
        let Some((baseline, trusted)) = baseline.all().find_map(|all| Some((all, all.committed()?))) else {
            return Ok(None);
        };
        let fork = trusted.fork(candidate.workspace, candidate.environment)?;
        let committed = fork.as_ref().unwrap_or(trusted);
        let sides = Sides { now: list(candidate)?, committed, workspace: candidate.workspace };
        let book = RuleBook::new(&baseline.lock.rules)?;
        let is_test = |path: &str| is_of_tests(path) || book.of(path).is_some_and(|rule| rule.mode == Mode::Additive);
        let programs = sides.paths().filter(|path| program::is_program(path));
        let (tests, sources): (Vec<String>, Vec<String>) = programs.map(str::to_owned).partition(|path| is_test(path));
        let (mut files, mut names) = (Vec::new(), BTreeSet::new());
        for edited in sides.edited(&tests)? {
            let declared = edited.now.as_deref().and_then(|text| program::test_names(&edited.path, text));
            if edited.now.is_some()
                && (is_test_by_name(&edited.path) || declared.as_ref().is_some_and(|it| !it.is_empty()))
            {
                names.extend(declared.unwrap_or_default());
                files.push(edited.path);
            }
        }
        if files.is_empty() || sides.edited(&sources)?.iter().all(|edited| is_configuration(&edited.path)) {
            return Ok(None);
        }
        let broken = sources.iter().filter(|path| sides.now.contains(*path) && !is_configuration(path));
        let broken = broken.filter_map(|path| Some((WorkspacePath::parse(path).ok()?, Some(BROKEN.to_vec()))));
        let left_out = exclusions(candidate)?;
        let before = sides.before(&|path| !is_test(path) && !left_out.covers(Path::new(path)))?;
        let commit = committed.id().to_owned();
        Ok(Some(Self { commit, tests: files, names, before, broken: broken.collect() }))
    }
}

/// The two trees of a change.
struct Sides<'a> {
    /// Paths of the candidate's files, as a clean room has them.
    now: BTreeSet<String>,
    committed: &'a Committed,
    workspace: &'a Path,
}

/// Path of a file that differs, with its earlier content. `None` if it did not exist.
type Differing = (String, Option<Vec<u8>>);

/// A file whose code differs.
struct Edited {
    path: String,
    /// Current text. `None` if the file was removed.
    now: Option<String>,
}

impl Sides<'_> {
    /// Returns the paths of both trees, each once.
    fn paths(&self) -> impl Iterator<Item = &str> {
        let then = self.committed.paths().filter(|path| !self.now.contains(*path));
        self.now.iter().map(String::as_str).chain(then)
    }

    /// Returns those of these files whose code differs. Comments and empty lines are no code.
    fn edited(&self, paths: &[String]) -> Result<Vec<Edited>, String> {
        let mut edited = Vec::new();
        for (path, before) in self.differing(paths)? {
            let (is_new, before) = (before.is_none(), before.and_then(|bytes| String::from_utf8(bytes).ok()));
            let now = if self.now.contains(&path) { source::text(self.workspace, &path) } else { None };
            if is_new || code(&path, before.as_deref()) != code(&path, now.as_deref()) {
                edited.push(Edited { path, now });
            }
        }
        Ok(edited)
    }

    /// Returns the earlier content of all selected files that differ. Links are left as they are.
    fn before(&self, is_asked: &dyn Fn(&str) -> bool) -> Result<ProtectedContents, String> {
        let asked: Vec<String> = self.paths().filter(|path| is_asked(path)).map(str::to_owned).collect();
        let (mut files, mut bytes) = (ProtectedContents::new(), 0);
        for (path, before) in self.differing(&asked)? {
            bytes += before.as_ref().map_or(0, |content| content.len() as u64);
            if bytes > limit::PROBE_BYTES {
                return Err("the change is too large to be taken back".to_owned());
            }
            let path = WorkspacePath::parse(&path).map_err(|error| format!("{path} cannot be named: {error}"))?;
            files.insert(path, before);
        }
        Ok(files)
    }

    /// Returns those of these files that differ, with their earlier content; `None` if they did not exist.
    fn differing(&self, paths: &[String]) -> Result<Vec<Differing>, String> {
        let mut differing = Vec::new();
        for paths in paths.chunks(FILES_AT_ONCE) {
            for (path, before) in paths.iter().zip(self.committed.contents(paths)) {
                let known = self.committed.holds(path);
                if known.is_some_and(|is_link| is_link) {
                    continue;
                }
                let before = before.or_else(|| self.committed.content(path));
                if before.is_none() && known.is_some() {
                    return Err(format!("what {path} held at the commit cannot be read"));
                }
                let is_same = match workspace::look(self.workspace, path) {
                    Looked::File(held) if self.now.contains(path) => {
                        before.as_ref().is_some_and(|before| Digest::of(before) == held.sha256)
                    }
                    Looked::Link(_) => true,
                    _ => before.is_none(),
                };
                if !is_same {
                    differing.push((path.clone(), before));
                }
            }
        }
        Ok(differing)
    }
}

/// Returns the earlier content of all files of a commit that are no sources and differ in the candidate: tests,
/// what they load, configuration, and what starts them.
pub(super) fn harness(candidate: Candidate<'_>, committed: &Committed) -> Result<ProtectedContents, String> {
    let sides = Sides { now: list(candidate)?, committed, workspace: candidate.workspace };
    let left_out = exclusions(candidate)?;
    sides.before(&|path| !source::is_source(path) && !left_out.covers(Path::new(path)))
}

/// Whether a candidate equals a commit.
pub(super) fn is_committed(candidate: Candidate<'_>, committed: &Committed) -> Result<bool, String> {
    let sides = Sides { now: list(candidate)?, committed, workspace: candidate.workspace };
    let left_out = exclusions(candidate)?;
    let paths: Vec<String> =
        sides.paths().filter(|path| !left_out.covers(Path::new(path))).map(str::to_owned).collect();
    Ok(sides.differing(&paths)?.is_empty())
}

/// Returns the paths of the files from which a candidate's clean room is built.
fn list(candidate: Candidate<'_>) -> Result<BTreeSet<String>, String> {
    let listing = tree::list(candidate.workspace, &exclusions(candidate)?).map_err(|error| error.to_string())?;
    let files = listing.entries().iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Link));
    Ok(files.filter_map(|entry| entry.path.to_str().map(str::to_owned)).collect())
}

/// Returns the lines of a source that are neither comments nor empty.
fn code(path: &str, text: Option<&str>) -> Option<Vec<(String, Vec<String>)>> {
    let lines = program::lines_of(path, text?)?.into_iter();
    let lines = lines.map(|line| (line.code.trim_end().to_owned(), line.texts));
    Some(lines.filter(|(code, texts)| !code.is_empty() || !texts.is_empty()).collect())
}

/// Whether the name of a file marks it as one of tests, as opposed to one that tests load.
fn is_test_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name != "conftest.py" && is_of_tests(name)
}
