//! Processes that commands may have left behind, where orphans become children of the system's first process.

use std::collections::BTreeSet;

use super::{Process, descendants};
use crate::process_registry::{Entry, ProcessRegistry};
use crate::process_table;

/// Process id of the system's first process.
const FIRST: i32 = 1;

/// Number of seconds for which a process counts as new.
const NEW_S: u64 = 1;

/// Returns all processes that are not below this one and not older than every command. Those whose command is certain are
/// noted first, while their parents, their session or their environment still show it.
pub(super) fn orphans<'all>(engine: i32, all: &'all [Process], roster: &mut ProcessRegistry) -> Vec<&'all Process> {
    roster.is_unsettled = false;
    let Some(since) = roster.entries().iter().map(|entry| entry.since).min() else { return Vec::new() };
    let entries = roster.entries().to_vec();
    for entry in &entries {
        let family = family(entry, engine, all, roster);
        roster.known.extend(family.into_iter().map(|process| (process.identity(), entry.number)));
    }
    let below = descendants(all, vec![engine]);
    let orphans: Vec<&Process> = all
        .iter()
        .filter(|process| !below.contains(&process.pid) && !process.zombie && process.started >= since)
        .collect();
    let is_untold = |orphan: &&&Process| !roster.known.contains_key(&orphan.identity());
    let untold: Vec<i32> = orphans.iter().filter(is_untold).map(|orphan| orphan.pid).collect();
    let markers = process_table::markers(&untold);
    for orphan in &orphans {
        let marker = markers.get(&orphan.pid);
        let entry = marker.and_then(|marker| entries.iter().find(|entry| entry.marker == *marker));
        roster.known.extend(entry.map(|entry| (orphan.identity(), entry.number)));
    }
    let newest = process_table::now().saturating_sub(NEW_S);
    roster.is_unsettled = orphans.iter().any(|orphan| {
        orphan.parent == FIRST && orphan.started >= newest && !roster.known.contains_key(&orphan.identity())
    });
    orphans
}

/// Returns the processes that are certainly a command's: those in its group or session, those that were known, what is
/// below them, and whatever shares a session with one of these that the command or its descendants made.
fn family<'all>(entry: &Entry, engine: i32, all: &'all [Process], roster: &ProcessRegistry) -> Vec<&'all Process> {
    let is_new = |process: &&Process| !process.zombie && process.started >= entry.since;
    let is_led = roster.led_by(entry.leader).is_some_and(|led| led.number == entry.number);
    let is_known = |process: &&Process| roster.known.get(&process.identity()) == Some(&entry.number);
    let is_in_group = |process: &&Process| process.group == entry.leader || process.session == entry.leader;
    let foreign = all.iter().find(|process| process.pid == engine).map(|own| own.session);
    let mut sessions: BTreeSet<i32> = BTreeSet::new();
    loop {
        let is_root = |process: &&Process| {
            (is_led && process.pid == entry.leader)
                || is_known(process)
                || is_in_group(process)
                || sessions.contains(&process.session)
        };
        let roots = all.iter().filter(is_new).filter(is_root).map(|process| process.pid).collect();
        let tree = descendants(all, roots);
        let family: Vec<&Process> =
            all.iter().filter(|process| tree.contains(&process.pid) && !process.zombie).collect();
        // A session's id is that of the process that made it; one that an older process made is not the command's.
        let made =
            family.iter().map(|process| process.session).filter(|session| *session != 0 && Some(*session) != foreign);
        let made: BTreeSet<i32> = made.filter(|session| !is_older(*session, entry, all)).collect();
        if made.is_subset(&sessions) {
            return family;
        }
        sessions.extend(made);
    }
}

/// Whether the process that made a session lives, and is older than a command.
fn is_older(session: i32, entry: &Entry, all: &[Process]) -> bool {
    all.iter().any(|process| process.pid == session && process.started < entry.since)
}
