//! Confinement by Landlock: a command may write below a few directories, and nowhere else.
//!
//! Reading is not restricted, because Landlock could only list what may be read, not make exceptions. Writing is
//! restricted in the shim (`shim`), before it becomes the command; no process that the command starts can lift the
//! restriction. Rules are additive over directories, so the whole workspace is writable, including an evidence
//! directory in it: changes there are detected by the seal.
//!
//! | ABI version | restrictions beside writing |
//! |---|---|
//! | 3 | truncating files; below this version nothing is confined, as files elsewhere could be truncated |
//! | 6 | signals to processes outside, and their abstract sockets |
//!
//! Only Linux has Landlock. Elsewhere there is no sandbox (`absent`): a run that requires one is refused, and one that asks
//! for one says that it has none.

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod absent;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod landlock;
pub(crate) mod places;

use std::path::PathBuf;

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use self::absent::confine;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub use self::absent::probe;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use self::landlock::confine;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub use self::landlock::probe;
pub use self::places::writable;

/// Maximum number of writable directories; those beyond it in a longer list are not writable.
pub const WRITABLE_MAX: usize = 256;

/// Ability of the kernel to confine commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kernel {
    /// Landlock, with everything that this ABI version can restrict.
    Landlock {
        /// ABI version, 3 to 6.
        abi: u32,
    },
    Missing {
        reason: String,
    },
}

/// Confinement of the commands of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// ABI version of Landlock that is used.
    pub abi: u32,
    /// Files and directories that commands may write to, directories with all of their content; canonical paths.
    pub writable: Vec<PathBuf>,
    /// Directory for temporary files, which is one of the writable ones.
    pub temporary: PathBuf,
    /// Whether nothing may run outside of it.
    pub is_required: bool,
}
