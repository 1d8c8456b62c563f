//! Checks that ask a database, look into a browser and run containers, in one sealed run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Workspace, action, copy, finish, repository, skipped};

/// Whether a program is in one of the usual directories.
fn is_installed(names: &[&str]) -> bool {
    let directories = ["/usr/local/bin", "/usr/bin", "/bin"];
    directories.iter().any(|directory| names.iter().any(|name| Path::new(directory).join(name).exists()))
}

/// Returns the `node_modules` with Playwright's server. None: it is not there, or no browser is.
fn node_modules() -> Option<PathBuf> {
    let directory = std::env::var_os("REFEREE_BROWSER").map(|directory| PathBuf::from(directory).join("node_modules"));
    let found = directory.filter(|directory| directory.join("@playwright/mcp").is_dir());
    let found = found.filter(|_| is_installed(&["chromium", "chromium-browser", "google-chrome"]));
    if found.is_none() {
        skipped("no browser, or no Playwright (REFEREE_BROWSER)");
    }
    found
}

/// A page below the workspace, an SQLite file that the first check makes, and an expectation of each.
const CHECKS: &str = r##"
checks:
  table: { sqlFile: schema.sql, database: "sqlite:quotes.db", mode: commit }
  quotes:
    sql: "SELECT id, text FROM quotes ORDER BY id"
    database: "sqlite:quotes.db"
    needs: [table]
    rows: 2
    contains: { text: first }
  page:
    browser: "file://${WORKSPACE_ROOT}/page.html"
    steps:
      - click: "#add"
      - see: 1 quote
      - screenshot: list
conditions:
  - quotes.rowCount === 2
  - quotes.rows[1].text === 'second'
completion: { requiredEvidence: [screenshots] }
"##;

const PAGE: &str = "<!doctype html><title>Quotes</title><button id=add>Add</button><p id=count>0 quotes</p>
<script>add.onclick = () => { count.textContent = '1 quote'; console.warn('added') }</script>";

const SCHEMA: &str = "CREATE TABLE quotes (id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO quotes VALUES (1, 'first'), (2, 'second');";

fn workspace(checks: &str) -> Workspace {
    Workspace::with(&format!("title: Interactions\n{checks}")).file("page.html", PAGE).file("schema.sql", SCHEMA)
}

fn statuses(report: &Value, ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| action(report, id)["status"].as_str().unwrap().to_owned()).collect()
}

/// Returns the pictures that a run took, with their names.
fn pictures(workspace: &Workspace, task: &str) -> Vec<(String, Vec<u8>)> {
    let is_picture = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "png");
    workspace.evidence(task).into_iter().filter(|(name, _)| is_picture(name)).collect()
}

#[test]
fn a_database_and_a_browser_are_asked_and_the_evidence_replays_without_them() {
    let Some(modules) = node_modules() else { return };
    let workspace = workspace(CHECKS);
    symlink(modules, workspace.path("node_modules")).unwrap();
    workspace.referee(&["run", "--report", "html=report.html", "--report", "markdown=report.md"]).exits(0);
    let report = workspace.report("T001");
    assert_eq!(statuses(&report, &["STEP.1", "STEP.2", "STEP.3"]), ["SUCCESS"; 3]);
    let taken = pictures(&workspace, "T001");
    let [(name, picture)] = taken.as_slice() else { panic!("{:?}", workspace.evidence("T001").keys()) };
    assert!(picture.starts_with(b"\x89PNG\r\n"), "{name}");
    let page = fs::read_to_string(workspace.path("report.html")).unwrap();
    assert!(page.contains("data:image/png;base64,"), "the picture stands in the page");
    // Nothing that was asked is there any more.
    fs::remove_file(workspace.path("node_modules")).unwrap();
    fs::remove_file(workspace.path("quotes.db")).unwrap();
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    // A picture is evidence as any other.
    fs::write(workspace.path(&format!("evidence/T001/{name}")), b"\x89PNG\r\n\x1a\n").unwrap();
    workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(4);
}

#[test]
fn what_a_page_and_a_table_do_not_show_blocks_and_becomes_debt() {
    let Some(modules) = node_modules() else { return };
    let checks = CHECKS.replace("- see: 1 quote", "- { see: 2 quotes, timeout: 500ms }").replace("rows: 2", "rows: 3");
    let checks = checks.replace("      - click", "      - screenshot: before\n      - click");
    let workspace = workspace(&checks);
    symlink(modules, workspace.path("node_modules")).unwrap();
    let run = workspace.referee(&["run"]).exits(1);
    let report = workspace.report("T001");
    assert_eq!(statuses(&report, &["STEP.1", "STEP.2", "STEP.3"]), ["SUCCESS", "TEST_FAILURE", "TEST_FAILURE"]);
    for word in ["2 quotes", "3 rows"] {
        assert!(run.told().contains(word), "{word}: {}", run.stdout);
    }
    // One was asked for, and one shows the page as it was in the end.
    assert_eq!(pictures(&workspace, "T001").len(), 2);
    let debt = workspace.referee(&["debt", "list", "--format", "json"]).json();
    let items = debt.to_string();
    assert!(items.contains(".png"), "an item names the picture of the page: {debt:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn what_is_missing_is_said_and_blocks_its_own_task_alone() {
    let task = |id: &str, step: Value| {
        json!({
            "taskId": id, "title": id, "description": "d", "priority": "HIGH", "dependencies": [],
            "testExecution": { "steps": [step], "cleanup": [
                { "actionId": "CLEANUP.1", "type": "TERMINAL_COMMAND", "description": "clean",
                  "parameters": { "command": format!("touch {id}.cleaned") } },
            ] },
            "validationCriteria": { "successConditions": [
                { "condition": "STEP.1.success === true", "description": "it ran" },
            ] },
        })
    };
    let page = json!({ "actionId": "STEP.1", "type": "MCP_BROWSER_COMMAND", "description": "open the page",
        "parameters": { "action": "browser_navigate", "url": "http://127.0.0.1:1/" } });
    let command = json!({ "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "echo",
        "parameters": { "command": "echo hello" } });
    let available = |id: &str, how: Value| {
        let mut available = task(id, command.clone());
        let mut prerequisite = json!({ "type": "DATABASE_AVAILABLE", "description": "there is none" });
        prerequisite.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
        available["executionWorkflow"] = json!({ "prerequisites": [prerequisite] });
        available
    };
    let specification = json!({
        "schemaVersion": "2.0.0",
        "metadata": { "projectName": "p", "sprintId": "S", "taskId": "T001", "taskTitle": "t",
            "generatedAt": "2026-11-20T09:00:00.000Z", "generatedBy": "a person", "description": "d",
            "validationPolicyRationale": "r" },
        "globalConfiguration": { "workspaceRoot": "${WORKSPACE_ROOT}", "evidenceDirectory": "evidence" },
        "tasks": {
            "T001": task("T001", page),
            "T002": task("T002", command.clone()),
            "T003": available("T003", json!({ "checkCommand": "test -f missing" })),
            "T004": available("T004", json!({ "connectionString": "sqlite:missing.db" })),
        },
    });
    let workspace = Workspace::new().file("referee.json", specification.to_string());
    let checked = workspace.referee(&["check"]).exits(0);
    assert!(
        checked.stdout.contains("note: T001 STEP.1 cannot run on this machine: the MCP server @playwright/mcp is not")
    );
    let document = workspace.referee(&["check", "--format", "json"]).exits(0).json();
    assert_eq!((&document["missing"][0]["task"], &document["missing"][1]), (&json!("T001"), &Value::Null));
    let doctor = workspace.referee(&["doctor"]);
    assert!(
        doctor.told().contains("T001 STEP.1: the MCP server @playwright/mcp is not installed"),
        "{}",
        doctor.stdout
    );
    assert_ne!(workspace.referee(&["run"]).code, Some(0));
    let report = workspace.report("T001");
    assert_eq!(statuses(&report, &["STEP.1", "CLEANUP.1"]), ["EXECUTION_ERROR", "SUCCESS"]);
    assert!(workspace.path("T001.cleaned").exists(), "cleanup always runs");
    assert_eq!(workspace.report("T002")["executionSummary"]["decision"], "PASS");
    for task in ["T003", "T004"] {
        let report = workspace.report(task);
        let kind = &action(&report, "WORKFLOW.1")["classification"]["prerequisiteType"];
        assert_eq!(kind, "DATABASE_AVAILABLE", "{task}: a prerequisite is what its type says");
    }
}

#[test]
fn a_password_of_a_connection_is_shown_nowhere() {
    let checks = "
env: { DATABASE_URL: \"postgres://app:hunter2secret@127.0.0.1:1/app\" }
checks:
  asked: { sql: SELECT 1, database: \"${DATABASE_URL}\" }
  open: { sql: SELECT 1, database: \"mysql://app:hunter3secret@127.0.0.1:1/app\" }
";
    let workspace = workspace(checks);
    let checked = workspace.referee(&["check"]).exits(0);
    let run = workspace.referee(&["run"]).exits(6);
    assert!(run.told().contains("the database postgres://app@127.0.0.1:1/app could not be asked"), "{}", run.stdout);
    assert_eq!(statuses(&workspace.report("T001"), &["STEP.1", "STEP.2"]), ["EXECUTION_ERROR"; 2]);
    let mut texts: Vec<(String, Vec<u8>)> = workspace.evidence("T001").into_iter().collect();
    for (name, finished) in [("check", checked), ("run", run)] {
        texts.push((name.to_owned(), (finished.stdout + &finished.stderr).into_bytes()));
    }
    for (name, text) in texts {
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains("hunter"), "{name} shows a password: {text}");
    }
}

/// Makes podman, with storage below a directory and an image `box` of busybox. None: it cannot run here.
fn podman(directory: &Path) -> Option<PathBuf> {
    let may = Command::new("unshare").args(["-m", "true"]).output().is_ok_and(|output| output.status.success());
    if !(is_installed(&["podman"]) && is_installed(&["busybox"]) && may) {
        skipped("no podman");
        return None;
    }
    let (bin, root) = (directory.join("bin"), directory.join("rootfs/bin"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(&root).unwrap();
    let store = directory.display();
    let script = format!(
        "#!/bin/sh\nexec unshare -m sh -c '\nmount --make-rprivate /\numount -R /sys/fs/cgroup 2>/dev/null\n\
         mount -t cgroup2 none /sys/fs/cgroup\nexec /usr/bin/podman --root {store}/root --runroot {store}/runroot \
         --tmpdir {store}/run --storage-driver vfs --cgroup-manager=cgroupfs \"$@\"' podman \"$@\"\n"
    );
    fs::write(bin.join("podman"), script).unwrap();
    fs::set_permissions(bin.join("podman"), fs::Permissions::from_mode(0o755)).unwrap();
    let busybox = ["/usr/bin/busybox", "/bin/busybox"].into_iter().find(|path| Path::new(path).exists()).unwrap();
    fs::copy(busybox, root.join("busybox")).unwrap();
    for name in ["sh", "sleep", "echo"] {
        symlink("busybox", root.join(name)).unwrap();
    }
    let archive = directory.join("image.tar");
    let mut tar = Command::new("tar");
    assert!(tar.arg("-C").arg(directory.join("rootfs")).arg("-cf").arg(&archive).arg(".").status().unwrap().success());
    assert!(Command::new(bin.join("podman")).arg("import").arg(&archive).arg("box").output().unwrap().status.success());
    Some(bin)
}

#[test]
fn containers_run_beside_a_browser_and_a_database_and_none_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let (Some(bin), Some(modules)) = (podman(directory.path()), node_modules()) else { return };
    // What a machine that is a container itself needs.
    let options = "program: podman, arguments: [--cgroups=disabled, --network=host, --ulimit, \"nofile=1024:1024\", \
                   --ulimit, \"nproc=1000:1000\", --log-driver=k8s-file]";
    let containers = format!(
        "
  server: {{ docker: run, image: box, command: [sleep, \"600\"], detached: true, {options} }}
  greets: {{ docker: run, image: box, command: [echo, hello], needs: [server], {options} }}
  fails: {{ docker: run, image: box, command: [sh, -c, exit 3], role: test, {options} }}
conditions:
  - greets.stdout.includes('hello')"
    );
    let workspace = workspace(&CHECKS.replace("\nconditions:", &containers));
    symlink(modules, workspace.path("node_modules")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let run = finish(workspace.command(&["run"]).env("PATH", path).spawn().unwrap()).exits(6);
    let report = workspace.report("T001");
    assert_eq!(
        statuses(&report, &["STEP.1", "STEP.2", "STEP.3", "STEP.4", "STEP.5"]),
        ["SUCCESS"; 5],
        "{}",
        run.stdout
    );
    assert_eq!(action(&report, "STEP.6")["result"]["exitCode"], 3);
    assert!(report.to_string().contains("sha256:"), "an image is recorded by its digest");
    let left = Command::new(bin.join("podman")).args(["ps", "--all", "--quiet"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
    // Neither podman nor the browser is on the search path now.
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn the_example_is_looked_at_in_a_browser_and_in_its_database() {
    if node_modules().is_none() {
        return;
    }
    let workspace = Workspace::new();
    copy(&repository().join("examples/quote-service"), &workspace.path(""));
    workspace.referee(&["run", "full.yaml", "--report", "html=report.html"]).exits(0);
    assert_eq!(pictures(&workspace, "T003").len(), 2);
    workspace.referee(&["evidence", "verify", "evidence/T003", "--replay"]).exits(0);
}
