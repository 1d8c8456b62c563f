//! Whether the tests of a change fail without it: the cheapest probe of a check.
//!
//! | with the rest of the change reverted               | and                                                  | the tests     |
//! |----------------------------------------------------|------------------------------------------------------|---------------|
//! | a test of the change fails, and nothing else does  | any                                                  | cover it      |
//! | something else does not pass                       | the candidate passes in a clean room                 | cover it      |
//! | something else does not pass                       | the candidate does not pass there either             | unknown       |
//! | all pass, and pass once more                       | the checks do not pass where each source is broken   | do not cover it |
//! | all pass, and pass once more                       | they pass there, too: they may check something else  | unknown       |
//! | all pass once, and not the next time               | any                                                  | unknown       |
//! | a time limit, a set-up or a service prevented it   | any                                                  | unknown       |

use referee_model::run_context::probe::{Probe, ProbeResult, ProbeRun, ProbeTree};
use referee_syntax::count::list;

/// Maximum number of test files named in a sentence.
const FILES_NAMED: usize = 5;

/// Number of digits of a quoted commit id.
const COMMIT_DIGITS: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The checks must be run in this tree.
    Run(ProbeTree),
    Done(Conclusion),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// The tests of the change fail without it.
    Holds,
    Hollow,
    /// The result is unknown, for this reason.
    Unknown(String),
}

/// Returns the next run that a probe needs, or its conclusion. `in_room` is whether the candidate's own run was
/// in a clean room.
pub fn step(probe: &Probe, in_room: bool) -> Step {
    if let Some(obstacle) = &probe.obstacle {
        return unknown(&obstacle.reason);
    }
    let of = |tree: ProbeTree| probe.runs.iter().filter(move |run| run.tree == tree).map(|run: &ProbeRun| &run.result);
    let mut taken_back = of(ProbeTree::TakenBack);
    match (taken_back.next(), taken_back.next()) {
        (None, _) | (Some(ProbeResult::Passed), None) => Step::Run(ProbeTree::TakenBack),
        (Some(ProbeResult::Unusable { reason }), _) => unknown(reason),
        (Some(ProbeResult::Failed { tests, others }), _) if in_room || (!tests.is_empty() && !others) => {
            Step::Done(Conclusion::Holds)
        }
        (Some(ProbeResult::Failed { .. }), _) => match of(ProbeTree::Candidate).next() {
            None => Step::Run(ProbeTree::Candidate),
            Some(ProbeResult::Passed) => Step::Done(Conclusion::Holds),
            Some(ProbeResult::Failed { .. }) => {
                unknown("the checks do not pass in a clean room with the whole change either")
            }
            Some(ProbeResult::Unusable { reason }) => unknown(reason),
        },
        (Some(ProbeResult::Passed), Some(ProbeResult::Passed)) => match of(ProbeTree::Broken).next() {
            None => Step::Run(ProbeTree::Broken),
            Some(ProbeResult::Failed { .. }) => Step::Done(Conclusion::Hollow),
            Some(ProbeResult::Passed) => unknown(
                "the checks pass in a clean room in which each source is broken, too: their tests look at no source, or at \
                 another tree",
            ),
            Some(ProbeResult::Unusable { reason }) => unknown(reason),
        },
        (Some(ProbeResult::Passed), Some(_)) => unknown("they passed without it once, and once they did not"),
    }
}

fn unknown(reason: &str) -> Step {
    Step::Done(Conclusion::Unknown(reason.to_owned()))
}

/// Returns the part of a commit's id that a sentence quotes.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..COMMIT_DIGITS).unwrap_or(commit)
}

/// Returns the conclusion of a probe; an incomplete one is unknown.
pub fn conclusion(probe: &Probe, in_room: bool) -> Conclusion {
    match step(probe, in_room) {
        Step::Done(conclusion) => conclusion,
        Step::Run(_) => Conclusion::Unknown("it was left midway".to_owned()),
    }
}

/// Returns the sentence to report for a probe. None: the tests cover the change.
pub fn sentence(probe: &Probe, in_room: bool) -> Option<String> {
    match conclusion(probe, in_room) {
        Conclusion::Holds => None,
        Conclusion::Hollow => {
            let commit = short(&probe.commit);
            let files = list(&probe.tests, FILES_NAMED);
            Some(format!(
                "the tests of this change pass without it, so they do not hold it: {files} passed with all other files as at \
                 commit {commit} (probe)"
            ))
        }
        Conclusion::Unknown(reason) => {
            Some(format!("whether the tests of this change fail without it could not be asked: {reason} (probe)"))
        }
    }
}
