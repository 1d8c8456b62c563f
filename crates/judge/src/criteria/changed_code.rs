//! Whether a check reports planted defects in the code of a change. A defect may leave the behavior unchanged,
//! so a single unreported one says little; [`UNNOTICED_MAX`] of them in different functions are enough.

use referee_model::run_context::probe::ProbeResult;
use referee_model::run_context::probe_audit::{ChangeAttempt, ChangeAudit};
use referee_syntax::count::{count, list};

/// Number of unreported defects after which no further one is planted.
pub const UNNOTICED_MAX: usize = 3;

/// Maximum number of defects that are planted, since some do not compile.
const ATTEMPTS_MAX: usize = 6;

/// Maximum number of functions named in a sentence.
const CODE_NAMED: usize = 3;

/// Returns whether another defect must be planted.
pub fn is_open(change: &ChangeAudit) -> bool {
    !change.is_exhausted
        && change.attempts.len() < ATTEMPTS_MAX
        && unnoticed(change).count() < UNNOTICED_MAX
        && !is_noticed(change)
}

fn is_noticed(change: &ChangeAudit) -> bool {
    change.attempts.iter().any(|attempt| matches!(attempt.run.result, ProbeResult::Failed { .. }))
}

fn unnoticed(change: &ChangeAudit) -> impl Iterator<Item = &ChangeAttempt> {
    change.attempts.iter().filter(|attempt| attempt.run.result == ProbeResult::Passed)
}

/// Report on the code of a change.
#[derive(Debug, PartialEq, Eq)]
pub struct UnwatchedChange {
    pub sentence: String,
    /// Whether enough defects were unreported to say that no test covers the code.
    pub is_certain: bool,
}

/// Returns a report if no check reports defects in the code of a change. None: a check does, or the result is
/// unknown.
pub fn unwatched(change: &ChangeAudit) -> Option<UnwatchedChange> {
    let missed: Vec<&ChangeAttempt> = unnoticed(change).collect();
    if missed.is_empty() || is_noticed(change) {
        return None;
    }
    let place = |attempt: &&ChangeAttempt| match &attempt.function {
        Some(function) => format!("{}:{} ({function})", attempt.path, attempt.line),
        None => format!("{}:{}", attempt.path, attempt.line),
    };
    let places = list(missed.iter().map(place), CODE_NAMED);
    let defects = count(missed.len() as u64, "planted defect");
    let sentence = format!("no test noticed {defects} in the code of this change: {places} (probe)");
    Some(UnwatchedChange { sentence, is_certain: missed.len() >= UNNOTICED_MAX })
}

#[cfg(test)]
mod tests {
    use referee_model::id::{Digest, ExecutionId};
    use referee_model::run_context::probe::{ProbeRun, ProbeTree};

    use super::*;

    /// Builds a change with one defect per character: the checks passed (`+`), failed (`-`), or could not run (`?`).
    fn change(results: &str, is_exhausted: bool) -> ChangeAudit {
        let attempt = |(line, letter): (usize, char)| ChangeAttempt {
            path: "a.py".to_owned(),
            function: Some(format!("f{line}")),
            line: line as u64,
            run: ProbeRun {
                tree: ProbeTree::Planted,
                execution: ExecutionId::parse("exec-1-change-1").unwrap(),
                report: Digest::from_bytes([1; 32]),
                result: match letter {
                    '+' => ProbeResult::Passed,
                    '-' => ProbeResult::Failed { tests: Vec::new(), others: true },
                    _ => ProbeResult::Unusable { reason: "it does not compile".to_owned() },
                },
            },
        };
        ChangeAudit {
            commit: "0123".to_owned(),
            attempts: results.chars().enumerate().map(attempt).collect(),
            is_exhausted,
        }
    }

    #[test]
    fn code_is_unwatched_where_no_check_reports_what_is_planted_in_it() {
        for (results, is_exhausted, is_open_then, told) in [
            ("", false, true, None),
            ("", true, false, None),
            ("-", false, false, None),
            ("+", false, true, Some(false)),
            ("++", true, false, Some(false)),
            ("++-", false, false, None),
            ("+++", false, false, Some(true)),
            ("+?+?+", false, false, Some(true)),
            ("??????", false, false, None),
        ] {
            let change = change(results, is_exhausted);
            assert_eq!(is_open(&change), is_open_then, "{results}");
            assert_eq!(unwatched(&change).map(|it| it.is_certain), told, "{results}");
        }
        let sentence = unwatched(&change("++", true)).map(|it| it.sentence);
        let expected = "no test noticed 2 planted defects in the code of this change: a.py:0 (f0), a.py:1 (f1) (probe)";
        assert_eq!(sentence.as_deref(), Some(expected));
    }
}
