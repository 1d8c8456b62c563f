//! Converts an answer of the gate to the verification report of a turn (seed 2, 1.2 and 1.4).

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Cause, CheckStanding, GateAnswer, GateCheck};
use referee_model::held_out::HeldOut;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use referee_model::verification::{
    KeptVerification, Overall, VerificationCheck, VerificationLevel, VerificationReport,
};
use referee_syntax::count::count;

/// Run and turn of a verification.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    pub run: &'a str,
    /// 1-based turn.
    pub turn: u32,
    /// Snapshot that was checked.
    pub snapshot: Option<&'a str>,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    pub at: Timestamp,
}

/// Level of everything that is not a check of a known kind: held-out checks, and reasons that prevent judgement.
const OTHER: &str = "L3";

/// Creates the report. Checks are sorted into the seed's levels and have the names that it defines, so that
/// readers of the format can recognize the kind of failure; the output begins with the own name of the check.
///
/// | kind of check                     | level | name        |
/// |-----------------------------------|-------|-------------|
/// | types, compiling                  | L0    | `typecheck` |
/// | lint, format                      | L0    | `lint`      |
/// | tests, HTTP requests              | L1    | `test`      |
/// | commands, files, services         | L2    | `blackbox`  |
/// | held-out checks, as a count       | L3    | `held-out`  |
/// | a task that no check accounts for | L3    | `gate`      |
///
/// Checks that never ran are left out; a level without checks did not run.
pub fn verification(answer: &GateAnswer, checked: &Checked<'_>) -> VerificationReport {
    let mut levels: Vec<VerificationLevel> = ["L0", "L1", "L2"].iter().filter_map(|name| level(name, answer)).collect();
    levels.extend(other(answer));
    VerificationReport {
        id: None,
        run_id: Some(checked.run.to_owned()),
        iteration: Some(u64::from(checked.turn)),
        snapshot_id: checked.snapshot.map(str::to_owned),
        overall: Overall {
            passed: answer.decision == Decision::Pass && levels.iter().all(|level| level.passed),
            summary: summary(answer),
        },
        levels,
        diagnostics: Vec::new(),
        duration_ms: checked.duration_ms,
        completed_at: Some(checked.at),
        kept: Some(KeptVerification { captured_at: checked.at, skipped_levels: Vec::new(), harness: None }),
    }
}

fn level(name: &str, answer: &GateAnswer) -> Option<VerificationLevel> {
    let checks = answer.tasks.iter().flat_map(|task| task.checks.iter().map(move |check| (task, check)));
    let of_level =
        checks.filter(|(_, check)| place(check.source).0 == name && check.standing != CheckStanding::Skipped);
    let checks: Vec<VerificationCheck> = of_level
        .map(|(task, check)| {
            let causes = answer.causes.iter().filter(|cause| {
                cause.task.as_ref() == Some(&task.task) && cause.check.as_deref() == Some(check.name.as_str())
            });
            VerificationCheck {
                name: place(check.source).1.to_owned(),
                passed: check.standing != CheckStanding::Blocking,
                output: output(check, causes),
                duration_ms: check.duration_ms,
            }
        })
        .collect();
    let passed = checks.iter().all(|check| check.passed);
    let duration_ms = checks.iter().map(|check| check.duration_ms).sum();
    (!checks.is_empty()).then(|| VerificationLevel { name: name.to_owned(), passed, checks, duration_ms })
}

fn place(source: DiagnosticSource) -> (&'static str, &'static str) {
    match source {
        DiagnosticSource::Build => ("L0", "typecheck"),
        DiagnosticSource::Lint => ("L0", "lint"),
        DiagnosticSource::Test => ("L1", "test"),
        DiagnosticSource::Runtime => ("L2", "blackbox"),
    }
}

/// Returns the name and result of the check, then one line per cause.
fn output<'a>(check: &GateCheck, causes: impl Iterator<Item = &'a Cause>) -> String {
    let standing = match check.standing {
        CheckStanding::Passed => "passed",
        CheckStanding::NotBlocking => "did not succeed, and does not block",
        CheckStanding::Blocking => "blocks",
        CheckStanding::Skipped => "did not run",
    };
    let mut lines = vec![format!("{} {}: {standing}", check.action, check.name)];
    lines.extend(causes.map(line));
    lines.join("\n")
}

fn line(cause: &Cause) -> String {
    let mut place = cause.file.clone().unwrap_or_default();
    for number in [cause.line, cause.line.and(cause.column)].into_iter().flatten() {
        place = format!("{place}:{number}");
    }
    let parts = [Some(place), cause.code.clone(), Some(cause.message.clone())];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// Returns the level for held-out checks, and for tasks that did not pass without a blocking check.
fn other(answer: &GateAnswer) -> Option<VerificationLevel> {
    let mut checks: Vec<VerificationCheck> = answer.held_out.iter().map(held_out).collect();
    for task in answer.tasks.iter().filter(|task| task.decision != Decision::Pass) {
        if task.checks.iter().all(|check| check.standing != CheckStanding::Blocking) {
            let output = task.reasons.join("\n");
            checks.push(VerificationCheck { name: "gate".to_owned(), passed: false, output, duration_ms: None });
        }
    }
    let passed = checks.iter().all(|check| check.passed);
    (!checks.is_empty()).then(|| VerificationLevel { name: OTHER.to_owned(), passed, checks, duration_ms: None })
}

fn held_out(held_out: &HeldOut) -> VerificationCheck {
    VerificationCheck {
        name: "held-out".to_owned(),
        passed: held_out.decision == Decision::Pass,
        output: held_out_line(held_out),
        duration_ms: None,
    }
}

/// Returns a count and categories only.
pub(super) fn held_out_line(held_out: &HeldOut) -> String {
    let categories: Vec<String> =
        held_out.failed.iter().map(|(source, failed)| format!("{} {failed}", source.as_str())).collect();
    let of_kind = if categories.is_empty() { String::new() } else { format!(": {}", categories.join(", ")) };
    format!("{} of {} block{of_kind}", held_out.failures(), count(held_out.checks, "held-out check"))
}

fn summary(answer: &GateAnswer) -> String {
    let passed = answer.tasks.iter().filter(|task| task.decision == Decision::Pass).count();
    let held_out = answer.held_out.as_ref().map(|held_out| format!("; {}", held_out_line(held_out)));
    format!(
        "{}: {passed} of {} passed{}",
        answer.decision.as_str(),
        count(answer.tasks.len(), "task"),
        held_out.unwrap_or_default()
    )
}
