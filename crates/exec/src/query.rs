//! Queries to a database, by the driver program.

use referee_model::plan::Query;
use referee_model::record::{InteractionFacts, Notice};

use crate::attempt::{ExecError, Turn, Watcher};
use crate::interaction::{Means, unavailable};

/// Makes a query once.
pub(crate) fn perform(
    _turn: &Turn<'_>,
    _query: &Query,
    _means: &Means<'_>,
    _watcher: &mut Watcher<'_>,
) -> Result<(InteractionFacts, Vec<Notice>), ExecError> {
    Ok((unavailable(Vec::new(), "not written yet".to_owned()), Vec::new()))
}
