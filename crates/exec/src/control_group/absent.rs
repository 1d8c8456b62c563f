//! No control groups: only Linux has them. What they would count is sampled (`meter`).

use std::io;
use std::path::PathBuf;

use referee_model::id::ExecutionId;
use referee_model::plan::guard::Limits;

/// The control groups of one run; there are none.
#[derive(Debug)]
pub enum ControlGroups {}

/// The group of one command; there is none.
#[derive(Debug)]
pub(crate) enum Group {}

impl ControlGroups {
    /// Finds where groups can be created for the commands of a run: nowhere.
    pub fn find(_execution: &ExecutionId, _limits: &Limits) -> Option<Self> {
        None
    }

    /// Whether the number of processes is counted in a group and limited by the kernel.
    pub fn bounds_processes(&self) -> bool {
        match *self {}
    }

    /// Whether the kernel limits memory.
    pub fn bounds_memory(&self) -> bool {
        match *self {}
    }

    /// Creates a group for one command.
    pub(crate) fn group(&self) -> io::Result<Group> {
        match *self {}
    }
}

impl Group {
    /// Returns the files through which a process enters the group.
    pub(crate) fn entrances(&self) -> &[PathBuf] {
        match *self {}
    }

    /// Returns the number of processes in the group.
    pub(crate) fn processes(&self) -> Option<u64> {
        match *self {}
    }

    pub(crate) fn bounds_memory(&self) -> bool {
        match *self {}
    }

    /// Whether the kernel killed a process of the group because it exceeded its memory limit.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        match *self {}
    }

    /// Kills all processes of the group at once.
    pub(crate) fn kill(&self) {
        match *self {}
    }
}

/// Kills the processes in groups of a run whose Referee process died: there are no groups.
pub(crate) fn sweep(_execution: &ExecutionId) {}
