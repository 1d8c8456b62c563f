//! Whose turn it is to ask the gate about a workspace: hosts fire twice, and the second then finds what the first recorded.

use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use super::name;
use crate::error::LedgerError;
use crate::state::{Area, State};

/// Time between two looks whether it is over.
const LOOK: Duration = Duration::from_millis(20);

/// The turn of one process, until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Turn {
    _file: File,
    /// Whether somebody else had it before.
    pub waited: bool,
}

/// Takes the turn to ask about a workspace. `goes_on` is asked several times a second while somebody else has it. None: it
/// said no.
///
/// # Errors
/// Fails where the system refuses.
pub fn take_turn(
    state: &State,
    workspace: &Path,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Turn>, LedgerError> {
    let path = state.area(Area::Receipts)?.join(format!("{}.turn", name(&[workspace.as_os_str().as_bytes()])));
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(i32::from_ne_bytes(flags.bits().to_ne_bytes()))
        .open(&path)
        .map_err(LedgerError::io("open the lock", &path))?;
    let mut waited = false;
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(Turn { _file: file, waited })),
            Err(Errno::WOULDBLOCK) if !goes_on() => return Ok(None),
            Err(Errno::WOULDBLOCK) => {
                waited = true;
                thread::sleep(LOOK);
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(LedgerError::io("lock", &path)(error)),
        }
    }
}
