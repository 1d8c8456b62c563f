//! What a shell completes, in a real bash; other shells ask the program in the same way.

use crate::support::{Finished, Workspace, finish, program};

const SPECIFICATION: &str = "task: T007\ntitle: Quotes\nchecks: { types: 'true', unit: 'true', '$(reboot)': 'true' }\n";

/// Completes the last of the words as bash does for the key, and prints one candidate per line.
const BASH: &str = r#"
source <("$0" completions bash) || exit 9
COMP_WORDS=(referee "$@")
COMP_CWORD=$#
word=${!#}
_referee "$0" "${word#=}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

fn completed(workspace: &Workspace, words: &[&str]) -> Vec<String> {
    let mut bash = workspace.tool("bash");
    bash.args(["--norc", "-c", BASH]).arg(program()).args(words);
    let finished = finish(bash.spawn().unwrap());
    assert_eq!(finished.stderr, "", "{words:?}");
    finished.exits(0).stdout.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()
}

/// Asks the program itself, as scripts do.
fn asked(workspace: &Workspace, words: &[&str]) -> Finished {
    let finished = workspace.referee(&[&["__complete"], words].concat()).exits(0);
    assert_eq!(finished.stderr, "", "{words:?}");
    finished
}

#[test]
fn bash_completes_commands_options_and_what_the_project_has_names_for() {
    let workspace =
        Workspace::with(SPECIFICATION).file(".referee/reports/error_inbox/unit-20260119-1/status.txt", "new");
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["run", "-q"]).exits(0);
    let runs = std::fs::read_dir(workspace.path("evidence/.history/T007")).unwrap();
    let earlier = runs.map(|run| run.unwrap().file_name().into_string().unwrap()).next().unwrap();
    let rows: [(&[&str], &[&str]); 15] = [
        (&["sel"], &["selftest"]),
        (&["incident", "arch"], &["archive"]),
        (&["run", "--clean"], &["--clean-room"]),
        (&["run", "--format", "json"], &["json", "jsonl"]),
        (&["run", "--format", "=", "h"], &["human"]),
        (&["run", "--task", ""], &["T007"]),
        (&["-q", "evidence", "list", "T"], &["T007"]),
        (&["run", "--only", ""], &["STEP.1", "STEP.2", "STEP.3", "types", "unit"]),
        (&["run", "--only", "=", "t"], &["types"]),
        (&["incident", "show", ""], &["unit-20260119-1"]),
        (&["evidence", "verify", "ev"], &["evidence/T007"]),
        (&["evidence", "show", "exec-"], &[&earlier]),
        (&["explain", "retry"], &["retry/flaky"]),
        (&["explain", "STEP.1"], &["STEP.1"]),
        (&["report", "--format", "ju"], &["junit"]),
    ];
    for (words, expected) in rows {
        assert_eq!(completed(&workspace, words), *expected, "{words:?}");
    }
    assert!(completed(&workspace, &[""]).contains(&"run".to_owned()));
}

#[test]
fn the_project_is_that_of_the_directory_that_the_line_changes_to() {
    let workspace = Workspace::new().file("service/referee.yaml", SPECIFICATION);
    assert_eq!(asked(&workspace, &["run", "--task", ""]).stdout, "");
    assert_eq!(asked(&workspace, &["-C", "service", "run", "--task", ""]).stdout, "T007\tQuotes\n");
}

#[test]
fn files_are_left_to_the_shell() {
    let workspace = Workspace::with(SPECIFICATION).file("$(reboot)", "");
    for words in [&["run", ""][..], &["run", "--baseline", ""], &["run", "--baseline="], &["-C", "$"]] {
        assert_eq!(asked(&workspace, words).stdout, ":files\n", "{words:?}");
    }
}

#[test]
fn completing_runs_nothing_writes_nothing_and_never_fails_loudly() {
    for specification in ["checks: { a: 'touch ran' }\n", "checks: [", "", "\u{0}\u{1}", "- &a [*a, *a]\n"] {
        let workspace = Workspace::with(specification);
        let lines: [&[&str]; 9] = [
            &[],
            &[""],
            &["run", "--only", ""],
            &["run", "--nope", "--task", "--only", ""],
            &["explain", ""],
            &["incident", "show", ""],
            &["-C", "nowhere", "run", "--task", ""],
            &["nosuch", "\u{1b}", ""],
            &["parse", "--errorformat", "--tool", "-", "--", ""],
        ];
        for words in lines {
            asked(&workspace, words);
        }
        let left: Vec<_> =
            std::fs::read_dir(workspace.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["referee.yaml"]);
        assert_eq!(std::fs::read_dir(workspace.state()).unwrap().count(), 0);
    }
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workspace.referee(&["completions", shell]).exits(0).stdout;
        assert!(script.contains("__complete") && script.contains(":files"), "{shell}");
    }
    workspace.referee(&["completions", "tcsh"]).exits(2);
    workspace.referee(&["completions"]).exits(2);
}
