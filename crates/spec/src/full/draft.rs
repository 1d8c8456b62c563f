//! A task while it is read.

use std::collections::HashSet;

use referee_model::id::ActionId;

use crate::task::Check;
use crate::variables::Variables;

/// A task that is being read.
pub(super) struct Draft<'v> {
    /// What is known at this point; every action may add to it.
    pub(super) variables: Variables<'v>,
    /// The actions so far, in the order in which they run.
    pub(super) checks: Vec<Check>,
    pub(super) ids: HashSet<ActionId>,
    /// The dev server, and whether it is started.
    pub(super) server: Server,
}

/// The dev server of a document, seen from one task.
#[derive(Default)]
pub(super) struct Server {
    /// Whether an action of the task starts it.
    pub(super) started: bool,
}
