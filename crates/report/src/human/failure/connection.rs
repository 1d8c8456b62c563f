//! Processes that listen at a port.

use std::io;

use referee_model::record::service::PortCheck;

use super::{FURTHER, INDENT, SENTENCE_LINES};
use crate::page::{Line, Page};
use crate::style::Tone;

/// Writes the processes that listen at a port, with process id, name and command line.
pub(super) fn write(check: &PortCheck, page: &mut Page<'_>) -> io::Result<()> {
    let port = format!("port {}", check.port);
    let lead = Line::indented(INDENT).then(Tone::Faint, &port).then(Tone::Plain, " ");
    if check.holders.is_empty() {
        let text = if check.in_use { "is held by a process that could not be found" } else { "is held by no process" };
        return page.paragraph(lead, FURTHER, Tone::Plain, text, SENTENCE_LINES);
    }
    for holder in &check.holders {
        let own = if holder.own { ", the service's own" } else { "" };
        let text = format!("is held by {} (pid {}{own}): {}", holder.name, holder.pid, holder.command);
        page.paragraph(lead.clone(), FURTHER, Tone::Plain, &text, SENTENCE_LINES)?;
    }
    Ok(())
}
