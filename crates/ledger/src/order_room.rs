//! Rooms of orders: where a worker performs an order for another machine.
//!
//! ```text
//! <state>/orders/<order>.lock        held by the performance that uses the room, as long as it does
//! <state>/orders/<order>/tree/       the tree of the order, which is the workspace of its run
//! <state>/orders/<order>/handed/     what an agent is handed for its turn
//! <state>/orders/<order>/output/     what it printed
//! <state>/orders/<order>/evidence/   evidence of the run
//! <state>/orders/<order>/state/      state directory of the run, so that nothing of an order outlives its room
//! <state>/orders/<order>/run         id of the run, by which processes that it left behind are recognized
//! ```
//!
//! An order has the same room in every attempt on a machine, because tools write absolute paths. A lock ends with its
//! holder, however it ends; a room whose lock is free is a leftover.

use std::path::{Path, PathBuf};

use referee_model::id::{Digest, ExecutionId};

use crate::directory::{self, Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::state::{Area, State};

const TREE: &str = "tree";

const HANDED: &str = "handed";

const OUTPUT: &str = "output";

const EVIDENCE: &str = "evidence";

const STATE: &str = "state";

const RUN: &str = "run";

/// Number of digits of the order's digest in the name of its room.
const NAME_DIGITS: usize = 24;

/// The room of one order. Removed on drop.
#[derive(Debug)]
pub struct OrderRoom {
    place: PathBuf,
    _lock: FileLock,
}

impl OrderRoom {
    /// Takes the room of an order, with an empty tree. `end` is called with the run of an earlier attempt that died, and
    /// ends the processes that it left behind; the evidence of that run stays. None: this machine performs the order
    /// already.
    ///
    /// # Errors
    /// Fails on an I/O error, and if files of an earlier attempt cannot be removed.
    pub fn take(state: &State, order: Digest, end: &mut dyn FnMut(&ExecutionId)) -> Result<Option<Self>, LedgerError> {
        let rooms = state.open_area(Area::Orders)?;
        let name: String = order.to_string().chars().take(NAME_DIGITS).collect();
        let Some(lock) = self::lock(&rooms, &name)? else { return Ok(None) };
        let place = rooms.path().join(name);
        left_run(&place).iter().for_each(&mut *end);
        for directory in [TREE, HANDED, OUTPUT].map(|name| place.join(name)) {
            directory::remove_tree(&directory).map_err(LedgerError::io("remove", &directory))?;
        }
        for directory in [TREE, HANDED, OUTPUT, EVIDENCE].map(|name| place.join(name)) {
            std::fs::create_dir_all(&directory).map_err(LedgerError::io("make the directory", &directory))?;
        }
        Ok(Some(Self { place, _lock: lock }))
    }

    /// Removes the rooms that no live performance uses, and returns how many there were. `end` is called with the run of
    /// each.
    ///
    /// # Errors
    /// Fails if the rooms cannot be listed. One that cannot be removed now stays.
    pub fn remove_leftovers(state: &State, end: &mut dyn FnMut(&ExecutionId)) -> Result<usize, LedgerError> {
        let rooms = state.open_area(Area::Orders)?;
        let mut removed = 0;
        for name in rooms.names_of(Kind::Directory)? {
            let Some(_free) = lock(&rooms, &name)? else { continue };
            let place = rooms.path().join(&name);
            left_run(&place).iter().for_each(&mut *end);
            removed += usize::from(directory::remove_tree(&place).is_ok());
        }
        Ok(removed)
    }

    /// Records which run takes place here, before it starts anything.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn begin(&self, execution: &ExecutionId) -> Result<(), LedgerError> {
        Directory::open(&self.place)?.replace(RUN, execution.as_str().as_bytes()).map(drop)
    }

    /// Returns the path of the tree.
    pub fn tree(&self) -> PathBuf {
        self.place.join(TREE)
    }

    /// Returns the path of what an agent is handed.
    pub fn handed(&self) -> PathBuf {
        self.place.join(HANDED)
    }

    /// Returns the path of what an agent printed.
    pub fn output(&self) -> PathBuf {
        self.place.join(OUTPUT)
    }

    /// Returns the evidence root of the run.
    pub fn evidence(&self) -> PathBuf {
        self.place.join(EVIDENCE)
    }

    /// Opens the state directory of the run.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn state(&self) -> Result<State, LedgerError> {
        State::open(&self.place.join(STATE))
    }
}

impl Drop for OrderRoom {
    /// Leftovers that cannot be removed now are removed by the next worker.
    fn drop(&mut self) {
        drop(directory::remove_tree(&self.place));
    }
}

fn lock(rooms: &Directory, name: &str) -> Result<Option<FileLock>, LedgerError> {
    lock::of_file_within(rooms, &format!("{name}.lock"), lock::MOMENT)
}

/// Returns the run that a room was left by. None: it began none.
fn left_run(place: &Path) -> Option<ExecutionId> {
    let text = Directory::find(place).ok()??.read(RUN).ok()??;
    ExecutionId::parse(String::from_utf8(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_order_has_one_room_at_a_time_and_what_a_dead_attempt_left_in_its_tree_is_gone() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let (order, other) = (Digest::of("order"), Digest::of("other"));
        let run = ExecutionId::parse("exec-1-aa").unwrap();
        let mut ended = Vec::new();
        let mut end = |run: &ExecutionId| ended.push(run.clone());
        let room = OrderRoom::take(&state, order, &mut end).unwrap().unwrap();
        fs::write(room.tree().join("made"), "").unwrap();
        fs::write(room.evidence().join("kept"), "").unwrap();
        room.begin(&run).unwrap();
        assert!(OrderRoom::take(&state, order, &mut end).unwrap().is_none(), "it is performed already");
        assert!(OrderRoom::take(&state, other, &mut end).unwrap().is_some());
        assert_eq!(OrderRoom::remove_leftovers(&state, &mut end).unwrap(), 0, "the room is in use");
        let (tree, evidence) = (room.tree(), room.evidence());
        // As if the process had been killed.
        let place = room.place.clone();
        let copy = outside.path().join("copy");
        fs::rename(&place, &copy).unwrap();
        drop(room);
        fs::rename(&copy, &place).unwrap();

        let again = OrderRoom::take(&state, order, &mut end).unwrap().unwrap();
        assert_eq!((again.tree(), again.evidence()), (tree, evidence), "it is the same place");
        assert_eq!(fs::read_dir(again.tree()).unwrap().count(), 0);
        assert!(again.evidence().join("kept").exists());
        fs::rename(&place, &copy).unwrap();
        drop(again);
        fs::rename(&copy, &place).unwrap();
        assert_eq!(OrderRoom::remove_leftovers(&state, &mut end).unwrap(), 1);
        assert!(!place.exists());
        assert_eq!(ended, [run.clone(), run]);
    }
}
