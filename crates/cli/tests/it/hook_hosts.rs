//! The command that each host is given, run as the host runs it: whatever stands in Referee's place, the host is blocked where it
//! must be. What a host makes of an answer is in `referee_report::hosts::reaction`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use referee_foreign::hook;
use referee_foreign::hook::payloads::{recorded, staged};
use referee_model::hook::{AgentHost, HookMoment};
use referee_report::hosts::configuration::{Called, InstalledHook, events, installed, place, script_beside};
use referee_report::hosts::{Exchange, HostReaction, reaction};
use tempfile::TempDir;

use crate::support::{Workspace, git, wait_until};

/// A directory of programs that stand in for Referee and for `sleep`.
struct Programs(TempDir);

impl Programs {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("referee test programs ").tempdir().unwrap())
    }

    /// Puts a script there under a name.
    fn put(self, name: &str, script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let path = self.0.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// A project in which a host's hooks are configured, where nothing else is said.
struct Project {
    workspace: Workspace,
    host: AgentHost,
    hooks: Vec<InstalledHook>,
}

impl Project {
    fn new(host: AgentHost, program: &str) -> Self {
        let workspace = Workspace::new();
        workspace.referee(&["hook", "config", host.as_str(), "--write", "--program", program]).exits(0);
        let file = workspace.path(place(host).project);
        let hooks = installed(host, &fs::read(file).unwrap()).unwrap();
        Self { workspace, host, hooks }
    }

    fn gated(&self) -> impl Iterator<Item = &InstalledHook> {
        self.hooks.iter().filter(|hook| hook.moment.is_gated())
    }

    fn script(&self) -> PathBuf {
        self.workspace.path(&script_beside(place(self.host).project))
    }

    /// Runs a hook as a host does, and tells what the host makes of it.
    fn asked(&self, hook: &InstalledHook, shell: &str, programs: &Path) -> (HostReaction, Option<i32>) {
        let event = recorded(self.host, hook.moment).unwrap_or("{}");
        // More than a pipe holds: a host calls a hook failed to which it cannot write all.
        self.told(hook, shell, programs, &format!("{event}{}", " ".repeat(200_000)))
    }

    fn told(&self, hook: &InstalledHook, shell: &str, programs: &Path, event: &str) -> (HostReaction, Option<i32>) {
        asked(self, hook, shell, programs, event)
    }
}

/// Whether a host has a word that ends a turn.
fn ends(host: AgentHost) -> bool {
    matches!(host, AgentHost::Claude | AgentHost::Codex | AgentHost::Gemini)
}

fn asked(
    project: &Project,
    hook: &InstalledHook,
    shell: &str,
    programs: &Path,
    event: &str,
) -> (HostReaction, Option<i32>) {
    let Called::Line(line) = &hook.called else { panic!("no line") };
    let mut child = Command::new(shell)
        .args(["-c", line])
        .current_dir(project.workspace.path(""))
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let event = event.to_owned();
    let mut input = child.stdin.take().unwrap();
    let written = std::thread::spawn(move || input.write_all(event.as_bytes()).is_ok());
    let output = child.wait_with_output().unwrap();
    assert!(written.join().unwrap(), "the host could not write the event");
    let exchange =
        Exchange { exit: output.status.code(), timed_out: false, stdout: &output.stdout, stderr: &output.stderr };
    (reaction(project.host, hook.moment, &exchange), output.status.code())
}

const SHELLS: [&str; 2] = ["/bin/sh", "/bin/bash"];

#[test]
fn whatever_stands_in_referees_place_every_host_is_blocked_at_every_gated_event() {
    let stand_ins = [
        ("crashes", "exit 139"),
        ("is killed", "kill -9 $$"),
        ("fails", "echo oh no >&2; exit 1"),
        ("prints junk", "echo all is well"),
        ("prints nothing", "exit 0"),
        ("prints half an answer", "printf '{\"decision\":\"al'"),
        ("does not read its input", "exec <&-; exit 70"),
    ];
    let nothing = Programs::new();
    for host in AgentHost::ALL {
        let project = Project::new(host, "referee");
        let gated: Vec<_> = project.gated().collect();
        assert!(!gated.is_empty());
        for hook in &gated {
            let (reaction, _) = project.asked(hook, "/bin/sh", nothing.0.path());
            assert!(
                matches!(reaction, HostReaction::Blocked(_)),
                "{host:?} {}, nothing there: {reaction:?}",
                hook.event
            );
        }
        for (name, script) in stand_ins {
            let programs = Programs::new().put("referee", script);
            for shell in SHELLS {
                let (reaction, _) = project.asked(gated[0], shell, programs.0.path());
                let HostReaction::Blocked(reason) = reaction else { panic!("{host:?} {name}: {reaction:?}") };
                assert!(reason.contains("gave no answer"), "{host:?} {name}: {reason}");
            }
        }
    }
}

#[test]
fn what_referee_answers_reaches_the_host_as_it_is() {
    let answer = r#"{"decision":"block","reason":"line\none \\ \"two\" $HOME `x` %s"}"#;
    let programs = Programs::new().put("referee", &format!("cat >/dev/null\ncat <<'END'\n{answer}\nEND"));
    for shell in SHELLS {
        let project = Project::new(AgentHost::Claude, "referee");
        let (reaction, _) = project.asked(project.gated().next().unwrap(), shell, programs.0.path());
        assert_eq!(reaction, HostReaction::Blocked("line\none \\ \"two\" $HOME `x` %s".to_owned()));
    }
    let allows = Programs::new().put("referee", "echo '{}'");
    for host in AgentHost::ALL {
        let project = Project::new(host, "referee");
        for hook in project.gated() {
            assert_eq!(
                project.asked(hook, "/bin/sh", allows.0.path()).0,
                HostReaction::Allowed,
                "{host:?} {}",
                hook.event
            );
        }
    }
}

#[test]
fn a_completed_task_is_blocked_by_exit_code_2_with_the_words_that_referee_said() {
    let project = Project::new(AgentHost::Claude, "referee");
    let task = project.hooks.iter().find(|hook| hook.moment == HookMoment::TaskCompletes).unwrap();
    let programs = Programs::new().put("referee", "echo the tests fail >&2; exit 2");
    let (reaction, exit) = project.asked(task, "/bin/sh", programs.0.path());
    assert_eq!((reaction, exit), (HostReaction::Blocked("the tests fail".to_owned()), Some(2)));
}

#[test]
fn one_that_hangs_is_stopped_in_time_even_where_it_takes_no_request() {
    // Time passes at once for who waits with `sleep`.
    let programs =
        Programs::new().put("sleep", "exit 0").put("referee", "trap '' TERM; echo $$ > \"${0%/*}/pid\"; kill -STOP $$");
    for host in AgentHost::ALL {
        let project = Project::new(host, "referee");
        let hook = project.gated().next().unwrap();
        let (reaction, _) = project.asked(hook, "/bin/sh", programs.0.path());
        assert!(matches!(reaction, HostReaction::Blocked(_)), "{host:?}: {reaction:?}");
        let pid = fs::read_to_string(programs.path("pid")).unwrap();
        wait_until("it is gone", || !Path::new("/proc").join(pid.trim()).exists());
    }
}

#[test]
fn where_nothing_is_gated_a_missing_referee_keeps_nobody_from_working() {
    let nothing = Programs::new();
    for host in AgentHost::ALL {
        let project = Project::new(host, "referee");
        let open = |hook: &&InstalledHook| !hook.moment.is_gated() && hook.moment != HookMoment::ConfigurationChanges;
        for hook in project.hooks.iter().filter(open) {
            let (reaction, exit) = project.asked(hook, "/bin/sh", nothing.0.path());
            assert_eq!((reaction, exit), (HostReaction::Allowed, Some(0)), "{host:?} {}", hook.event);
        }
    }
}

#[test]
fn a_program_is_started_from_a_path_with_spaces_and_quotes() {
    let programs = Programs::new().put("it's referee", "echo '{}'");
    let program = programs.path("it's referee");
    for shell in SHELLS {
        let project = Project::new(AgentHost::Codex, program.to_str().unwrap());
        let hook = project.gated().next().unwrap();
        assert_eq!(project.asked(hook, shell, Path::new("/nonexistent")).0, HostReaction::Allowed, "{shell}");
    }
}

/// An event of an agent that goes on after a block already.
fn continued(host: AgentHost, hook: &InstalledHook) -> String {
    recorded(host, hook.moment).unwrap().replace("\"stop_hook_active\": false", "\"stop_hook_active\": true")
}

#[test]
fn an_agent_that_goes_on_after_a_block_is_ended_where_referee_never_answers() {
    for script in ["exit 139", "cat >/dev/null; echo all is well", "cat >/dev/null; kill -9 $$"] {
        let programs = Programs::new().put("referee", script);
        for host in AgentHost::ALL.into_iter().filter(|host| ends(*host)) {
            let project = Project::new(host, "referee");
            for hook in project.gated().filter(|hook| hook.moment != HookMoment::TaskCompletes) {
                let event = continued(host, hook);
                for event in [event.clone(), event.replace(": true", ":true")] {
                    let (reaction, _) = project.told(hook, "/bin/sh", programs.0.path(), &event);
                    let HostReaction::Ended(why) = reaction else { panic!("{host:?} {}: {reaction:?}", hook.event) };
                    assert!(why.starts_with("[referee]") && why.contains("Nothing was judged"), "{why}");
                }
            }
        }
    }
    // What an agent says is no key of the event.
    let nothing = Programs::new();
    let project = Project::new(AgentHost::Codex, "referee");
    let event = r#"{"stop_hook_active":false,"last_assistant_message":"\"stop_hook_active\":true"}"#;
    let (reaction, _) = project.told(project.gated().next().unwrap(), "/bin/sh", nothing.0.path(), event);
    assert!(matches!(reaction, HostReaction::Blocked(_)), "{reaction:?}");
}

#[test]
fn what_referee_answers_counts_where_the_agent_goes_on_after_a_block() {
    let programs = Programs::new().put("referee", "cat >/dev/null; echo '{}'");
    let project = Project::new(AgentHost::Codex, "referee");
    let hook = project.gated().next().unwrap();
    let (reaction, _) = project.told(hook, "/bin/sh", programs.0.path(), &continued(AgentHost::Codex, hook));
    assert_eq!(reaction, HostReaction::Allowed);
}

#[test]
fn a_script_that_is_gone_or_changed_blocks_and_never_runs() {
    let allows = Programs::new().put("referee", "echo '{}'");
    for host in AgentHost::ALL {
        let project = Project::new(host, "referee");
        let whole = fs::read_to_string(project.script()).unwrap();
        for content in
            [None, Some("echo '{}'\n".to_owned()), Some(format!("{whole}#\n")), Some(whole.replace("exit 2", "exit 0"))]
        {
            match &content {
                None => fs::remove_file(project.script()).unwrap(),
                Some(content) => fs::write(project.script(), content).unwrap(),
            }
            for hook in project.gated() {
                for shell in SHELLS {
                    let (reaction, _) = project.asked(hook, shell, allows.0.path());
                    let HostReaction::Blocked(reason) = reaction else {
                        panic!("{host:?} {}: {reaction:?}", hook.event)
                    };
                    assert!(reason.contains("[referee] "), "{reason}");
                }
                if host == AgentHost::Codex || host == AgentHost::Gemini {
                    let event = continued(host, hook).replace(": ", ":");
                    let (reaction, _) = project.told(hook, "/bin/sh", allows.0.path(), &event);
                    assert!(matches!(reaction, HostReaction::Ended(_)), "{host:?}: {reaction:?}");
                }
            }
        }
    }
}

#[test]
fn the_script_of_a_project_is_found_from_a_directory_of_its_repository() {
    let allows = Programs::new().put("referee", "echo '{}'");
    for host in [AgentHost::Codex, AgentHost::Copilot, AgentHost::VsCode] {
        let project = Project::new(host, "referee");
        git(&project.workspace.path(""), &["init", "-q"]);
        fs::create_dir_all(project.workspace.path("deep/er")).unwrap();
        let Called::Line(line) = &project.gated().next().unwrap().called else { panic!("no line") };
        let line = format!("cd deep/er && {line}");
        let hook = InstalledHook { called: Called::Line(line), ..project.gated().next().unwrap().clone() };
        assert_eq!(project.asked(&hook, "/bin/sh", allows.0.path()).0, HostReaction::Allowed, "{host:?}");
    }
}

#[test]
fn every_gated_moment_that_a_host_is_configured_for_has_a_recorded_event_that_means_it() {
    for host in AgentHost::ALL {
        for (event, moment) in events(host) {
            assert!(
                moment.is_refusable() || matches!(moment, HookMoment::SessionBegins | HookMoment::PersonSpeaks),
                "{event}"
            );
            if moment.is_refusable() {
                let text = staged(host, moment, "/elsewhere/work", "session-2").unwrap();
                let read = hook::read(host, text.as_bytes()).unwrap();
                assert_eq!((read.host, read.moment, read.name.as_str()), (host, moment, event));
                assert_eq!(read.directory.unwrap().to_str(), Some("/elsewhere/work"));
                assert_eq!(read.session.as_deref(), Some("session-2"));
            }
        }
    }
}
