//! Settings elsewhere in a host's configuration that disable hooks or release an agent early.

use referee_model::doctor::{Check, Finding, Grade};
use referee_model::hook::AgentHost;
use referee_syntax::tree::Node;
use serde_json::Value;

use super::installed::Configuration;
use super::{BLOCKS, HostFile, Scope};

/// Variable with the number of blocks after which Claude Code ends a turn.
const BLOCK_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// Variables that make a hook start another program, or use another state directory.
const DISARMING: [&str; 5] = ["PATH", "HOME", "REFEREE_STATE_DIR", "BASH_ENV", "ENV"];

/// Disarming variables by prefix.
const DISARMING_FAMILIES: [&str; 4] = ["XDG_", "LD_", "DYLD_", "GIT_"];

/// Finds such settings in all files of a host.
pub(super) fn find(host: AgentHost, files: &[(usize, &HostFile, Configuration)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (_, file, configuration) in files {
        let is = |pointer: &str, wanted: bool| {
            let mut value = configuration.root.get(pointer.split('/').next().unwrap_or_default());
            for key in pointer.split('/').skip(1) {
                value = value.and_then(|value| value.get(key));
            }
            value.and_then(Value::as_bool) == Some(wanted)
        };
        let mut off = |switch: String| {
            let what = format!("{}: {switch}", file.shown);
            let fix = format!("Take it out of {}.", file.shown);
            findings.push(Finding::bad(Check::HookSwitch, Grade::Problem, what).fixed_by(fix));
        };
        match host {
            AgentHost::Claude | AgentHost::Copilot | AgentHost::Qwen | AgentHost::VsCode => {
                if is("disableAllHooks", true) {
                    off("`disableAllHooks` switches all hooks off".to_owned());
                }
                let is_managed = host == AgentHost::Claude && file.scope == Scope::Managed;
                if is_managed && is("allowManagedHooksOnly", true) && configuration.handlers.is_empty() {
                    off("`allowManagedHooksOnly` switches off all hooks but the administrator's".to_owned());
                }
            }
            AgentHost::Gemini => {
                for (pointer, name) in [
                    ("hooksConfig/enabled", "`hooksConfig.enabled` is false"),
                    ("hooks/enabled", "`hooks.enabled` is false"),
                    ("tools/enableHooks", "`tools.enableHooks` is false"),
                ] {
                    if is(pointer, false) {
                        off(name.to_owned());
                    }
                }
                if let Some(named) = disabled(&configuration.root) {
                    off(format!("{named:?} is among the hooks that are disabled"));
                }
            }
            AgentHost::Codex => {
                let features = configuration.settings.as_ref().and_then(|settings| settings.get("features"));
                let is_off = |key: &&str| {
                    features.and_then(|features| features.get(key)).and_then(Node::scalar) == Some("false")
                };
                if let Some(key) = ["hooks", "codex_hooks"].into_iter().find(is_off) {
                    off(format!("`[features] {key} = false` switches all hooks off"));
                }
            }
            AgentHost::OpenCode | AgentHost::Cursor => {}
        }
        if host == AgentHost::Claude {
            findings.extend(variables(file, configuration));
        }
    }
    findings
}

/// Returns a hook of Gemini CLI that is disabled by name or command, and belongs to Referee.
fn disabled(root: &serde_json::Map<String, Value>) -> Option<&str> {
    let lists = ["hooksConfig", "hooks"].into_iter().filter_map(|key| root.get(key)?.get("disabled")?.as_array());
    lists.flatten().filter_map(Value::as_str).find(|name| name.contains("referee"))
}

/// Reports variables that Claude Code's settings pass to hooks.
fn variables(file: &HostFile, configuration: &Configuration) -> Vec<Finding> {
    let variables = configuration.root.get("env").and_then(Value::as_object);
    let mut findings = Vec::new();
    for (name, value) in variables.into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if name == BLOCK_CAP && is_low_cap(&text) {
            let what = format!("{}: `env` sets {BLOCK_CAP} below {BLOCKS}", file.shown);
            findings.push(Finding::bad(Check::HookCap, Grade::Warning, what));
        } else if DISARMING.contains(&name.as_str()) || DISARMING_FAMILIES.iter().any(|start| name.starts_with(start)) {
            let what =
                format!("{}: `env` sets {name}, by which hooks find another program, state or repository", file.shown);
            let fix = format!("Take it out of {}.", file.shown);
            findings.push(Finding::bad(Check::Environment, Grade::Problem, what).fixed_by(fix));
        } else if name.starts_with("REFEREE_") {
            let what = format!("{}: `env` sets {name}, which hooks are given", file.shown);
            findings.push(Finding::bad(Check::Environment, Grade::Warning, what));
        }
    }
    findings
}

/// Returns whether the value of the cap releases an agent before the gate's loop guard has called a person; a
/// value that is not a number counts as such.
pub fn is_low_cap(value: &str) -> bool {
    value.trim().parse::<u64>().map_or(true, |cap| cap < BLOCKS)
}
