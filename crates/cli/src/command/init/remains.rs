//! Files that checks create in a project: they are not inputs, and are proposed as `outputs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use referee_engine::trial::Attempt;
use referee_spec::detect::{OutputProposal, Project};

/// Files that pin dependencies: they are inputs, whatever writes them.
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "Cargo.lock",
    "Gemfile.lock",
    "composer.lock",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "go.sum",
    "packages.lock.json",
    "gradle.lockfile",
];

/// Maximum number of proposed outputs.
const OUTPUTS: usize = 32;

/// Proposes the files left by attempts, by the check that left them.
pub(super) fn propose(attempts: &BTreeMap<String, Attempt>, project: &mut Project) {
    let mut left: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (check, attempt) in attempts {
        for path in &attempt.left {
            match path.to_str() {
                Some(text) if is_lock_file(path) => project.notes.push(format!(
                    "`{check}` writes {text}, which git neither tracks nor ignores: commit it, or have it ignored"
                )),
                Some(text) if is_plain(text) => drop(left.entry(text.to_owned()).or_default().insert(check)),
                _ => project.notes.push(format!("`{check}` leaves {}: name it under `outputs`", path.display())),
            }
        }
    }
    let outputs = alike(left);
    let more = outputs.len().saturating_sub(OUTPUTS);
    if more > 0 {
        project.notes.push(format!("checks leave {more} files and directories more than stand under `outputs`"));
    }
    for (path, checks) in outputs.into_iter().take(OUTPUTS) {
        let names: Vec<String> = checks.iter().map(|check| format!("`{check}`")).collect();
        project.outputs.push(OutputProposal { path, because: format!("Left by {}", names.join(" and ")) });
    }
}

/// Combines files of one name in different directories into one pattern.
fn alike(left: BTreeMap<String, BTreeSet<&str>>) -> BTreeMap<String, BTreeSet<&str>> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for path in left.keys() {
        *named.entry(name(path)).or_default() += 1;
    }
    let mut outputs: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, checks) in left {
        let last = name(&path);
        let pattern = if named.get(&last).is_some_and(|count| *count > 1) { format!("**/{last}") } else { path };
        outputs.entry(pattern).or_default().extend(checks);
    }
    outputs
}

fn is_lock_file(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| LOCK_FILES.contains(&name))
}

/// Returns whether a path has no special characters of patterns.
fn is_plain(path: &str) -> bool {
    !path.contains(['*', '?', '[', '{', '\\', '!', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_one_name_in_several_directories_are_one_pattern() {
        let left = ["coverage", "a/out.xml", "b/c/out.xml", "report.json"];
        let left = left.into_iter().map(|path| (path.to_owned(), BTreeSet::from(["test"]))).collect();
        let outputs: Vec<String> = alike(left).into_keys().collect();
        assert_eq!(outputs, ["**/out.xml", "coverage", "report.json"]);
        assert!(is_lock_file(Path::new("web/package-lock.json")) && !is_lock_file(Path::new("coverage")));
    }
}
