//! Individually protected values in a project's own documents: those that affect checks.

use std::collections::BTreeSet;

use crate::project_file;
use referee_model::lock::{LockRule, Newcomers};
use referee_model::run_context::protection::Mode;

use super::table::Ecosystem;
use super::{escaped, whole};

/// Values with the same protection in files of one name.
struct Values {
    ecosystem: Ecosystem,
    name: &'static str,
    newcomers: Newcomers,
    mode: Mode,
    reason: &'static str,
    pointers: &'static [&'static str],
}

const RUNNER: &str = "it says which tests run, and how";
const LINTER: &str = "it says what a checker finds";
const TOOLS: &str = "it says which tools check the project";

/// A new manifest in an existing directory determines how its modules are loaded.
const OF_PACKAGE: Newcomers = Newcomers::Governing;

/// Protected values; everything else in these files is free, or under review.
const VALUES: &[Values] = &[
    Values {
        ecosystem: Ecosystem::Node,
        name: "package.json",
        newcomers: OF_PACKAGE,
        mode: Mode::Frozen,
        reason: "it runs when dependencies are installed",
        pointers: &["/scripts/preinstall", "/scripts/install", "/scripts/postinstall", "/scripts/prepare"],
    },
    Values {
        ecosystem: Ecosystem::Node,
        name: "package.json",
        newcomers: OF_PACKAGE,
        mode: Mode::Frozen,
        reason: RUNNER,
        pointers: &[
            "/jest",
            "/vitest",
            "/mocha",
            "/ava",
            "/tap",
            "/stryker",
            "/wireit",
            "/nx",
            "/nyc",
            "/c8",
            "/babel",
            "/browserslist",
            "/postcss",
        ],
    },
    Values {
        ecosystem: Ecosystem::Node,
        name: "package.json",
        newcomers: OF_PACKAGE,
        mode: Mode::Frozen,
        reason: LINTER,
        pointers: &[
            "/eslintConfig",
            "/eslintIgnore",
            "/prettier",
            "/stylelint",
            "/xo",
            "/standard",
            "/jshintConfig",
            "/remarkConfig",
            "/husky",
            "/lint-staged",
        ],
    },
    Values {
        ecosystem: Ecosystem::Node,
        name: "package.json",
        newcomers: OF_PACKAGE,
        mode: Mode::Review,
        reason: TOOLS,
        pointers: &["/devDependencies", "/overrides", "/resolutions", "/pnpm", "/type"],
    },
    Values {
        ecosystem: Ecosystem::Python,
        name: "pyproject.toml",
        newcomers: Newcomers::Free,
        mode: Mode::Frozen,
        reason: RUNNER,
        pointers: &[
            "/tool/pytest",
            "/tool/coverage",
            "/tool/tox",
            "/tool/hatch/envs",
            "/tool/pdm/scripts",
            "/tool/poe",
        ],
    },
    Values {
        ecosystem: Ecosystem::Python,
        name: "pyproject.toml",
        newcomers: Newcomers::Free,
        mode: Mode::Frozen,
        reason: LINTER,
        pointers: &[
            "/tool/mypy",
            "/tool/ruff",
            "/tool/pylint",
            "/tool/pyright",
            "/tool/basedpyright",
            "/tool/black",
            "/tool/isort",
            "/tool/bandit",
        ],
    },
    Values {
        ecosystem: Ecosystem::Rust,
        name: "Cargo.toml",
        newcomers: Newcomers::Free,
        mode: Mode::Frozen,
        reason: LINTER,
        pointers: &["/lints", "/workspace/lints"],
    },
    Values {
        ecosystem: Ecosystem::Rust,
        name: "Cargo.toml",
        newcomers: Newcomers::Free,
        mode: Mode::Frozen,
        reason: RUNNER,
        pointers: &["/profile/test", "/lib/test", "/lib/harness", "/package/autotests", "/package/build"],
    },
];

/// Maximum number of entries that may be added to a list in `Cargo.toml`.
const ADDED: usize = 8;

/// Returns the values to protect in a project of some kinds.
pub(super) fn of_project(
    kinds: &BTreeSet<Ecosystem>,
    files: &BTreeSet<&str>,
    text: &dyn Fn(&str) -> Option<String>,
) -> Vec<LockRule> {
    let value = |path: String, newcomers: Newcomers, mode: Mode, pointer: String, reason: &str| LockRule {
        pointer: Some(pointer),
        ..whole(path, mode, newcomers, reason.to_owned())
    };
    let mut rules = Vec::new();
    for values in VALUES.iter().filter(|values| kinds.contains(&values.ecosystem)) {
        let rule = |pointer: &&str| {
            value(format!("**/{}", values.name), values.newcomers, values.mode, (*pointer).to_owned(), values.reason)
        };
        rules.extend(values.pointers.iter().map(rule));
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
