//! `--sandbox`, `limits`, and what the machine can do of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Finished, Workspace, action, finish, program, skipped};

fn run_header(workspace: &Workspace) -> Value {
    serde_json::from_slice(&workspace.evidence("T001")["run.json"]).unwrap()
}

pub(crate) fn can_confine() -> bool {
    let can = matches!(referee_exec::sandbox::probe(), referee_exec::sandbox::Kernel::Landlock { .. });
    if !can {
        skipped("this kernel has no Landlock");
    }
    can
}

#[test]
fn a_sandboxed_run_writes_to_the_workspace_alone_and_says_so() {
    if !can_confine() {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().canonicalize().unwrap().join("escaped");
    let workspace = Workspace::new();
    let state = workspace.state();
    let specification = format!(
        "services:\n  server: {{ run: 'echo a > {target}; echo served > served; sleep 600' }}\n\
         checks:\n  inside: 'echo a > new-file && echo a > $TMPDIR/x && echo $TMPDIR > where'\n  outside: 'echo a > {target}'\n  \
         state: 'echo a > {state}/planted'\n  referee: 'kill -9 $PPID'\n",
        target = target.display(),
        state = state.display(),
    );
    workspace.write("referee.yaml", specification);
    workspace.referee(&["run", "--sandbox=require"]).exits(6);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.1")["status"], "SUCCESS", "{report:#}");
    for step in ["STEP.2", "STEP.3", "STEP.4"] {
        assert_eq!(action(&report, step)["status"], "EXECUTION_ERROR", "{step}: {report:#}");
    }
    assert!(!target.exists() && !state.join("planted").exists());
    assert!(workspace.path("served").exists(), "a service is confined, and runs");
    let confinement = &run_header(&workspace)["circumstances"]["confinement"];
    assert_eq!(confinement["files"]["kind"], "landlock");
    let writable = confinement["writable"].as_array().unwrap();
    assert_eq!(writable[0], workspace.path("").to_str().unwrap().trim_end_matches('/'));
    // The private directory is gone with the run.
    let private = fs::read_to_string(workspace.path("where")).unwrap();
    assert!(private.starts_with(state.to_str().unwrap()) && !fs::exists(private.trim()).unwrap(), "{private}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

/// Writes a temporary file by the JVM's own means, and tells where.
const JAVA_TEMPORARY: &str = r#"
import java.nio.file.*;
class Temporary {
    public static void main(String[] words) throws Exception {
        Files.writeString(Path.of("where"), Files.createTempFile("x", ".tmp").toString());
    }
}
"#;

#[test]
fn a_sandboxed_jvm_has_a_temporary_directory_of_its_own() {
    if !can_confine() {
        return;
    }
    if Command::new("javac").arg("-version").output().is_err() {
        skipped("no javac");
        return;
    }
    let specification = "checks:\n  compile: { argv: [javac, Temporary.java] }\n  \
                         java: { argv: [java, Temporary], needs: [compile] }\n  \
                         own: { argv: [java, Temporary], needs: [java], env: { JAVA_TOOL_OPTIONS: -Dx=y } }\n\
                         outputs: [\"*.class\", where]\n";
    let workspace = Workspace::with(specification).file("Temporary.java", JAVA_TEMPORARY);
    workspace.referee(&["run", "--sandbox=require"]).exits(0);
    let told = fs::read_to_string(workspace.path("where")).unwrap();
    assert!(told.starts_with(workspace.state().to_str().unwrap()), "{told}");
    let report = workspace.report("T001");
    let compiled = action(&report, "STEP.1");
    assert_eq!(
        compiled["classification"]["rule"], "validation/clean",
        "what a JVM says of its options is not a finding"
    );
    let record = workspace.evidence("T001").into_iter().find(|(name, _)| name == "STEP.3-own.json").unwrap().1;
    let record: Value = serde_json::from_slice(&record).unwrap();
    let options = record["environment"]["JAVA_TOOL_OPTIONS"].as_str().unwrap();
    assert!(options.starts_with("-Dx=y -Djava.io.tmpdir="), "{options}");
}

/// Has the kernel say that it has no Landlock (system call 444, ENOSYS) to whatever this becomes.
const WITHOUT_LANDLOCK: &str = "
import ctypes, os, struct, sys
rules = struct.pack('HBBI' * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 444, 0x06, 0, 0, 0x00050026, 0x06, 0, 0, 0x7fff0000)
buffer = ctypes.create_string_buffer(rules)
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('rules', ctypes.c_void_p)]
program = Program(4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
";

fn without_landlock(workspace: &Workspace, arguments: &[&str]) -> Finished {
    let mut python = workspace.tool("python3");
    python.args(["-c", WITHOUT_LANDLOCK]).arg(program()).args(arguments);
    finish(python.spawn().unwrap())
}

#[test]
fn on_a_machine_that_cannot_confine_nothing_runs_where_it_is_required_and_the_run_says_so_where_it_is_wished_for() {
    let workspace = Workspace::with("checks: {a: 'touch ran'}\ncleanup: {b: 'touch cleaned'}\n");
    let finished = without_landlock(&workspace, &["run", "--sandbox=require"]).exits(5);
    assert!(finished.stdout.contains("BLOCKED"), "{}", finished.stdout);
    assert!(!workspace.path("ran").exists() && !workspace.path("cleaned").exists());
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    assert_eq!(report["skippedActions"].as_array().unwrap().len(), 2, "{report:#}");
    let header = run_header(&workspace);
    assert_eq!(header["circumstances"]["confinement"]["files"]["kind"], "missing");
    assert!(header["notices"].to_string().contains("nothing was run"), "{header:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);

    let finished = without_landlock(&workspace, &["run", "--sandbox=on"]).exits(0);
    assert!(workspace.path("ran").exists());
    assert!(finished.stdout.contains("cannot do it"), "{}", finished.stdout);
    let header = run_header(&workspace);
    assert_eq!(header["circumstances"]["confinement"]["files"]["kind"], "missing");
    assert!(header["notices"].to_string().contains("could write anywhere"), "{header:#}");
    assert!(workspace.report("T001").to_string().contains("could write anywhere"));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    let document = without_landlock(&workspace, &["selftest", "--format", "json"]).exits(0).json();
    assert!(document["faults"].to_string().contains("not-possible"), "{document:#}");
}

#[test]
fn without_the_option_nothing_is_confined_and_nothing_is_claimed() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("written");
    let workspace = Workspace::with(&format!("checks: {{outside: 'echo a > {}'}}\n", target.display()));
    workspace.referee(&["run"]).exits(0);
    assert!(target.exists());
    assert_eq!(run_header(&workspace)["circumstances"]["confinement"], Value::Null);
}

#[test]
fn a_passing_project_passes_in_the_sandbox_too() {
    if !can_confine() {
        return;
    }
    let workspace = Workspace::with(
        "checks:\n  git: 'git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm a && git status'\n  \
         python: \"python3 -c 'import tempfile, multiprocessing; tempfile.TemporaryFile(); multiprocessing.Lock()'\"\n  \
         pipes: 'seq 100000 | sort | tee sorted | wc -l > /dev/null && (sleep 0.1 & kill $!)'\n  \
         terminal: 'echo a > /dev/stdout; : > /dev/null'\n",
    );
    workspace.referee(&["run", "--sandbox"]).exits(0);
    let finished = workspace.command(&["run"]).env("REFEREE_SANDBOX", "on").output().unwrap();
    assert_eq!(finished.status.code(), Some(0));
    assert_eq!(run_header(&workspace)["circumstances"]["confinement"]["files"]["kind"], "landlock");
    workspace.referee(&["run", "--sandbox=perhaps"]).exits(2);
}

#[test]
fn limits_of_the_specification_stop_a_command_and_the_run_says_who_enforced_them() {
    let workspace = Workspace::with(
        "limits: { processes: 20, memory: 200MiB, output: 1MiB }\nchecks:\n  \
         forks: 'for i in $(seq 100); do sleep 600 & done; wait'\n  \
         memory: \"exec python3 -c 'import time; held = bytearray(1 << 30); time.sleep(600)'\"\n  \
         output: { run: 'yes', role: lint }\n  fits: 'sleep 0.3 & wait'\npolicy: { linting: NEVER }\n",
    );
    let finished = workspace.referee(&["run"]).exits(6);
    let report = workspace.report("T001");
    for (step, rule, kind) in [
        ("STEP.1", "execution/resource-limit", "process-limit-exceeded"),
        ("STEP.2", "execution/resource-limit", "memory-limit-exceeded"),
        ("STEP.3", "execution/output-limit", "output-limit-exceeded"),
    ] {
        let result = action(&report, step);
        assert_eq!(result["status"], "EXECUTION_ERROR", "{result:#}");
        assert_eq!(result["blocking"], true, "{result:#}");
        assert_eq!(result["classification"]["rule"], rule, "{result:#}");
        let is_record =
            |name: &str| name.starts_with(step) && Path::new(name).extension().is_some_and(|ending| ending == "json");
        let record = workspace.evidence("T001").into_iter().find(|(name, _)| is_record(name));
        let record: Value = serde_json::from_slice(&record.unwrap().1).unwrap();
        assert_eq!(record["ending"]["kind"], kind);
    }
    assert_eq!(action(&report, "STEP.4")["status"], "SUCCESS");
    assert!(finished.stdout.contains("used too much"), "{}", finished.stdout);
    let confinement = &run_header(&workspace)["circumstances"]["confinement"];
    assert_eq!(confinement["files"], json!({ "kind": "not-asked-for" }));
    let limits = confinement["limits"].as_array().unwrap();
    let told: Vec<_> =
        limits.iter().map(|limit| (limit["resource"].as_str().unwrap(), limit["value"].as_u64())).collect();
    assert_eq!(told, [("processes", Some(20)), ("memory", Some(200 << 20)), ("output", Some(1 << 20))]);
    for limit in limits {
        let enforced = limit["enforcedBy"].as_str().unwrap();
        assert!(["control-group", "sampled", "counted"].contains(&enforced), "{limit}");
    }
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn a_limit_that_is_none_is_refused() {
    for limits in [
        "{ memory: 2gigs }",
        "{ memory: 1KiB }",
        "{ processes: 0 }",
        "{ output: 17GiB }",
        "{ cpu: 1 }",
        "{ memory: -1 }",
        "5",
    ] {
        let workspace = Workspace::with(&format!("limits: {limits}\nchecks: {{a: 'true'}}\n"));
        workspace.referee(&["run"]).exits(3);
    }
}

#[test]
fn the_selftest_holds_on_this_machine() {
    let workspace = Workspace::new();
    let finished = workspace.referee(&["selftest", "--format", "json"]).exits(0);
    let document = finished.json();
    assert_eq!(document["holds"], true);
    let faults = document["faults"].as_array().unwrap();
    assert!(faults.len() >= 12, "{document:#}");
    assert!(faults.iter().all(|fault| fault["state"] != "fails"), "{document:#}");
    assert_eq!(fs::read_dir(workspace.state().join("temporary")).unwrap().count(), 0, "nothing is left");
}
