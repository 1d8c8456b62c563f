//! Files that tools load by their mere presence: each one that the table knows is drift, new or edited, tracked or ignored.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Workspace, git};

/// Files by which all kinds of projects are known, and one that was there in a directory below.
const PROJECT: [&str; 10] = [
    "a.py",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "a.csproj",
    "Gemfile",
    "composer.json",
    "sub/old.test.js",
    "sub/old_test.go",
    "sub/test_old.py",
];

/// Some names that stand here by themselves, whatever the table says.
const NAMES: [&str; 34] = [
    ".npmrc",
    ".yarnrc.yml",
    ".yarn/releases/yarn.cjs",
    ".pnpmfile.cjs",
    "npm-shrinkwrap.json",
    "bunfig.toml",
    ".mocharc.yml",
    "test/mocha.opts",
    "spec/support/jasmine.json",
    ".taprc",
    ".babelrc.json",
    ".swcrc",
    ".browserslistrc",
    "postcss.config.js",
    "vitest.config.mts",
    "eslint.config.mjs",
    "tsconfig.json",
    "pytest.toml",
    ".pytest.ini",
    "conftest.py",
    "sitecustomize.py",
    "pyvenv.cfg",
    ".isort.cfg",
    ".cargo/config.toml",
    "rust-toolchain",
    ".config/nextest.toml",
    "go.work",
    ".golangci.yml",
    ".mvn/maven.config",
    "src/test/resources/junit-platform.properties",
    "global.json",
    ".rspec",
    "phpunit.dist.xml",
    "CMakeUserPresets.json",
];

fn project() -> Workspace {
    let mut workspace = Workspace::with("checks:\n  unit: 'true'\n").file("package.json", "{}\n");
    for name in PROJECT {
        workspace = workspace.file(name, "\n");
    }
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "before"]);
    workspace
}

/// A file for each pattern of the rules that a lock of such a project holds for what governs, in the directory below.
fn names() -> BTreeSet<String> {
    let workspace = project();
    workspace.referee(&["lock"]).exits(0);
    let lock: Value = serde_json::from_slice(&std::fs::read(workspace.path("referee.lock")).unwrap()).unwrap();
    let governs =
        |rule: &&Value| rule["newcomers"] == "governing" && rule["pointer"].is_null() && rule["mode"] == "frozen";
    let rules: Vec<&Value> = lock["rules"].as_array().unwrap().iter().filter(governs).collect();
    assert!(rules.len() > 200, "{}", rules.len());
    let patterns = rules.iter().map(|rule| rule["pattern"].as_str().unwrap().replacen("**/", "sub/", 1));
    // What lies there is the project's own, once it was there.
    let patterns = patterns.filter(|pattern| !pattern.contains("/node_modules/") && !pattern.contains("/buildSrc/"));
    let named = patterns.flat_map(|pattern| expanded(&pattern)).map(|name| name.replace("**", "x/y").replace('*', "x"));
    NAMES.iter().map(|name| format!("sub/{name}")).chain(named).collect()
}

/// Every text that alternatives in braces stand for.
fn expanded(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (inner, after) = rest.split_once('}').unwrap();
    inner.split(',').flat_map(|word| expanded(&format!("{before}{word}{after}"))).collect()
}

fn written(workspace: &Workspace, names: &BTreeSet<String>, text: &str) {
    for name in names {
        workspace.write(name, text);
    }
}

/// Holds that every one of these files drifted, and blocks.
#[track_caller]
fn all_drifted(workspace: &Workspace, names: &BTreeSet<String>, change: &str) {
    let check = workspace.referee(&["lock", "check", "--format", "json"]).exits(3).json();
    let drift = check["protection"]["drift"].as_array().unwrap();
    let blocks = |drift: &&Value| drift["change"] == change && drift["blocks"] == true;
    let found: BTreeSet<&str> = drift.iter().filter(blocks).filter_map(|drift| drift["path"].as_str()).collect();
    let unseen: Vec<&String> = names.iter().filter(|name| !found.contains(name.as_str())).collect();
    assert!(unseen.is_empty(), "{change}: {unseen:?}\n{drift:#?}");
}

#[test]
fn every_file_that_a_tool_loads_is_drift_new_or_edited_tracked_or_ignored() {
    let names = names();
    for ignored in [false, true] {
        let workspace = project();
        if ignored {
            workspace.write(".git/info/exclude", "*\n");
        }
        workspace.referee(&["lock"]).exits(0);
        written(&workspace, &names, "new\n");
        all_drifted(&workspace, &names, "added");

        let workspace = project();
        if ignored {
            workspace.write(".git/info/exclude", "*\n");
        }
        written(&workspace, &names, "old\n");
        workspace.referee(&["lock"]).exits(0);
        written(&workspace, &names, "edited\n");
        all_drifted(&workspace, &names, "modified");
    }
}
