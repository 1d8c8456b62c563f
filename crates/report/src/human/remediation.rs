//! Remediation plans of incidents.

use referee_model::incident::remediation::{RemediationPlan, Verification};
use std::io::{self, Write};

use crate::page::{Line, Page};
use crate::style::{Style, Tone, Verbosity};

/// Column at which values start.
const VALUES: usize = 12;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 4;

/// Maximum number of rows of evidence, and of unknowns, that are shown without `--verbose`.
const ROWS: usize = 5;

/// Writes a plan: the suspected cause, what to do, and how to see that it is done.
pub fn plan(plan: &RemediationPlan, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let (signs, all) = (page.signs(), style.verbosity == Verbosity::Verbose);
    let lead = Line::new().then(Tone::Strong, plan.incident_id.as_str()).then(Tone::Plain, ": ");
    page.paragraph(lead, 2, Tone::Plain, &plan.summary, TEXT_LINES)?;
    let quality = &plan.evidence_quality;
    let sure = format!("{:.2} ({} evidence, {:.2})", plan.confidence_score, quality.assessment, quality.score);
    value(page, "confidence", Tone::Plain, &format!("{sure}, revision {}", plan.revision))?;
    if let Some(reason) = &plan.planner.fallback_reason {
        value(page, "planner", Tone::Warning, &format!("planned by rules: {reason}"))?;
    }
    if style.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let rows = if all { usize::MAX } else { ROWS };
    heading(page, "evidence")?;
    for row in plan.evidence.iter().take(rows) {
        item(page, &row.id, &format!("{} {} {}", row.kind.as_str(), signs.dot, row.excerpt))?;
    }
    rest(page, plan.evidence.len().saturating_sub(rows))?;
    heading(page, "hypotheses")?;
    for cause in &plan.cause_analysis {
        let support = format!(
            "({} confidence, {} support by {})",
            cause.confidence,
            cause.support_strength,
            cause.evidence_ids.join(", ")
        );
        item(page, &cause.hypothesis_id, &format!("{} {support}", cause.reason))?;
    }
    heading(page, "actions")?;
    for action in &plan.actions {
        let paths = if action.target_paths.is_empty() {
            String::new()
        } else {
            format!(" [{}]", action.target_paths.join(", "))
        };
        item(page, &action.id, &format!("{} ({}, {} risk){paths}", action.title, action.priority, action.risk))?;
    }
    verification(page, plan)?;
    unknowns(page, plan, rows)?;
    page.blank()?;
    let next = format!("read it, then referee incident approve {}", plan.incident_id);
    page.line(Line::new().then(Tone::Faint, "next").padded_to(6).then(Tone::Plain, &next))
}

fn verification(page: &mut Page<'_>, plan: &RemediationPlan) -> io::Result<()> {
    heading(page, "verification")?;
    if plan.verification_commands.is_empty() {
        item(page, "", "nothing shows whether it is solved: write a check for it, and plan again")?;
    }
    for command in &plan.verification_commands {
        let (sign, text) = match plan.verification.iter().find(|one| one.command() == command) {
            Some(Verification::Check { action, .. }) => (action.as_str(), command.clone()),
            Some(Verification::Captured { .. }) => ("captured", command.clone()),
            _ => ("planner", format!("{command} (runs only where a person approves it)")),
        };
        item(page, sign, &text)?;
    }
    Ok(())
}

fn unknowns(page: &mut Page<'_>, plan: &RemediationPlan, rows: usize) -> io::Result<()> {
    if plan.unknowns.is_empty() {
        return Ok(());
    }
    heading(page, "unknown")?;
    let bullet = page.signs().bullet;
    for unknown in plan.unknowns.iter().take(rows) {
        item(page, bullet, unknown)?;
    }
    rest(page, plan.unknowns.len().saturating_sub(rows))
}

fn heading(page: &mut Page<'_>, text: &str) -> io::Result<()> {
    page.blank()?;
    page.line(Line::new().then(Tone::Strong, text))
}

fn value(page: &mut Page<'_>, name: &str, tone: Tone, text: &str) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Faint, name).padded_to(VALUES).then(Tone::Plain, "  ");
    page.paragraph(lead, VALUES + 2, tone, text, TEXT_LINES)
}

fn item(page: &mut Page<'_>, sign: &str, text: &str) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Faint, sign).then(Tone::Plain, " ");
    page.paragraph(lead, 6, Tone::Plain, text, TEXT_LINES)
}

fn rest(page: &mut Page<'_>, number: usize) -> io::Result<()> {
    if number == 0 { Ok(()) } else { page.line(Line::indented(2).then(Tone::Faint, &format!("and {number} more"))) }
}
