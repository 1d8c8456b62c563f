//! Hooks in Codex's `config.toml`: which of them are trusted. Unreadable content trusts nothing.

use referee_model::doctor::{Check, Finding, Grade};
use referee_syntax::tree::Node;
use referee_syntax::{hex, toml};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{HostFile, Ours, Question, Scope};

/// Parses a file of settings. The error says why it is invalid.
pub(super) fn settings(bytes: &[u8]) -> Result<Node, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
    toml::read(text)
}

/// Reports whether Codex runs Referee's hooks: it skips untrusted ones, and all hooks of an untrusted project.
pub(super) fn trust(question: &Question<'_>, ours: &[Ours<'_>]) -> Option<Finding> {
    let unmanaged: Vec<&Ours<'_>> = ours.iter().filter(|ours| ours.file.scope != Scope::Managed).collect();
    if unmanaged.is_empty() {
        return None;
    }
    let of_user: Vec<Node> = question.files.iter().filter(|file| is_users(file)).filter_map(of_file).collect();
    let find = |keys: &[&str]| {
        let at = |root| keys.iter().try_fold(root, |node: &Node, key| node.get(key));
        of_user.iter().find_map(at).and_then(Node::scalar)
    };
    let in_project = unmanaged.iter().any(|ours| ours.file.scope.is_in_project());
    let mut above = std::path::Path::new(question.project).ancestors().filter_map(std::path::Path::to_str);
    if in_project && !above.any(|directory| find(&["projects", directory, "trust_level"]) == Some("trusted")) {
        let what = "Codex does not trust this project, and reads no hooks of projects that it does not trust";
        return Some(
            Finding::bad(Check::HookTrust, Grade::Problem, what)
                .fixed_by(
                    "`referee hook config codex --user --write`: the user's own hooks need no trusted project. Or start Codex in \
                     the project, and trust it when it asks; then `/hooks`.",
                ),
        );
    }
    for ours in &unmanaged {
        let (entry, within) = ours.handler.place;
        let event = snake_case(&ours.handler.event);
        let state = format!("{}:{event}:{entry}:{within}", ours.file.path);
        let place = format!("{} ({})", ours.handler.event, ours.file.shown);
        if find(&["hooks", "state", &state, "enabled"]) == Some("false") {
            return Some(Finding::bad(Check::HookTrust, Grade::Problem, format!("switched off in Codex: {place}")));
        }
        let trusted = find(&["hooks", "state", &state, "trusted_hash"]);
        if trusted != Some(ours.handler.digest.as_str()) {
            let what = match trusted {
                None => format!("it is not trusted in Codex: {place}"),
                Some(_) => format!("changed since it was trusted in Codex, which skips it without a word: {place}"),
            };
            return Some(Finding::bad(Check::HookTrust, Grade::Problem, what));
        }
    }
    Some(Finding::ok(Check::HookTrust, "Codex was told to trust each hook as it is now"))
}

/// Returns the digest by which Codex trusts a hook: SHA-256 of compact JSON with sorted keys, in which missing
/// values of the hook are replaced by defaults (`codex-rs/hooks`, `engine/discovery.rs`). At some events the
/// matcher is ignored.
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

fn of_file(file: &HostFile) -> Option<Node> {
    settings(file.content.as_ref().ok()?).ok()
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
