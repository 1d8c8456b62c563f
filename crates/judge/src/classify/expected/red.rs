//! Suites that never ran but count as red: those that import code that is not written yet.
//!
//! A test that ran and failed is red. A suite that could not be loaded is not: a syntax error or a missing
//! package says nothing about the work to be done. But the first test of a new module cannot be loaded before
//! the module exists. So a run in which only suites failed is red if each of them names its own file as the
//! importing one:
//!
//! | what is missing                                                | red                                  |
//! |----------------------------------------------------------------|--------------------------------------|
//! | a file by its path, or a name that such a file does not export | yes                                  |
//! | a module of Python, or a name from one                         | yes: packages look the same          |
//! | the test file itself, a package, anything else                 | no                                   |
//! | unknown, or not known for every suite                          | no                                   |

use referee_model::reading::{Reading, TestFailure, TestResults};
use referee_syntax::ansi;

use super::super::case::Case;
use super::super::draft::Draft;
use crate::wording::file_name;

/// Maximum distance, in lines, between the line with the missing import and one with the suite's file.
const BEFORE: usize = 4;
const AFTER: usize = 2;

/// Phrases for imports that cannot be resolved, with the words that must follow.
const MISSING: [(&str, &str); 6] = [
    ("Cannot find module ", ""),
    ("Failed to resolve import ", ""),
    ("Failed to load url ", ""),
    ("Could not locate module ", " mapped as"),
    ("The requested module ", "does not provide an export named"),
    ("cannot load such file -- ", ""),
];

/// Marks failures of suites alone, unless they are red.
pub(in crate::classify) fn mark(case: &Case<'_>, mut draft: Draft) -> Draft {
    let Some(results) = case.reading.tests.as_ref().filter(|results| are_suites_alone(results)) else { return draft };
    draft.may_be_build = !is_all_unwritten(results, case.reading);
    draft
}

/// Returns whether only suites that never ran are known to have failed. A runner without counts of suites
/// counts these among the tests.
fn are_suites_alone(results: &TestResults) -> bool {
    let suites = results.failures.iter().filter(|failure| failure.suite).count();
    let counted = if results.suites.is_some() { 0 } else { suites as u64 };
    suites == results.failures.len() && results.counts.failed <= counted
}

fn is_all_unwritten(results: &TestResults, reading: &Reading) -> bool {
    let failed = results.suites.map_or(0, |suites| suites.failed).max(results.counts.failed);
    let is_whole = !results.failures.is_empty() && failed <= results.failures.len() as u64;
    is_whole && results.failures.iter().all(|suite| imports_unwritten(suite, reading))
}

/// Returns whether a suite could not be loaded because its own file imports something that the project does not
/// have yet.
fn imports_unwritten(suite: &TestFailure, reading: &Reading) -> bool {
    let Some(file) = suite.file.as_deref().map(file_name) else { return false };
    if is_of_python(&suite.message) {
        let innermost = suite.stack.as_deref().and_then(|stack| stack.lines().last());
        return innermost.is_some_and(|frame| frame.contains(file));
    }
    let excerpts = [&reading.excerpts.stderr, &reading.excerpts.stdout];
    let printed = excerpts.into_iter().flat_map(|excerpt| [&excerpt.head, &excerpt.tail]);
    std::iter::once(&suite.message).chain(printed).any(|text| names_missing(&ansi::strip(text), file))
}

/// Returns whether Python could not import a module, or a name from one. A package that is not installed looks
/// the same.
fn is_of_python(message: &str) -> bool {
    let is_circular = message.contains("circular import");
    let is_missing = message.contains("No module named '") || message.contains("cannot import name '");
    is_missing && !is_circular
}

/// Returns whether a text reports that a file imports another file, not a package, that does not exist.
fn names_missing(text: &str, file: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let is_near = |at: usize| {
        let around = &lines[at.saturating_sub(BEFORE)..lines.len().min(at + AFTER + 1)];
        around.iter().any(|line| line.contains(file))
    };
    lines.iter().enumerate().any(|(at, line)| is_missing_of_project(line) && is_near(at))
}

fn is_missing_of_project(line: &str) -> bool {
    MISSING.iter().any(|(words, after)| {
        let Some((_, rest)) = line.split_once(words) else { return false };
        let path = rest.trim_start_matches(['\'', '"', '`']);
        let path = path.split(['\'', '"', '`', ' ']).next().unwrap_or_default();
        let is_of_project = path.starts_with(['.', '/']) && !path.contains("node_modules");
        rest.contains(after) && (is_of_project || *after == " mapped as")
    })
}
