//! Self-test: injects faults on the user's own machine. Each is staged with real runs of this program in a
//! temporary directory, and must be handled as the design says.

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

/// Time limit for one run of this program. On an idle machine none takes a second.
pub(crate) const BOUND: Duration = Duration::from_mins(1);

/// Environment of the self-test.
pub struct SelftestRequest<'request> {
    /// Path of this program.
    pub program: PathBuf,
    /// The caller's environment.
    pub host: &'request Host,
    /// The state directory, in which the temporary directory is created.
    pub state: &'request State,
    /// Id that names the temporary directory.
    pub execution: ExecutionId,
    /// What the kernel supports for the confinement of commands.
    pub kernel: Kernel,
}

/// Result of one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name of the fault.
    pub name: &'static str,
    /// The injected fault.
    pub fault: &'static str,
    /// The required behavior.
    pub must: &'static str,
    /// The observed result.
    pub found: SelftestOutcome,
}

/// Outcome of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelftestOutcome {
    /// The required behavior was observed.
    Holds,
    /// The required behavior was not observed, with what was seen instead.
    Fails(String),
    /// The fault cannot be staged on this machine, with the reason.
    NotPossible(String),
}

/// Injects all faults, one after the other, and returns the results. `told` is called after each.
///
/// # Errors
/// Fails if the temporary directory cannot be created.
pub fn run(request: &SelftestRequest<'_>, told: &mut dyn FnMut(&Row)) -> Result<Vec<Row>, EngineError> {
    let directory = PrivateDirectory::make(request.state, &request.execution)?;
    let mut rows = Vec::with_capacity(faults::ALL.len());
    for (number, fault) in faults::ALL.iter().enumerate() {
        let staged = Stage::set(request, directory.path(), number).and_then(|stage| (fault.stage)(&stage));
        // A fault that could not be fully staged proves nothing, which counts as a failure.
        let found = staged.unwrap_or_else(|error| SelftestOutcome::Fails(error.to_string()));
        let row = Row { name: fault.name, fault: fault.operation, must: fault.must, found };
        told(&row);
        rows.push(row);
    }
    Ok(rows)
}
