//! Tests that a line of a source stands for: its own, those of its group, or those that it runs before. Nesting is
//! determined by the indentation of lines.

use std::collections::BTreeSet;

use super::{is_attribute, test_names};

/// Hooks that run before tests: a skip in one of them skips every test.
const HOOKS: [&str; 12] = [
    "before(",
    "beforeEach(",
    "beforeAll(",
    "test.before(",
    "test.beforeEach(",
    "test.beforeAll(",
    "def setUp",
    "def setup",
    "async def asyncSetUp",
    "setUp",
    "before ",
    "setup ",
];

/// Beginnings of a Python function.
const FUNCTIONS: [&str; 2] = ["def ", "async def "];

/// Beginnings of indented blocks that are not functions.
const BLOCKS: [&str; 6] = ["if ", "try:", "with ", "else:", "elif ", "except"];

/// Returns the tests that a mark in a line applies to.
pub fn tests_at(path: &str, lines: &[&str], at: usize) -> BTreeSet<String> {
    let named = |lines: &[&str]| test_names(path, &lines.join("\n")).unwrap_or_default();
    let Some(line) = lines.get(at) else { return BTreeSet::new() };
    // A function on one line.
    let own = named(&lines[at..=at]);
    if !own.is_empty() {
        return own;
    }
    if is_attribute(line) {
        let mut next = at + 1;
        while lines.get(next).is_some_and(|line| is_attribute(line) || line.trim().is_empty()) {
            next += 1;
        }
        let mut first = at;
        while first > 0 && is_attribute(lines[first - 1]) {
            first -= 1;
        }
        let without: Vec<&str> =
            lines[first..at].iter().chain(&lines[at + 1..block_end(lines, next)]).copied().collect();
        return named(&without);
    }
    if line.trim_start().starts_with("pytestmark") {
        let first = enclosing(lines, at).map_or(0, |outer| outer + 1);
        let end = enclosing(lines, at).map_or(lines.len(), |outer| block_end(lines, outer));
        return named(&lines[first..end]);
    }
    let group = named(&lines[(at + 1).min(lines.len())..block_end(lines, at)]);
    if !group.is_empty() {
        return group;
    }
    around(path, lines, at)
}

/// Returns the tests that contain a line.
fn around(path: &str, lines: &[&str], at: usize) -> BTreeSet<String> {
    let mut inner = at;
    let mut is_outside = !FUNCTIONS.iter().any(|start| lines[at].trim_start().starts_with(start));
    while let Some(outer) = enclosing(lines, inner) {
        let mut first = outer;
        while first > 0 && is_attribute(lines[first - 1]) {
            first -= 1;
        }
        let found = test_names(path, &lines[first..=outer].join("\n")).unwrap_or_default();
        let head = lines[outer].trim_start();
        if !found.is_empty() {
            return found;
        }
        if HOOKS.iter().any(|hook| head.starts_with(hook)) || head.contains(" setUp(") {
            return test_names(path, &lines.join("\n")).unwrap_or_default();
        }
        is_outside &= BLOCKS.iter().any(|block| head.starts_with(block));
        inner = outer;
    }
    // A Python module that skips itself when it is loaded.
    if is_outside && std::path::Path::new(path).extension().is_some_and(|extension| extension == "py") {
        return test_names(path, &lines.join("\n")).unwrap_or_default();
    }
    BTreeSet::new()
}

/// Returns the nearest line before that is indented less.
fn enclosing(lines: &[&str], at: usize) -> Option<usize> {
    let depth = indent(lines.get(at)?);
    (0..at).rev().find(|place| !lines[*place].trim().is_empty() && indent(lines[*place]) < depth)
}

/// Returns the line after the block that is indented more than line `at`.
fn block_end(lines: &[&str], at: usize) -> usize {
    let Some(head) = lines.get(at) else { return lines.len() };
    let depth = indent(head);
    let is_over = |line: &&str| !line.trim().is_empty() && indent(line) <= depth;
    let rest = lines.get(at + 1..).unwrap_or_default();
    at + 1 + rest.iter().position(is_over).unwrap_or(rest.len())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
