//! Approval of a plan by a person, and an incident that is handed off and back.

use std::io::{self, Write};
use std::path::Path;

use referee_model::handback::HandbackResultDocument;
use referee_model::incident::approval::{ApprovalStandingWord, ApprovalSummary};
use referee_model::incident::handoff::HandoffDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{RemediationPlan, Verification};
use referee_model::incident::seconds;
use referee_model::incident::status::IncidentStatus;

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column at which values start.
const VALUES: usize = 14;

/// Maximum number of lines of one value.
const VALUE_LINES: usize = 12;

/// Text for an approval that is not signed.
const SELF_ASSERTED: &str =
    "SELF-ASSERTED: typed at a terminal, where no key is trusted to approve. It proves nothing about who it was.";

/// Writes the plan that was approved, and who approved it.
pub fn approved(
    id: &IncidentId,
    approval: &ApprovalSummary,
    plan: &RemediationPlan,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let good = page.signs().good;
    page.line(Line::new().then(Tone::Good, good).word(Tone::Good, "approved").word(Tone::Strong, id.as_str()))?;
    word(&mut page, approval)?;
    row(&mut page, "plan", &format!("revision {}, {}", approval.plan_revision, plan.summary))?;
    for verification in plan.verifications() {
        let origin = match &verification {
            Verification::Check { action, .. } => format!("check {action}"),
            Verification::Captured { argv, .. } => format!("the captured command, run as {argv:?}"),
            Verification::Planner { .. } => "a planner's own, run in a shell".to_owned(),
        };
        row(&mut page, "will run", &format!("{} ({origin})", verification.command()))?;
    }
    row(&mut page, "targets", &plan.target_paths().join(", "))
}

/// Writes who gave an approval.
fn word(page: &mut Page<'_>, approval: &ApprovalSummary) -> io::Result<()> {
    row(page, "by", &format!("{}, {}", approval.person, seconds::text(approval.approved_at)))?;
    if let (ApprovalStandingWord::Signed, Some(approver)) = (approval.standing, &approval.approver) {
        row(page, "signed by", approver)?;
    } else {
        let lead = Line::indented(2).then(Tone::Faint, "word").padded_to(VALUES + 2).then(Tone::Plain, " ");
        page.paragraph(lead, VALUES + 3, Tone::Warning, SELF_ASSERTED, VALUE_LINES)?;
    }
    row(page, "note", &approval.note)
}

/// Writes where a handoff package is, and who may take it.
pub fn handed_off(
    package: &HandoffDocument,
    queued: Option<&Path>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let good = page.signs().good;
    let id = package.incident_id.as_str();
    page.line(Line::new().then(Tone::Good, good).word(Tone::Good, "handed off").word(Tone::Strong, id))?;
    row(&mut page, "to", &package.executor)?;
    row(&mut page, "package", &package.paths.handoff_json)?;
    row(&mut page, "queue", &queued.map(|path| path.display().to_string()).unwrap_or_default())?;
    word(&mut page, &package.approval)
}

/// Writes the result of a handback.
pub fn handed_back(result: &HandbackResultDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let tone = if result.status == IncidentStatus::Escalated { Tone::Bad } else { Tone::Warning };
    let lead = Line::new().then(tone, "handed back").word(Tone::Strong, result.incident_id.as_str());
    page.line(lead.then(Tone::Plain, ":").word(tone, result.status.as_str()))?;
    row(&mut page, "reason", &result.reason)?;
    row(&mut page, "description", &result.description)?;
    if let (Some(code), Some(meaning)) = (&result.error_code, &result.error_meaning) {
        row(&mut page, "error code", &format!("{code} ({meaning})"))?;
    }
    row(&mut page, "error", result.error_message.as_deref().unwrap_or_default())?;
    row(&mut page, "standing", &result.standing)?;
    row(&mut page, "next", &result.next)
}

/// Writes a value with its name, unless it is empty.
fn row(page: &mut Page<'_>, name: &str, value: &str) -> io::Result<()> {
    if value.is_empty() {
        return Ok(());
    }
    let lead = Line::indented(2).then(Tone::Faint, name).padded_to(VALUES + 2).then(Tone::Plain, " ");
    page.paragraph(lead, VALUES + 3, Tone::Plain, value, VALUE_LINES)
}
