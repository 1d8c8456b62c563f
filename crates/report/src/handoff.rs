//! `handoff.md`: what an executor gets of an incident, for people.

use std::fmt::Write as _;

use referee_model::incident::approval::{Approval, ApprovalStanding, said};
use referee_model::incident::handoff::HandoffDocument;
use referee_model::incident::remediation::{RemediationAction, RemediationPlan};
use referee_syntax::markdown::escaped;

/// Maximum number of characters of a line.
const SHOWN: usize = 600;

pub fn markdown(package: &HandoffDocument, approval: &Approval, redact: &dyn Fn(&str) -> String) -> String {
    let shown = |text: &str| escaped(&redact(text), SHOWN);
    let plan = serde_json::from_value::<RemediationPlan>(package.plan.clone()).ok();
    let mut text = format!("# Handoff of {}\n\nTo {}.\n", package.incident_id, shown(&package.executor));
    let mut part = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n## {title}\n\n{}", lines.join("\n"));
        }
    };
    let incident = &package.incident;
    part(
        "What failed",
        &[
            format!("- Step: {}", shown(&incident.step)),
            format!("- Class: {}", shown(&incident.failure_class)),
            format!("- Message: {}", shown(&incident.message)),
        ],
    );
    if let Some(plan) = &plan {
        part("Plan", &[shown(&plan.summary)]);
        let action = |action: &RemediationAction| {
            format!("- {} ({}): {}", shown(&action.id), shown(&action.priority), shown(&action.title))
        };
        part("Actions", &plan.actions.iter().map(action).collect::<Vec<_>>());
        part("Paths", &plan.target_paths().iter().map(|path| format!("- {}", shown(path))).collect::<Vec<_>>());
        let line = |line: &String| format!("- {}", shown(line));
        part("Checks", &plan.verification_commands.iter().map(line).collect::<Vec<_>>());
        part("Done when", &plan.done_criteria.iter().map(line).collect::<Vec<_>>());
    }
    let mut word = vec![format!("{}.", escaped(&said(approval), SHOWN))];
    if approval.standing == ApprovalStanding::SelfAsserted {
        word.push("\n**Self-asserted: no key stands for the person.**".to_owned());
    }
    part("Approval", &word);
    let id = &package.incident_id;
    part(
        "How to answer",
        &[
            format!("- Take it: `referee incident ack {id} --executor NAME`"),
            format!("- Hand it back: `referee incident ack {id} --result handback.json`"),
            "- A success that is only said proves nothing: the plan's checks decide.".to_owned(),
        ],
    );
    text
}
