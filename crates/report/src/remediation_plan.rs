//! `plan.md`: the plan for people, section by section. Text of evidence and planners is escaped, so that it stays
//! plain text.

use std::fmt::Write as _;

use referee_model::incident::approval::{Approval, ApprovalStanding, said};
use referee_model::incident::remediation::{Cause, RemediationPlan, Verification};
use referee_model::incident::seconds;
use referee_syntax::line::one_line;
use referee_syntax::markdown;

const SHOWN: usize = 600;

/// Marks the start of the section on the approval. Everything after it is rewritten each time.
const MARK: &str = "\n<!-- referee: approval -->\n";

/// Maximum number of characters shown of a person's text.
const APPROVAL_SHOWN: usize = 400;

pub fn markdown(plan: &RemediationPlan) -> String {
    let mut page = Page(String::new());
    page.line(&format!("# Remediation plan of {}", shown(plan.incident_id.as_str())));
    page.line(&format!("Revision {}, made at {}.", plan.revision, seconds::text(plan.generated_at)));
    page.section("Summary", &[shown(&plan.summary)]);
    card(&mut page, plan);
    let evidence = plan.evidence.iter().map(|row| {
        format!(
            "- **{}** {} ({}): {}",
            shown(&row.id),
            shown(row.kind.as_str()),
            place(row.source.as_str(), &row.path),
            shown(&row.excerpt)
        )
    });
    page.section("Evidence", &evidence.collect::<Vec<_>>());
    quality(&mut page, plan);
    page.section("Root cause hypotheses", &plan.cause_analysis.iter().flat_map(cause).collect::<Vec<_>>());
    page.section("Unknowns", &listed(&plan.unknowns));
    actions(&mut page, plan);
    verification(&mut page, plan);
    page.section("Done when", &listed(&plan.done_criteria));
    page.section("Rollback", &listed(&plan.rollback));
    page.section("Risk", &[shown(&plan.risk_summary)]);
    execution(&mut page, plan);
    page.0
}

/// Returns the text of a plan with the section on its approval, or without one if `approval` is `None`.
pub fn with_approval(text: &[u8], approval: Option<&Approval>) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let plan = text.split_once(MARK).map_or(&*text, |(plan, _)| plan);
    let Some(approval) = approval else { return plan.as_bytes().to_vec() };
    let mut lines = vec![format!("\n## Approval\n\n{}.", markdown::escaped(&said(approval), APPROVAL_SHOWN))];
    if approval.standing == ApprovalStanding::SelfAsserted {
        lines.push(
            "**Self-asserted: no key stands for the person, so this proves nothing about who it was.**".to_owned(),
        );
    }
    if !approval.terms.note.is_empty() {
        lines.push(format!("Note: {}", markdown::escaped(&approval.terms.note, APPROVAL_SHOWN)));
    }
    let commands =
        approval.terms.commands.iter().map(|command| format!("- {}", markdown::escaped(command, APPROVAL_SHOWN)));
    let commands: Vec<String> = commands.collect();
    if !commands.is_empty() {
        lines.push(format!("Commands of a planner's own that were approved:\n\n{}", commands.join("\n")));
    }
    format!("{plan}{MARK}{}\n", lines.join("\n\n")).into_bytes()
}

struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push_str("\n\n");
    }

    fn section(&mut self, title: &str, lines: &[String]) {
        let _ = write!(self.0, "## {title}\n\n");
        if lines.iter().all(String::is_empty) {
            return self.line("None.");
        }
        for line in lines.iter().filter(|line| !line.is_empty()) {
            self.0.push_str(line);
            self.0.push('\n');
        }
        self.0.push('\n');
    }
}

fn card(page: &mut Page, plan: &RemediationPlan) {
    let card = &plan.card_summary;
    let first = if card.first_step.is_empty() { "none".to_owned() } else { shown(&card.first_step) };
    page.section(
        "At a glance",
        &[
            format!("- First step: {first}"),
            format!("- Time: about {} minutes", card.eta_minutes),
            format!("- Risk: {}", shown(&card.risk)),
            format!("- Approval: {}", shown(&card.approval)),
        ],
    );
}

fn quality(page: &mut Page, plan: &RemediationPlan) {
    let quality = &plan.evidence_quality;
    let named = if quality.has_failure_signal { "names the failure" } else { "does not name the failure" };
    page.section(
        "Evidence quality",
        &[
            format!("- {} ({:.2}): the evidence {named}", shown(&quality.assessment), quality.score),
            format!(
                "- {} rows: {} signals ({} strong), {} weak",
                quality.total_count, quality.signal_count, quality.strong_signal_count, quality.weak_signal_count
            ),
            format!("- Strongest: {}", ids(&quality.strongest_evidence_ids)),
            format!("- Confidence of the plan: {:.2}", plan.confidence_score),
        ],
    );
}

fn cause(cause: &Cause) -> Vec<String> {
    let mut lines = vec![
        format!(
            "- **{}** ({} confidence): {}",
            shown(&cause.hypothesis_id),
            shown(&cause.confidence),
            shown(&cause.reason)
        ),
        format!("  - Support: {} ({})", shown(&cause.support_strength), ids(&cause.evidence_ids)),
    ];
    lines.extend(cause.gaps.iter().map(|gap| format!("  - Missing: {}", shown(gap))));
    lines
}

fn actions(page: &mut Page, plan: &RemediationPlan) {
    let lines = plan.actions.iter().flat_map(|action| {
        let (id, priority, risk) = (shown(&action.id), shown(&action.priority), shown(&action.risk));
        let mut lines = vec![format!("- **{id}** ({priority}, {risk} risk): {}", shown(&action.title))];
        lines.extend(action.target_paths.iter().map(|path| format!("  - Path: {}", shown(path))));
        lines.extend(action.verification.iter().map(|command| format!("  - Shown by: {}", shown(command))));
        lines
    });
    page.section("Actions", &lines.collect::<Vec<_>>());
}

fn verification(page: &mut Page, plan: &RemediationPlan) {
    let origin = |command: &String| {
        let found = plan.verification.iter().find(|one| one.command() == command);
        match found {
            Some(Verification::Check { action, .. }) => format!("check {} of the specification", shown(action)),
            Some(Verification::Captured { .. }) => "the command that failed".to_owned(),
            Some(Verification::Planner { .. }) | None => {
                "the planner's own: runs only where a person approved it".to_owned()
            }
        }
    };
    let lines = plan.verification_commands.iter().map(|command| format!("- {} ({})", shown(command), origin(command)));
    page.section("Verification commands", &lines.collect::<Vec<_>>());
}

fn execution(page: &mut Page, plan: &RemediationPlan) {
    let (policy, planner) = (&plan.policy, &plan.planner);
    let needed = if plan.execution.requires_approval { "needed" } else { "optional" };
    let mut lines = vec![
        format!("- A person's approval: {needed}"),
        format!("- Limits: {} turns, {} minutes", policy.max_loops, policy.max_runtime_minutes),
    ];
    lines.push(match planner.mode.as_str() {
        "ai" => format!("- Planned by: {}", shown(&planner.provider)),
        _ => "- Planned by: rules".to_owned(),
    });
    lines.extend(planner.model.iter().map(|model| format!("- Model: {}", shown(model))));
    lines.extend(planner.fallback_reason.iter().map(|reason| format!("- Not by the planner: {}", shown(reason))));
    lines.extend(plan.execution.notes.iter().map(|note| format!("- {}", shown(note))));
    page.section("Execution", &lines);
}

fn listed(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| format!("- {}", shown(text))).collect()
}

fn ids(ids: &[String]) -> String {
    let shown: Vec<String> = ids.iter().map(|id| shown(id)).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

fn place(source: &str, path: &str) -> String {
    if path.is_empty() { shown(source) } else { shown(path) }
}

/// Returns a foreign text as one line of plain Markdown text.
fn shown(text: &str) -> String {
    markdown::escaped(&one_line(text), SHOWN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(text: &str) -> RemediationPlan {
        let text = json!(text);
        serde_json::from_value(json!({
            "incident_id": "one", "generated_at": "2026-02-17T03:15:00+00:00", "summary": text,
            "evidence": [{"id": "E1", "source": "log_tail", "path": "log_tail.txt", "kind": "log_signal", "excerpt": text}],
            "evidence_quality": {"total_count": 1, "signal_count": 1, "strong_signal_count": 1, "weak_signal_count": 0,
                "has_failure_signal": true, "score": 1.0, "assessment": "strong", "strongest_evidence_ids": ["E1"]},
            "root_cause_hypotheses": [{"id": "H1", "confidence": "low", "reason": text, "evidence_ids": ["E1"]}],
            "hypothesis_evidence_map": [{"hypothesis_id": "H1", "evidence_ids": ["E1"]}],
            "cause_analysis": [{"hypothesis_id": "H1", "reason": text, "confidence": "low", "support_strength": "weak",
                "evidence_ids": ["E1"], "supporting_evidence": [], "gaps": [text]}],
            "unknowns": [text],
            "actions": [{"id": "A1", "title": text, "priority": "P0", "risk": "low", "target_paths": [text], "verification": [text]}],
            "verification_commands": [text], "done_criteria": [text], "rollback": [text], "risk_summary": text
        }))
        .unwrap()
    }

    #[test]
    fn a_page_has_the_sections_of_the_plan_and_no_text_makes_another() {
        let sections =
            |page: &str| page.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
        let plain = sections(&markdown(&plan("plain")));
        assert_eq!(plain.len(), 13, "{plain:?}");
        for hostile in
            ["a\n# Approved\n\n## Actions", "# Approved", "\r# x", "a\u{2028}# x", "- [x] done\n- [ ] y", "```\n# x"]
        {
            let page = markdown(&plan(hostile));
            assert_eq!(sections(&page), plain, "{page}");
            assert!(!page.contains('\r') && !page.lines().any(|line| line.starts_with("```")), "{page}");
        }
        let links = markdown(&plan("<script>alert(1)</script> [a](http://b) ![i](x)"));
        assert!(!links.contains("<script>") && links.contains(r"\[a\](http\://b)"), "{links}");
    }

    #[test]
    fn a_plan_of_another_program_is_shown_too() {
        let page = markdown(&plan("npm test"));
        assert!(page.contains("- npm test (the planner's own: runs only where a person approved it)"), "{page}");
        assert!(page.starts_with("# Remediation plan of one\n\nRevision 1, made at 2026-02-17T03:15:00+00:00."));
    }
}
