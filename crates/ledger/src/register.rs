//! Registers: documents that outlast single runs, kept beside the evidence. One for technical debt and one for
//! diagnostics.
//!
//! A register is derived from sealed runs and from decisions of people. It never affects a verdict, so losing
//! or forging one loses history, not correctness.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::directory::Directory;
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::paths;

/// The registers of an evidence root, locked exclusively by this process until dropped.
#[derive(Debug)]
pub struct Registers {
    directory: Directory,
    _lock: FileLock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    TechnicalDebt,
    Diagnostics,
}

impl Register {
    pub fn file_name(self) -> &'static str {
        match self {
            Self::TechnicalDebt => "technical-debt.json",
            Self::Diagnostics => "diagnostics.json",
        }
    }
}

impl Registers {
    pub(crate) fn open(root: &Directory) -> Result<Self, LedgerError> {
        let lock = lock::of_file(&root.make_unsynced(paths::LOCKS)?, paths::REGISTERS_LOCK)?;
        Ok(Self { directory: root.make_unsynced(paths::REGISTERS)?, _lock: lock })
    }

    /// Reads a register. None: nothing was registered yet.
    pub fn read(&self, register: Register) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(register.file_name())
    }

    /// Reads a register without taking the lock and without writing anything. None: nothing was registered yet.
    pub fn look(root: &Path, register: Register) -> Result<Option<Vec<u8>>, LedgerError> {
        if root.symlink_metadata().is_err() { Ok(None) } else { look(root, register) }
    }

    /// Writes a register atomically. Technical debt, which holds decisions of people, is on disk when this
    /// returns; diagnostics, which follow from runs alone, may be the previous version after a power loss.
    pub fn write(&self, register: Register, bytes: &[u8]) -> Result<(), LedgerError> {
        self.directory.swap_in(register.file_name(), None, |file| file.write_all(bytes))?;
        match register {
            Register::TechnicalDebt => self.directory.sync(),
            Register::Diagnostics => Ok(()),
        }
    }

    /// Renames a register that cannot be read, so that its content is kept. Returns its new path.
    pub fn set_aside(&self, register: Register) -> Result<PathBuf, LedgerError> {
        let name = register.file_name();
        for number in 1_u32.. {
            let aside = format!("{name}.unreadable-{number}");
            if self.directory.kind(&aside)?.is_none() && self.directory.move_to(name, &self.directory, &aside)? {
                return Ok(self.directory.path().join(aside));
            }
        }
        Err(LedgerError::Name { name: name.to_owned() })
    }

    pub fn path(&self, register: Register) -> PathBuf {
        self.directory.path().join(register.file_name())
    }
}

/// Reads a register below an evidence root without writing anything there. A register is replaced atomically,
/// so the old or the new version is read. None: nothing was registered yet.
pub fn look(root: &Path, register: Register) -> Result<Option<Vec<u8>>, LedgerError> {
    Directory::open(root)?.child(paths::REGISTERS)?.map_or(Ok(None), |directory| directory.read(register.file_name()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Store;

    #[test]
    fn a_register_is_read_as_it_was_written() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Registers::look(&root.path().join("missing"), Register::TechnicalDebt).unwrap(), None);
        assert_eq!(Registers::look(root.path(), Register::TechnicalDebt).unwrap(), None);
        let store = Store::open(root.path()).unwrap();
        let registers = store.registers().unwrap();
        assert_eq!(registers.read(Register::TechnicalDebt).unwrap(), None);
        registers.write(Register::TechnicalDebt, b"{}").unwrap();
        registers.write(Register::TechnicalDebt, b"[]").unwrap();
        assert_eq!(registers.read(Register::TechnicalDebt).unwrap().as_deref(), Some(&b"[]"[..]));
        let looked = Registers::look(root.path(), Register::TechnicalDebt).unwrap();
        assert_eq!(looked.as_deref(), Some(&b"[]"[..]), "also while somebody holds the registers");
        assert_eq!(registers.read(Register::Diagnostics).unwrap(), None);
    }

    #[test]
    fn looking_at_a_register_makes_nothing() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(look(root.path(), Register::Diagnostics).unwrap(), None);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        Store::open(root.path()).unwrap().registers().unwrap().write(Register::Diagnostics, b"{}").unwrap();
        assert_eq!(look(root.path(), Register::Diagnostics).unwrap().as_deref(), Some(&b"{}"[..]));
        assert!(look(&root.path().join("nowhere"), Register::Diagnostics).is_err());
    }

    #[test]
    fn registers_are_held_by_one_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let registers = store.registers().unwrap();
                        let before = registers.read(Register::Diagnostics).unwrap().unwrap_or_default();
                        registers.write(Register::Diagnostics, &[&before[..], b"x"].concat()).unwrap();
                    }
                });
            }
        });
        let registers = store.registers().unwrap();
        assert_eq!(registers.read(Register::Diagnostics).unwrap().unwrap().len(), 40);
    }

    #[test]
    fn what_cannot_be_read_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let registers = Store::open(root.path()).unwrap().registers().unwrap();
        for number in 1..=2 {
            registers.write(Register::Diagnostics, format!("junk {number}").as_bytes()).unwrap();
            let aside = registers.set_aside(Register::Diagnostics).unwrap();
            assert_eq!(fs::read_to_string(aside).unwrap(), format!("junk {number}"));
        }
        assert_eq!(registers.read(Register::Diagnostics).unwrap(), None);
    }
}
