//! Jest: its text report, which it writes to standard error, and its JSON report, which it writes to standard output.
//!
//! Counts come from Jest's own final summary or from its JSON report, never from lines that tests could have printed.

pub(crate) mod json;
pub(crate) mod lines;

mod failure;
mod summary;

use referee_model::reading::{CountAuthority, TestResults};
use referee_model::record::Stream;

use crate::claim::Claim;

const FRAMEWORK: &str = "jest";

/// What stands between the names of groups and of a test.
const SEPARATOR: &str = " › ";

/// The heading of a suite that never ran.
const SUITE_FAILED: &str = "Test suite failed to run";

/// Makes one claim of what was found in both streams.
///
/// | text report | JSON report | taken |
/// |---|---|---|
/// | none | any | JSON |
/// | any | none | text |
/// | no summary | whole | JSON |
/// | any | cut short | text |
/// | same counts | whole | JSON |
/// | other counts, other stream | whole | text: on standard output anyone can print a document |
/// | other counts, same stream | whole | what ends later: Jest prints its document last |
pub(crate) fn settle(claims: Vec<(Stream, Claim)>) -> Option<Claim> {
    let (reports, texts): (Vec<_>, Vec<_>) = claims.into_iter().partition(|(_, claim)| claim.format == json::FORMAT);
    // The report is on standard error. Only a run that writes nothing of it there may have it on standard output.
    let text = texts.into_iter().max_by_key(|(stream, _)| *stream == Stream::Stderr);
    let report = reports.into_iter().find(|(stream, _)| *stream == Stream::Stdout);
    let ((text_stream, text), (report_stream, report)) = match (text, report) {
        (Some(text), Some(report)) => (text, report),
        (text, report) => return text.or(report).map(|(_, claim)| claim),
    };
    let is_whole = |claim: &Claim| authority(claim) == Some(CountAuthority::MachineReport);
    let agree = text.tests.as_ref().map(|tests| tests.counts) == report.tests.as_ref().map(|tests| tests.counts);
    let takes_report = match (authority(&text), is_whole(&report)) {
        (_, false) => false,
        (Some(CountAuthority::Summary), true) if !agree => {
            text_stream == report_stream && text.summary_end < report.summary_end
        }
        (_, true) => true,
    };
    let (mut taken, rejected) = if takes_report { (report, text) } else { (text, report) };
    if !agree {
        taken.notes.push(format!(
            "jest's {} and {} reports disagree; the {} one was taken",
            taken.format, rejected.format, taken.format
        ));
    }
    taken.notes.extend(rejected.notes);
    Some(taken)
}

fn authority(claim: &Claim) -> Option<CountAuthority> {
    claim.tests.as_ref().map(|tests: &TestResults| tests.authority)
}
