//! Whether the tests of a change fail without it, from the runs that asked: the cheapest probe of a check.
//!
//! | with the rest of the change taken back             | and                                                  | the tests     |
//! |----------------------------------------------------|------------------------------------------------------|---------------|
//! | a test of the change fails, and nothing else does  | any                                                  | hold it       |
//! | something else does not pass                       | the candidate passes in a clean room                 | hold it       |
//! | something else does not pass                       | the candidate does not pass there either             | nobody knows  |
//! | all pass, and pass once more                       | the checks do not pass where each source is broken   | do not hold it |
//! | all pass, and pass once more                       | they pass there, too: they may look elsewhere        | nobody knows  |
//! | all pass once, and not the next time               | any                                                  | nobody knows  |
//! | a limit of time, a set-up or a service was in the way | any                                               | nobody knows  |

use referee_model::run_context::probe::{Probe, ProbeResult, ProbeRun, ProbeTree};
use referee_syntax::count::list;

/// Files of tests that a sentence names.
const FILES_NAMED: usize = 5;

/// Digits of a commit's id that a sentence quotes.
const COMMIT_DIGITS: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The checks have to run in this tree.
    Run(ProbeTree),
    Done(Conclusion),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// The tests of the change fail without it.
    Holds,
    Hollow,
    /// It could not be asked, and why.
    Unknown(String),
}

/// Says which run a probe needs next, or what it comes to. `in_room` is whether the candidate's own run was made in a clean room.
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

/// Returns so much of a commit's id as a sentence quotes.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..COMMIT_DIGITS).unwrap_or(commit)
}

/// Returns what a probe came to; one that was left midway came to nothing.
pub fn conclusion(probe: &Probe, in_room: bool) -> Conclusion {
    match step(probe, in_room) {
        Step::Done(conclusion) => conclusion,
        Step::Run(_) => Conclusion::Unknown("it was left midway".to_owned()),
    }
}

/// Says what is to be told of a probe. None: the tests hold the change.
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
