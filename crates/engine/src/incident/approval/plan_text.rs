//! The section on the approval at the end of `plan.md`.

use referee_model::incident::approval::said;
use referee_model::incident::approval::{Approval, ApprovalStanding};
use referee_syntax::markdown::escaped;

/// Marks the start of the section on the approval. Everything after it is rewritten each time.
const MARK: &str = "\n<!-- referee: approval -->\n";

/// Maximum number of characters shown of a person's text.
const SHOWN: usize = 400;

/// Returns the text of a plan with the section on its approval, or without one if `approval` is `None`.
pub(super) fn with_approval(text: &[u8], approval: Option<&Approval>) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let plan = text.split_once(MARK).map_or(&*text, |(plan, _)| plan);
    let Some(approval) = approval else { return plan.as_bytes().to_vec() };
    let mut lines = vec![format!("\n## Approval\n\n{}.", escaped(&said(approval), SHOWN))];
    if approval.standing == ApprovalStanding::SelfAsserted {
        lines.push(
            "**Self-asserted: no key stands for the person, so this proves nothing about who it was.**".to_owned(),
        );
    }
    if !approval.terms.note.is_empty() {
        lines.push(format!("Note: {}", escaped(&approval.terms.note, SHOWN)));
    }
    let commands = approval.terms.commands.iter().map(|command| format!("- {}", escaped(command, SHOWN)));
    let commands: Vec<String> = commands.collect();
    if !commands.is_empty() {
        lines.push(format!("Commands of a planner's own that were approved:\n\n{}", commands.join("\n")));
    }
    format!("{plan}{MARK}{}\n", lines.join("\n\n")).into_bytes()
}
