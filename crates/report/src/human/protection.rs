//! Protected files, and how they compare with the trusted baseline.

use std::io;

use referee_model::report::Report;
use referee_model::run_context::protection::{Drift, TrustedBaseline};
use referee_syntax::count::count;

use crate::page::{Line, Page};
use crate::style::Tone;

/// Maximum number of lines of one sentence.
const LINES_MAX: usize = 4;

/// Maximum number of listed changes that do not block.
const LISTED: usize = 5;

/// Writes the baseline that the protected files were compared with, if any. Blocking changes are among the reasons.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let Some(protection) = &report.run.run_context.protection else { return Ok(()) };
    let quiet: Vec<&Drift> = protection.drift.iter().filter(|drift| !drift.blocks).collect();
    let blocking = protection.drift.len() - quiet.len();
    let differ = match (blocking, quiet.len()) {
        (0, 0) => "none differs".to_owned(),
        (0, listed) => format!("{listed} changed in a way that does not block"),
        (blocking, 0) => format!("{blocking} changed in a way that blocks"),
        (blocking, listed) => format!("{blocking} changed in a way that blocks, {listed} in one that does not"),
    };
    let text = format!(
        "{} compared with {}: {differ}",
        count(protection.files, "protected file"),
        baseline(&protection.baseline)
    );
    let (sign, tone) = if blocking > 0 { (page.signs().bad, Tone::Bad) } else { (page.signs().bullet, Tone::Faint) };
    page.item(2, (tone, sign), Tone::Plain, &text, LINES_MAX)?;
    for drift in quiet.iter().take(LISTED) {
        let lead = Line::indented(4).then(Tone::Place, &drift.path).then(Tone::Plain, ": ");
        page.paragraph(lead, 6, Tone::Faint, &drift.sentence(), LINES_MAX)?;
    }
    if quiet.len() > LISTED {
        let text = format!("and {} more in the report", quiet.len() - LISTED);
        page.line(Line::indented(4).then(Tone::Faint, &text))?;
    }
    for note in &protection.notes {
        page.item(2, (tone, page.signs().warning), Tone::Warning, note, LINES_MAX)?;
    }
    Ok(())
}

/// Returns a description of the baseline that protected files were compared with.
pub(super) fn baseline(baseline: &TrustedBaseline) -> String {
    match baseline {
        TrustedBaseline::Lock { digest, approved_by: None } => {
            format!("the lock {}", digest.to_string().chars().take(12).collect::<String>())
        }
        TrustedBaseline::Lock { digest, approved_by: Some(key) } => {
            format!("the lock {} (approved by {key})", digest.to_string().chars().take(12).collect::<String>())
        }
        TrustedBaseline::Git { reference, commit } => {
            format!("the commit {} ({reference})", commit.chars().take(12).collect::<String>())
        }
    }
}
