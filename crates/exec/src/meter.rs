//! Measures the processes and memory of a running command, and compares them with its limits several times a
//! second.
//!
//! Where a control group counts, the group is read; the kernel itself ends processes that take too much memory.
//! Otherwise every process of the tree is examined, and what is over between two measurements goes unseen. Shared
//! memory is not counted then, because it would count once for each process that shares it.

use std::time::{Duration, Instant};

use referee_model::plan::guard::Limits;
use referee_model::record::Ending;

use crate::control_group::Group;
use crate::group::Tree;

const LOOK: Duration = Duration::from_millis(200);

/// A limit that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Processes { limit: u64 },
    Memory { limit_bytes: u64 },
}

impl Excess {
    /// Returns the ending of a command that is stopped for exceeding this limit.
    pub(crate) fn ending(self) -> Ending {
        match self {
            Self::Processes { limit } => Ending::ProcessLimitExceeded { limit },
            Self::Memory { limit_bytes } => Ending::MemoryLimitExceeded { limit_bytes },
        }
    }
}

#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    group: Option<Group>,
    next: Option<Instant>,
}

impl Meter {
    /// Creates a meter for these limits, which reads a control group where there is one.
    pub(crate) fn new(limits: Limits, group: Option<Group>) -> Self {
        Self { limits, group, next: None }
    }

    /// Measures if it is time to, and returns the limit that is exceeded. None: none is, or it is not time yet.
    pub(crate) fn look(&mut self, tree: &Tree, now: Instant) -> Option<Excess> {
        if (self.limits.processes, self.limits.memory_bytes) == (None, None) || self.next.is_some_and(|due| now < due) {
            return None;
        }
        self.next = Some(now + LOOK);
        self.by_kernel().or_else(|| self.by_looking(tree))
    }

    /// Returns the limit that the kernel noted as exceeded, also by processes that are gone.
    pub(crate) fn by_kernel(&self) -> Option<Excess> {
        let group = self.group.as_ref()?;
        if let Some(limit_bytes) = self.limits.memory_bytes.filter(|_| group.ran_out_of_memory()) {
            return Some(Excess::Memory { limit_bytes });
        }
        let limit = self.limits.processes?;
        (group.processes()? > limit).then_some(Excess::Processes { limit })
    }

    fn by_looking(&self, tree: &Tree) -> Option<Excess> {
        let group = self.group.as_ref();
        let processes = self.limits.processes.filter(|_| group.is_none_or(|group| group.processes().is_none()));
        let memory = self.limits.memory_bytes.filter(|_| group.is_none_or(|group| !group.bounds_memory()));
        if (processes, memory) == (None, None) {
            return None;
        }
        let usage = tree.usage(memory.is_some());
        let too_many = processes.filter(|limit| usage.processes > *limit).map(|limit| Excess::Processes { limit });
        let too_much = || memory.filter(|limit| usage.bytes > *limit).map(|limit_bytes| Excess::Memory { limit_bytes });
        too_many.or_else(too_much)
    }

    /// Returns the control group, for processes that are to outlive the command.
    pub(crate) fn into_group(self) -> Option<Group> {
        self.group
    }

    /// Kills all processes at once, where a control group can.
    pub(crate) fn kill(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
    }
}
