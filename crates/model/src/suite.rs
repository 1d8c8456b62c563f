//! The tasks of one specification.

use crate::id::TaskId;
use crate::plan::{Plan, Specification};

/// The tasks of a specification, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// The specification that they were loaded from.
    pub specification: Specification,
    /// Title for people: the project's name, or the only task's title.
    pub title: String,
    /// The tasks in execution order: as written, dependencies first. Never empty.
    pub tasks: Vec<Plan>,
    /// Time limit for all tasks together, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether a failed run is automatically captured as an incident.
    pub captures_incidents: bool,
}

impl Suite {
    /// Returns the plan of a task.
    pub fn task(&self, id: &TaskId) -> Option<&Plan> {
        self.tasks.iter().find(|plan| &plan.task == id)
    }
}
