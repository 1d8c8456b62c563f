//! Stores of incidents, written as any program may that knows their directories.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::measurement::Fallible;

const STATUSES: [&str; 4] = ["new", "plan_proposed", "approved", "running"];
const CLASSES: [&str; 3] = ["test_failure", "timeout", "validation_failure"];

/// Writes so many open incidents into a workspace.
pub(crate) fn write(workspace: &Path, count: usize) -> Fallible<()> {
    let inbox = workspace.join(".referee/reports/error_inbox");
    for number in 0..count {
        let id = format!("2026-{:02}-run{:04}-{number:06}", 1 + number % 12, number % 500);
        let directory = inbox.join(&id);
        fs::create_dir_all(&directory)?;
        let (status, class) = (STATUSES[number % STATUSES.len()], CLASSES[number % CLASSES.len()]);
        let (month, day) = (1 + number % 11, 1 + number % 28);
        let at = format!("2026-{month:02}-{day:02}T{:02}:{:02}:00+00:00", number % 24, number % 60);
        let incident = json!({
            "incident_id": id, "status": status, "created_at": at, "updated_at": at, "run_id": format!("run{}", number % 500),
            "year": 2026, "month": 1 + number % 12, "ym": format!("2026-{:02}", 1 + number % 12),
            "step": format!("STEP.{}", number % 40), "failure_class": class,
            "message": format!("the service did not answer request {number} within its deadline of 10000 ms"),
            "error_signature": format!("{class}|STEP.{}|the service did not answer", number % 40),
            "evidence": { "log_tail_file": "log_tail.txt", "audit_tail_file": "audit_tail.jsonl", "context_file": "context.json" },
            "source_paths": { "log_path": "", "audit_path": "", "context_path": "" },
        });
        fs::write(directory.join("incident.json"), incident.to_string())?;
        fs::write(directory.join("status.txt"), status)?;
        fs::write(directory.join("log_tail.txt"), format!("request {number}: no answer\n"))?;
    }
    Ok(())
}
