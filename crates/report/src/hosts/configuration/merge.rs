//! Merges Referee's hooks into an existing configuration.

use referee_model::hook::AgentHost;
use serde_json::Value;
use serde_json::value::RawValue;

use super::entries::{self, Entries};
use super::existing_configuration::{Parsed, parsed};
use super::installed::{handlers, is_ours};
use super::{ConfigurationError, HookRequest, configured, hooks, is_grouped, is_versioned, plugin};

/// A configuration with Referee's hooks merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Number of existing entries of Referee that were replaced.
    pub replaced: usize,
    /// Whether the file switches all hooks off. That is left unchanged, and the user must be informed.
    pub is_switched_off: bool,
}

/// Returns a configuration with these hooks only.
pub(super) fn alone(wanted: &HookRequest<'_>) -> String {
    let nothing = Parsed { root: Entries::default(), hooks: Entries::default() };
    put_together(wanted, nothing, 0).text
}

/// Merges the requested hooks into a configuration. Referee's entries for this host are replaced; every other
/// member, event and entry stays as it is, in its order.
///
/// # Errors
/// Fails where the configuration is not plain JSON (comments cannot be kept), where a key is duplicated, and where
/// its shape or version is not the host's.
pub fn merged(wanted: &HookRequest<'_>, bytes: &[u8]) -> Result<Merged, ConfigurationError> {
    // The whole plugin is Referee's: one of another version, or with other code, is replaced.
    let is_plain = plugin::plain(wanted.host, bytes).is_ok();
    let mut parsed = parsed(wanted.host, if is_plain { bytes } else { &[] })?;
    let mut replaced = 0;
    let mut events = Entries::default();
    for (event, text) in parsed.hooks.0 {
        let (others, ours) = without_ours(wanted.host, &event, &text)?;
        replaced += ours;
        match ours {
            0 => events.0.push((event, text)),
            // An event at which only Referee was called, and is not any more.
            _ if others.is_empty() && !configured(wanted.host).contains(&event.as_str()) => {}
            _ => events.0.push((event, entries::list(&others, 2))),
        }
    }
    parsed.hooks = events;
    Ok(put_together(wanted, parsed, replaced))
}

fn put_together(wanted: &HookRequest<'_>, parsed: Parsed, replaced: usize) -> Merged {
    let Parsed { mut root, hooks: mut events } = parsed;
    for hook in hooks(wanted) {
        let there: Vec<Box<RawValue>> =
            events.get(hook.event).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let mut all: Vec<String> = there.iter().map(|entry| entry.get().to_owned()).collect();
        all.push(entries::indented(&hook.entry, 3));
        events.set(hook.event, entries::list(&all, 2));
    }
    if is_versioned(wanted.host) && root.get("version").is_none() {
        root.0.insert(0, ("version".to_owned(), "1".to_owned()));
    }
    root.set("hooks", events.laid_out(1));
    let is_switched_off = root.get("disableAllHooks").is_some_and(|value| value.trim() == "true");
    Merged { text: plugin::whole(wanted.host, &root.laid_out(0)), replaced, is_switched_off }
}

/// Returns an event's entries without Referee's handlers, and the number of those. An entry without other handlers
/// is removed.
fn without_ours(host: AgentHost, event: &str, text: &str) -> Result<(Vec<String>, usize), ConfigurationError> {
    let shape = |error: serde_json::Error| ConfigurationError::new(format!("`hooks.{event}` cannot be read ({error})"));
    let raw: Vec<Box<RawValue>> = serde_json::from_str(text).map_err(shape)?;
    let (mut kept, mut ours) = (Vec::with_capacity(raw.len()), 0);
    for entry in raw {
        let value: Value = serde_json::from_str(entry.get()).map_err(shape)?;
        let of_entry = handlers(host, &value);
        let own = of_entry.iter().filter(|handler| is_ours(host, handler)).count();
        ours += own;
        if own == 0 {
            kept.push(entry.get().to_owned());
        } else if own < of_entry.len() && is_grouped(host) {
            kept.push(without_handlers(host, &entry).map_err(shape)?);
        }
    }
    Ok((kept, ours))
}

/// Returns a group without Referee's handlers.
fn without_handlers(host: AgentHost, group: &RawValue) -> Result<String, serde_json::Error> {
    let mut members: Entries = serde_json::from_str(group.get())?;
    let handlers: Vec<Box<RawValue>> = serde_json::from_str(members.get("hooks").unwrap_or("[]"))?;
    let mut kept = Vec::new();
    for handler in handlers {
        if !is_ours(host, &serde_json::from_str(handler.get())?) {
            kept.push(handler.get().to_owned());
        }
    }
    members.set("hooks", entries::list(&kept, 4));
    Ok(members.laid_out(3))
}
