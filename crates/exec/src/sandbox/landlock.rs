//! Confinement by Landlock (landlock(7)).

use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::Kernel;

/// Files that every command may write to, beside its directories: devices that store nothing, terminals, shared
/// memory, and the system's files about the command itself. Missing ones are skipped.
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

/// Returns what the kernel supports.
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

/// Reason why a process could not be confined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfineError {
    #[error("the kernel refused: {0}")]
    Ruleset(#[from] RulesetError),
    #[error("cannot open {path}: {source}", path = path.display())]
    Path { path: PathBuf, source: PathFdError },
    #[error("the kernel did not enforce the restriction")]
    NotInForce,
}

/// Confines this process, and all that it becomes and starts, for good. Call before there is a second thread.
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
    // A file can be written to and truncated; the other rights are about entries of directories.
    let access = if path.is_dir() { everything } else { everything & (AccessFs::WriteFile | AccessFs::Truncate) };
    rules.add_rule(PathBeneath::new(parent, access))
}

/// Creates a rule set that restricts every handled access, and grants nothing yet.
fn ruleset(abi: u32) -> Result<RulesetCreated, RulesetError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let rules = rules.handle_access(handled(abi))?;
    let rules = if abi >= 6 { rules.scope(Scope::Signal | Scope::AbstractUnixSocket)? } else { rules };
    rules.create()
}

/// Returns the restricted accesses. Device requests (`IoctlDev`) are not restricted: a command cannot open a
/// terminal or a disk for writing either, unless it may write to it.
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
