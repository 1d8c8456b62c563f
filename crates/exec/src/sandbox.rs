//! Confinement by Landlock: a command may write below a few directories, and nowhere else.
//!
//! Reading stays free: what may be read could only be listed, not excepted. What a command writes is restricted in the shim
//! (`shim`), before it becomes the command; nothing that the command starts can take it off again. Rules are additive over
//! directories, so the workspace is granted whole, a directory of evidence in it included: changes there are the seal's
//! business.
//!
//! | version of the interface | restricts beside writing |
//! |---|---|
//! | 3 | emptying files; below it nothing is confined, as files elsewhere could be emptied |
//! | 6 | signals to processes outside, and their abstract sockets |

pub(crate) mod places;

use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

pub use self::places::writable;

/// Most directories that may be writable; the rest of a longer list is not.
pub const WRITABLE_MAX: usize = 256;

/// What every command may write to, beside its directories: devices that hold nothing, terminals, shared memory, and
/// what the system says of the command itself. Those that are missing are passed over.
const DEVICES: [&str; 10] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
    "/proc/self",
];

/// What the kernel can do to confine commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kernel {
    /// Landlock, with all that this version of its interface can restrict.
    Landlock {
        /// The version, 3 to 6.
        abi: u32,
    },
    Missing {
        reason: String,
    },
}

/// How the commands of a run are confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The version of Landlock's interface that is put to use.
    pub abi: u32,
    /// The files and directories that commands may write to and below; canonical.
    pub writable: Vec<PathBuf>,
    /// The directory for temporary files, which is one of them.
    pub temporary: PathBuf,
}

/// Asks the kernel what it can do.
pub fn probe() -> Kernel {
    let works = |abi: &u32| ruleset(*abi).is_ok();
    match [6, 5, 4, 3].into_iter().find(works) {
        Some(abi) => Kernel::Landlock { abi },
        None if ruleset(1).is_ok() => Kernel::Missing {
            reason: "its Landlock is older than version 3: files elsewhere could be emptied".to_owned(),
        },
        None => Kernel::Missing { reason: "its kernel has no Landlock, or it is turned off".to_owned() },
    }
}

/// Why a process could not be confined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfineError {
    #[error("the kernel refused: {0}")]
    Ruleset(#[from] RulesetError),
    #[error("cannot open {path}: {source}", path = path.display())]
    Path { path: PathBuf, source: PathFdError },
    #[error("the kernel did not enforce the restriction")]
    NotInForce,
}

/// Confines this process, and whatever it becomes and starts, for good. To be called before there is a second thread.
pub(crate) fn confine(abi: u32, writable: &[PathBuf]) -> Result<(), ConfineError> {
    let everything = AccessFs::from_write(version(abi)) & handled(abi);
    let mut rules = ruleset(abi)?;
    for path in writable {
        let parent = PathFd::new(path).map_err(|source| ConfineError::Path { path: path.clone(), source })?;
        rules = grant(rules, parent, path, everything)?;
    }
    for device in DEVICES.map(Path::new) {
        if let Ok(parent) = PathFd::new(device) {
            rules = grant(rules, parent, device, everything)?;
        }
    }
    let status = rules.restrict_self()?;
    let in_force = status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs;
    if in_force { Ok(()) } else { Err(ConfineError::NotInForce) }
}

fn grant(
    rules: RulesetCreated,
    parent: PathFd,
    path: &Path,
    everything: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    // What is no directory can be written to and emptied; the rest is about entries of directories.
    let access = if path.is_dir() { everything } else { everything & (AccessFs::WriteFile | AccessFs::Truncate) };
    rules.add_rule(PathBeneath::new(parent, access))
}

/// Makes a set of rules that restricts all that is restricted, and grants nothing yet.
fn ruleset(abi: u32) -> Result<RulesetCreated, RulesetError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let rules = rules.handle_access(handled(abi))?;
    let rules = if abi >= 6 { rules.scope(Scope::Signal | Scope::AbstractUnixSocket)? } else { rules };
    rules.create()
}

/// The accesses that are restricted. Requests to devices (`IoctlDev`) stay free: a terminal or a disk that a command may
/// not write to it cannot open for writing either.
fn handled(abi: u32) -> BitFlags<AccessFs> {
    AccessFs::from_write(version(abi)) & !BitFlags::from(AccessFs::IoctlDev)
}

fn version(abi: u32) -> ABI {
    match abi {
        0..=2 => ABI::V1,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        _ => ABI::V6,
    }
}
