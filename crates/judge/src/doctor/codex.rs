//! Codex's `config.toml`, as far as hooks go: its switches, and what it trusts.
//!
//! Only lines of the form `key = value` below a table's header are read, which is how Codex writes them itself. What is
//! written in another way is not found, and then told as not trusted or not there, never as good.

use referee_model::doctor::{Check, Finding, Grade};
use referee_syntax::hex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{HostFile, Ours, Question, Scope};

/// Most lines that are read.
const LINES: usize = 20_000;

/// A line of a TOML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// The table that it stands in, with the quotes of its parts taken off.
    pub(super) table: String,
    /// The key.
    pub(super) key: String,
    /// The value, without quotes.
    pub(super) value: String,
}

/// Reads the settings of a TOML file.
pub(super) fn settings(text: &str) -> Vec<Setting> {
    let mut table = String::new();
    let mut settings = Vec::new();
    for line in text.lines().take(LINES).map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.rsplit_once(']')) {
            table = header.0.replace(['"', '\''], "");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
            let key = key.trim().trim_matches(['"', '\'']);
            settings.push(Setting { table: table.clone(), key: key.to_owned(), value: value.to_owned() });
        }
    }
    settings
}

/// Says whether Codex runs Referee's hooks: it skips those that nobody trusted, and all of a project that is not trusted.
pub(super) fn trust(question: &Question<'_>, ours: &[Ours<'_>]) -> Option<Finding> {
    let unmanaged: Vec<&Ours<'_>> = ours.iter().filter(|ours| ours.file.scope != Scope::Managed).collect();
    if unmanaged.is_empty() {
        return None;
    }
    let of_user: Vec<Setting> = question.files.iter().filter(|file| is_users(file)).flat_map(of_file).collect();
    let find = |table: &str, key: &str| {
        of_user
            .iter()
            .find(|setting| setting.table == table && setting.key == key)
            .map(|setting| setting.value.as_str())
    };
    let in_project = unmanaged.iter().any(|ours| ours.file.scope.is_in_project());
    let mut above = std::path::Path::new(question.project).ancestors().filter_map(std::path::Path::to_str);
    if in_project && !above.any(|folder| find(&format!("projects.{folder}"), "trust_level") == Some("trusted")) {
        let what = "Codex does not trust this project, and reads no hooks of projects that it does not trust";
        return Some(
            Finding::bad(Check::HookTrust, Grade::Problem, what)
                .mended_by(
                    "`referee hook config codex --user --write`: the user's own hooks need no trusted project. Or start Codex in \
                     the project, and trust it when it asks; then `/hooks`.",
                ),
        );
    }
    for ours in &unmanaged {
        let (entry, within) = ours.handler.place;
        let event = snake_case(&ours.handler.event);
        let table = format!("hooks.state.{}:{event}:{entry}:{within}", ours.file.path);
        let place = format!("{} ({})", ours.handler.event, ours.file.shown);
        if find(&table, "enabled") == Some("false") {
            return Some(Finding::bad(Check::HookTrust, Grade::Problem, format!("switched off in Codex: {place}")));
        }
        let trusted = find(&table, "trusted_hash");
        if trusted != Some(ours.handler.digest.as_str()) {
            let what = match trusted {
                None => format!("nobody trusted it in Codex: {place}"),
                Some(_) => format!("changed since it was trusted in Codex, which skips it without a word: {place}"),
            };
            return Some(Finding::bad(Check::HookTrust, Grade::Problem, what));
        }
    }
    Some(Finding::ok(Check::HookTrust, "Codex was told to trust each hook as it is now"))
}

/// Returns the digest by which Codex trusts a hook: SHA-256 of compact JSON with its keys in order, in which the hook has what it
/// would have had by default (`codex-rs/hooks`, `engine/discovery.rs`). At some events no matcher counts.
pub(super) fn digest(event: &str, matcher: Option<&str>, command: &str, handler: &Value) -> String {
    let text = |text: &str| Value::from(text).to_string();
    let timeout = handler.get("timeout").and_then(Value::as_u64).unwrap_or(600).max(1);
    let is_async = handler.get("async").and_then(Value::as_bool).unwrap_or_default();
    let status = handler.get("statusMessage").and_then(Value::as_str);
    let status = status.map(|status| format!("\"statusMessage\":{},", text(status))).unwrap_or_default();
    let matcher = matcher.filter(|_| !matches!(event, "Stop" | "UserPromptSubmit"));
    let matcher = matcher.map(|matcher| format!(",\"matcher\":{}", text(matcher))).unwrap_or_default();
    let identity = format!(
        "{{\"event_name\":{},\"hooks\":[{{\"async\":{is_async},\"command\":{},{status}\"timeout\":{timeout},\"type\":\"command\"}}]{matcher}}}",
        text(&snake_case(event)),
        text(command)
    );
    format!("sha256:{}", hex::encode(&Sha256::digest(identity.as_bytes())))
}

fn is_users(file: &HostFile) -> bool {
    file.scope == Scope::User && file.is_toml()
}

fn of_file(file: &HostFile) -> Vec<Setting> {
    file.content.as_ref().map(|bytes| settings(&String::from_utf8_lossy(bytes))).unwrap_or_default()
}

fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}
