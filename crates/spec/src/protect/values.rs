//! Individually protected values in a project's own documents: those that affect checks.

use std::collections::BTreeSet;

use crate::project_file;
use referee_model::lock::{LockRule, Newcomers};
use referee_model::run_context::protection::Mode;

use super::table::Default;
use super::{escaped, whole};

const RUNNER: &str = "it says which tests run, and how";

/// Maximum number of entries that may be added to a list in `Cargo.toml`.
const ADDED: usize = 8;

/// Returns the values to protect in a project: those of the defaults, and those that its files have.
pub(super) fn of_project(
    defaults: impl Iterator<Item = &'static Default>,
    files: &BTreeSet<&str>,
    text: &dyn Fn(&str) -> Option<String>,
) -> Vec<LockRule> {
    let value = |path: String, newcomers: Newcomers, mode: Mode, pointer: String, reason: &str| LockRule {
        pointer: Some(pointer),
        ..whole(path, mode, newcomers, reason.to_owned())
    };
    let mut rules = Vec::new();
    for Default { name, mode, newcomers, reason, subjects, .. } in defaults {
        let Some(name) = name else { continue };
        let rule = |pointer: &String| value(format!("**/{name}"), *newcomers, *mode, pointer.clone(), reason);
        rules.extend(subjects.iter().map(rule));
    }
    let of_name = |name: &'static str| files.iter().filter(move |path| super::is_named(path, name));
    let read = |path: &str| project_file::document(path, text(path)?.as_bytes()).ok();
    // An existing script defines how the project is tested, whether or not a check of Referee runs it.
    let is_tested = |path: &&&str| read(path).is_some_and(|read| read.pointer("/scripts/test").is_some());
    rules.extend(of_name("package.json").filter(is_tested).map(|path| {
        let pointer = "/scripts/test".to_owned();
        value(escaped(path), Newcomers::Free, Mode::Frozen, pointer, "it says how the project is tested")
    }));
    for path in of_name("Cargo.toml") {
        let Some(read) = read(path) else { continue };
        let count = |list: &str| read.get(list).and_then(|list| list.as_array()).map_or(0, Vec::len);
        let declared = (0..count("test")).map(|at| format!("/test/{at}"));
        let switches = (0..count("test") + ADDED)
            .flat_map(|at| ["test", "harness", "required-features"].map(|switch| format!("/test/{at}/{switch}")));
        let programs = (0..count("bin") + ADDED).map(|at| format!("/bin/{at}/test"));
        let rule = |pointer| value(escaped(path), Newcomers::Free, Mode::Frozen, pointer, RUNNER);
        rules.extend(declared.chain(switches).chain(programs).map(rule));
    }
    rules
}
