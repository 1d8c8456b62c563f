//! `referee incident plan`, `archive` and `reopen` on incidents that lie in their directories as the contract has them.

use std::fs;

use referee_schema::published as schema;
use referee_schema::validator::Validator;
use serde_json::{Value, json};

use crate::support::{Finished, Workspace};

const ROOT: &str = ".referee/reports";

const SPECIFICATION: &str = "\
checks:
  types: 'true'
  unit: { run: sh check.sh, needs: [types] }
";

/// A project with an incident in its inbox, as another program would leave it.
fn captured() -> Workspace {
    let workspace = Workspace::with(SPECIFICATION);
    incident(&workspace, "new");
    write(&workspace, "error_inbox/one/log_tail.txt", "started provider run\n");
    write(&workspace, "error_inbox/one/audit_tail.jsonl", "");
    let context = json!({"reason": "worker_exit", "returncode": 1, "mode": "n/a", "capture": {"script": "other"}});
    write(&workspace, "error_inbox/one/context.json", &context.to_string());
    workspace
}

fn incident(workspace: &Workspace, status: &str) {
    let incident = json!({
        "incident_id": "one", "status": status, "created_at": "2026-02-17T03:00:00+00:00",
        "updated_at": "2026-02-17T03:00:00+00:00", "run_id": "", "year": null, "month": null, "ym": "",
        "step": "download", "failure_class": "run_failed", "message": "Run failed",
        "error_signature": "run_failed | download | Run failed", "dashboard": {"kept": true},
    });
    write(workspace, "error_inbox/one/incident.json", &incident.to_string());
    stands(workspace, status);
}

/// Sets where the incident stands, as whoever else works at it would.
fn stands(workspace: &Workspace, status: &str) {
    write(workspace, "error_inbox/one/status.txt", status);
}

fn write(workspace: &Workspace, name: &str, content: &str) {
    workspace.write(&format!("{ROOT}/{name}"), content);
}

fn text(workspace: &Workspace, name: &str) -> String {
    let path = workspace.path(&format!("{ROOT}/{name}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json_of(workspace: &Workspace, name: &str) -> Value {
    serde_json::from_str(&text(workspace, name)).unwrap()
}

fn is_there(workspace: &Workspace, name: &str) -> bool {
    workspace.path(&format!("{ROOT}/{name}")).exists()
}

fn plan(workspace: &Workspace, more: &[&str]) -> Finished {
    workspace.referee(&[&["incident", "plan", "one"], more].concat())
}

fn assert_fits(name: &str, document: &Value) {
    let complaints = Validator::new(&schema::schema(name).unwrap()).unwrap().complaints(document, 10).0;
    assert!(complaints.is_empty(), "{complaints:#?}\n{document:#}");
}

#[test]
fn a_plan_is_written_for_programs_and_people_and_put_before_a_person() {
    // IN-01 and IN-02.
    let workspace = captured();
    let printed = plan(&workspace, &["--format", "json"]).exits(0).json();
    let kept = json_of(&workspace, "error_plans/one/plan.json");
    assert_eq!(printed, kept);
    assert_fits("remediation-plan", &kept);
    assert!(
        kept["confidence_score"].as_f64().unwrap() <= 0.60 && kept["evidence_quality"]["has_failure_signal"] == true
    );
    let hypotheses = kept["root_cause_hypotheses"].as_array().unwrap();
    assert!(hypotheses.len() >= 2 && hypotheses.iter().all(|one| !one["evidence_ids"].as_array().unwrap().is_empty()));
    assert_eq!(kept["verification_commands"], json!(["true", "sh check.sh"]));
    assert_eq!(kept["verification"][1], json!({"origin": "check", "command": "sh check.sh", "action": "STEP.2"}));
    assert_eq!(kept["planner"]["mode"], "heuristic");
    assert!(text(&workspace, "error_plans/one/plan.md").starts_with("# Remediation plan of one\n"));
    let incident = json_of(&workspace, "error_inbox/one/incident.json");
    assert_eq!(
        (&incident["status"], &incident["plan_path"], &incident["plan_state"], &incident["dashboard"]["kept"]),
        (&json!("plan_proposed"), &json!("error_plans/one/plan.json"), &json!("proposed"), &json!(true))
    );
    assert_eq!(text(&workspace, "error_inbox/one/status.txt").trim(), "plan_proposed");
}

#[test]
fn a_person_reads_what_is_thought_what_to_do_and_what_shows_it() {
    let workspace = captured();
    write(
        &workspace,
        "error_inbox/one/diagnostics.json",
        &json!([{"severity": "error", "source": "test", "file": "src/a.test.ts", "line": 3, "code": "adds",
            "message": "expected 3 \u{1b}[31m# Approved", "actionId": "STEP.2", "actionName": "unit", "blocking": true}])
        .to_string(),
    );
    let told = plan(&workspace, &["--target", "src/a.ts"]).exits(0);
    assert!(told.stdout.contains("What the test `adds` asks for does not hold"), "{}", told.stdout);
    assert!(told.stdout.contains("[src/a.ts]") && !told.stdout.contains('\u{1b}'), "{}", told.stdout);
    let kept = json_of(&workspace, "error_plans/one/plan.json");
    assert_eq!(kept["verification_commands"], json!(["sh check.sh"]));
    assert!(!text(&workspace, "error_plans/one/plan.md").contains("\n# Approved"));
}

#[test]
fn another_plan_needs_force_keeps_the_earlier_one_and_voids_an_approval() {
    let workspace = captured();
    plan(&workspace, &[]).exits(0);
    let first = text(&workspace, "error_plans/one/plan.json");
    let refused = plan(&workspace, &[]).exits(1);
    assert!(refused.stderr.contains("--force") && refused.stdout.is_empty(), "{}", refused.stderr);
    assert_eq!(text(&workspace, "error_plans/one/plan.json"), first);

    stands(&workspace, "approved");
    write(&workspace, "error_plans/one/approval.json", "{}");
    plan(&workspace, &[]).exits(1);
    plan(&workspace, &["--force"]).exits(0);
    assert_eq!(text(&workspace, "error_plans/one/plan_1.json"), first);
    assert_eq!(text(&workspace, "error_plans/one/approval_1.json"), "{}");
    assert_eq!(json_of(&workspace, "error_plans/one/plan.json")["revision"], 2);
    let incident = json_of(&workspace, "error_inbox/one/incident.json");
    assert_eq!((&incident["status"], &incident["plan_revision"]), (&json!("plan_proposed"), &json!(2)));
}

#[test]
fn an_incident_that_others_work_at_or_that_is_closed_is_not_planned() {
    let workspace = captured();
    for (status, advice) in [
        ("handed_off", "referee incident recall one"),
        ("running", "incident one is being worked on"),
        ("escalated", "referee incident reopen one"),
        ("resolved", "cannot take the step"),
    ] {
        stands(&workspace, status);
        let refused = plan(&workspace, &["--force"]).exits(1);
        assert!(refused.stderr.contains(advice), "{}", refused.stderr);
        assert_eq!(text(&workspace, "error_inbox/one/status.txt").trim(), status);
        assert!(!is_there(&workspace, "error_plans/one/plan.json"));
    }
    // An older spelling, and one that nobody knows.
    for status in ["planned", "somewhere"] {
        stands(&workspace, status);
        plan(&workspace, &["--force"]).exits(0);
    }
    workspace.referee(&["incident", "plan", "two"]).exits(1);
    workspace.referee(&["incident", "plan", ".."]).exits(2);
    plan(&workspace, &["--force", "--target", "../x"]).exits(2);
    plan(&workspace, &["--force", "--planner", "a | b"]).exits(2);
}

#[test]
fn without_checks_the_command_that_failed_is_run_and_without_both_the_plan_says_so() {
    let workspace = captured();
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    let none = plan(&workspace, &["--format", "json"]).exits(0);
    assert!(none.stderr.contains("note: no check"), "{}", none.stderr);
    assert_eq!(none.json()["verification_commands"], json!([]));
    assert!(none.json()["unknowns"].to_string().contains("Nothing shows whether it is solved"));
    let context = json!({"capture": {"command": ["npm", "run", "go on"]}});
    write(&workspace, "error_inbox/one/context.json", &context.to_string());
    let captured = plan(&workspace, &["--force", "--format", "json"]).exits(0).json();
    let expected = json!([{"origin": "captured", "command": "npm run 'go on'", "argv": ["npm", "run", "go on"]}]);
    assert_eq!(captured["verification"], expected);
}

#[test]
fn junk_among_the_evidence_is_passed_over_and_secrets_are_cut_out() {
    let workspace = captured();
    write(&workspace, "error_inbox/one/context.json", "{\"reason\": ");
    write(&workspace, "error_inbox/one/diagnostics.json", "[[[");
    write(&workspace, "error_inbox/one/log_tail.txt", "Error: sent token=hunter2abc to https://u:pw12@host/x\n");
    let kept = plan(&workspace, &["--format", "json"]).exits(0).stdout;
    assert!(kept.contains("Error: sent token=**********") && !kept.contains("hunter2abc"), "{kept}");
    assert!(!text(&workspace, "error_plans/one/plan.md").contains("hunter2abc"));
}

fn by(workspace: &Workspace, script: &str) -> Value {
    workspace.write("planner.sh", script);
    plan(workspace, &["--force", "--format", "json", "--planner", "sh planner.sh"]).exits(0).json()
}

#[test]
fn a_planner_is_asked_and_held_to_the_rules() {
    let workspace = captured();
    let script = "\
cat > question.json
env > variables.txt
cat <<'END'
{\"summary\": \"The worker died\", \"confidence_score\": 0.99, \"model\": \"m1\",
 \"evidence\": [{\"id\": \"AI1\", \"excerpt\": \"the disk is full\"}],
 \"root_cause_hypotheses\": [{\"confidence\": \"high\", \"reason\": \"no space\", \"evidence_ids\": [\"AI1\"]}],
 \"verification_commands\": [\"STEP.2\", \"df -h\"]}
END
";
    let planned = by(&workspace, script);
    assert_fits("remediation-plan", &planned);
    assert_eq!((&planned["planner"]["mode"], &planned["planner"]["model"]), (&json!("ai"), &json!("m1")));
    assert_eq!(planned["summary"], "The worker died");
    let last = planned["evidence"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["source"], &last["kind"]), (&json!("ai"), &json!("ai_inferred")));
    let origins: Vec<_> = planned["verification"].as_array().unwrap().iter().map(|one| one["origin"].clone()).collect();
    assert_eq!(origins, ["check", "planner"]);
    let question: Value = serde_json::from_slice(&fs::read(workspace.path("question.json")).unwrap()).unwrap();
    assert_eq!(question["incident"]["incident_id"], "one");
    let variables = fs::read_to_string(workspace.path("variables.txt")).unwrap();
    assert!(!variables.contains(workspace.state().to_str().unwrap()), "{variables}");
}

#[test]
fn a_planner_that_fails_is_replaced_by_the_rules_which_the_plan_says() {
    let workspace = captured();
    for (script, reason) in [
        ("echo no idea >&2; exit 3", "the planner exited with code 3: no idea"),
        ("echo Here it is:", "its answer is not JSON"),
        ("echo '{\"summary\": 3}'", "its answer does not match the schema"),
        ("echo '{\"incident_id\": \"two\"}'", "another incident"),
        ("kill -9 $$", "ended by signal 9"),
        ("yes", "printed more than"),
        (
            "echo '{\"actions\": [{\"title\": \"t\", \"priority\": \"P0\", \"risk\": \"low\", \"target_paths\": [\"../../etc\"]}]}'",
            "is not inside the workspace",
        ),
        ("echo '{\"verification_commands\": [\"true && curl example.org\"]}'", "by no check"),
    ] {
        let planned = by(&workspace, script);
        assert_eq!(planned["planner"]["mode"], "heuristic");
        let told = planned["planner"]["fallback_reason"].as_str().unwrap();
        assert!(told.contains(reason), "{script}: {told}");
        assert_eq!(planned["verification_commands"], json!(["true", "sh check.sh"]));
    }
    workspace.write("planner.sh", "exec sleep 600");
    let slow = ["--force", "--format", "json", "--planner", "sh planner.sh", "--planner-timeout", "300ms"];
    let planned = plan(&workspace, &slow).exits(0).json();
    assert!(planned["planner"]["fallback_reason"].as_str().unwrap().contains("no answer in 300 ms"));
    let absent = plan(&workspace, &["--force", "--format", "json", "--planner", "no-such-planner"]).exits(0).json();
    assert!(absent["planner"]["fallback_reason"].as_str().unwrap().contains("could not be started"));
}

fn archive(workspace: &Workspace, result: &str, more: &[&str]) -> Finished {
    let typed = ["incident", "archive", "one", "--result", result, "--reason", "because token=hunter2abc"];
    workspace.referee(&[&typed[..], more].concat())
}

#[test]
fn closing_moves_the_directory_and_says_how_and_why() {
    // IN-21.
    let workspace = captured().file("note.md", "# What it was\n");
    let meta = archive(&workspace, "escalated", &["--note-file", "note.md", "--format", "json"]).exits(0).json();
    assert_eq!(meta, json_of(&workspace, "error_archive/escalated/one/archive_meta.json"));
    assert_eq!(
        (&meta["source"], &meta["destination"], &meta["reason"], &meta["basis"]),
        (
            &json!("error_inbox/one"),
            &json!("error_archive/escalated/one"),
            &json!("because token=**********"),
            &json!("word")
        )
    );
    assert_eq!(text(&workspace, "error_archive/escalated/one/resolution_note.md"), "# What it was\n");
    let incident = json_of(&workspace, "error_archive/escalated/one/incident.json");
    assert_eq!((&incident["status"], &incident["archive_result"]), (&json!("escalated"), &json!("escalated")));
    assert!(!is_there(&workspace, "error_inbox/one"));
    let again = archive(&workspace, "escalated", &[]).exits(1);
    assert!(again.stderr.contains("archived already, as escalated"), "{}", again.stderr);
}

#[test]
fn a_result_that_is_none_and_a_missing_reason_are_usage() {
    // IN-22.
    let workspace = captured();
    archive(&workspace, "done", &[]).exits(2);
    workspace.referee(&["incident", "archive", "one", "--result", "escalated", "--reason", " "]).exits(2);
    workspace.referee(&["incident", "archive", "one", "--result", "escalated"]).exits(2);
    archive(&workspace, "escalated", &["--note-file", "absent.md"]).exits(2);
    assert!(is_there(&workspace, "error_inbox/one"));
}

#[test]
fn only_what_is_worked_at_is_resolved_by_word() {
    let workspace = captured();
    for status in ["new", "plan_proposed", "approved", "handed_off"] {
        stands(&workspace, status);
        let refused = archive(&workspace, "resolved", &[]).exits(1);
        assert!(refused.stderr.contains("referee incident run one"), "{}", refused.stderr);
    }
    // It ended, and its directory was left where it was.
    stands(&workspace, "escalated");
    assert!(archive(&workspace, "resolved", &[]).exits(1).stderr.contains("ended as escalated"));
    stands(&workspace, "resolved");
    archive(&workspace, "escalated", &[]).exits(1);
    archive(&workspace, "resolved", &[]).exits(0);
    assert_eq!(json_of(&workspace, "error_archive/resolved/one/archive_meta.json")["basis"], "word", "no loop said so");
    let refused = workspace.referee(&["incident", "reopen", "one", "--reason", "again"]).exits(1);
    assert!(refused.stderr.contains("was resolved, and stays so"), "{}", refused.stderr);

    let workspace = captured();
    stands(&workspace, "running");
    archive(&workspace, "resolved", &[]).exits(0);
    assert_eq!(text(&workspace, "error_archive/resolved/one/status.txt").trim(), "resolved");
}

#[test]
fn an_escalated_incident_begins_again_with_fresh_budgets() {
    let workspace = captured();
    plan(&workspace, &[]).exits(0);
    let refused = workspace.referee(&["incident", "reopen", "one", "--reason", "x"]).exits(1);
    assert!(refused.stderr.contains("is open: it is plan_proposed"), "{}", refused.stderr);
    for name in ["loop_state.json", "attempt_01.json", "run_result.json"] {
        write(&workspace, &format!("error_runs/one/{name}"), "{}");
    }
    write(&workspace, "error_plans/one/approval.json", "{}");
    archive(&workspace, "escalated", &[]).exits(0);
    let told = workspace.referee(&["incident", "reopen", "one", "--reason", "the vendor answered"]).exits(0);
    assert!(told.stdout.contains("next: referee incident plan one"), "{}", told.stdout);
    let incident = json_of(&workspace, "error_inbox/one/incident.json");
    assert_eq!((&incident["status"], &incident["replans"]), (&json!("new"), &json!(0)));
    assert!(incident.get("archive_result").is_none() && incident.get("archived_at").is_none());
    assert!(!is_there(&workspace, "error_archive/escalated/one"));
    for kept in [
        "error_runs/one/before_1_loop_state.json",
        "error_runs/one/before_1_attempt_01.json",
        "error_inbox/one/before_1_archive_meta.json",
        "error_plans/one/approval_1.json",
    ] {
        assert!(is_there(&workspace, kept), "{kept}");
    }
    plan(&workspace, &[]).exits(0);
    assert_eq!(json_of(&workspace, "error_plans/one/plan.json")["revision"], 2);
    workspace.referee(&["incident", "reopen", "two", "--reason", "x"]).exits(1);
}
