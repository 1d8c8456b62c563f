//! Classifies the files of a candidate for probes: sources in which defects are planted, and all else.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use referee_ledger::State;
use referee_ledger::tree::{self, Cache, Exclusions, Snapshot};
use referee_ledger::workspace::{self, Looked};
use referee_model::id::Digest;
use referee_model::mutant::Language;
use referee_model::plan::Plan;
use referee_model::test_file::is_of_tests;
use referee_syntax::program::is_program;

use crate::inputs;

/// A candidate, and how its files are listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) workspace: &'a Path,
    /// The plan whose evidence and outputs are excluded.
    pub(super) plan: &'a Plan,
    /// Environment variables of the caller.
    pub(super) environment: &'a [(OsString, OsString)],
}

/// Returns the SHA-256 of every file that a candidate's clean room gets, by path.
pub(super) fn digests(candidate: Candidate<'_>, state: &State) -> Result<BTreeMap<String, Digest>, String> {
    let listing = tree::list(candidate.workspace, &exclusions(candidate)?).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::read(&listing, &mut Cache::open(Some(state), candidate.workspace));
    let entries = listing.entries().iter();
    Ok(entries.filter_map(|entry| Some((entry.path.to_str()?.to_owned(), snapshot.digest_of(&entry.path)?))).collect())
}

/// Returns the language of a source in which defects can be planted. `None` for other files, tests and configuration.
pub(super) fn language(path: &str) -> Option<Language> {
    let mut directories = path.rsplit('/').skip(1);
    let is_source = is_source(path) && !directories.any(|name| NOT_UNDER_TEST.contains(&name));
    if is_source { Language::of(path) } else { None }
}

/// Directories of third-party code, and of programs that tests do not cover.
const NOT_UNDER_TEST: [&str; 13] = [
    "node_modules",
    "vendor",
    "third_party",
    ".venv",
    "fuzz",
    "fuzzing",
    "example",
    "examples",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "docs",
];

/// Whether a file is code of the project that is under test.
pub(super) fn is_source(path: &str) -> bool {
    is_program(path) && !is_of_tests(path) && !is_configuration(path)
}

/// Whether a tree differs from the one that a set was learned on in more than edits of sources and new test files.
pub(super) fn is_changed(learned: &BTreeMap<String, Digest>, now: &BTreeMap<String, Digest>) -> bool {
    let is_other = |path: &String| match (learned.get(path), now.get(path)) {
        (Some(before), Some(after)) => before != after && !is_source(path),
        (None, Some(_)) => !is_of_tests(path) || path.ends_with("conftest.py"),
        _ => true,
    };
    learned.keys().chain(now.keys()).any(is_other)
}

/// Returns the text of a file of a workspace. `None` if there is none, or if it is not text.
pub(super) fn text(workspace: &Path, path: &str) -> Option<String> {
    match workspace::look(workspace, path) {
        Looked::File(held) => String::from_utf8(held.content?).ok(),
        Looked::Missing | Looked::Link(_) | Looked::Unreadable(_) => None,
    }
}

pub(super) fn exclusions(candidate: Candidate<'_>) -> Result<Exclusions, String> {
    inputs::exclusions(candidate.plan, candidate.workspace, None)
}

/// Whether a source configures a tool: its content is no behavior that a test could cover.
pub(super) fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains(".config.") || name.starts_with('.') || matches!(name, "setup.py" | "noxfile.py" | "conftest.py")
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn no_defect_is_planted_in_what_no_test_has_to_watch() {
        for path in ["src/cart.rs", "cart.py", "fuzz.c", "src/example.ts", "lib/benchmark.go"] {
            assert!(language(path).is_some(), "{path}");
        }
        for path in [
            "fuzzing/main.c",
            "fuzz/fuzz_targets/a.rs",
            "examples/shop/cart.ts",
            "benches/run.rs",
            "a/vendor/x.go",
            "b.txt",
        ] {
            assert!(language(path).is_none(), "{path}");
        }
    }
}
