//! Power loss at any point of an operation: everything that was not synced is lost.
//!
//! The model is that of journaling file systems: changes of names reach the disk in order, all of them up to a
//! sync of a directory, and any number of those after it; the content of a file is there as it was synced,
//! whatever its name. A file that was never synced is tried as empty, and as it was. A sync of a file is not
//! assumed to bring any name to disk.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{Subject, each_deed, has_happened, prepared};
use crate::fault::injected::{self, Step};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    Directory { mode: u32 },
    File { number: u64, mode: u32, bytes: Vec<u8> },
}

/// Everything below a directory, parents before their children.
type Disk = BTreeMap<PathBuf, Entry>;

fn read(directory: &Path, disk: &mut Disk) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let facts = fs::symlink_metadata(&path).unwrap();
        let mode = facts.mode();
        if facts.is_dir() {
            read(&path, disk);
            disk.insert(path, Entry::Directory { mode });
        } else {
            assert!(facts.is_file(), "{}", path.display());
            let bytes = fs::read(&path).unwrap();
            disk.insert(path, Entry::File { number: facts.ino(), mode, bytes });
        }
    }
}

fn seen(root: &Path) -> Disk {
    let mut disk = Disk::new();
    read(root, &mut disk);
    disk
}

fn restore(root: &Path, disk: &Disk) {
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
    for (path, entry) in disk {
        let mode = match entry {
            Entry::Directory { mode } => {
                fs::create_dir(path).unwrap();
                mode
            }
            Entry::File { mode, bytes, .. } => {
                fs::write(path, bytes).unwrap();
                mode
            }
        };
        fs::set_permissions(path, Permissions::from_mode(*mode)).unwrap();
    }
}

/// Returns the contents by the numbers of their files.
fn contents(disk: &Disk) -> BTreeMap<u64, Vec<u8>> {
    let content = |entry: &Entry| match entry {
        Entry::File { number, bytes, .. } => Some((*number, bytes.clone())),
        Entry::Directory { .. } => None,
    };
    disk.values().filter_map(content).collect()
}

/// Returns the same names with these contents; a file without content is empty.
fn with(names: &Disk, contents: &BTreeMap<u64, Vec<u8>>) -> Disk {
    let mut disk = names.clone();
    for entry in disk.values_mut() {
        if let Entry::File { number, bytes, .. } = entry {
            *bytes = contents.get(number).cloned().unwrap_or_default();
        }
    }
    disk
}

/// The state of an operation that is certainly on disk, and the states that may be.
struct DurableState {
    synced: BTreeMap<u64, Vec<u8>>,
    /// The names as they were on disk last, and after each change since.
    names: Vec<Disk>,
}

impl DurableState {
    fn whole(disk: &Disk) -> Self {
        Self { synced: contents(disk), names: vec![disk.clone()] }
    }

    /// Applies a step, after which the directory has this state.
    fn follow(&mut self, step: Step, now: &Disk) {
        match step {
            Step::Change => self.names.push(now.clone()),
            #[cfg(all(target_os = "linux", not(feature = "portable")))]
            Step::AllLanded => *self = Self::whole(now),
            Step::Landed(number) => match contents(now).remove(&number) {
                Some(bytes) => drop(self.synced.insert(number, bytes)),
                None => self.names = vec![now.clone()],
            },
        }
    }

    /// Returns all states that may be found if the power fails now.
    fn left(&self, now: &Disk) -> BTreeSet<Disk> {
        let mut written = self.synced.clone();
        written.extend(contents(now));
        self.names.iter().flat_map(|names| [with(names, &self.synced), with(names, &written)]).collect()
    }
}

/// Runs an operation, and returns each of its steps with the state of the directory at that time.
fn watched(subject: &Subject, operation: &str, root: &Path) -> Vec<(Step, Disk)> {
    let steps = Rc::new(RefCell::new(Vec::new()));
    let (kept, place) = (Rc::clone(&steps), root.to_path_buf());
    injected::watch(Some(Box::new(move |step| kept.borrow_mut().push((step, seen(&place))))));
    let done = (subject.act)(root, operation);
    injected::watch(None);
    done.unwrap();
    steps.take()
}

#[test]
fn a_deed_that_loses_power_anywhere_has_happened_or_has_not_and_stays_once_it_is_told() {
    each_deed(|subject, operation, expected| {
        for whole in [true, false] {
            injected::let_sync_whole(whole);
            let directory = prepared(subject, operation);
            let root = directory.path();
            let mut held = DurableState::whole(&seen(root));
            let (mut tried, mut undone) = (BTreeSet::new(), 0);
            let steps = watched(subject, operation, root);
            let end = seen(root);
            for (place, (step, now)) in steps.iter().enumerate() {
                held.follow(*step, now);
                for left in held.left(now) {
                    if tried.insert(left.clone()) {
                        restore(root, &left);
                        let happened =
                            has_happened(subject, operation, root, expected, &format!("no power at {place}"));
                        (subject.check)(root, operation, happened);
                        undone += u32::from(!happened);
                    }
                }
            }
            held.follow(Step::Change, &end);
            for left in held.left(&end) {
                restore(root, &left);
                assert!(
                    has_happened(subject, operation, root, expected, "done"),
                    "{} {operation}: told, and lost",
                    subject.name
                );
                (subject.check)(root, operation, true);
            }
            assert!(undone > 0, "{} {operation}: {undone} of {}", subject.name, tried.len());
        }
    });
}
