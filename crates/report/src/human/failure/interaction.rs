//! A database or a page that refused what was asked, or rows that are not as expected.

use std::io;

use referee_model::plan::{Interaction, Work};
use referee_model::record::{InteractionEnding, InteractionFacts};

use super::{Bounds, FURTHER, INDENT, SENTENCE_LINES, Telling, http};
use crate::execution_report::expectation;
use crate::page::{Line, Page};
use crate::style::Tone;

impl Telling<'_> {
    /// Writes the request that was refused, the expectations that are not met, and the names of the pictures.
    pub(super) fn interaction(
        &self,
        work: &Work,
        facts: &InteractionFacts,
        bounds: &Bounds,
        page: &mut Page<'_>,
    ) -> io::Result<()> {
        refused(facts, bounds, page)?;
        if let Work::Interaction(interaction) = work {
            unmet(interaction, facts, bounds, page)?;
        }
        if let Some(value) = &facts.value {
            let lead = Line::indented(INDENT).then(Tone::Faint, "value").then(Tone::Plain, "  ");
            page.paragraph(lead, FURTHER, Tone::Plain, value, bounds.message_lines)?;
        }
        for taken in &facts.screenshots {
            let lead = Line::indented(INDENT).then(Tone::Faint, "screenshot").then(Tone::Plain, "  ");
            let text = format!("{} in {}", taken.name, self.file(&taken.image.file));
            page.paragraph(lead, FURTHER, Tone::Plain, &text, SENTENCE_LINES)?;
        }
        Ok(())
    }
}

fn refused(facts: &InteractionFacts, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    let InteractionEnding::Refused { request, message } = &facts.ending else { return Ok(()) };
    page.blank()?;
    if let Some(asked) = facts.requests.get(*request) {
        let lead = Line::indented(INDENT).then(Tone::Faint, "asked").then(Tone::Plain, "    ");
        page.paragraph(lead, FURTHER, Tone::Strong, asked, bounds.message_lines)?;
    }
    let lead = Line::indented(INDENT).then(Tone::Faint, "answered").then(Tone::Plain, " ");
    page.paragraph(lead, FURTHER, Tone::Bad, message, bounds.message_lines)
}

fn unmet(interaction: &Interaction, facts: &InteractionFacts, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    let Interaction::Query(query) = interaction else { return Ok(()) };
    let observed = query.expectations.iter().zip(&facts.observations);
    let failed: Vec<_> = observed.filter(|(_, observed)| observed.holds != Some(true)).collect();
    if !failed.is_empty() {
        page.blank()?;
    }
    for (wanted, observed) in failed.iter().take(bounds.findings) {
        http::write_assertion(&expectation::rows(wanted), observed, bounds, page)?;
    }
    page.left_to_report(INDENT, failed.len(), bounds.findings)
}
