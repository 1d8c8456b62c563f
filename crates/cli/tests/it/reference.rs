//! The command reference says what the program says.

use std::fmt::Write as _;
use std::fs;

use crate::support::{Workspace, repository};

const COMMANDS: [&[&str]; 8] =
    [&[], &["run"], &["check"], &["plan"], &["parse"], &["evidence"], &["evidence", "verify"], &["schema"]];

#[test]
fn the_command_reference_is_what_help_prints() {
    let workspace = Workspace::new();
    let mut text = String::from("# Commands\n\nWritten from the program's own help (`cargo run -p xtask`).\n");
    for command in COMMANDS {
        let arguments: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
        let help = workspace.referee(&arguments).exits(0).stdout;
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let name: Vec<&str> = std::iter::once("referee").chain(command.iter().copied()).collect();
        let (name, help) = (name.join(" "), help.join("\n"));
        write!(text, "\n## `{name}`\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    }
    let path = repository().join("docs/commands.md");
    if std::env::var_os("REFEREE_UPDATE_REFERENCE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/commands.md is out of date: run `cargo run -p xtask`");
}
