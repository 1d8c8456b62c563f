//! Derives a plan from an incident's evidence, by rules (seed 3).

use referee_model::incident::evidence::EvidenceRow;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{Card, Execution, LoopPolicy, Planner, RemediationPlan, Verification};
use referee_model::time::Timestamp;
use referee_syntax::cut::characters;
use referee_syntax::line::one_line;

use super::evidence::has_signal;
use super::finding::Finding;
use super::quality::{self, UNSURE};

mod actions;
mod hypotheses;
mod layout;
mod path;
mod verification;

pub mod proposal;

pub use path::safe as safe_path;

/// Confidence from which a person's approval would be optional by itself (seed 3).
pub const SURE: f64 = 0.8;

/// Note of a plan whose checks are not known to have failed for the incident.
pub const NEVER_RED: &str = "Whether these checks show it at all is not known: none of them is known to have failed for this \
    incident. One of them must fail when the loop begins, else only a person can close it. Write a check into the specification \
    that fails because of it, and plan again";

/// Maximum length of a sentence that includes text from outside, in characters.
const SENTENCE: usize = 300;

/// Maximum length of quoted text from outside, in characters.
const QUOTED: usize = 160;

/// An incident to be planned. Secrets have been removed from its texts.
#[derive(Debug, Clone, Copy)]
pub struct Case<'case> {
    pub incident: &'case IncidentId,
    /// 1-based revision of the plan to be made.
    pub revision: u32,
    pub now: Timestamp,
    pub step: &'case str,
    pub failure_class: &'case str,
    pub message: &'case str,
    pub log: &'case str,
    /// Diagnostics, most severe first.
    pub findings: &'case [Finding],
    pub rows: &'case [EvidenceRow],
    /// Checks of the specification.
    pub checks: &'case [Verification],
    /// Ids of failed actions that are known in addition to the diagnostics.
    pub failed: &'case [String],
    /// The command that failed. Empty: none was captured.
    pub command: &'case [String],
    /// Safe paths that a person names as affected.
    pub targets: &'case [String],
    /// Absolute path of the workspace, for absolute paths in output. Empty: unknown.
    pub workspace: &'case str,
}

pub fn by_rules(case: &Case<'_>) -> RemediationPlan {
    let quality = quality::of(case.rows);
    let confidence = quality::confidence(quality::CONFIDENCE, &quality);
    let verification = verification::chosen(case).commands;
    let targets = path::targets(case);
    let unknowns = unknowns(case, &targets, &verification);
    let causes = hypotheses::of(case, confidence, &unknowns);
    let summary = summary(case);
    layout::complete(RemediationPlan {
        incident_id: case.incident.clone(),
        generated_at: case.now,
        revision: case.revision,
        evidence: case.rows.to_vec(),
        confidence_score: confidence,
        actions: actions::of(case, &causes, &targets, &verification),
        done_criteria: done_criteria(&summary, &verification),
        rollback: rollback(&targets),
        risk_summary: risk_summary(&targets, quality.has_failure_signal),
        planner: Planner { mode: "heuristic".to_owned(), ..Planner::default() },
        summary,
        evidence_quality: quality,
        cause_analysis: causes,
        unknowns,
        verification,
        source_incident_path: format!("error_inbox/{}/incident.json", case.incident),
        root_cause_hypotheses: Vec::new(),
        hypothesis_evidence_map: Vec::new(),
        verification_commands: Vec::new(),
        card_summary: Card::default(),
        execution: Execution::default(),
        policy: LoopPolicy::default(),
    })
}

/// Returns whether a person must approve a plan: if its confidence is low, if no evidence says what failed, or
/// if its card requires it.
fn requires_approval(confidence: f64, strong: usize) -> bool {
    confidence < UNSURE || strong == 0 || confidence < SURE
}

fn summary(case: &Case<'_>) -> String {
    let first = case.findings.first().map(Finding::sentence);
    let said = [Some(case.message.to_owned()), first].into_iter().flatten().map(|text| one_line(&text));
    let said = said.into_iter().find(|text| !text.is_empty());
    let (step, class) = (one_line(case.step), one_line(case.failure_class));
    let text = match (step.as_str(), said) {
        ("", Some(said)) => said,
        (step, Some(said)) => format!("{step}: {said}"),
        ("", None) => format!("A failure of the class {class}"),
        (step, None) => format!("{step} failed ({class})"),
    };
    characters(&text, SENTENCE)
}

fn unknowns(case: &Case<'_>, targets: &[String], verification: &[Verification]) -> Vec<String> {
    let mut unknowns: Vec<&str> = Vec::new();
    if case.log.trim().is_empty() && case.findings.is_empty() {
        unknowns.push("No output was captured (log_tail.txt is empty): what was printed before the failure is needed");
    } else if !has_signal(case.log) && case.findings.is_empty() {
        unknowns.push("The end of the log (log_tail.txt) names no failure: the full output is needed to see the cause");
    }
    if case.findings.is_empty() && case.failure_class == "run_failed" {
        unknowns.push("Which part of the run failed first is not known");
    }
    if !case.rows.iter().any(quality::is_strong) {
        unknowns.push("How it ended is not known: neither a reason nor an exit code was captured");
    }
    if targets.is_empty() && path::names_tests(case) {
        unknowns.push(
            "Which files are to be changed is not known: the diagnostics name tests alone, and those say what must hold. A person \
             names files with --target",
        );
    } else if targets.is_empty() {
        unknowns.push("Which files are to be changed is not known");
    }
    if verification.is_empty() {
        unknowns.push(
            "Nothing shows whether it is solved: there is no check and no captured command. Write a check for it into the \
             specification, and plan again",
        );
    }
    unknowns.into_iter().map(str::to_owned).collect()
}

fn done_criteria(summary: &str, verification: &[Verification]) -> Vec<String> {
    let gone = format!("It no longer happens: {summary}");
    let shown = match verification.len() {
        0 => "There is a check that shows it, and the check passes".to_owned(),
        1 => "The verification command passes".to_owned(),
        _ => "All verification commands pass".to_owned(),
    };
    vec![characters(&gone, SENTENCE), shown]
}

fn rollback(targets: &[String]) -> Vec<String> {
    let undo = if targets.is_empty() {
        "Undo every change that was made for this plan".to_owned()
    } else {
        "Undo every change of the target paths, and of nothing else".to_owned()
    };
    vec![undo, "Run the verification commands again: they must fail as they did before".to_owned()]
}

fn risk_summary(targets: &[String], is_named: bool) -> String {
    let reach = match targets.len() {
        0 => "The files to be changed are not known".to_owned(),
        1 => "One path is changed".to_owned(),
        number => format!("{number} paths are changed"),
    };
    let ground = if is_named { "the evidence names the failure" } else { "nothing in the evidence names the failure" };
    format!("{reach}; {ground}")
}

#[cfg(test)]
mod tests;
