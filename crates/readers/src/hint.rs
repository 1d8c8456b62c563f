//! Facts known about output before it is read.

use referee_model::plan::Role;

/// Facts known about output before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// The tool, by canonical name or alias: inferred from the command or set by the user.
    pub tool: Option<String>,
    /// The purpose of the command. Among the tools that the content matches, one with this role is preferred.
    pub role: Option<Role>,
}
