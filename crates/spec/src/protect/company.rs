//! Files other than production code that tests load from the workspace: helpers, fixtures, golden files,
//! snapshots. They are protected like tests.
//!
//! They are found from the text of tests: imports, and quoted texts that name files. Files in a test directory
//! always count. Other files must look like test code, by name or by the test library they use, and must not be
//! named by other code.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use referee_model::run_context::protection::Mode;
use referee_model::test_file::is_of_tests;

use super::NAMES;
use super::imports::{self, is_code};
use super::named::Named;

/// Maximum size of a file that is searched, in bytes.
const BYTES: usize = 1024 * 1024;

const REASON: &str = "tests load it";

/// Directories that the defaults cover, from the root of the workspace.
const COVERED: [&str; 2] = ["test/", "tests/"];

/// Returns the files that tests load, as additive rules.
pub(super) fn of_tests(files: &BTreeSet<&str>, text: &dyn Fn(&str) -> Option<String>) -> Vec<Named> {
    let text = |path: &str| text(path).filter(|text| text.len() <= BYTES);
    let workspace = imports::Workspace::new(files, &text);
    let production = OnceCell::new();
    let named_by_production = |path: &str| {
        let named: &BTreeSet<&str> = production.get_or_init(|| by_production(files, &workspace, &text));
        named.contains(path)
    };
    let mut seen: BTreeSet<&str> = files.iter().copied().filter(|path| is_of_tests(path) && is_code(path)).collect();
    let mut queue: Vec<&str> = seen.iter().copied().collect();
    let mut company: BTreeSet<&str> = seen.iter().copied().filter(|path| is_below_tests(path)).collect();
    while let Some(path) = queue.pop() {
        let Some(content) = text(path) else { continue };
        for found in workspace.named_in(path, &content) {
            if seen.contains(found) || !is_company(found, &text, &named_by_production) {
                continue;
            }
            seen.insert(found);
            company.insert(found);
            queue.extend(is_code(found).then_some(found));
        }
    }
    let patterns: BTreeSet<String> = company.into_iter().filter(|path| !is_covered(path)).map(pattern).collect();
    let all = NAMES.words("tests.known").map(str::to_owned).chain(patterns);
    all.map(|path| Named { path, pointer: None, mode: Mode::Additive, reason: REASON.to_owned() }).collect()
}

/// Returns whether a file is in a test directory, whatever its name.
fn is_below_tests(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(directory, _)| is_of_tests(&format!("{directory}/x")))
}

fn is_covered(path: &str) -> bool {
    COVERED.iter().any(|directory| path.starts_with(directory))
        || path.split('/').any(|part| part == "__tests__" || part == "__snapshots__")
}

/// Returns the directory of test data that contains a file, else the file.
fn pattern(path: &str) -> String {
    let tells = |directory: &str| {
        let name = directory.rsplit('/').next().unwrap_or(directory);
        words(name).any(|word| NAMES.holds("tests.directories", &word)) || is_below_tests(&format!("{directory}/x"))
    };
    let directory = path.match_indices('/').map(|(at, _)| &path[..at]).find(|directory| tells(directory));
    directory.map_or_else(|| super::escaped(path), |directory| format!("{}/**", super::escaped(directory)))
}

fn is_company(path: &str, text: &dyn Fn(&str) -> Option<String>, is_named: &dyn Fn(&str) -> bool) -> bool {
    if is_manifest(path) {
        return false;
    }
    if is_of_tests(path) {
        return true;
    }
    let has = |known: &str| words(path).any(|word| NAMES.holds(known, &word));
    let is_product = path.split('/').rev().skip(1).any(|part| NAMES.holds("directories.products", part));
    let tells = if is_code(path) {
        let serves =
            || text(path).is_some_and(|text| NAMES.words("tests.libraries").any(|library| text.contains(library)));
        has("tests.serving") || !is_product && serves()
    } else {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        has("tests.data") || !is_product && path.contains('/') && NAMES.holds("tests.endings", ending)
    };
    tells && !is_named(path)
}

/// Returns whether a file is a manifest of the project itself.
fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    name.starts_with('.')
        || name.contains(".config.")
        || NAMES.words("tests.manifests").any(|start| name.starts_with(start))
        || matches!(ending, "lock" | "toml" | "cfg" | "ini" | "md" | "lockb")
}

/// Returns the words of a path, in lower case.
fn words(path: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in path.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}

/// Returns the files named by production code, or by `package.json`.
fn by_production<'a>(
    files: &BTreeSet<&'a str>,
    workspace: &imports::Workspace<'a, '_>,
    text: &dyn Fn(&str) -> Option<String>,
) -> BTreeSet<&'a str> {
    let is_production = |path: &&&str| {
        let is_manifest = super::is_named(path, "package.json");
        let serves = || words(path).any(|word| NAMES.holds("tests.serving", &word));
        is_manifest || is_code(path) && !is_of_tests(path) && !serves()
    };
    let mut named = BTreeSet::new();
    for path in files.iter().filter(is_production) {
        named.extend(text(path).map(|text| workspace.named_in(path, &text)).unwrap_or_default());
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &[(&str, &str)]) -> Vec<String> {
        let files: BTreeSet<&str> = content.iter().map(|(path, _)| *path).collect();
        let text = |path: &str| content.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        let found = of_tests(&files, &text).into_iter().map(|named| named.path);
        found.filter(|path| !NAMES.holds("tests.known", path)).collect()
    }

    #[test]
    fn what_tests_alone_load_is_their_company_and_what_they_test_is_not() {
        let files = [
            ("package.json", r#"{ "main": "sum.js" }"#),
            ("sum.js", "const { round } = require('./helpers/round');\n"),
            ("helpers/round.js", ""),
            ("helpers/same.js", "const assert = require('node:assert');\nconst limits = require('./limits');\n"),
            ("helpers/limits.js", ""),
            ("check.js", "import assert from 'node:assert';\n"),
            ("twice.js", "exports.twice = (a) => 2 * a;\n"),
            ("data/expected.json", "{}"),
            ("data/prices.json", "{}"),
            ("src/load.js", "read('data/prices.json')"),
            ("web/fixtures/a/b.html", ""),
            ("README.md", ""),
            (
                "sum.test.js",
                "const { sum } = require('./sum');\nrequire('./helpers/same.js'); require('./helpers/round');\nimport './check.js';\nimport './twice';\n\
                 read('data/expected.json'); read(path.join(__dirname, 'data', 'prices.json'));\nread('web/fixtures/a/b.html'); read('README.md'); read('package.json');\n",
            ),
        ];
        assert_eq!(
            of(&files),
            ["check.js", "data/expected.json", "helpers/limits.js", "helpers/same.js", "web/fixtures/**"]
        );
    }

    #[test]
    fn imports_are_followed_as_each_language_writes_them() {
        for (content, company) in [
            (
                vec![
                    (
                        "app/test_sum.py",
                        "from helpers.checks import same\nfrom . import fakes\nfrom app.sum import add\n",
                    ),
                    ("app/helpers/checks.py", "def same(): pass"),
                    ("app/fakes.py", ""),
                    ("app/sum.py", ""),
                ],
                vec!["app/fakes.py", "app/helpers/checks.py"],
            ),
            (
                vec![
                    ("go.mod", "module example.com/sums\n"),
                    (
                        "sum_test.go",
                        "import (\n\t\"testing\"\n\t\"example.com/sums/internal/testutil\"\n\t\"example.com/sums/add\"\n)\n",
                    ),
                    ("internal/testutil/same.go", "package testutil"),
                    ("add/add.go", "package add"),
                ],
                vec!["internal/testutil/same.go"],
            ),
            (
                vec![
                    ("src/sum.test.ts", "import { same } from './helpers/same.js';\nimport { sum } from './sum.js';"),
                    ("src/helpers/same.ts", ""),
                    ("src/sum.ts", ""),
                ],
                vec!["src/helpers/same.ts"],
            ),
            (
                vec![("src/tests.rs", "mod helpers;\n"), ("src/tests/helpers.rs", ""), ("src/lib.rs", "mod tests;\n")],
                vec!["src/tests/**"],
            ),
            (
                vec![
                    ("sum_test.c", "#include \"check_helper.h\"\n#include \"sum.h\"\n"),
                    ("check_helper.h", ""),
                    ("sum.h", ""),
                    ("sum.c", "#include \"sum.h\""),
                ],
                vec!["check_helper.h"],
            ),
        ] {
            assert_eq!(of(&content), company, "{content:?}");
        }
    }
}
