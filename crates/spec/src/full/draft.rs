//! A task while it is being read.

use std::collections::HashSet;

use referee_model::id::ActionId;

use crate::task::Check;
use crate::variables::Variables;

/// A task that is being read.
pub(super) struct Draft<'v> {
    /// Variables known at this point; every action may add some.
    pub(super) variables: Variables<'v>,
    /// Actions so far, in execution order.
    pub(super) checks: Vec<Check>,
    pub(super) ids: HashSet<ActionId>,
    /// Dev server of the document.
    pub(super) server: Server,
}

/// The dev server of a document, in relation to one task.
#[derive(Default)]
pub(super) struct Server {
    /// Whether an action of the task starts it.
    pub(super) started: bool,
}
