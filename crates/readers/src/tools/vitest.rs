//! Vitest: its text reporters, its GitHub annotations, and its JSON report.
//!
//! Counts come from Vitest's own summary or its JSON report, never from lines that tests could have printed.
//! Its TAP reporters are read as TAP.

mod annotation;
mod frame;
mod json;
mod summary;
mod text;

use crate::prelude::*;
use crate::shapes::json_tests;
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new("vitest", &["vitest-json"], Role::Test)
    .lines(&[
        LineFormat::new(
            &[
                " RUN  v",
                " DEV  v",
                "No test files found, exiting",
                "⎯⎯ Failed ",
                "⎯⎯ Unhandled ",
                " Test Files  ",
                "      Tests  ",
                "::error file=",
                "ERROR: Coverage for ",
            ],
            |is_hinted| Box::new(text::Report::new(is_hinted)),
        ),
        LineFormat::hinted(tap::PREFILTER, |_| tap::of_runner(FRAMEWORK)),
    ])
    .documents(&[DocumentFormat::of(json::OPENING, |stream, _| json_tests::reader::<json::Vitest>(stream))])
    .merge(runs::one_run);

const FRAMEWORK: &str = "vitest";

/// Separates a file, the groups and the test.
const SEPARATOR: &str = " > ";
