//! The command that each host is given, run as the host runs it: whatever stands in Referee's place, the host is blocked where it
//! must be. What a host makes of an answer is in `referee_report::hosts::heard`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use referee_model::hook::{AgentHost, HookMoment};
use referee_report::hosts::{Exchange, Heard, heard};
use referee_wire::hook::configuration::{Called, InstalledHook, installed};
use referee_wire::hook::payloads::recorded;
use tempfile::TempDir;

use crate::support::{Workspace, wait_until};

/// A folder of programs that stand in for Referee and for `sleep`.
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

/// The hooks that are configured where nothing else is said.
fn hooks(host: AgentHost, program: &str) -> Vec<InstalledHook> {
    let printed = Workspace::new().referee(&["hook", "config", host.as_str(), "--program", program]).exits(0).stdout;
    installed(host, printed.as_bytes()).unwrap()
}

/// Runs a hook as a host does, and tells what the host makes of it.
fn asked(host: AgentHost, hook: &InstalledHook, shell: &str, programs: &Path) -> (Heard, Option<i32>) {
    let Called::Line(line) = &hook.called else { panic!("no line") };
    let mut child = Command::new(shell)
        .args(["-c", line])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let event = recorded(host, hook.moment).unwrap_or("{}");
    // More than a pipe holds: a host calls a hook failed to which it cannot write all.
    let event = format!("{event}{}", " ".repeat(200_000));
    let mut input = child.stdin.take().unwrap();
    let written = std::thread::spawn(move || input.write_all(event.as_bytes()).is_ok());
    let output = child.wait_with_output().unwrap();
    assert!(written.join().unwrap(), "the host could not write the event");
    let exchange = Exchange {
        exit: output.status.code(),
        timed_out: false,
        stdout: &output.stdout,
        stderr: &output.stderr,
        fails_closed: false,
    };
    (heard(host, hook.moment, &exchange), output.status.code())
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
        let hooks = hooks(host, "referee");
        let gated: Vec<_> = hooks.iter().filter(|hook| hook.moment.is_gated()).collect();
        assert!(!gated.is_empty());
        for hook in &gated {
            let (heard, _) = asked(host, hook, "/bin/sh", nothing.0.path());
            assert!(matches!(heard, Heard::Blocked(_)), "{host:?} {}, nothing there: {heard:?}", hook.event);
        }
        for (name, script) in stand_ins {
            let programs = Programs::new().put("referee", script);
            for shell in SHELLS {
                let (heard, _) = asked(host, gated[0], shell, programs.0.path());
                let Heard::Blocked(reason) = heard else { panic!("{host:?} {name}: {heard:?}") };
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
        let hook = &hooks(AgentHost::Claude, "referee")[2];
        let (heard, _) = asked(AgentHost::Claude, hook, shell, programs.0.path());
        assert_eq!(heard, Heard::Blocked("line\none \\ \"two\" $HOME `x` %s".to_owned()));
    }
    let allows = Programs::new().put("referee", "echo '{}'");
    for host in AgentHost::ALL {
        for hook in hooks(host, "referee").iter().filter(|hook| hook.moment.is_gated()) {
            assert_eq!(asked(host, hook, "/bin/sh", allows.0.path()).0, Heard::Allowed, "{host:?} {}", hook.event);
        }
    }
}

#[test]
fn a_completed_task_is_blocked_by_exit_code_2_with_the_words_that_referee_said() {
    let hooks = hooks(AgentHost::Claude, "referee");
    let task = hooks.iter().find(|hook| hook.moment == HookMoment::TaskCompletes).unwrap();
    let programs = Programs::new().put("referee", "echo the tests fail >&2; exit 2");
    let (heard, exit) = asked(AgentHost::Claude, task, "/bin/sh", programs.0.path());
    assert_eq!((heard, exit), (Heard::Blocked("the tests fail".to_owned()), Some(2)));
}

#[test]
fn one_that_hangs_is_stopped_in_time_even_where_it_takes_no_request() {
    // Time passes at once for who waits with `sleep`.
    let programs =
        Programs::new().put("sleep", "exit 0").put("referee", "trap '' TERM; echo $$ > \"${0%/*}/pid\"; kill -STOP $$");
    for host in AgentHost::ALL {
        let hooks = hooks(host, "referee");
        let hook = hooks.iter().find(|hook| hook.moment == HookMoment::AgentStops).unwrap();
        let (heard, _) = asked(host, hook, "/bin/sh", programs.0.path());
        assert!(matches!(heard, Heard::Blocked(_)), "{host:?}: {heard:?}");
        let pid = fs::read_to_string(programs.path("pid")).unwrap();
        wait_until("it is gone", || !Path::new("/proc").join(pid.trim()).exists());
    }
}

#[test]
fn where_nothing_is_gated_a_missing_referee_keeps_nobody_from_working() {
    let nothing = Programs::new();
    for host in AgentHost::ALL {
        for hook in hooks(host, "referee").iter().filter(|hook| !hook.moment.is_gated()) {
            assert!(!hook.fails_closed, "{host:?} {}", hook.event);
            let (heard, exit) = asked(host, hook, "/bin/sh", nothing.0.path());
            assert_eq!((heard, exit), (Heard::Allowed, Some(0)), "{host:?} {}", hook.event);
        }
    }
}

#[test]
fn a_program_is_started_from_a_path_with_spaces_and_quotes() {
    let programs = Programs::new().put("it's referee", "echo '{}'");
    let program = programs.path("it's referee");
    for shell in SHELLS {
        let hook = &hooks(AgentHost::Codex, program.to_str().unwrap())[2];
        assert_eq!(asked(AgentHost::Codex, hook, shell, Path::new("/nonexistent")).0, Heard::Allowed, "{shell}");
    }
}
