//! The Rust compiler, and commands that pass its findings on: `cargo build`, `cargo check`, `cargo clippy`.
//!
//! Three layouts: human (`error[E0308]: mismatched types`, below it ` --> src/lib.rs:3:5` and the code), short
//! (`src/lib.rs:3:5: error[E0308]: mismatched types`) and JSON, one object per line.

pub(crate) mod human;
pub(crate) mod json;
mod summary;

use crate::prelude::*;

/// The compiler and its lints, also run by Cargo and Clippy.
pub(crate) static TOOL: Tool =
    Tool::new("rustc", &["cargo", "clippy", "cargo-build", "cargo-check", "cargo-clippy"], Role::Compile)
        .lines(&[
            LineFormat::new(human::PREFILTER, |is_hinted| Box::new(human::Human::new(is_hinted))).named(human::NAMED),
            LineFormat::new(json::PREFILTER, |_| Box::new(json::Json::default())),
        ])
        .merge(merge);

/// The compiler's text in the log of a test runner. Without a hint the compiler's own tool reads it.
pub(crate) const HUMAN_BESIDE_TESTS: LineFormat =
    LineFormat::hinted(human::PREFILTER, |_| Box::new(human::Human::new(true))).named(human::NAMED);

/// The compiler's JSON in the log of a test runner.
pub(crate) const JSON_BESIDE_TESTS: LineFormat =
    LineFormat::hinted(json::PREFILTER, |_| Box::new(json::Json::default()));

/// Attributes a finding to Clippy if its lint is one of Clippy's, which the compiler only passes on.
fn attributed(mut found: Diagnostic) -> Diagnostic {
    if found.code.as_deref().is_some_and(|code| code.starts_with("clippy::")) {
        "clippy".clone_into(&mut found.tool);
    }
    found
}

/// Merges the candidates of all layouts. Errors that the final counts include but no layout listed are added.
pub(crate) fn merge(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let has_json =
        candidates.iter().any(|(_, candidate)| candidate.format == "json" && 0 < candidate.findings.counts.total());
    let summed_up = candidates.iter().map(|(_, candidate)| candidate.errors_summed_up).max().unwrap_or(0);
    let mut sum = candidate::together(candidates)?;
    let unlisted = summed_up.saturating_sub(sum.findings.counts.errors);
    if 0 < unlisted {
        sum.notes.push(format!("rustc sums up {unlisted} errors that were not read one by one"));
        sum.findings.add_unlisted(Level::Error, unlisted);
    }
    if has_json && sum.tests.is_none() {
        sum.format = "json";
    }
    sum.errors_summed_up = 0;
    Some(sum)
}
