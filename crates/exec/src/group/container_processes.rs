//! The processes of containers on this machine: podman leaves a monitor behind for each container, whose child the
//! container's first process is. They belong to no command, and end with their container.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use referee_model::record::LeakedProcess;
use rustix::process::Signal;

use super::{Process, descendants, orphans, reap};
use crate::process_registry::{self, HeldContainer, Marker, ProcessRegistry};
use crate::process_table;
use crate::spawn::Leader;

/// Time in which the processes of a removed container end by themselves.
const WIND_DOWN: Duration = Duration::from_secs(5);

/// Time in which killed processes end.
const KILLED: Duration = Duration::from_secs(5);

const LOOK: Duration = Duration::from_millis(5);

/// Number of characters of a container's id.
const ID_CHARACTERS: usize = 64;

/// The container of a command and its processes, until [`HeldProcesses::end`].
#[derive(Debug)]
pub(crate) struct HeldProcesses {
    number: u64,
}

/// From now on processes of the container that this command starts are not taken for processes of a command.
pub(crate) fn hold(leader: &Leader, marker: Marker, id_file: Option<PathBuf>) -> HeldProcesses {
    let held = HeldProcesses { number: leader.number() };
    let container = HeldContainer { number: held.number, marker, id_file, id: None, processes: BTreeSet::new() };
    process_registry::lock().containers.push(container);
    held
}

impl HeldProcesses {
    /// Returns the id of the container. None: the command has not written it, or wrote something else.
    pub(crate) fn id(&self) -> Option<String> {
        let mut roster = process_registry::lock();
        let container = roster.containers.iter_mut().find(|container| container.number == self.number)?;
        container.learn_id();
        container.id.clone()
    }

    /// Ends what is left of a container that has ended, and returns it.
    pub(crate) fn end(self) -> Vec<LeakedProcess> {
        let begun = Instant::now();
        let mut killed = Vec::new();
        loop {
            let left = self.left();
            if left.is_empty() || begun.elapsed() > WIND_DOWN + KILLED {
                return killed;
            }
            if begun.elapsed() > WIND_DOWN {
                if killed.is_empty() {
                    killed = left.iter().map(|process| process.leaked(&[])).collect();
                }
                for process in &left {
                    process_table::signal(process, Signal::KILL);
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Returns the living processes of the container, and reaps those that have ended.
    fn left(&self) -> Vec<Process> {
        let mut roster = process_registry::lock();
        let all = process_table::all();
        for orphan in orphans(&all, &mut roster) {
            if roster.is_started_here(orphan.pid) {
                continue;
            }
            if orphan.zombie {
                reap(orphan.pid);
                continue;
            }
            is_of_container(orphan, &mut roster);
        }
        let container = roster.containers.iter().find(|container| container.number == self.number);
        let is_root =
            |process: &&Process| container.is_some_and(|container| container.processes.contains(&process.identity()));
        let roots = all.iter().filter(is_root).map(|process| process.pid).collect();
        let tree = descendants(&all, roots);
        all.iter().filter(|process| !process.zombie && tree.contains(&process.pid)).copied().collect()
    }
}

impl Drop for HeldProcesses {
    fn drop(&mut self) {
        process_registry::lock().containers.retain(|container| container.number != self.number);
    }
}

impl HeldContainer {
    fn learn_id(&mut self) {
        let (Some(id_file), None) = (&self.id_file, &self.id) else { return };
        let mut text = String::new();
        let file = std::fs::File::open(id_file);
        let is_read = file.and_then(|file| file.take(2 * ID_CHARACTERS as u64).read_to_string(&mut text)).is_ok();
        let id = text.trim();
        if is_read && id.len() == ID_CHARACTERS && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            self.id = Some(id.to_owned());
        }
    }

    /// Whether an orphan names this container, and does not carry the mark of another action.
    fn is_named_by(&self, pid: i32, words: &[u8]) -> bool {
        let Some(id) = &self.id else { return false };
        words.split(|byte| *byte == 0).any(|word| word == id.as_bytes())
            && process_table::markers(&[pid]).get(&pid).is_none_or(|marker| *marker == self.marker)
    }
}

/// Whether an orphan is a process of a container. It stays one, whatever it becomes.
pub(super) fn is_of_container(orphan: &Process, roster: &mut ProcessRegistry) -> bool {
    if roster.containers.is_empty() {
        return false;
    }
    let identity = orphan.identity();
    if roster.containers.iter().any(|container| container.processes.contains(&identity)) {
        return true;
    }
    let Some(words) = process_table::command_line(orphan.pid) else { return false };
    for container in &mut roster.containers {
        container.learn_id();
        if container.is_named_by(orphan.pid, &words) {
            container.processes.insert(identity);
            return true;
        }
    }
    false
}
