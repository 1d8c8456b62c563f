//! Packages of a project, and their scripts.

use std::path::{Component, Path, PathBuf};

use referee_syntax::tree::Node;
use serde_json::Value;

use super::project_file::text;
use super::runner::Packages;
use super::words;
use crate::complaint::Findings;
use crate::read;

/// Maximum number of packages of one project.
const MOST: usize = 500;

/// Returns the directories of the packages that a command selects. None: they are unknown.
pub(super) fn selected(root: &Path, packages: &Packages) -> Vec<PathBuf> {
    match packages {
        Packages::Own => vec![root.to_owned()],
        Packages::All => workspaces(root),
        Packages::Named(wanted) => {
            let all = workspaces(root);
            let mut found = Vec::new();
            for name in wanted {
                let of_name: Vec<&PathBuf> = all.iter().filter(|directory| is_meant(root, directory, name)).collect();
                if of_name.is_empty() {
                    return Vec::new();
                }
                found.extend(of_name.into_iter().cloned());
            }
            found
        }
    }
}

/// Returns the line of a script, with added arguments.
pub(super) fn script(directory: &Path, name: &str, arguments: &[String]) -> Option<String> {
    let package = package(directory)?;
    let line = package.get("scripts")?.get(name)?.as_str()?.trim();
    if line.is_empty() {
        return None;
    }
    let arguments = words::join(arguments);
    Some(if arguments.is_empty() { line.to_owned() } else { format!("{line} {arguments}") })
}

fn package(directory: &Path) -> Option<Value> {
    let text = text(&directory.join("package.json"))?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// Returns whether a package is selected by its name, its directory, or a parent directory.
fn is_meant(root: &Path, directory: &Path, wanted: &str) -> bool {
    let named =
        || package(directory).is_some_and(|package| package.get("name").and_then(Value::as_str) == Some(wanted));
    let below = || plain(wanted).is_some_and(|wanted| directory.starts_with(root.join(wanted)));
    below() || named()
}

/// Returns the directories of all packages that the root declares as plain directories, or as all directories in one.
fn workspaces(root: &Path) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for pattern in patterns(root) {
        let mut found = match pattern.trim_end_matches('/').strip_suffix('*') {
            Some(parent) if parent.is_empty() || parent.ends_with('/') => {
                let entries = plain(parent).and_then(|parent| root.join(parent).read_dir().ok());
                entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).take(MOST).collect()
            }
            Some(_) => Vec::new(),
            None => plain(&pattern).map(|directory| root.join(directory)).into_iter().collect::<Vec<_>>(),
        };
        found.retain(|directory| directory.join("package.json").is_file() && !directories.contains(directory));
        found.sort();
        directories.extend(found);
    }
    directories.truncate(MOST);
    directories
}

/// Returns the package patterns of the root, for npm and yarn or for pnpm.
fn patterns(root: &Path) -> Vec<String> {
    let package = package(root).unwrap_or_default();
    let declared = package.get("workspaces").map(|declared| declared.get("packages").unwrap_or(declared));
    let declared = declared.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut patterns: Vec<String> = declared.map(str::to_owned).collect();
    if let Some(text) = text(&root.join("pnpm-workspace.yaml")) {
        let mut findings = Findings::default();
        let source = read::source("", text.as_bytes(), &mut findings);
        let tree = read::tree(&source, &mut findings);
        let declared = tree.as_ref().and_then(|tree| tree.get("packages")).map(Node::elements).unwrap_or_default();
        patterns.extend(declared.iter().filter_map(Node::text).map(str::to_owned));
    }
    patterns.truncate(MOST);
    patterns
}

/// Returns a directory below the root as a path without dots. None: it may be another one, or is a pattern.
fn plain(directory: &str) -> Option<PathBuf> {
    if directory.contains(['*', '?', '[', '{', '!']) {
        return None;
    }
    let mut path = PathBuf::new();
    for part in Path::new(directory).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}
