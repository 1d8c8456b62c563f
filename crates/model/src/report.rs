//! Everything about one judged run, from which every output is projected.

use crate::outcome::Judgement;
use crate::plan::{Action, Plan};
use crate::reading::Reading;
use crate::record::{Record, RunRecord, SkipReason};
use crate::verdict::Verdict;

/// Version of the judge. A report names it; replay under another version says so.
pub const JUDGE_VERSION: &str = "1.0.0";

/// One judged run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What was to run.
    pub plan: Plan,
    /// The facts of the run.
    pub run: RunRecord,
    /// Every action in plan order, with what came of it.
    pub actions: Vec<ActionReport>,
    /// The judged task.
    pub verdict: Verdict,
}

/// One action and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionReport {
    /// The action.
    pub action: Action,
    /// What came of it.
    pub course: Course,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq)]
pub enum Course {
    /// It ran and was judged.
    Ran(Box<Ran>),
    /// It never ran.
    Skipped(SkipReason),
}

/// An action that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// Its facts.
    pub record: Record,
    /// What was read from its output.
    pub reading: Reading,
    /// How it came out.
    pub judgement: Judgement,
}

impl ActionReport {
    /// Returns the action's run, if it ran.
    pub fn ran(&self) -> Option<&Ran> {
        match &self.course {
            Course::Ran(ran) => Some(ran),
            Course::Skipped(_) => None,
        }
    }
}
