//! All tasks of one specification.

use crate::id::TaskId;
use crate::plan::{Plan, Specification};

/// A specification's tasks, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// The text they came from.
    pub specification: Specification,
    /// A line for people: the project's name, or the only task's title.
    pub title: String,
    /// The tasks in the order in which they run: as written, dependencies first. Never empty.
    pub tasks: Vec<Plan>,
    /// Deadline over all of them, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether a failed run is captured as an incident by itself.
    pub captures_incidents: bool,
}

impl Suite {
    /// Returns the plan of a task.
    pub fn task(&self, id: &TaskId) -> Option<&Plan> {
        self.tasks.iter().find(|plan| &plan.task == id)
    }
}
