//! A service that did not become ready.

use std::io;

use referee_model::record::ServiceFacts;
use referee_syntax::duration;

use super::{FURTHER, INDENT, SENTENCE_LINES, connection};
use crate::page::{Line, Page};
use crate::style::Tone;

/// Writes each sign of readiness with its last observation, and the process that holds the port.
pub(super) fn write(facts: &ServiceFacts, page: &mut Page<'_>) -> io::Result<()> {
    for probe in &facts.probes {
        let (tone, sign) = if probe.held { (Tone::Good, page.signs().good) } else { (Tone::Bad, page.signs().bad) };
        let lead = Line::indented(INDENT).then(tone, sign).word(Tone::Strong, &probe.probe).then(Tone::Plain, "  ");
        let tries = match probe.attempts {
            0 => "never looked for".to_owned(),
            1 => format!("{}, looked for once", probe.last),
            _ => {
                format!("{}, looked for {} times in {}", probe.last, probe.attempts, duration::short(probe.duration_ms))
            }
        };
        page.paragraph(lead, FURTHER, Tone::Plain, &tries, SENTENCE_LINES)?;
    }
    match &facts.port_check {
        Some(check) => connection::write(check, page),
        None => Ok(()),
    }
}
