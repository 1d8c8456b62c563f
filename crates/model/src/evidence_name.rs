//! How the files of an action are called in a folder of evidence (design, "Evidence and trust").
//!
//! A file of an action begins with the action's id, which holds no hyphen, so what stands before the first hyphen or
//! after the id says whose it is. Each action has one slug, so its files differ by their ends.

use crate::id::{ActionId, slug};
use crate::plan::Action;

const DIAGNOSTICS: &str = "diagnostics";
const TEST_RESULTS: &str = "test-results";

/// Returns the name of the log of one attempt: `STEP.3-types.log`.
pub fn log(action: &Action, attempt: u32) -> String {
    format!("{}.log", stem(action, attempt))
}

/// Returns the name of the record of one attempt: `STEP.3-types.json`.
pub fn record(action: &Action, attempt: u32) -> String {
    format!("{}.json", stem(action, attempt))
}

/// Returns the name of the findings of an action: `STEP.3-diagnostics.json`.
pub fn diagnostics(action: &ActionId) -> String {
    format!("{action}-{DIAGNOSTICS}.json")
}

/// Returns the name of the test results of an action: `STEP.3-test-results.json`.
pub fn test_results(action: &ActionId) -> String {
    format!("{action}-{TEST_RESULTS}.json")
}

fn stem(action: &Action, attempt: u32) -> String {
    let check = match slug(&action.name) {
        slug if slug.is_empty() => String::new(),
        // A check that is called like one of the fixed files must not take that file's name.
        slug if slug == DIAGNOSTICS || slug == TEST_RESULTS => format!("-{slug}-check"),
        slug => format!("-{slug}"),
    };
    let again = if attempt > 1 { format!(".attempt-{attempt}") } else { String::new() };
    format!("{}{check}{again}", action.id)
}
