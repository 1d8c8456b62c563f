//! Playwright: its terminal reporters, which end in the same way, and its JSON report.

mod json;
mod text;

use crate::prelude::*;
use crate::shapes::json_tests;

pub(crate) static TOOL: Tool = Tool::new("playwright", &["playwright-json"], Role::Test)
    .lines(&[LineFormat::new(&[" tests using ", " test using "], |is_hinted| Box::new(text::Report::new(is_hinted)))])
    .documents(&[DocumentFormat::of(json::OPENING, |stream, _| json_tests::reader::<json::Playwright>(stream))])
    .merge(runs::one_run);

const FRAMEWORK: &str = "playwright";

/// Separates the project, the file, the groups and the test.
const SEPARATOR: &str = " › ";
