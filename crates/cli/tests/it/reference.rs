//! The command reference says what the program says.

use std::fmt::Write as _;
use std::fs;

use crate::support::{Workspace, repository};

const COMMANDS: [&[&str]; 104] = [
    &[],
    &["init"],
    &["run"],
    &["watch"],
    &["gate"],
    &["ci"],
    &["hook"],
    &["hook", "claude"],
    &["hook", "codex"],
    &["hook", "copilot"],
    &["hook", "gemini"],
    &["hook", "cursor"],
    &["hook", "qwen"],
    &["hook", "opencode"],
    &["hook", "vscode"],
    &["hook", "config"],
    &["hook", "test"],
    &["check"],
    &["agent"],
    &["agent", "run"],
    &["agent", "list"],
    &["agent", "show"],
    &["plan"],
    &["parse"],
    &["explain"],
    &["incident"],
    &["incident", "capture"],
    &["incident", "list"],
    &["incident", "show"],
    &["incident", "explain"],
    &["diagnostics"],
    &["baseline"],
    &["lock"],
    &["lock", "write"],
    &["lock", "check"],
    &["lock", "explain"],
    &["debt"],
    &["debt", "list"],
    &["debt", "show"],
    &["debt", "route"],
    &["debt", "defer"],
    &["debt", "start"],
    &["debt", "export"],
    &["incident", "run"],
    &["key"],
    &["key", "new"],
    &["key", "show"],
    &["key", "trust"],
    &["key", "list"],
    &["key", "distrust"],
    &["evidence"],
    &["evidence", "verify"],
    &["evidence", "list"],
    &["evidence", "show"],
    &["evidence", "prune"],
    &["evidence", "push"],
    &["evidence", "pull"],
    &["error"],
    &["error", "classify"],
    &["error", "types"],
    &["status"],
    &["retest"],
    &["incident", "approve"],
    &["incident", "reject"],
    &["incident", "handoff"],
    &["incident", "recall"],
    &["incident", "ack"],
    &["waive"],
    &["waive", "list"],
    &["waive", "show"],
    &["waive", "revoke"],
    &["serve"],
    &["worker"],
    &["standby"],
    &["order"],
    &["order", "list"],
    &["order", "cancel"],
    &["serve", "audit"],
    &["serve", "token"],
    &["serve", "token", "create"],
    &["serve", "token", "list"],
    &["serve", "token", "revoke"],
    &["mcp"],
    &["mcp", "config"],
    &["stage"],
    &["stage", "compose"],
    &["handback"],
    &["selftest"],
    &["enroll"],
    &["doctor"],
    &["stage", "status"],
    &["incident", "plan"],
    &["incident", "archive"],
    &["incident", "reopen"],
    &["schema"],
    &["completions"],
    &["man"],
    &["compare"],
    &["stage", "preflight"],
    &["stage", "validate"],
    &["stage", "prepare"],
    &["stage", "accept"],
    &["stage", "answer"],
    &["stage", "finalize"],
];

#[test]
fn the_list_of_tools_is_what_parse_lists() {
    let list = Workspace::new().referee(&["parse", "--list"]).exits(0).stdout;
    let mut text = String::from(
        "# Tools\n\nThe tools and formats whose output is read (`referee parse --list`), what each is for, and other names \
         that `--tool` takes.\nWritten by `cargo run -p xtask`.\n\n| tool | role | other names |\n|---|---|---|\n",
    );
    for line in list.lines() {
        let mut parts = line.splitn(2, ' ').map(str::trim);
        let (name, rest) = (parts.next().unwrap(), parts.next().unwrap());
        let (role, aliases) = rest.split_once(' ').unwrap_or((rest, ""));
        writeln!(text, "| {name} | {role} | {} |", aliases.trim()).unwrap();
    }
    assert_written("docs/tools.md", &text);
}

#[test]
fn the_command_reference_is_what_help_prints() {
    let workspace = Workspace::new();
    let mut text = String::from("# Commands\n\nWritten from the program's own help (`cargo run -p xtask`).\n");
    for command in COMMANDS {
        let arguments: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
        let help = workspace.referee(&arguments).exits(0).stdout;
        let help = if command.is_empty() { help } else { without_global_options(&help) };
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let name: Vec<&str> = std::iter::once("referee").chain(command.iter().copied()).collect();
        let (name, help) = (name.join(" "), help.join("\n"));
        write!(text, "\n## `{name}`\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    }
    assert_written("docs/commands.md", &text);
}

/// Leaves out the options that the program's own help tells.
fn without_global_options(help: &str) -> String {
    let (before, rest) = help.split_once("Global Options:\n").expect("each command takes them");
    let is_of_options = |line: &&str| line.is_empty() || line.starts_with(' ');
    let after: Vec<&str> = rest.lines().skip_while(is_of_options).collect();
    format!("{before}{}\n", after.join("\n"))
}

/// Fails where a file is not what it should say; writes it where that is asked for.
#[track_caller]
fn assert_written(name: &str, text: &str) {
    let path = repository().join(name);
    if std::env::var_os("REFEREE_UPDATE_REFERENCE").is_some() {
        fs::write(&path, text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "{name} is out of date: run `cargo run -p xtask`");
}
