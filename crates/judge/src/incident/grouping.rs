//! Which failures belong to the same incident (rulings 23 and 26).
//!
//! Incidents are identified by fingerprint (version 1): that of the first blocking failure if there was a
//! judgement, else one of class, step and the log line with the error.

use referee_model::diagnostic_log::Finding;
use referee_model::fingerprint::Fingerprint;
use referee_model::incident::grouping::PartsDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::outcome::Outcome;
use referee_model::time::Timestamp;
use referee_syntax::line;

use crate::fingerprint::{self, Identity};

/// Tool in the fingerprint of a failure without judgement.
const UNJUDGED: &str = "log";

/// Identity of a failure, with its parts for display. Equal parts have equal fingerprints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    pub fingerprint: Fingerprint,
    pub parts: PartsDocument,
}

/// Identifies a judged failure.
pub fn of_diagnostic(entry: &Finding) -> Identified {
    let file = entry.file.as_deref().filter(|file| fingerprint::is_in_project(file));
    let parts = PartsDocument {
        judged: true,
        step: entry.action_name.clone(),
        tool: entry.tool.clone().unwrap_or_default(),
        code: entry.code.clone().unwrap_or_default(),
        message: fingerprint::normalized(&entry.message),
        file: file.unwrap_or_default().to_owned(),
    };
    Identified { fingerprint: entry.fingerprint, parts }
}

/// Identifies a failure without judgement by the line with the error.
pub fn of_line(class: &str, step: &str, line: &str) -> Identified {
    let fingerprint = fingerprint::of(&Identity {
        outcome: Outcome::ExecutionError,
        action: step,
        tool: Some(UNJUDGED),
        code: Some(class),
        message: line,
        file: None,
    });
    let parts = PartsDocument {
        judged: false,
        step: step.to_owned(),
        tool: String::new(),
        code: class.to_owned(),
        message: fingerprint::normalized(line),
        file: String::new(),
    };
    Identified { fingerprint, parts }
}

/// An existing incident with the same fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    pub id: IncidentId,
    pub status: IncidentStatus,
    pub updated_at: Timestamp,
}

/// How a failure is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// As a new incident.
    New,
    Occurrence(IncidentId),
    /// As a new incident, marked as a regression of this one.
    Regression(IncidentId),
    /// As a new incident that refers to this one, which was escalated before and never reopened.
    Again(IncidentId),
}

/// Decides how a failure is recorded, by the incidents with the same fingerprint (ruling 26).
///
/// | there is one that is                 | it is                                          |
/// |--------------------------------------|------------------------------------------------|
/// | open (the latest of several)         | another occurrence of it                       |
/// | none of these, and one `resolved`    | a new one, a regression of the latest of them  |
/// | none of these, and one `escalated`   | a new one that names the latest of them        |
/// | none                                 | a new one                                      |
///
/// Escalated incidents get no further occurrences: they are no longer processed, so a later failure is an
/// incident of its own.
pub fn fate(peers: &[Peer]) -> Fate {
    let latest = |fits: fn(IncidentStatus) -> bool| {
        let fitting = peers.iter().filter(|peer| fits(peer.status));
        fitting.max_by(|one, other| (one.updated_at, &one.id).cmp(&(other.updated_at, &other.id))).map(|peer| &peer.id)
    };
    if let Some(open) = latest(|status| !status.is_closed()) {
        Fate::Occurrence(open.clone())
    } else if let Some(resolved) = latest(|status| status == IncidentStatus::Resolved) {
        Fate::Regression(resolved.clone())
    } else if let Some(escalated) = latest(|status| status == IncidentStatus::Escalated) {
        Fate::Again(escalated.clone())
    } else {
        Fate::New
    }
}

/// Words that report an error, in lower case.
const WRONG: [&str; 28] = [
    "error",
    "errors",
    "err",
    "fail",
    "failed",
    "fails",
    "failure",
    "failures",
    "fatal",
    "exception",
    "traceback",
    "panic",
    "panicked",
    "timeout",
    "refused",
    "denied",
    "unauthorized",
    "forbidden",
    "cannot",
    "aborted",
    "killed",
    "segfault",
    "unreachable",
    "unresolved",
    "missing",
    "invalid",
    "auth_required",
    "timed",
];

/// Suffixes of names that report an error: `TypeError`, `FileNotFoundException`.
const WRONG_ENDS: [&str; 2] = ["error", "exception"];

/// Words that negate the following one, as in `0 errors`.
const NONE: [&str; 4] = ["0", "no", "without", "zero"];

/// Returns the line of a log with the error, as one line: the last one with an error word, else the last one
/// that is not empty. None: the log is empty.
pub fn telling_line(log: &str) -> Option<String> {
    let plain = |line: &str| line::bounded(line, referee_model::limit::DIAGNOSTIC_MESSAGE_CHARACTERS);
    let mut last = None;
    for line in log.lines().rev().map(plain).filter(|line| !line.is_empty()) {
        if says_wrong(&line) {
            return Some(line);
        }
        last = last.or(Some(line));
    }
    last
}

/// Returns whether a line has an error word that is not negated.
fn says_wrong(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let words = lower.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let mut before = "";
    for word in words.filter(|word| !word.is_empty()) {
        let is_wrong = WRONG.contains(&word) || WRONG_ENDS.iter().any(|end| word.ends_with(end));
        if is_wrong && !NONE.contains(&before) {
            return true;
        }
        before = word;
    }
    false
}

/// Returns whether a log has only lines that report a start.
pub fn is_only_a_start(log: &str) -> bool {
    const BEGINS: [&str; 7] = ["start", "started", "starting", "begin", "beginning", "launching", "initializing"];
    let mut lines = log.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let begins = |line: &str| {
        let lower = line.to_ascii_lowercase();
        let mut words = lower.split(|character: char| !character.is_ascii_alphabetic());
        words.any(|word| BEGINS.contains(&word)) && !says_wrong(line)
    };
    lines.peek().is_some() && lines.all(begins)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn peer(id: &str, status: IncidentStatus, at: i64) -> Peer {
        Peer { id: IncidentId::parse(id).unwrap(), status, updated_at: Timestamp::from_millisecond(at) }
    }

    #[test]
    fn the_open_one_goes_before_the_resolved_and_that_before_the_escalated() {
        use IncidentStatus as At;
        let id = |text: &str| IncidentId::parse(text).unwrap();
        assert_eq!(fate(&[]), Fate::New);
        for open in [At::New, At::PlanProposed, At::Approved, At::HandedOff, At::Running] {
            let peers = [peer("done", At::Resolved, 9), peer("open", open, 1), peer("left", At::Escalated, 8)];
            assert_eq!(fate(&peers), Fate::Occurrence(id("open")));
        }
        let closed = [peer("old", At::Resolved, 1), peer("late", At::Resolved, 2), peer("left", At::Escalated, 3)];
        assert_eq!(fate(&closed), Fate::Regression(id("late")));
        assert_eq!(fate(&closed[2..]), Fate::Again(id("left")));
        // At equal times the greater id wins, so that all programs decide the same.
        assert_eq!(fate(&[peer("b", At::New, 1), peer("a", At::New, 1)]), Fate::Occurrence(id("b")));
    }

    #[test]
    fn what_changes_from_run_to_run_groups_and_what_does_not_keeps_apart() {
        let of = |line: &str| of_line("run_failed", "import", line);
        let first = of("Error: timeout after 1500 ms at /tmp/a1/x.js:12");
        assert_eq!(first, of("Error:  timeout after 2 s at /tmp/zz/y.js:7"));
        assert_eq!(first.parts.message, "Error: timeout after <duration> at <path>");
        for other in ["Error: refused after 1500 ms at /tmp/a1/x.js:12", ""] {
            assert_ne!(first.fingerprint, of(other).fingerprint, "{other}");
        }
        assert_ne!(
            first.fingerprint,
            of_line("timeout", "import", "Error: timeout after 1500 ms at /tmp/a1/x.js:12").fingerprint
        );
        assert_ne!(
            first.fingerprint,
            of_line("run_failed", "export", "Error: timeout after 1500 ms at /tmp/a1/x.js:12").fingerprint
        );
    }

    #[test]
    fn the_last_line_that_says_what_is_wrong_is_taken() {
        for (log, line) in [
            (
                "start\nTypeError: x is not a function\n  at a.js:1\n3 passed, 0 failed\n",
                Some("TypeError: x is not a function"),
            ),
            ("first ERROR\n\u{1b}[31merror: second\u{1b}[0m\r\nbye\n\n", Some("error: second")),
            ("random noise\nno errors\nbye", Some("bye")),
            ("\n \n", None),
            ("", None),
        ] {
            assert_eq!(telling_line(log).as_deref(), line, "{log:?}");
        }
    }

    #[test]
    fn a_log_of_start_lines_is_told() {
        for log in ["[10:00:01] start import\n", "Starting…\n\nLaunching browser\n"] {
            assert!(is_only_a_start(log), "{log:?}");
        }
        for log in ["", "\n", "start import\ndone\n", "starting failed\n", "restarted\n"] {
            assert!(!is_only_a_start(log), "{log:?}");
        }
    }

    proptest! {
        #[test]
        fn any_log_is_taken(log in ".{0,200}(\n.{0,80}){0,5}") {
            if let Some(line) = telling_line(&log) {
                prop_assert!(!line.is_empty() && !line.contains('\n'));
            }
            is_only_a_start(&log);
        }
    }
}
