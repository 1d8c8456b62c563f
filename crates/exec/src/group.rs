//! A command's tree of processes: who belongs to it, and how all of it is ended.
//!
//! A child may leave its group and its session, and let its parent die. It cannot leave this process: being the subreaper,
//! this process becomes the parent of every orphan below it. So the tree is the command's descendants and those of our
//! own children that no other command here accounts for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::record::LeakedProcess;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use rustix::time::ClockId;

use crate::environment;
use crate::signal;
use crate::spawn::{self, Leader, Marker};

/// Longest command line of a leaked process that is kept, in characters.
const COMMAND_CHARACTERS: usize = 200;

/// Most bytes of one file below /proc that are read; an environment may be as large as its owner likes.
const PROC_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Time in which orphans must be gone before they are left alone.
const SWEEP: Duration = Duration::from_secs(5);

/// Makes this process the parent of all orphans below it, and keeps the ends of children from being thrown away. From here
/// on children must be started by [`spawn`] alone: others would be taken for orphans.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_some() {
        return Ok(());
    }
    // Without a view of processes what a command leaves behind would go unnoticed.
    File::open("/proc/self/stat")?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // Whoever started this process may have it ignore SIGCHLD; then the system would forget how children ended.
    if signal::is_ignored(signal_hook::consts::SIGCHLD) {
        signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::new(AtomicBool::new(false)))?;
    }
    DONE.get_or_init(|| ());
    Ok(())
}

/// The tree of one command.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: i32,
    marker: Marker,
    /// When the command was about to start, in the system's ticks since it booted. Who is older is not of this tree.
    since: u64,
}

/// A process as the system shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    zombie: bool,
    /// In ticks since the system booted; with the id it names a process for good.
    started: u64,
}

/// Returns the ticks since the system booted, rounded down.
pub(crate) fn ticks() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Boottime);
    let frequency = rustix::param::clock_ticks_per_second();
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * frequency + u64::try_from(now.tv_nsec).unwrap_or(0) * frequency / 1_000_000_000
}

impl Tree {
    /// The tree of a command that was started after `since`.
    pub(crate) fn new(leader: &Leader, marker: Marker, since: u64) -> Self {
        Self { leader: leader.pid(), marker, since }
    }

    /// Returns the living processes of the tree but the leader, and reaps the dead among those that we adopted.
    ///
    /// The fast path is one system call: without any child left, nothing can be left of the tree.
    pub(crate) fn members(&self) -> Vec<Process> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if spawn::retry(|| rustix::process::waitid(WaitId::All, options)).err() == Some(Errno::CHILD) {
            return Vec::new();
        }
        let all = processes();
        let engine = rustix::process::getpid().as_raw_nonzero().get();
        let mut roots = Vec::new();
        for process in &all {
            if process.pid == self.leader && spawn::is_leader(process.pid) {
                roots.push(process.pid);
            } else if process.parent == engine && self.adopted(process) {
                if process.zombie {
                    reap(process.pid);
                } else {
                    roots.push(process.pid);
                }
            }
        }
        let tree = descendants(&all, roots);
        all.into_iter()
            .filter(|process| process.pid != self.leader && !process.zombie && tree.contains(&process.pid))
            .collect()
    }

    /// Whether a child of ours that nobody here started comes from this tree.
    fn adopted(&self, process: &Process) -> bool {
        if spawn::is_leader(process.pid) || process.started < self.since {
            return false;
        }
        // Who took its marker off, or carries that of a run inside this one, is ours unless another command claims it.
        marker(process.pid).is_none_or(|marker| marker == self.marker || !spawn::is_running(&marker))
    }

    /// Sends a signal to the whole tree: to the group at once, to everyone outside it one by one.
    pub(crate) fn signal(&self, leader: &Leader, signal: Signal) {
        leader.signal_group(signal);
        for process in self.members() {
            if process.group != self.leader || leader.is_reaped() {
                process.signal(signal);
            }
        }
    }
}

impl Process {
    /// Sends it a signal, if it is still the process that was seen.
    fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        // Each step fails where the process is gone, which is what was wanted.
        if let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty())
            && process(self.pid).is_some_and(|now| now.started == self.started)
        {
            let _ = rustix::process::pidfd_send_signal(pidfd, signal);
        }
    }

    /// Describes it as left behind by its command, whose output pipes are these.
    pub(crate) fn leaked(&self, pipes: &[u64]) -> LeakedProcess {
        LeakedProcess {
            pid: self.pid.unsigned_abs(),
            command: command_line(self.pid),
            held_output: pipes.iter().any(|inode| holds_pipe(self.pid, *inode)),
        }
    }
}

/// Ends what a dead engine left running of a run: all processes that carry its marker, and their descendants. Returns them
/// as they were found.
pub fn sweep_orphans(execution: &ExecutionId) -> Vec<LeakedProcess> {
    let begun = Instant::now();
    let grace = Duration::from_millis(limit::LEAK_GRACE_MS);
    let mut found: BTreeMap<(i32, u64), LeakedProcess> = BTreeMap::new();
    loop {
        let left = marked(execution);
        for process in &left {
            found.entry((process.pid, process.started)).or_insert_with(|| {
                process.signal(Signal::TERM);
                process.leaked(&[])
            });
        }
        if left.is_empty() || begun.elapsed() > SWEEP {
            return found.into_values().collect();
        }
        if begun.elapsed() > grace {
            for process in &left {
                process.signal(Signal::KILL);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn marked(execution: &ExecutionId) -> Vec<Process> {
    let all = processes();
    let roots = all.iter().filter(|process| !process.zombie && !spawn::is_leader(process.pid));
    let roots =
        roots.filter(|process| marker(process.pid).is_some_and(|marker| marker.execution == execution.as_str()));
    let tree = descendants(&all, roots.map(|process| process.pid).collect());
    let ourselves = ancestors(&all, rustix::process::getpid().as_raw_nonzero().get());
    all.into_iter()
        .filter(|process| !process.zombie && tree.contains(&process.pid) && !ourselves.contains(&process.pid))
        .collect()
}

fn descendants(all: &[Process], roots: Vec<i32>) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(process.pid);
    }
    let mut tree = BTreeSet::new();
    let mut next = roots;
    while let Some(pid) = next.pop() {
        if tree.insert(pid) {
            next.extend(children.get(&pid).into_iter().flatten());
        }
    }
    tree
}

/// The process and all above it.
fn ancestors(all: &[Process], pid: i32) -> BTreeSet<i32> {
    let parents: BTreeMap<i32, i32> = all.iter().map(|process| (process.pid, process.parent)).collect();
    let mut line = BTreeSet::new();
    let mut next = Some(pid);
    while let Some(pid) = next.filter(|pid| line.insert(*pid)) {
        next = parents.get(&pid).copied();
    }
    line
}

/// All processes that can be seen.
fn processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(process).collect()
}

fn process(pid: i32) -> Option<Process> {
    parse_stat(pid, &read(&format!("/proc/{pid}/stat"))?)
}

/// Reads proc(5)'s `stat`. The name in parentheses may hold anything, so fields are counted from its last parenthesis.
fn parse_stat(pid: i32, stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// The marker in a process's environment; none where it was taken off or cannot be read.
fn marker(pid: i32) -> Option<Marker> {
    parse_marker(&read(&format!("/proc/{pid}/environ"))?)
}

fn parse_marker(environment: &[u8]) -> Option<Marker> {
    let value = |name: &str| {
        let mut variables = environment.split(|byte| *byte == 0);
        let value = variables.find_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    Some(Marker { execution: value(environment::EXECUTION)?, action: value(environment::ACTION)? })
}

fn command_line(pid: i32) -> String {
    let line = read(&format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    line.trim_end().chars().take(COMMAND_CHARACTERS).collect()
}

fn holds_pipe(pid: i32, inode: u64) -> bool {
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let name = format!("pipe:[{inode}]");
    entries
        .flatten()
        .any(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target.as_os_str() == name.as_str()))
}

fn read(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(PROC_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn reap(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        // Where it is reaped already there is nothing to do.
        let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stat_is_read_whatever_the_name_holds() {
        let rest = "7 8 8 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 5 6";
        for (name, state, zombie) in [("(tool)", "S", false), ("(a) Z (b)", "R", false), ("(x y)", "Z", true)] {
            let stat = format!("42 {name} {state} {rest}");
            let expected = Process { pid: 42, parent: 7, group: 8, zombie, started: 4242 };
            assert_eq!(parse_stat(42, stat.as_bytes()), Some(expected), "{stat}");
        }
        for bad in ["", "42 (tool", "42 (tool) S 7"] {
            assert_eq!(parse_stat(42, bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_marker_needs_both_variables() {
        let marker = parse_marker(b"A=1\0REFEREE_ACTION=STEP.1\0REFEREE_EXECUTION=exec-1\0");
        assert_eq!(marker, Some(Marker { execution: "exec-1".into(), action: "STEP.1".into() }));
        assert_eq!(parse_marker(b"REFEREE_EXECUTION=exec-1\0"), None);
        assert_eq!(parse_marker(b"XREFEREE_EXECUTION=exec-1\0REFEREE_ACTION=STEP.1\0"), None);
    }

    #[test]
    fn this_process_sees_itself_and_its_time_fits_the_clock() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let seen = processes().into_iter().find(|process| process.pid == own).unwrap();
        assert!(seen.started <= ticks());
        assert!(ancestors(&processes(), own).contains(&seen.parent));
    }

    proptest! {
        #[test]
        fn descendants_end_even_where_parents_form_a_ring(parents in prop::collection::vec(0..12_i32, 1..12)) {
            let all: Vec<Process> = (0..).zip(&parents).map(|(pid, parent)| {
                Process { pid, parent: *parent, group: 0, zombie: false, started: 0 }
            }).collect();
            let tree = descendants(&all, vec![0]);
            prop_assert!(tree.contains(&0));
            for process in &all {
                prop_assert!(!tree.contains(&process.parent) || tree.contains(&process.pid));
            }
            prop_assert!(ancestors(&all, 0).contains(&parents[0]));
        }
    }
}
