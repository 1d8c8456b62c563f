//! What is measured, line by line.

pub(crate) mod checks;
pub(crate) mod errorformat;
pub(crate) mod gate;
pub(crate) mod incidents;
pub(crate) mod logs;
pub(crate) mod program;
pub(crate) mod readers;
pub(crate) mod server;
pub(crate) mod stages;

use crate::measurement::Fallible;
use crate::workbench::{Measured, Workbench};

/// Measures a line.
pub(crate) type Measure = fn(&Workbench) -> Fallible<Measured>;

/// Every line by the name that `--only` selects it with.
pub(crate) const ALL: [(&str, Measure); 9] = [
    (checks::NAME, checks::measure),
    (gate::NAME, gate::measure),
    (logs::NAME, logs::measure),
    (readers::NAME, readers::measure),
    (errorformat::NAME, errorformat::measure),
    (incidents::NAME, incidents::measure),
    (server::NAME, server::measure),
    (stages::NAME, stages::measure),
    (program::NAME, program::measure),
];
