//! An existing configuration, parsed as far as hooks are concerned.

use referee_model::hook::AgentHost;
use serde_json::Value;

use super::entries::Entries;
use super::{BYTES, ConfigurationError, is_versioned, plugin};

/// A configuration, parsed as far as hooks are concerned.
pub(super) struct Parsed {
    pub(super) root: Entries,
    pub(super) hooks: Entries,
}

/// Parses a configuration.
pub(super) fn parsed(host: AgentHost, bytes: &[u8]) -> Result<Parsed, ConfigurationError> {
    if u64::try_from(bytes.len()).map_or(true, |length| length > BYTES) {
        return Err(ConfigurationError::new(format!("it is larger than the {} MiB that are read", BYTES >> 20)));
    }
    let bytes = plugin::plain(host, bytes)?;
    if bytes.trim_ascii().is_empty() {
        return Ok(Parsed { root: Entries::default(), hooks: Entries::default() });
    }
    let root: Entries = serde_json::from_slice(bytes).map_err(|error| {
        ConfigurationError::new(format!(
            "it is no plain JSON object ({error}); a comment or a comma too many is taken out by hand, since neither would survive"
        ))
    })?;
    let version = root.get("version").filter(|version| version.trim() != "1");
    if let Some(version) = version.filter(|_| is_versioned(host)) {
        return Err(ConfigurationError::new(format!("its version is {version}, and only version 1 is known")));
    }
    let hooks = match root.get("hooks") {
        None | Some("null") => Entries::default(),
        Some(text) => serde_json::from_str(text)
            .map_err(|error| ConfigurationError::new(format!("`hooks` cannot be read as events ({error})")))?,
    };
    for (event, text) in &hooks.0 {
        if serde_json::from_str::<Vec<Value>>(text).is_err() {
            return Err(ConfigurationError::new(format!("`hooks.{event}` is not a list of entries")));
        }
    }
    Ok(Parsed { root, hooks })
}
