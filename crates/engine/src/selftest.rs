//! Faults that are made on purpose, on the user's own machine: each is staged with real runs of this program in a temporary
//! directory, and must be answered as the design says.

mod faults;
mod stage;

use std::path::PathBuf;
use std::time::Duration;

use referee_exec::Host;
use referee_exec::sandbox::Kernel;
use referee_ledger::State;
use referee_ledger::private_directory::PrivateDirectory;
use referee_model::id::ExecutionId;

use self::stage::Stage;
use crate::error::EngineError;

/// Longest time that one run of this program may take; none takes a second on a machine that is not busy.
pub(crate) const BOUND: Duration = Duration::from_mins(1);

/// What is needed to make the faults.
pub struct SelftestRequest<'request> {
    /// This program's own file.
    pub program: PathBuf,
    /// The world: the caller's environment.
    pub host: &'request Host,
    /// The state directory, in which the temporary directory is made.
    pub state: &'request State,
    /// Names the temporary directory.
    pub execution: ExecutionId,
    /// What the kernel can do to confine commands.
    pub kernel: Kernel,
}

/// What came of one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What is done.
    pub fault: &'static str,
    /// What must hold.
    pub must: &'static str,
    /// What was found.
    pub found: SelftestOutcome,
}

/// Whether what must hold does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelftestOutcome {
    /// It holds.
    Holds,
    /// It does not, and this was seen instead.
    Fails(String),
    /// This machine cannot stage it, and so nothing can be said.
    NotPossible(String),
}

/// Makes all faults, one after the other, and tells what came of each. `told` is called after each.
///
/// # Errors
/// Fails where the temporary directory cannot be made.
pub fn run(request: &SelftestRequest<'_>, told: &mut dyn FnMut(&Row)) -> Result<Vec<Row>, EngineError> {
    let directory = PrivateDirectory::make(request.state, &request.execution)?;
    let mut rows = Vec::with_capacity(faults::ALL.len());
    for (number, fault) in faults::ALL.iter().enumerate() {
        let staged = Stage::set(request, directory.path(), number).and_then(|stage| (fault.stage)(&stage));
        // A fault that could not be staged to its end proves nothing, and nothing proven is a failure.
        let found = staged.unwrap_or_else(|error| SelftestOutcome::Fails(error.to_string()));
        let row = Row { name: fault.name, fault: fault.deed, must: fault.must, found };
        told(&row);
        rows.push(row);
    }
    Ok(rows)
}
