//! Checks the event log for damage. No decision depends on the events, so a fault is reported and blocks
//! nothing.

use referee_model::incident::event::{self, IncidentEventDocument};

use super::anchor::{self, Kept};
use super::events::{EVENTS, Events};
use super::incident_root::IncidentRoot;
use crate::error::LedgerError;
use crate::log_end::{after, link, nothing, stands_in};
use crate::log_lines::Lines;

/// Largest event log whose lines are checked against one another, in bytes.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;

/// Returns what is wrong with the end of the events. None: nothing.
pub(super) fn of_end(ground: &IncidentRoot) -> Result<Option<String>, LedgerError> {
    anchor::kept(ground)?.map_or(Ok(None), |kept| of_kept(ground, &kept))
}

/// Returns why the events no longer contain their recorded end. None: they do.
fn of_kept(ground: &IncidentRoot, kept: &Kept) -> Result<Option<String>, LedgerError> {
    let lines = kept.end.lines;
    let found = match Events::of(ground).open()? {
        Some(file) if stands_in(&file, kept.end).map_err(Events::of(ground).io("read"))? => return Ok(None),
        Some(_) => {
            format!("line {lines} of `{EVENTS}` is not where it was written here: lines were changed or removed")
        }
        None => format!("`{EVENTS}` is gone, and had {lines} lines"),
    };
    Ok(Some(format!(
        "{found}: restore it, or, if you did this or another checkout is at this path, remove `{}`",
        kept.path.display()
    )))
}

/// Returns what is wrong with the events, reading all of them. None: nothing.
pub(super) fn of_all(ground: &IncidentRoot) -> Result<Option<String>, LedgerError> {
    let kept = anchor::kept(ground)?;
    let fault = kept.as_ref().map_or(Ok(None), |kept| of_kept(ground, kept))?;
    let Some(file) = Events::of(ground).open()? else { return Ok(fault) };
    if file.metadata().map_err(Events::of(ground).io("look at"))?.len() > CHECKED_BYTES {
        let more = format!(
            "`{EVENTS}` is larger than {} MiB: its lines are not compared with one another",
            CHECKED_BYTES >> 20
        );
        return Ok(fault.or(Some(more)));
    }
    let (mut end, mut is_chained) = (nothing(), false);
    let mut lines = Lines::from(&file, 0);
    while let Some(line) = lines.next().map_err(Events::of(ground).io("read"))? {
        let number = end.lines.saturating_add(1);
        let previous =
            event::KIND.decode::<IncidentEventDocument>(line.bytes).ok().filter(|event| event.sequence == number);
        let previous = previous.map(|event| event.previous);
        // An older Referee wrote no digests.
        let follows = previous == Some(link(end)) || previous == Some(None) && !is_chained;
        if line.start != end.bytes || !follows {
            return Ok(Some(format!(
                "line {number} of `{EVENTS}` does not follow from the line before, which was changed, moved or removed, or \
                 an older Referee wrote it: restore the file, or move it away, and events begin at 1 again"
            )));
        }
        is_chained |= previous.flatten().is_some();
        end = after(end, line.bytes);
    }
    if fault.is_none() && end.lines > 0 && ground.state().is_some() && kept.is_none() {
        let unknown = "was not written here so far: its lines follow, but nothing here tells whether all are there";
        return Ok(Some(format!("`{EVENTS}` {unknown}")));
    }
    Ok(fault)
}
