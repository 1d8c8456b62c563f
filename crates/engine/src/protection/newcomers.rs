//! New files: which of them are refused.

use std::collections::BTreeSet;

use globset::GlobSet;
use referee_ledger::workspace::{Listed, Looked};
use referee_model::id::WorkspacePath;
use referee_model::lock::{Lock, LockRule, Newcomers};
use referee_model::run_context::protection::Mode;
use referee_model::test_file::is_of_tests;

use super::Look;
use super::book::{self, RuleBook};

#[derive(Debug, Default)]
pub(super) struct Known<'a>(BTreeSet<&'a str>);

impl<'a> Known<'a> {
    /// Returns the files that a lock knows: protected files and sources.
    pub(super) fn of_lock(lock: &'a Lock) -> Self {
        let sources = lock.sources.iter().flatten().map(|(path, _)| path.as_str());
        lock.files.iter().map(|file| file.path.as_str()).chain(sources).collect()
    }

    /// Whether one of the files is in or below a directory, given as an empty text or with a final slash.
    pub(super) fn is_below(&self, directory: &str) -> bool {
        self.0.range(directory..).next().is_some_and(|path| path.starts_with(directory))
    }
}

impl<'a> FromIterator<&'a str> for Known<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(paths: I) -> Self {
        Self(paths.into_iter().collect())
    }
}

/// Returns why a file that the baseline does not know is refused. `None` if it is allowed.
pub(super) fn refusal(book: &RuleBook, known: &Known<'_>, newcomer: &Listed, look: Look<'_>) -> Option<String> {
    let rules = book.deciding(&newcomer.path);
    if let Some(rule) = rules.iter().find(|rule| refuses(rule, known, newcomer)) {
        return Some(format!("it is new, and nothing new may be there: {}", rule.reason));
    }
    if rules.iter().any(|rule| rule.mode == Mode::Additive) {
        let target = leads_out(&newcomer.path, known, look)?;
        return Some(format!("it is a new link among tests that leads out of them, to {target}"));
    }
    None
}

fn refuses(rule: &LockRule, known: &Known<'_>, newcomer: &Listed) -> bool {
    match rule.newcomers {
        Newcomers::Free => false,
        // A new file with values is allowed: its values do not replace those of the baseline's files.
        Newcomers::Refused => rule.pointer.is_none() && !newcomer.ignored,
        Newcomers::Governing => known.is_below(governed(&rule.pattern, &newcomer.path)),
        Newcomers::Never => true,
    }
}

/// Returns the directory that a file matching a pattern governs: the part that `**/` at the pattern's start
/// matches, else the workspace.
pub(super) fn governed<'path>(pattern: &str, path: &'path str) -> &'path str {
    let Some(set) = pattern.strip_prefix("**/").and_then(|tail| book::globs(tail).ok()).and_then(|globs| set(&globs))
    else {
        return "";
    };
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    let (directory, _) = starts.map(|at| path.split_at(at)).find(|(_, rest)| set.is_match(rest)).unwrap_or(("", path));
    directory
}

fn set(globs: &[globset::Glob]) -> Option<GlobSet> {
    let mut builder = GlobSet::builder();
    for glob in globs {
        builder.add(glob.clone());
    }
    builder.build().ok()
}

/// Returns the target of a link in a directory with tests of the baseline, if it is outside that directory. `None`
/// for any other file.
fn leads_out(path: &str, known: &Known<'_>, look: Look<'_>) -> Option<String> {
    let Looked::Link(held) = look(path) else { return None };
    let (own, _) = path.rsplit_once('/').map_or(("", path), |(directory, name)| (directory, name));
    let ends = path.match_indices('/').map(|(at, _)| at);
    let directory = ends.map(|at| &path[..at]).find(|directory| is_of_tests(&format!("{directory}/x"))).unwrap_or(own);
    let inside = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let target = held.content.map(|target| String::from_utf8_lossy(&target).into_owned()).unwrap_or_default();
    let stays = resolved(own, &target).is_some_and(|target| format!("{target}/").starts_with(&inside));
    (!stays && known.is_below(&inside)).then_some(target)
}

/// Resolves the text of a link's target, relative to the workspace. `None` if it is absolute or leaves the workspace.
fn resolved(directory: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    WorkspacePath::from_directory(directory, target).map(String::from)
}

#[cfg(test)]
mod tests {
    use referee_ledger::workspace::WorkspaceFile;

    use super::*;

    #[test]
    fn what_stands_for_the_head_of_a_pattern_is_governed() {
        for (pattern, path, directory) in [
            ("**/conftest.py", "a/b/conftest.py", "a/b/"),
            ("**/conftest.py", "conftest.py", ""),
            ("**/.cargo/config.toml", "a/.cargo/config.toml", "a/"),
            ("**/.mvn/**", "a/.mvn/b/.mvn/c", "a/"),
            ("**/test/mocha.opts", "a/test/mocha.opts", "a/"),
            ("**/jest.config.*", "a/jest.config.d/x", "a/"),
            ("buildSrc/**", "buildSrc/a/b", ""),
        ] {
            assert_eq!(governed(pattern, path), directory, "{pattern} {path}");
        }
    }

    #[test]
    fn the_baseline_lies_in_a_directory_or_below_it() {
        let known: Known<'_> = ["a/b/c.py", "ab.py"].into_iter().collect();
        for (directory, lies) in
            [("", true), ("a/", true), ("a/b/", true), ("a/b/c/", false), ("ab/", false), ("b/", false)]
        {
            assert_eq!(known.is_below(directory), lies, "{directory}");
        }
        assert!(!Known::default().is_below(""));
    }

    #[test]
    fn a_link_leads_out_of_its_directory_of_tests_or_stays() {
        let known: Known<'_> = ["tests/a.test.js", "src/sum.test.js"].into_iter().collect();
        for (path, target, leads) in [
            ("tests/x", "../src/x", true),
            ("tests/x", "/tmp/x", true),
            ("tests/x", "../../x", true),
            ("tests/a/x", "../b/../c", false),
            ("tests/a/x", "../../tests/c", false),
            ("src/b.test.js", "../evil.js", true),
            ("src/b.test.js", "sum.test.js", false),
            ("new/tests/x", "../../src/x", false),
        ] {
            let look = |_: &str| Looked::Link(WorkspaceFile::of(target.into()));
            assert_eq!(leads_out(path, &known, &look).is_some(), leads, "{path} -> {target}");
        }
        assert_eq!(leads_out("tests/x", &known, &|_| Looked::File(WorkspaceFile::of(b"/tmp".to_vec()))), None);
    }
}
