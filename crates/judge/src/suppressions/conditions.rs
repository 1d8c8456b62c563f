//! Rust tests that are only compiled under a condition.

use std::collections::BTreeMap;

use referee_syntax::program::{Language, Line, flat};

/// Finds the conditions by 1-based line: on a test or a module of tests, or on a whole test file.
pub(super) fn of_tests(lines: &[Line], language: Language, is_of_tests: bool) -> BTreeMap<u32, String> {
    if language != Language::Rust {
        return BTreeMap::new();
    }
    let flat: Vec<String> = lines.iter().map(|line| flat(&line.code)).collect();
    let is_condition = |index: &usize| {
        let line = flat[*index].as_str();
        is_of_tests && line.starts_with("#![cfg(")
            || line.starts_with("#[cfg(") && !line.starts_with("#[cfg(test)]") && is_above_test(&flat, *index)
    };
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
    let words = |index: usize| format!("{} {}", flat[index], lines[index].texts.concat());
    (0..flat.len()).filter(is_condition).map(|index| (number(index), words(index))).collect()
}

/// Whether the item of an attribute is a test, or a module of tests.
fn is_above_test(flat: &[String], index: usize) -> bool {
    let is_attribute = |line: &&String| line.starts_with("#[");
    let before = flat[..index].iter().rev().take_while(is_attribute);
    let after = flat[index + 1..].iter().take_while(is_attribute);
    let item = flat[index + 1..].iter().find(|line| !line.is_empty() && !is_attribute(line));
    let is_test = |line: &String| line.contains("test]") || line.contains("test(") || line.contains("(test)");
    before.chain(after).any(is_test)
        || item.is_some_and(|item| item.starts_with("modtest") || item.starts_with("pubmodtest"))
}
