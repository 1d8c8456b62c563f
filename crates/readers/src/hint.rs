//! What is known of output before it is read.

use referee_model::plan::Role;

/// What is known of output before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// The tool, by canonical name or alias: told from the command, or named by a person.
    pub tool: Option<String>,
    /// What the command is for; of several tools that the content looks like, one with this role is preferred.
    pub role: Option<Role>,
}
