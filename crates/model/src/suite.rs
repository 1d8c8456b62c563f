//! The tasks of one specification.

use crate::id::{TaskId, WorkspacePath};
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
    /// Reports that a run writes for other programs, in order of the document.
    pub reports: Vec<RequestedReport>,
}

/// A report for other programs that a specification asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedReport {
    /// Name of the format.
    pub format: String,
    /// File that the report is written to.
    pub path: WorkspacePath,
}

impl Suite {
    /// Returns the plan of a task.
    pub fn task(&self, id: &TaskId) -> Option<&Plan> {
        self.tasks.iter().find(|plan| &plan.task == id)
    }
}
