//! Rust's test harness, as run by `cargo test`: pretty, terse and JSON; unit tests, doctests and benchmarks.

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod panic;

use super::rustc;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("cargo-test", &["libtest", "rust-test"], Role::Test)
    .lines(&[
        LineFormat::new(&["running ", "test result: ", "error: test failed, to rerun"], |is_hinted| {
            Box::new(lines::Harness::new(is_hinted))
        })
        .named(&[
            "     Running ",
            "   Doc-tests ",
            "t exit successfully: `",
            "error: doctest failed",
            "error: bench failed",
            " failed:",
            "    `-",
        ]),
        json::FORMAT,
        rustc::HUMAN_BESIDE_TESTS,
        rustc::JSON_BESIDE_TESTS,
    ])
    .merge(rustc::merge);

const FRAMEWORK: &str = "cargo-test";
