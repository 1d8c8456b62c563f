//! Choice between several of Jest's reports.

use crate::candidate::add_counts;
use crate::prelude::*;
use crate::tools::jest::{EMPTY_RUN, json};

/// Merges the candidates of both streams.
///
/// | text report | JSON report | taken |
/// |---|---|---|
/// | none | any | JSON |
/// | any | none | text |
/// | no summary | whole, with all failures | JSON |
/// | no summary | whole, without some failures | text |
/// | any | cut short | text |
/// | same counts | whole, with all failures | JSON |
/// | same counts | whole, without some failures | text |
/// | other counts, other stream | whole | text: on standard output any test can print a document |
/// | other counts, same stream | whole | the one that ends later: Jest prints its document last |
pub(crate) fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let (reports, texts): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|(_, candidate)| candidate.format == json::FORMAT);
    // The text report is on standard error. It is taken from standard output only if standard error holds none.
    let text = texts.into_iter().rev().reduce(one_text);
    let report = reports.into_iter().find(|(stream, _)| *stream == Stream::Stdout);
    let ((text_stream, text), (report_stream, report)) = match (text, report) {
        (Some(text), Some(report)) => (text, report),
        (text, report) => return text.or(report).map(|(_, candidate)| candidate),
    };
    let is_whole = |candidate: &Candidate| authority(candidate) == Some(CountAuthority::MachineReport);
    let agree = text.tests.as_ref().map(|tests| tests.counts) == report.tests.as_ref().map(|tests| tests.counts);
    let takes_report = match (authority(&text), is_whole(&report)) {
        (_, false) => false,
        (Some(CountAuthority::Summary), true) if !agree => {
            text_stream == report_stream && text.summary_end < report.summary_end
        }
        (_, true) => failures(&text) <= failures(&report),
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

/// Merges the text reports of both streams; the second is trusted less. Tests can print to standard output, but
/// a run may also have been redirected there: its failures, and runs without tests, are not lost.
fn one_text((stream, mut text): (Stream, Candidate), (_, other): (Stream, Candidate)) -> (Stream, Candidate) {
    let summed_up = other.tests.filter(|tests| tests.authority == CountAuthority::Summary);
    if let (Some(tests), Some(other)) = (text.tests.as_mut(), summed_up) {
        let has_failures = 0 < other.counts.failed + other.suites.map_or(0, |suites| suites.failed);
        let ran_none = other.counts.passed + other.counts.failed == 0;
        if ran_none && !has_failures && 0 < tests.counts.passed + tests.counts.failed {
            text.notes.push(EMPTY_RUN.to_owned());
        }
        if has_failures {
            tests.authority = CountAuthority::Summary;
        }
        if has_failures || ran_none {
            add_counts(&mut tests.counts, other.counts);
            if let Some(suites) = other.suites {
                add_counts(tests.suites.get_or_insert_default(), suites);
            }
            tests.failures.extend(other.failures);
            tests.failures.truncate(limit::FINDINGS_KEPT);
            tests.cases.extend(other.cases);
            tests.cases.truncate(limit::TEST_CASES_KEPT);
        }
    }
    (stream, text)
}

fn failures(candidate: &Candidate) -> usize {
    candidate.tests.as_ref().map_or(0, |tests| tests.failures.len())
}

fn authority(candidate: &Candidate) -> Option<CountAuthority> {
    candidate.tests.as_ref().map(|tests| tests.authority)
}

#[cfg(test)]
mod tests {
    use CountAuthority::{Lines, MachineReport, Summary};
    use Stream::{Stderr, Stdout};
    use referee_model::reading::{TestCounts, TestFailure, TestResults};

    use super::*;

    fn candidate(format: &'static str, authority: CountAuthority, failed: u64, listed: usize, end: u64) -> Candidate {
        let tests = TestResults {
            authority,
            counts: TestCounts { failed, total: failed, ..TestCounts::default() },
            failures: vec![TestFailure::default(); listed],
            ..TestResults::default()
        };
        Candidate { format, tests: Some(tests), summary_end: Some(end), ..Candidate::default() }
    }

    fn taken(candidates: Vec<(Stream, Candidate)>) -> (&'static str, CountAuthority, u64) {
        let candidate = one_candidate(candidates).unwrap();
        let tests = candidate.tests.unwrap();
        (candidate.format, tests.authority, tests.counts.failed)
    }

    #[test]
    fn the_rows_of_the_table_hold() {
        let text = |stream, authority, failed, end| (stream, candidate("text", authority, failed, 1, end));
        let report = |authority, failed, listed, end| (Stdout, candidate("json", authority, failed, listed, end));
        for (candidates, expected) in [
            (vec![report(MachineReport, 2, 2, 9)], ("json", MachineReport, 2)),
            (vec![text(Stdout, Summary, 2, 9)], ("text", Summary, 2)),
            (vec![text(Stderr, Lines, 1, 0), report(MachineReport, 2, 2, 9)], ("json", MachineReport, 2)),
            (vec![text(Stderr, Lines, 1, 0), report(MachineReport, 0, 0, 9)], ("text", Lines, 1)),
            (vec![text(Stderr, Summary, 1, 5), report(Lines, 2, 2, 9)], ("text", Summary, 1)),
            (vec![text(Stderr, Summary, 1, 5), report(MachineReport, 1, 1, 9)], ("json", MachineReport, 1)),
            (vec![text(Stderr, Summary, 1, 5), report(MachineReport, 1, 0, 9)], ("text", Summary, 1)),
            (vec![text(Stderr, Summary, 1, 5), report(MachineReport, 0, 0, 9)], ("text", Summary, 1)),
            (vec![text(Stdout, Summary, 0, 5), report(MachineReport, 1, 1, 9)], ("json", MachineReport, 1)),
            (vec![text(Stdout, Summary, 1, 9), report(MachineReport, 0, 0, 5)], ("text", Summary, 1)),
        ] {
            assert_eq!(taken(candidates), expected);
        }
        assert!(one_candidate(Vec::new()).is_none());
    }

    #[test]
    fn the_text_report_is_on_standard_error() {
        let on = |stream, authority, failed| (stream, candidate("text", authority, failed, 1, 5));
        assert_eq!(taken(vec![on(Stdout, Summary, 0), on(Stderr, Summary, 1)]), ("text", Summary, 1));
        assert_eq!(taken(vec![on(Stdout, Summary, 0), on(Stderr, Lines, 1)]), ("text", Lines, 1));
        assert_eq!(taken(vec![on(Stdout, Summary, 2), on(Stderr, Summary, 1)]), ("text", Summary, 3));
        assert_eq!(taken(vec![on(Stdout, Summary, 2), on(Stderr, Lines, 0)]), ("text", Summary, 2));
        assert_eq!(taken(vec![on(Stdout, Lines, 2), on(Stderr, Summary, 0)]), ("text", Summary, 0));
        let both = one_candidate(vec![on(Stdout, Summary, 0), on(Stderr, Summary, 1)]).unwrap();
        assert_eq!(both.notes, [EMPTY_RUN], "nothing ran in the run that went to standard output");
        let elsewhere = (Stderr, candidate("json", MachineReport, 0, 0, 5));
        assert!(one_candidate(vec![elsewhere]).is_none(), "a document on standard error is none of jest's");
    }
}
