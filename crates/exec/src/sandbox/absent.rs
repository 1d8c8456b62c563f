//! No confinement: there is none here that commands could not lift, and that can be set up without `unsafe`.

use std::path::PathBuf;

use super::Kernel;

/// Returns what the kernel supports.
pub fn probe() -> Kernel {
    Kernel::Missing { reason: "Referee can confine commands on Linux only".to_owned() }
}

/// Reason why a process could not be confined.
#[derive(Debug, thiserror::Error)]
#[error("Referee can confine commands on Linux only")]
pub(crate) struct ConfineError;

/// Refuses: no command runs that should be confined.
pub(crate) fn confine(_abi: u32, _writable: &[PathBuf]) -> Result<(), ConfineError> {
    Err(ConfineError)
}
