//! Mocha: its text reporters, which all end in the same way, and its JSON report. Its TAP reporter is read as
//! TAP.

pub(crate) mod json;
pub(crate) mod text;

use crate::prelude::*;
use crate::shapes::json_tests;
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new("mocha", &["mocha-json"], Role::Test)
    .lines(&[
        LineFormat::new(text::PREFILTER, |is_hinted| Box::new(text::Report::new(FRAMEWORK, is_hinted))),
        LineFormat::hinted(tap::PREFILTER, |_| tap::of_runner(FRAMEWORK)),
    ])
    .documents(&[DocumentFormat::of(json::OPENING, |stream, _| json_tests::reader::<json::Mocha>(stream))])
    .merge(runs::one_run);

const FRAMEWORK: &str = "mocha";
