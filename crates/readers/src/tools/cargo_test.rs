//! Rust's own test harness, as `cargo test` runs it: pretty, terse and JSON, unit tests, doctests and benchmarks.

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod panic;

use referee_model::plan::Role;

use super::rustc;
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "cargo-test",
    aliases: &["libtest", "rust-test"],
    role: Role::Test,
    lines: &[
        LineFormat {
            prefilter: &["running ", "test result: ", "error: test failed, to rerun"],
            reader: |is_hinted| Box::new(lines::Harness::new(is_hinted)),
        },
        json::FORMAT,
        rustc::HUMAN_BESIDE_TESTS,
        rustc::JSON_BESIDE_TESTS,
    ],
    documents: &[],
    merge: rustc::merge,
};

const FRAMEWORK: &str = "cargo-test";
