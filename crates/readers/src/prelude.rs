//! Common imports of tools and formats.

pub(crate) use referee_model::limit;
pub(crate) use referee_model::plan::Role;
pub(crate) use referee_model::reading::{
    CountAuthority, Diagnostic, Level, Origin, RelatedPlace, TestCounts, TestFailure, TestResults, TestStatus,
};
pub(crate) use referee_model::record::Stream;
pub(crate) use referee_syntax::{ansi, cut};
pub(crate) use serde_json::Value;

pub(crate) use crate::candidate::{
    self, Candidate, Confidence, DocumentReader, Findings, LineReader, Use, diagnostic, most_severe, name, origin,
};
pub(crate) use crate::document::{Extent, Opening};
pub(crate) use crate::json::{ANY, Record};
pub(crate) use crate::pattern::{Groups, Pattern};
pub(crate) use crate::rows::{Rows, finding, head, heading, known, lead, part, related, rest, subheading, sum, within};
pub(crate) use crate::scan::Line;
pub(crate) use crate::shapes::failing::{Failing, Language};
pub(crate) use crate::shapes::json_findings::{JsonFindings, JsonLines};
pub(crate) use crate::shapes::members::{Members, said};
pub(crate) use crate::shapes::results;
pub(crate) use crate::shapes::runs::{self, Runs};
pub(crate) use crate::shapes::tally::{Sum, Tally};
pub(crate) use crate::text;
pub(crate) use crate::tool::{DocumentFormat, LineFormat, Tool};
