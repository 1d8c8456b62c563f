//! The document of `referee agent list --format json`.

use referee_model::agent_run::AgentRun;

#[document(unpublished)]
pub struct AgentRunList<'runs> {
    list_version: &'static str,
    runs: &'runs [AgentRun],
}

impl<'runs> AgentRunList<'runs> {
    /// Creates the document of these runs, which are given latest first.
    pub fn new(runs: &'runs [AgentRun]) -> Self {
        Self { list_version: "1.0.0", runs }
    }
}
