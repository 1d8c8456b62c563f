//! Control groups: the kernel counts, limits and ends a whole tree of processes, however it forks.
//!
//! Each command gets a group of its own below the one of this process, in every hierarchy that permits it: that of
//! version 2 (where memory is delegated, and for ending the processes that are left), and those of version 1 for
//! memory and processes. Whatever no hierarchy covers is sampled (`meter`). The kernel counts threads where a
//! specification counts processes, so its limit is only a generous backstop, and processes are counted by listing
//! the members of the group.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use referee_model::id::ExecutionId;
use referee_model::plan::guard::Limits;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};

/// Threads that the kernel allows for each process of the limit, and the minimum.
const THREADS_EACH: u64 = 16;
const THREADS_MIN: u64 = 4096;

/// Maximum number of bytes that are read of one of the kernel's files.
const FILE_BYTES: u64 = 1024 * 1024;

/// Maximum number of attempts to remove a group that is not empty yet, and the time between them.
const REMOVALS: u32 = 50;
const REMOVAL_PAUSE: Duration = Duration::from_millis(2);

/// A hierarchy in which groups can be created.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hierarchy {
    kind: Kind,
    /// Directory of the group that this process is in.
    own: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Version 2, with the delegated controllers.
    Unified,
    /// Version 1, for the number of processes.
    Processes,
    /// Version 1, for memory.
    Memory,
}

/// The control groups of one run.
#[derive(Debug)]
pub struct ControlGroups {
    execution: String,
    hierarchies: Vec<Hierarchy>,
    limits: Limits,
    made: AtomicU32,
    bounds_processes: bool,
    bounds_memory: bool,
}

impl ControlGroups {
    /// Finds where groups can be created for the commands of a run, by creating one. None: nowhere.
    pub fn find(execution: &ExecutionId, limits: &Limits) -> Option<Self> {
        let mounts = read(Path::new("/proc/self/mountinfo"))?;
        let own = read(Path::new("/proc/self/cgroup"))?;
        let mut groups = Self {
            execution: execution.as_str().to_owned(),
            hierarchies: hierarchies(&mounts, &own),
            limits: *limits,
            made: AtomicU32::new(0),
            bounds_processes: false,
            bounds_memory: false,
        };
        groups.hierarchies.retain(|hierarchy| match hierarchy.kind {
            Kind::Unified => true,
            Kind::Processes => limits.processes.is_some(),
            Kind::Memory => limits.memory_bytes.is_some(),
        });
        groups.hierarchies.iter().filter(|hierarchy| hierarchy.kind == Kind::Unified).for_each(|unified| {
            delegate(&unified.own, limits);
        });
        groups.hierarchies.retain(|hierarchy| groups_can_be_made(hierarchy, execution));
        let trial = groups.group().ok()?;
        (groups.bounds_processes, groups.bounds_memory) = (trial.processes.is_some(), trial.memory.is_some());
        (!trial.directories.is_empty()).then_some(groups)
    }

    /// Whether the number of processes is counted in a group and limited by the kernel.
    pub fn bounds_processes(&self) -> bool {
        self.bounds_processes
    }

    /// Whether the kernel limits memory.
    pub fn bounds_memory(&self) -> bool {
        self.bounds_memory
    }

    /// Creates a group for one command.
    pub(crate) fn group(&self) -> io::Result<Group> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}{number}", prefix(&self.execution));
        let mut group = Group::default();
        for hierarchy in &self.hierarchies {
            let directory = hierarchy.own.join(&name);
            rustix::fs::mkdir(&directory, Mode::RWXU)?;
            group.directories.push(directory.clone());
            group.entrances.push(directory.join("cgroup.procs"));
            if hierarchy.kind == Kind::Unified && directory.join("cgroup.kill").exists() {
                group.kill = Some(directory.join("cgroup.kill"));
            }
            if let Some(limit) = self.limits.processes
                && directory.join("pids.max").exists()
            {
                let backstop = limit.saturating_mul(THREADS_EACH).max(THREADS_MIN);
                write(&directory.join("pids.max"), &backstop.to_string())?;
                group.processes = Some(directory.clone());
            }
            if let Some(limit) = self.limits.memory_bytes {
                bound_memory(&mut group, hierarchy.kind, &directory, limit)?;
            }
        }
        Ok(group)
    }
}

fn bound_memory(group: &mut Group, kind: Kind, directory: &Path, limit: u64) -> io::Result<()> {
    let (bound, with_swap, value) = match kind {
        Kind::Unified => ("memory.max", "memory.swap.max", "0".to_owned()),
        Kind::Memory => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", limit.to_string()),
        Kind::Processes => return Ok(()),
    };
    if group.memory.is_none() && directory.join(bound).exists() {
        write(&directory.join(bound), &limit.to_string())?;
        // Where swap is not counted, or there is none, the limit applies to memory only.
        let _ = write(&directory.join(with_swap), &value);
        group.memory = Some((kind, directory.to_owned()));
    }
    Ok(())
}

/// Returns the prefix of the names of a run's groups.
fn prefix(execution: &str) -> String {
    format!("referee-{execution}-")
}

fn groups_can_be_made(hierarchy: &Hierarchy, execution: &ExecutionId) -> bool {
    let directory = hierarchy.own.join(format!("{}trial", prefix(execution.as_str())));
    rustix::fs::mkdir(&directory, Mode::RWXU).is_ok() && remove(&directory)
}

/// Enables the limits for the groups below this process's own, where that is delegated. A group that limits memory
/// below it may not contain a process itself: where this process is alone in it, it moves into a group below.
fn delegate(own: &Path, limits: &Limits) {
    let wanted = [(limits.processes.is_some(), "+pids"), (limits.memory_bytes.is_some(), "+memory")];
    for (_, controller) in wanted.into_iter().filter(|(wanted, _)| *wanted) {
        let control = own.join("cgroup.subtree_control");
        if write(&control, controller).is_ok() {
            continue;
        }
        let alone = members(own) == [std::process::id()];
        let below = own.join("referee");
        if alone && (below.is_dir() || rustix::fs::mkdir(&below, Mode::RWXU).is_ok()) {
            // A limit that is refused here is enforced by sampling instead.
            let _ = write(&below.join("cgroup.procs"), "0").and_then(|()| write(&control, controller));
        }
    }
}

/// The group of one command. When this is dropped, its remaining processes are killed and the group is removed.
#[derive(Debug, Default)]
pub(crate) struct Group {
    directories: Vec<PathBuf>,
    entrances: Vec<PathBuf>,
    kill: Option<PathBuf>,
    processes: Option<PathBuf>,
    memory: Option<(Kind, PathBuf)>,
}

impl Group {
    /// Returns the files through which a process enters the group.
    pub(crate) fn entrances(&self) -> &[PathBuf] {
        &self.entrances
    }

    /// Returns the number of processes in the group, where it counts them. Exceeds every limit where the kernel
    /// refused to create a process.
    pub(crate) fn processes(&self) -> Option<u64> {
        let directory = self.processes.as_ref()?;
        let refused = read(&directory.join("pids.events")).and_then(|events| counter(&events, "max")).unwrap_or(0);
        if refused > 0 {
            return Some(u64::MAX);
        }
        Some(members(directory).len() as u64)
    }

    pub(crate) fn bounds_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Whether the kernel killed a process of the group because it exceeded its memory limit.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let Some((kind, directory)) = &self.memory else { return false };
        let events = if *kind == Kind::Unified { "memory.events" } else { "memory.oom_control" };
        let killed = read(&directory.join(events)).and_then(|events| counter(&events, "oom_kill")).unwrap_or(0);
        // A machine that runs out of memory also kills processes, without the limit being reached.
        let reached = match kind {
            Kind::Unified => {
                read(&directory.join(events)).and_then(|events| counter(&events, "max")).is_some_and(|max| max > 0)
            }
            // Its count of refusals stays 0 on newer kernels, so the peak usage decides.
            Kind::Processes | Kind::Memory => {
                let mark = |name: &str| read(&directory.join(name)).and_then(|mark| mark.trim().parse::<u64>().ok());
                let (peak, limit) = (mark("memory.max_usage_in_bytes"), mark("memory.limit_in_bytes"));
                peak.zip(limit).is_some_and(|(peak, limit)| peak >= limit - limit / 16)
            }
        };
        killed > 0 && reached
    }

    /// Kills all processes of the group at once, where the kernel supports it, even those that fork faster than
    /// they can be listed.
    pub(crate) fn kill(&self) {
        if let Some(kill) = &self.kill {
            // Remaining processes are found by listing them.
            let _ = write(kill, "1");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        for directory in &self.directories {
            // A group that cannot be removed contains processes that could not be ended, which are reported.
            let _ = remove(directory);
        }
    }
}

/// Kills the processes in groups of a run whose Referee process died, and removes the groups.
pub(crate) fn sweep(execution: &ExecutionId) {
    let (Some(mounts), Some(own)) = (read(Path::new("/proc/self/mountinfo")), read(Path::new("/proc/self/cgroup")))
    else {
        return;
    };
    for hierarchy in hierarchies(&mounts, &own) {
        let Ok(entries) = std::fs::read_dir(&hierarchy.own) else { continue };
        let prefix = prefix(execution.as_str());
        for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)) {
            let mut group = Group::default();
            group.kill = Some(entry.path().join("cgroup.kill")).filter(|kill| kill.exists());
            group.directories.push(entry.path());
        }
    }
}

fn remove(directory: &Path) -> bool {
    (0..REMOVALS).any(|attempt| {
        if attempt > 0 {
            std::thread::sleep(REMOVAL_PAUSE);
        }
        match rustix::fs::unlinkat(CWD, directory, AtFlags::REMOVEDIR) {
            Ok(()) => true,
            Err(error) => error == rustix::io::Errno::NOENT,
        }
    })
}

/// Finds the groups that this process is in, from proc(5)'s `mountinfo` and `cgroup`.
fn hierarchies(mounts: &str, own: &str) -> Vec<Hierarchy> {
    let mut found = Vec::new();
    for kind in [Kind::Unified, Kind::Processes, Kind::Memory] {
        let controller = match kind {
            Kind::Unified => "",
            Kind::Processes => "pids",
            Kind::Memory => "memory",
        };
        let path = own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            controllers.split(',').any(|one| one == controller).then_some(path)
        });
        let directory = path.and_then(|path| mounts.lines().find_map(|line| mounted(line, kind, controller, path)));
        found.extend(directory.map(|own| Hierarchy { kind, own }));
    }
    found
}

/// Returns the directory of a group, if this line of `mountinfo` mounts its hierarchy.
fn mounted(line: &str, kind: Kind, controller: &str, path: &str) -> Option<PathBuf> {
    let (place, system) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    let mut system = system.split(' ');
    let (name, options) = (system.next()?, system.nth(1)?);
    let fits = match kind {
        Kind::Unified => name == "cgroup2",
        Kind::Processes | Kind::Memory => name == "cgroup" && options.split(',').any(|option| option == controller),
    };
    let below = Path::new(path).strip_prefix(root).ok()?;
    fits.then(|| Path::new(point).join(below))
}

/// Returns a value of one of the kernel's tables of names and numbers.
fn counter(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

fn members(directory: &Path) -> Vec<u32> {
    let text = read(&directory.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Writes to one of the kernel's files, which are not on disk.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_groups_are_found_in_both_versions() {
        let mounts = "\
            31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
            39 31 0:36 /docker/x /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids\n\
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n";
        let own = "8:pids:/docker/x/y\n4:cpu,memory:/a b\n1:name=systemd:/\n0::/user.slice/me\n";
        let found = hierarchies(mounts, own);
        let told: Vec<(Kind, &str)> =
            found.iter().map(|hierarchy| (hierarchy.kind, hierarchy.own.to_str().unwrap())).collect();
        assert_eq!(
            told,
            [
                (Kind::Unified, "/sys/fs/cgroup/unified/user.slice/me"),
                (Kind::Processes, "/sys/fs/cgroup/pids/y"),
                (Kind::Memory, "/sys/fs/cgroup/memory/a b"),
            ]
        );
        // A group outside of what is mounted cannot be seen, and a malformed line yields none.
        assert_eq!(hierarchies(mounts, "8:pids:/elsewhere\n"), []);
        assert_eq!(hierarchies("junk\n - \n1 2 3 - cgroup2", "0::/\n::\n"), []);
    }

    #[test]
    fn counters_are_read_by_their_whole_name() {
        let events = "low 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 0\n";
        assert_eq!(
            (counter(events, "oom_kill"), counter(events, "oom"), counter(events, "max")),
            (Some(1), Some(2), Some(7))
        );
        assert_eq!((counter(events, "ma"), counter("", "max"), counter("max junk", "max")), (None, None, None));
    }
}
