//! opencode's plugin, which serves as its configuration: constant code around the hooks, which are JSON as for
//! other hosts.

use referee_model::hook::AgentHost;

use super::ConfigurationError;

/// Code of the plugin, with a placeholder for the hooks.
const PLUGIN: &str = include_str!("opencode.js");

const HOOKS: &str = "HOOKS";

/// Returns the hooks in a host's file, as JSON. For most hosts that is the whole file.
///
/// # Errors
/// Fails where the file is a plugin whose code differs from what this version writes, so that its effect is
/// unknown.
pub fn plain(host: AgentHost, bytes: &[u8]) -> Result<&[u8], ConfigurationError> {
    if host != AgentHost::OpenCode || bytes.trim_ascii().is_empty() {
        return Ok(bytes);
    }
    let (before, after) = around();
    let inner = bytes.strip_prefix(before.as_bytes()).and_then(|rest| rest.strip_suffix(after.as_bytes()));
    inner.ok_or_else(|| ConfigurationError::new("its code is not what this version writes around the hooks"))
}

/// Returns a host's file that holds these hooks.
pub(super) fn whole(host: AgentHost, hooks: &str) -> String {
    if host != AgentHost::OpenCode {
        return format!("{hooks}\n");
    }
    let (before, after) = around();
    format!("{before}{hooks}{after}")
}

fn around() -> (&'static str, &'static str) {
    PLUGIN.split_once(HOOKS).unwrap_or((PLUGIN, ""))
}
