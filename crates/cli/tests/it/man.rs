//! Manual pages, read by the machine's `man` where it has one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Workspace, skipped};

/// Returns a page as `man` shows it. None: there is no `man` here.
fn shown(page: &Path) -> Option<String> {
    Command::new("man").arg("--version").output().ok().filter(|version| version.status.success())?;
    let shown = Command::new("man").arg("-l").arg(page).env("MANPAGER", "cat").env("MANWIDTH", "100").output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    // Bold and underlined letters are struck twice.
    let mut text = String::new();
    for character in String::from_utf8_lossy(&shown.stdout).chars() {
        if character == '\u{8}' {
            text.pop();
        } else {
            text.push(character);
        }
    }
    Some(text)
}

#[test]
fn the_page_of_a_command_says_what_its_help_says() {
    let workspace = Workspace::new();
    let page = workspace.referee(&["man", "incident", "show"]).exits(0).stdout;
    assert!(page.lines().any(|line| line.starts_with(".TH referee-incident-show 1 ")), "{page}");
    let page = workspace.referee(&["man", "run"]).exits(0).stdout;
    assert!(page.contains(".SH EXAMPLES\n.nf\n") && page.contains(r"\-\-rerun\-failed"), "{page}");
    let program = workspace.referee(&["man"]).exits(0).stdout;
    assert!(
        program.lines().any(|line| line.starts_with(".TH referee 1 ")) && program.contains(".SH SUBCOMMANDS"),
        "{program}"
    );

    workspace.write("run.1", &page);
    let Some(shown) = shown(&workspace.path("run.1")) else {
        skipped("no man here");
        return;
    };
    for expected in ["SYNOPSIS", "STEP SELECTION", "--rerun-failed", "GLOBAL OPTIONS", "  referee run -q"] {
        assert!(shown.contains(expected), "{expected}:\n{shown}");
    }
}

#[test]
fn every_command_has_a_page_and_hidden_ones_have_none() {
    let workspace = Workspace::new().file("man1/.keep", "");
    assert_eq!(workspace.referee(&["man", "--output", "man1"]).exits(0).stdout, "");
    let names =
        fs::read_dir(workspace.path("man1")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.collect();
    let commands = fs::read_to_string(crate::support::repository().join("docs/commands.md")).unwrap();
    let documented = commands.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    for command in documented {
        let page = format!("{}.1", command.replace(' ', "-"));
        assert!(names.contains(&page), "{page} is missing: {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("help") || name.contains("__")), "{names:?}");
}

#[test]
fn what_is_no_command_and_no_directory_is_an_error() {
    let workspace = Workspace::new();
    for (arguments, says) in [
        (&["man", "rum"][..], "did you mean `run`?"),
        (&["man", "incident", "nosuch"], "is not a command of `referee incident`"),
        (&["man", "run", "x"], "it has no commands"),
        (&["man", "--output", "nowhere"], "nowhere is not a directory"),
    ] {
        let finished = workspace.referee(arguments).exits(2);
        assert!(finished.stdout.is_empty() && finished.stderr.contains(says), "{arguments:?}: {}", finished.stderr);
    }
}
