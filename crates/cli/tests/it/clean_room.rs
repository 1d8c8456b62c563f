//! Runs in a tree that is built for them, dependencies that are set up in it, and pinned programs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Finished, Workspace, action, finish, git, wait_until};

const ROOM: &[&str] = &["run", "--clean-room"];

/// The clean rooms that lie in the state directory now.
fn rooms(workspace: &Workspace) -> Vec<PathBuf> {
    let directory = workspace.state().join("rooms");
    let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

fn run_context(workspace: &Workspace) -> Value {
    let run: Value = serde_json::from_slice(&workspace.evidence("T001")["run.json"]).unwrap();
    run["circumstances"]["cleanRoom"].clone()
}

fn notices(workspace: &Workspace) -> String {
    let run: Value = serde_json::from_slice(&workspace.evidence("T001")["run.json"]).unwrap();
    run["notices"].to_string()
}

#[track_caller]
fn replays(workspace: &Workspace, code: i32) {
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(code);
}

#[test]
fn an_uncommitted_fix_passes_and_what_git_ignores_does_not_help() {
    let workspace = Workspace::with("checks:\n  fixed: grep -q fixed src/a.txt\n  built: test -f dist/server.js\n")
        .file("src/a.txt", "fixed, and not committed\n")
        .file(".gitignore", "dist/\n")
        .file("dist/server.js", "made by an earlier build\n");
    workspace.referee(&["run"]).exits(0);
    workspace.referee(ROOM).exits(6);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.1")["status"], "SUCCESS", "{report:#}");
    assert_eq!(action(&report, "STEP.2")["status"], "EXECUTION_ERROR", "{report:#}");
    assert_eq!(report["executionSummary"]["decision"], "FAIL");
    let room = run_context(&workspace);
    assert_eq!(room["candidate"], workspace.path("").to_str().unwrap().trim_end_matches('/'));
    assert_eq!((&room["files"], &room["setup"]), (&Value::from(3), &Value::Null), "{room}");
    assert!(notices(&workspace).contains("it ran in a clean room, built of 3 files"));
    assert!(rooms(&workspace).is_empty(), "the room is gone");
    replays(&workspace, 1);
}

#[test]
fn checks_run_in_the_room_alone_and_its_own_outputs_evidence_and_modes_are_right() {
    let workspace = Workspace::with(concat!(
        "checks:\n",
        "  room: 'test ! -e .git && test ! -e evidence && test -x tool.sh && test ! -x data && touch made'\n",
        "  link: test \"$(cat sub/link)\" = data\n",
    ))
    .file("data", "data")
    .file(".git/HEAD", "ref: refs/heads/main\n")
    .file("tool.sh", "#!/bin/sh\n")
    .file("sub/x", "");
    fs::set_permissions(workspace.path("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("../data", workspace.path("sub/link")).unwrap();
    for _ in 0..2 {
        workspace.referee(ROOM).exits(0);
    }
    assert!(!workspace.path("made").exists(), "nothing was written to the workspace");
    replays(&workspace, 0);
}

/// A workspace that is a repository with one commit, tagged, and another one.
fn tagged(specification: &str) -> Workspace {
    let workspace = Workspace::with(specification).file("a.txt", "one");
    let root = workspace.path("");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "first"]);
    git(&root, &["tag", "-a", "v1.2", "-m", "release"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "second"]);
    workspace
}

#[test]
fn git_answers_in_a_room_and_carries_nothing_but_history_over() {
    let workspace = tagged(concat!(
        "checks:\n",
        "  version: 'case $(git describe --tags --dirty) in v1.2-1-g*-dirty) exit 1;; v1.2-1-g*) ;; *) exit 1;; esac'\n",
        "  log: test \"$(git log -1 --format=%s)\" = second\n",
        "  bare: 'test -z \"$(git remote)\" && test ! -e .git/hooks && ! grep -q -e evil -e remote .git/config'\n",
        "  own: 'git update-ref refs/heads/planted HEAD && git tag planted && echo \"*.txt\" > .git/info/exclude || true'\n",
    ));
    let root = workspace.path("");
    git(&root, &["remote", "add", "origin", "https://example.com/x"]);
    git(&root, &["config", "core.fsmonitor", "evil"]);
    workspace.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch hooked\n");
    workspace.referee(ROOM).exits(0);
    assert!(!notices(&workspace).contains("no .git"), "{}", notices(&workspace));
    assert!(!workspace.path(".git/refs/tags/planted").exists() && !workspace.path(".git/refs/heads/planted").exists());
    assert_eq!(run_context(&workspace)["files"], 2, "the copy is not a file of the room");
    replays(&workspace, 0);
}

#[test]
fn a_room_without_history_says_why() {
    let workspace = Workspace::with("checks: {any: test ! -e .git}\n");
    git(&workspace.path(""), &["init", "-q"]);
    workspace.referee(ROOM).exits(0);
    let told = notices(&workspace);
    assert!(told.contains("there is no .git in the clean room") && told.contains("no commit yet"), "{told}");
}

#[test]
fn a_room_that_cannot_be_built_is_blocked_and_sealed() {
    for (target, named) in [("/etc/hosts", "/etc/hosts"), ("../..", "../..")] {
        let workspace = Workspace::with("checks: {any: 'true'}\n");
        symlink(target, workspace.path("out")).unwrap();
        let finished = workspace.referee(ROOM).exits(5);
        assert!(finished.stdout.contains("BLOCKED"), "{}", finished.stdout);
        let report = workspace.report("T001");
        assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
        assert_eq!(report["skippedActions"][0]["actionId"], "STEP.1");
        let notices = notices(&workspace);
        assert!(notices.contains("the symbolic link `out` points outside the tree"), "{notices}");
        assert!(notices.contains(named), "{notices}");
        replays(&workspace, 1);
    }
    let workspace = Workspace::with("checks: {any: 'true'}\n").file(".gitignore", "referee.yaml\n");
    workspace.referee(ROOM).exits(5);
    assert!(notices(&workspace).contains("git ignores it"), "{}", notices(&workspace));
}

#[test]
fn without_a_state_directory_there_is_no_room_and_words_say_so() {
    let workspace = Workspace::with("checks: {any: 'true'}\n");
    let mut command = workspace.command(ROOM);
    command.env_remove("REFEREE_STATE_DIR").env_remove("XDG_STATE_HOME").env_remove("HOME");
    let finished = finish(command.spawn().unwrap()).exits(2);
    assert!(finished.stderr.contains("REFEREE_STATE_DIR"), "{}", finished.stderr);
    let inside = workspace.path("state");
    let mut command = workspace.command(ROOM);
    command.env("REFEREE_STATE_DIR", inside);
    finish(command.spawn().unwrap()).exits(2);
    workspace.referee(&["run", "--keep-room"]).exits(2);
}

#[test]
fn a_room_is_kept_on_demand_and_the_next_run_gets_another() {
    let workspace = Workspace::with("checks: {any: touch made}\n");
    let mut command = workspace.command(&["run", "--keep-room"]);
    command.env("REFEREE_CLEAN_ROOM", "1");
    let finished = finish(command.spawn().unwrap()).exits(0);
    let (_, kept) = finished.stderr.split_once("the clean room is kept at ").unwrap();
    let kept = Path::new(kept.lines().next().unwrap());
    assert!(kept.join("made").is_file(), "{}", kept.display());
    workspace.referee(ROOM).exits(0);
    assert_eq!(rooms(&workspace).len(), 1, "the kept one stays, and the other is gone");
}

/// A workspace whose set-up makes `vendor/lib` and counts its runs in a file outside.
fn with_setup(setup: &str) -> Workspace {
    let checks = format!("setup: {setup}\nchecks:\n  uses: test \"$(cat vendor/lib)\" = works\n");
    with_home(&checks)
        .file("requirements.txt", "lib==1\n")
        .file("install.sh", "mkdir vendor && echo works > vendor/lib && echo x >> \"$HOME/count\"\n")
        .file("src.txt", "1")
        .file(".gitignore", "/home/\n/vendor/\n")
}

/// A workspace whose commands have a home outside the room, because the specification says so.
fn with_home(checks: &str) -> Workspace {
    let workspace = Workspace::new();
    let home = workspace.path("home");
    workspace.write("referee.yaml", format!("env: {{ HOME: {} }}\n{checks}", home.display()));
    workspace.file(".gitignore", "/home/\n").file("home/kept", "")
}

fn run_with_home(workspace: &Workspace) -> Finished {
    workspace.referee(ROOM)
}

fn installs(workspace: &Workspace) -> usize {
    fs::read_to_string(workspace.path("home/count")).unwrap_or_default().lines().count()
}

#[test]
fn set_up_runs_first_and_what_it_made_is_kept_for_the_next_run() {
    let workspace = with_setup("sh install.sh");
    run_with_home(&workspace).exits(0);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "SETUP.1")["status"], "SUCCESS", "{report:#}");
    assert_eq!(run_context(&workspace)["setup"]["provision"]["kind"], "installed");
    assert_eq!(run_context(&workspace)["setup"]["command"], "sh install.sh");
    replays(&workspace, 0);

    run_with_home(&workspace).exits(0);
    assert_eq!(run_context(&workspace)["setup"]["provision"]["kind"], "cached");
    assert_eq!(installs(&workspace), 1, "it did not run again");
    assert!(workspace.report("T001")["prerequisiteExecution"]["results"].as_array().unwrap().is_empty());
    replays(&workspace, 0);

    // It may run code of the candidate, so any change makes it run again.
    workspace.write("src.txt", "2");
    run_with_home(&workspace).exits(0);
    assert_eq!(installs(&workspace), 2);
    assert!(!workspace.path("vendor").exists());
    // In an ordinary run it does not run.
    workspace.referee(&["run"]).exits(6);
    assert!(!workspace.path("vendor").exists());
}

#[test]
fn a_damaged_copy_of_dependencies_is_dropped_and_set_up_runs_again() {
    for damage in ["content", "extra", "description"] {
        let workspace = with_setup("sh install.sh");
        run_with_home(&workspace).exits(0);
        let project = fs::read_dir(workspace.state().join("caches")).unwrap().next().unwrap().unwrap().path();
        let entry = fs::read_dir(project).unwrap().next().unwrap().unwrap().path();
        match damage {
            "content" => fs::write(entry.join("content/0/lib"), "evil\n").unwrap(),
            "extra" => fs::write(entry.join("content/0/more"), "evil\n").unwrap(),
            _ => fs::write(entry.join("entry.json"), "{").unwrap(),
        }
        run_with_home(&workspace).exits(0);
        assert_eq!(installs(&workspace), 2, "{damage}");
        assert!(notices(&workspace).contains("cannot be used, so it runs again"), "{}", notices(&workspace));
        run_with_home(&workspace).exits(0);
        assert_eq!(installs(&workspace), 2, "{damage}: what it made then is kept again");
    }
}

#[test]
fn a_set_up_that_fails_or_changes_the_candidates_files_is_never_kept() {
    let workspace = with_setup("{ run: sh install.sh && exit 3, timeout: 30s }");
    for runs in 1..=2 {
        let finished = run_with_home(&workspace).exits(5);
        assert!(finished.stdout.contains("SETUP.1"), "{}", finished.stdout);
        assert_eq!(action(&workspace.report("T001"), "SETUP.1")["status"], "PREREQUISITE_FAILURE");
        assert_eq!(installs(&workspace), runs);
        replays(&workspace, 1);
    }
    let workspace = with_setup("sh install.sh && echo more >> requirements.txt");
    for runs in 1..=2 {
        run_with_home(&workspace).exits(0);
        assert_eq!(installs(&workspace), runs);
        assert!(notices(&workspace).contains("it changed requirements.txt"), "{}", notices(&workspace));
    }
}

#[test]
fn without_a_lock_file_set_up_runs_each_time_and_says_why() {
    let workspace = with_setup("sh install.sh");
    fs::remove_file(workspace.path("requirements.txt")).unwrap();
    for runs in 1..=2 {
        run_with_home(&workspace).exits(0);
        assert_eq!(installs(&workspace), runs);
        assert_eq!(run_context(&workspace)["setup"]["provision"]["kind"], "installed-without-lock-file");
        assert!(notices(&workspace).contains("there is no lock file"), "{}", notices(&workspace));
    }
}

#[test]
fn checks_cannot_change_what_is_kept_of_a_set_up() {
    let workspace = with_setup("sh install.sh");
    let specification = fs::read_to_string(workspace.path("referee.yaml")).unwrap();
    workspace.write("referee.yaml", format!("{specification}  poison: echo evil > vendor/lib\n"));
    for _ in 0..2 {
        run_with_home(&workspace).exits(0);
    }
    assert_eq!(installs(&workspace), 1, "the second run found what set-up made, and not what the check made of it");
}

#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next() {
    let workspace = with_home("checks:\n  wait: 'touch \"$HOME/started\"; sleep 600'\n");
    let mut command = workspace.command(ROOM);
    let mut child = command.spawn().unwrap();
    wait_until("the check has started", || workspace.path("home/started").exists());
    let left = rooms(&workspace);
    assert_eq!(left.len(), 1);
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert_eq!(rooms(&workspace), left, "nobody could remove it");

    workspace.write("referee.yaml", "checks: {any: test ! -e left}\n");
    fs::write(left[0].join("left"), "").unwrap();
    workspace.referee(ROOM).exits(0);
    assert!(rooms(&workspace).is_empty());
    assert!(notices(&workspace).contains("a clean room that a killed run had left was removed"));
}

#[test]
fn an_interrupted_run_leaves_no_room() {
    let workspace = with_home("checks:\n  wait: 'touch \"$HOME/started\"; sleep 600'\n");
    let mut command = workspace.command(ROOM);
    let child = command.spawn().unwrap();
    wait_until("the check has started", || workspace.path("home/started").exists());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    finish(child).exits(143);
    assert!(rooms(&workspace).is_empty());
}

/// Puts a program into a directory that stands first in PATH, and runs.
fn run_with_first_in_path(workspace: &Workspace, directory: &str) -> Finished {
    let mut command = workspace.command(&["run"]);
    let path = format!("{}:{}", workspace.path(directory).display(), std::env::var("PATH").unwrap());
    command.env("PATH", path);
    finish(command.spawn().unwrap())
}

fn sha256(workspace: &Workspace, path: &str) -> String {
    let output = std::process::Command::new("sha256sum").arg(workspace.path(path)).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

#[test]
fn a_trojaned_program_first_in_path_is_not_started_where_the_program_is_pinned() {
    let workspace = Workspace::new()
        .file("good/probe", "#!/bin/sh\nexit 7\n")
        .file("evil/probe", "#!/bin/sh\ntouch \"$PWD/owned\"\n");
    workspace.write("tool", "#!/usr/bin/env probe\n");
    for program in ["good/probe", "evil/probe", "tool"] {
        fs::set_permissions(workspace.path(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let digest = sha256(&workspace, "good/probe");
    let honest = concat!(
        "  direct: { argv: [probe], expectedExitCodes: [7] }\n",
        "  line: { run: probe -x, expectedExitCodes: [7] }\n",
        "  behind: { argv: [./tool], expectedExitCodes: [7] }\n"
    );
    let specification = format!("pins: {{ probe: {} }}\nchecks:\n{honest}", digest.to_uppercase());
    workspace.write("referee.yaml", &specification);
    run_with_first_in_path(&workspace, "good").exits(0);

    run_with_first_in_path(&workspace, "evil").exits(6);
    assert!(!workspace.path("owned").exists(), "it was not started");
    let report = workspace.report("T001");
    for step in ["STEP.1", "STEP.2", "STEP.3"] {
        let result = action(&report, step);
        assert_eq!(result["status"], "EXECUTION_ERROR", "{result:#}");
        assert_eq!(result["blocking"], true, "{result:#}");
        let text = result.to_string();
        for part in ["`probe` is pinned", "evil/probe", &digest, &sha256(&workspace, "evil/probe"), "not-pinned"] {
            assert!(text.contains(part), "{step}: {part} is not in {result:#}");
        }
    }
    replays(&workspace, 1);

    // Neither a policy nor a declared expectation makes it pass.
    let lenient = "policy: { probe: { blockOn: NEVER } }\n";
    workspace.write("referee.yaml", format!("{lenient}{specification}"));
    run_with_first_in_path(&workspace, "evil").exits(6);
    let expected = specification.replace("expectedExitCodes: [7]", "expect: { outcome: EXECUTION_ERROR }");
    workspace.write("referee.yaml", expected);
    run_with_first_in_path(&workspace, "evil").exits(6);
    assert!(!workspace.path("owned").exists());
}

#[test]
fn plan_shows_set_up_and_pins_and_prints_digests_to_pin() {
    let workspace = Workspace::with(&format!(
        "setup: npm ci\npins: {{ nothing: {} }}\nchecks: {{ any: ./tool.sh }}\n",
        "0a".repeat(32)
    ))
    .file("tool.sh", "#!/usr/bin/env bash\n");
    fs::set_permissions(workspace.path("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let plan = workspace.referee(&["plan"]).exits(0).stdout;
    assert!(plan.contains("in a clean room: npm ci, at most 10 min"), "{plan}");
    assert!(plan.contains("nothing is 0a0a"), "{plan}");
    let executables = workspace.referee(&["plan", "--executables"]).exits(0).stdout;
    assert!(executables.contains("\n  \"bash\": "), "{executables}");
    assert!(executables.contains(&format!("# \"tool.sh\": \"{}\"", sha256(&workspace, "tool.sh"))), "{executables}");
    assert!(executables.contains("# \"nothing\" is pinned, and no check names it"), "{executables}");
    // What is printed can be pasted.
    let pins: Vec<&str> = executables.lines().filter(|line| !line.starts_with('#')).collect();
    workspace.write("referee.yaml", format!("{}\nchecks: {{ any: ./tool.sh }}\n", pins.join("\n")));
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn set_up_and_pins_that_mean_nothing_are_refused() {
    for (text, complaint) in [
        ("setup: ''", "setup"),
        ("setup: '# later'", "would install nothing"),
        ("setup: { timeout: 3s }", "run"),
        ("setup: { run: npm ci, timeout: 3d }", "timeout"),
        ("setup: [npm, ci]", "setup"),
        ("pins: { node: abc }", "64 hexadecimal digits"),
        ("pins: { bin/node: abc }", "program's name"),
        ("pins: {}", "pins"),
    ] {
        let workspace = Workspace::with(&format!("{text}\nchecks: {{ any: 'true' }}\n"));
        let finished = workspace.referee(&["check"]).exits(3);
        let told = format!("{}{}", finished.stdout, finished.stderr);
        assert!(told.contains(complaint), "{text}: {told}");
    }
}

#[test]
fn what_configures_tools_for_a_user_does_not_reach_into_a_room_or_a_sandbox() {
    let outside = tempfile::tempdir().unwrap();
    let home = outside.path().canonicalize().unwrap();
    let put = |path: &str, text: &str| {
        fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
        fs::write(home.join(path), text).unwrap();
    };
    put(".npmrc", "ignore-scripts=true\n");
    put(".config/pip/pip.conf", "[global]\nindex-url = https://example.invalid\n");
    put(".gitconfig", "[user]\n\tname = somebody\n");
    put(".cargo/config.toml", "[build]\nrustc-wrapper = \"/bin/false\"\n");
    put(".m2/settings.xml", "<settings/>");
    put(".npm/_cacache/kept", "cached");
    put(".m2/repository/kept", "cached");
    let site = std::process::Command::new("python3")
        .args(["-c", "import sys; print('lib/python%d.%d' % sys.version_info[:2])"])
        .output();
    let site = String::from_utf8(site.unwrap().stdout).unwrap();
    put(&format!(".local/{}/site-packages/usercustomize.py", site.trim()), "import os; os._exit(0)\n");
    let checks = "checks:\n  \
        configured: 'for file in .npmrc .config/pip/pip.conf .m2/settings.xml .cargo/config.toml; do test ! -e \"$HOME/$file\" || exit 1; done'\n  \
        bases: 'test \"$XDG_CONFIG_HOME\" = \"$HOME/.config\" && test \"${CARGO_HOME:-$HOME/.cargo}\" = \"$HOME/.cargo\"'\n  \
        caches: 'test \"$(cat ~/.npm/_cacache/kept ~/.m2/repository/kept)\" = cachedcached && echo x > ~/.npm/new && echo x > ~/.own'\n  \
        git: 'test -z \"$(git config user.name)\"'\n  \
        python: 'test \"$(python3 -c \"print(1)\")\" = 1'\n";
    for (arguments, is_private) in [(ROOM, true), (&["run", "--sandbox"][..], true), (&["run"][..], false)] {
        let workspace = Workspace::with(checks);
        let mut command = workspace.command(arguments);
        command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join(".config")).env("CARGO_HOME", home.join(".cargo"));
        let finished = finish(command.spawn().unwrap());
        assert_eq!(finished.code == Some(0), is_private, "{arguments:?}: {}{}", finished.stdout, finished.stderr);
        if is_private {
            assert!(fs::remove_file(home.join(".npm/new")).is_ok(), "{arguments:?}: a cache is the user's own");
            assert!(!home.join(".own").exists(), "{arguments:?}");
        }
        let left = fs::read_dir(workspace.state().join("temporary")).map(Iterator::count).unwrap_or_default();
        assert_eq!(left, 0, "{arguments:?}: the home is gone with the run");
    }
}
