//! A command's tree of processes: which processes belong to it, and how they are ended.
//!
//! A child process may leave its group and its session, and let its parent die. It cannot leave this process,
//! which, as the subreaper, becomes the parent of every orphan below it. So the tree consists of the command's
//! descendants and of those orphans that are recognized as its own.
//!
//! | orphan | belongs to |
//! |---|---|
//! | that names a container, or was left by a command that started one to stay | that container (`held`) |
//! | for which only one running command was started early enough | that command |
//! | in a running command's process group or session | that command |
//! | with a running command's marker | that command |
//! | that holds a running command's output open | that command |
//! | without any of these | the last of the possible commands to end; until then it is not ended |

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

mod container_processes;

pub(crate) use self::container_processes::{HeldProcesses, hold};
use crate::control_group;
use crate::environment;
use crate::process_registry::{self, Entry, Identity, Marker, ProcessRegistry};
use crate::signal;
use crate::spawn::{self, Leader};

/// Maximum length of a leaked process's command line, in characters.
const COMMAND_CHARACTERS: usize = 200;

/// Maximum number of bytes that are read of one file below /proc; an environment may be of any size.
const PROC_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Time within which the system sets up the environment of a process that has executed another program.
const LAID_OUT: Duration = Duration::from_millis(20);

/// Time in which orphans must end before they are left alone.
const SWEEP: Duration = Duration::from_secs(5);

/// Makes this process the parent of all orphans below it, and keeps the exit statuses of children from being
/// discarded. From now on only [`spawn`] may start children: others would be taken for orphans.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_some() {
        return Ok(());
    }
    // Without access to /proc, processes that a command leaves behind would go unnoticed.
    File::open("/proc/self/stat")?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // The parent of this process may have set SIGCHLD to be ignored; the system would then discard the exit
    // statuses of children.
    if signal::is_ignored(signal_hook::consts::SIGCHLD) {
        signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::new(AtomicBool::new(false)))?;
    }
    DONE.get_or_init(|| ());
    Ok(())
}

/// Resources that a tree of processes uses now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) processes: u64,
    /// Memory that is not shared with other processes, in bytes.
    pub(crate) bytes: u64,
}

/// Activity of a tree of processes so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) processes: u64,
    /// Processor time of the processes and of their ended children, in ticks.
    pub(crate) ticks: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    leader: i32,
    /// Number of the command in the process registry.
    number: u64,
}

/// A process as the system shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    zombie: bool,
    /// Start time in ticks since boot; together with the id it identifies a process for good.
    started: u64,
    /// Processor time of the process and of the children that it waited for, in ticks.
    ticks: u64,
}

impl Tree {
    /// Creates the tree of a command that has just been started.
    pub(crate) fn of(leader: &Leader) -> Self {
        Self { leader: leader.pid(), number: leader.number() }
    }

    /// Returns the living processes of the tree except the leader, and reaps those adopted ones that have ended.
    pub(crate) fn members(&self) -> Vec<Process> {
        self.look(&mut process_registry::lock())
    }

    /// Returns the resources that the tree uses, the leader included; memory only on request.
    pub(crate) fn usage(&self, with_memory: bool) -> Usage {
        let mut roster = process_registry::lock();
        let members = self.look(&mut roster);
        let leader = if self.is_led(&roster) { process(self.leader).filter(|leader| !leader.zombie) } else { None };
        let mut usage = Usage::default();
        for process in members.iter().chain(&leader) {
            usage.processes += 1;
            if with_memory {
                usage.bytes = usage.bytes.saturating_add(own_memory(process.pid));
            }
        }
        usage
    }

    /// Returns the activity of the tree so far, the leader included.
    pub(crate) fn activity(&self) -> Activity {
        let mut roster = process_registry::lock();
        let members = self.look(&mut roster);
        let leader = if self.is_led(&roster) { process(self.leader) } else { None };
        let all = members.iter().chain(&leader);
        all.fold(Activity::default(), |sum, process| Activity {
            processes: sum.processes + 1,
            ticks: sum.ticks.saturating_add(process.ticks),
        })
    }

    /// Whether a process belongs to the tree.
    pub(crate) fn holds(&self, pid: u32) -> bool {
        let mut roster = process_registry::lock();
        (self.is_led(&roster) && self.leader.unsigned_abs() == pid)
            || self.look(&mut roster).iter().any(|process| process.pid() == pid)
    }

    /// Whether nothing is left of the tree except the leader. If so, the command is removed from the registry: a
    /// process that appears later is not its own, and one that it may have left behind is left to other commands.
    pub(crate) fn is_over(&self) -> bool {
        let mut roster = process_registry::lock();
        let over = self.look(&mut roster).is_empty();
        if over {
            roster.strike(self.number);
        }
        over
    }

    /// Returns the processes that are left and cannot be ended, and removes the command from the registry.
    pub(crate) fn give_up(&self) -> Vec<Process> {
        let mut roster = process_registry::lock();
        let left = self.look(&mut roster);
        roster.given_up.extend(left.iter().map(Process::identity));
        roster.strike(self.number);
        left
    }

    /// Passes the processes that are left to the container that the command started, and removes the command from the
    /// registry.
    pub(crate) fn leave_to_container(&self) {
        let mut roster = process_registry::lock();
        let left: Vec<Identity> = self.look(&mut roster).iter().map(Process::identity).collect();
        if let Some(container) = roster.containers.iter_mut().find(|container| container.number == self.number) {
            container.processes.extend(left);
        }
        roster.strike(self.number);
    }

    /// Returns the orphans of the tree that other commands could have left behind as well, each with the actions in
    /// question.
    pub(crate) fn doubtful(&self) -> Vec<(Process, Vec<String>)> {
        let mut roster = process_registry::lock();
        let members = self.look(&mut roster);
        let doubts = |process: &Process| Some(roster.doubtful.get(&process.identity())?.iter().cloned().collect());
        members.into_iter().filter_map(|process| doubts(&process).map(|actions| (process, actions))).collect()
    }

    /// Whether the leader is not reaped yet.
    fn is_led(&self, roster: &ProcessRegistry) -> bool {
        roster.led_by(self.leader).is_some_and(|entry| entry.number == self.number)
    }

    /// Returns the living processes of the tree. Fast paths: nothing can be left where this process has no child,
    /// or, once the leader is reaped, only children that it started itself.
    fn look(&self, roster: &mut ProcessRegistry) -> Vec<Process> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if spawn::retry(|| rustix::process::waitid(WaitId::All, options)).err() == Some(Errno::CHILD) {
            return Vec::new();
        }
        let leads = self.is_led(roster);
        if !leads && own_children().is_some_and(|own| own.iter().all(|pid| roster.is_started_here(*pid))) {
            return Vec::new();
        }
        let all = processes();
        let engine = rustix::process::getpid().as_raw_nonzero().get();
        let mut roots: Vec<i32> = leads.then_some(self.leader).into_iter().collect();
        for orphan in all.iter().filter(|process| process.parent == engine) {
            if roster.is_started_here(orphan.pid) {
                continue;
            }
            if orphan.zombie {
                reap(orphan.pid);
                continue;
            }
            if container_processes::is_of_container(orphan, roster) {
                continue;
            }
            match owner(orphan, roster) {
                Owner::Command(number) => {
                    roster.known.insert(orphan.identity(), number);
                    roots.extend((number == self.number).then_some(orphan.pid));
                }
                Owner::Nobody => {}
                Owner::Doubtful(actions) => roster.doubtful.entry(orphan.identity()).or_default().extend(actions),
            }
        }
        forget_the_gone(roster, &all);
        let tree = descendants(&all, roots);
        all.into_iter()
            .filter(|process| process.pid != self.leader && !process.zombie && tree.contains(&process.pid))
            .collect()
    }

    /// Sends a signal to the whole tree: to the group at once, to processes outside of it one by one.
    pub(crate) fn signal(&self, leader: &Leader, signal: Signal) {
        leader.signal_group(signal);
        for process in self.members() {
            if process.group != self.leader || leader.is_reaped() {
                process.signal(signal);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Owner {
    /// The command with this number.
    Command(u64),
    /// One of these actions.
    Doubtful(Vec<String>),
    /// No running command.
    Nobody,
}

fn owner(orphan: &Process, roster: &ProcessRegistry) -> Owner {
    if roster.given_up.contains(&orphan.identity()) {
        return Owner::Nobody;
    }
    let possible: Vec<&Entry> = roster.entries().iter().filter(|entry| entry.since <= orphan.started).collect();
    let was_told = |entry: &&&Entry| roster.known.get(&orphan.identity()) == Some(&entry.number);
    let in_group = |entry: &&&Entry| orphan.group == entry.leader || orphan.session == entry.leader;
    let told = match possible.as_slice() {
        [] => return Owner::Nobody,
        [only] => Some(only),
        several => {
            let holds = |entry: &&&Entry| entry.pipes.iter().any(|inode| holds_pipe(orphan.pid, *inode));
            let mut told = several.iter().find(was_told).or_else(|| several.iter().find(in_group));
            told = told.or_else(|| told_by_marker(orphan, several));
            told.or_else(|| several.iter().find(holds))
        }
    };
    told.map_or_else(
        || Owner::Doubtful(possible.iter().map(|entry| entry.marker.action.clone()).collect()),
        |entry| Owner::Command(entry.number),
    )
}

/// Returns the command with the orphan's marker. None: the process removed the marker, or carries that of a run
/// inside this one.
fn told_by_marker<'all, 'roster>(orphan: &Process, possible: &'all [&'roster Entry]) -> Option<&'all &'roster Entry> {
    let marker = marker(orphan.pid)?;
    possible.iter().find(|entry| entry.marker == marker)
}

fn forget_the_gone(roster: &mut ProcessRegistry, all: &[Process]) {
    if roster.known.is_empty() && roster.doubtful.is_empty() && roster.given_up.is_empty() {
        return;
    }
    let alive: BTreeSet<Identity> = all.iter().filter(|process| !process.zombie).map(Process::identity).collect();
    roster.known.retain(|identity, _| alive.contains(identity));
    roster.doubtful.retain(|identity, _| alive.contains(identity));
    roster.given_up.retain(|identity| alive.contains(identity));
}

impl Process {
    pub(crate) fn pid(&self) -> u32 {
        self.pid.unsigned_abs()
    }

    fn identity(&self) -> Identity {
        (self.pid, self.started)
    }

    /// Sends a signal, if the id still belongs to the same process.
    fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        // Each step fails where the process is gone, which is the desired state.
        if let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty())
            && process(self.pid).is_some_and(|now| now.started == self.started)
        {
            let _ = rustix::process::pidfd_send_signal(pidfd, signal);
        }
    }

    /// Describes the process as left behind by its command, whose output pipes are these.
    pub(crate) fn leaked(&self, pipes: &[u64]) -> LeakedProcess {
        LeakedProcess {
            pid: self.pid.unsigned_abs(),
            command: command_line(self.pid),
            held_output: pipes.iter().any(|inode| holds_pipe(self.pid, *inode)),
        }
    }
}

/// Ends the processes that a dead engine left running of a run: all processes with its marker, and their
/// descendants. Returns them as they were found.
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
            control_group::sweep(execution);
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
    let roster = process_registry::lock();
    let roots = all.iter().filter(|process| !process.zombie && !roster.is_started_here(process.pid));
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

/// Returns the process and all its ancestors.
fn ancestors(all: &[Process], pid: i32) -> BTreeSet<i32> {
    let parents: BTreeMap<i32, i32> = all.iter().map(|process| (process.pid, process.parent)).collect();
    let mut line = BTreeSet::new();
    let mut next = Some(pid);
    while let Some(pid) = next.filter(|pid| line.insert(*pid)) {
        next = parents.get(&pid).copied();
    }
    line
}

/// Returns this process's own children, orphans and ended ones included. None: the system does not list them. Call
/// with the registry locked: a child that is reaped meanwhile would hide another one.
fn own_children() -> Option<Vec<i32>> {
    let mut own = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        // The children of a thread that has just ended move to another thread, which may have been read already.
        let children = std::fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        own.extend(children.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(own)
}

/// Returns all visible processes.
fn processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(process).collect()
}

fn process(pid: i32) -> Option<Process> {
    parse_stat(pid, &read(&format!("/proc/{pid}/stat"))?)
}

/// Returns the memory of a process that is not shared, in bytes, from proc(5)'s `statm`: resident minus shared.
fn own_memory(pid: i32) -> u64 {
    let statm = read(&format!("/proc/{pid}/statm")).unwrap_or_default();
    let statm = String::from_utf8_lossy(&statm);
    let mut pages = statm.split_ascii_whitespace().skip(1).map(|field| field.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared).saturating_mul(rustix::param::page_size() as u64)
}

/// Parses proc(5)'s `stat`. The name in parentheses may contain anything, so fields are counted from the last
/// parenthesis.
fn parse_stat(pid: i32, stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        // A process whose first thread alone has ended is still alive.
        zombie: matches!(*fields.first()?, "Z" | "X") && fields.get(17)?.parse::<u64>().ok()? <= 1,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        ticks: fields.iter().skip(11).take(4).map(|field| field.parse::<u64>().unwrap_or(0)).sum(),
    })
}

/// Returns the marker in a process's environment. None: it was removed, or cannot be read.
fn marker(pid: i32) -> Option<Marker> {
    let told = environment_of(pid).filter(|environment| !environment.is_empty());
    // A process whose first thread has ended shows its environment only through the other threads.
    let by_threads = || {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
        let mut environments = threads.filter_map(|thread| read(thread.path().join("environ").to_str()?));
        environments.find(|environment| !environment.is_empty())
    };
    parse_marker(&told.or_else(by_threads)?)
}

/// Returns the environment of a process. A process that has just executed another program shows none for some
/// microseconds, because its parent continues before the system has set it up.
fn environment_of(pid: i32) -> Option<Vec<u8>> {
    let begun = Instant::now();
    loop {
        let environment = read(&format!("/proc/{pid}/environ"))?;
        let is_told = !environment.is_empty() || !read(&format!("/proc/{pid}/stat")).is_some_and(|stat| is_new(&stat));
        if is_told || begun.elapsed() > LAID_OUT {
            return Some(environment);
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Whether proc(5)'s `stat` shows a process whose environment is not set up yet (`env_end`), as opposed to an empty
/// one.
fn is_new(stat: &[u8]) -> bool {
    let stat = String::from_utf8_lossy(stat);
    let fields = stat.rfind(')').and_then(|end| stat.get(end + 1..)).unwrap_or_default();
    let mut fields = fields.split_ascii_whitespace();
    fields.next().is_some_and(|state| state != "Z") && fields.nth(47) == Some("0")
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
        // Where the process is reaped already, there is nothing to do.
        let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;
    use crate::process_registry::Helper;
    use crate::spawn::Launch;

    #[test]
    fn stat_is_read_whatever_the_name_holds() {
        for (name, state, threads, zombie) in
            [("(tool)", "S", 1, false), ("(a) Z (b)", "R", 1, false), ("(x y)", "Z", 1, true), ("(x)", "Z", 2, false)]
        {
            let stat = format!("42 {name} {state} 7 8 9 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 {threads} 0 4242 5 6");
            let expected = Process { pid: 42, parent: 7, group: 8, session: 9, zombie, started: 4242, ticks: 10 };
            assert_eq!(parse_stat(42, stat.as_bytes()), Some(expected), "{stat}");
        }
        for bad in ["", "42 (tool", "42 (tool) S 7"] {
            assert_eq!(parse_stat(42, bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_process_without_a_place_for_its_environment_is_new() {
        for (state, end, new) in [("S", "0", true), ("S", "140722", false), ("Z", "0", false)] {
            let stat = format!("42 (a) b) {state}{} {end} 0", " 1".repeat(47));
            assert_eq!(is_new(stat.as_bytes()), new, "{stat}");
        }
        let own = read("/proc/self/stat").unwrap();
        assert!(!is_new(&own) && !is_new(b""));
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
        assert!(seen.started <= process_registry::ticks());
        assert!(ancestors(&processes(), own).contains(&seen.parent));
    }

    #[test]
    fn an_orphan_is_told_by_what_it_keeps_and_is_nobodys_to_end_where_it_keeps_nothing() {
        let gone = i32::MAX;
        let entry = |leader: i32, since: u64, action: &str| {
            let marker = Marker { execution: "exec-1".to_owned(), action: action.to_owned() };
            (leader, marker, since, [0, 0])
        };
        let mut roster = ProcessRegistry::new();
        let numbers = [entry(10, 100, "STEP.1"), entry(20, 200, "STEP.2"), entry(30, 300, "STEP.3")]
            .map(|(leader, marker, since, pipes)| roster.enter(leader, marker, since, pipes));
        let orphan = |group: i32, session: i32, started: u64| Process {
            pid: gone,
            parent: 1,
            group,
            session,
            zombie: false,
            started,
            ticks: 0,
        };
        let doubtful = |actions: &[&str]| Owner::Doubtful(actions.iter().map(|action| (*action).to_owned()).collect());
        for (process, expected) in [
            (orphan(1, 1, 99), Owner::Nobody),
            // Only one command was started early enough.
            (orphan(1, 1, 199), Owner::Command(numbers[0])),
            (orphan(10, 1, 350), Owner::Command(numbers[0])),
            (orphan(1, 20, 350), Owner::Command(numbers[1])),
            (orphan(1, 1, 250), doubtful(&["STEP.1", "STEP.2"])),
            (orphan(1, 1, 350), doubtful(&["STEP.1", "STEP.2", "STEP.3"])),
        ] {
            assert_eq!(owner(&process, &roster), expected, "{process:?}");
        }
        let hidden = orphan(1, 1, 350);
        roster.known.insert(hidden.identity(), numbers[2]);
        assert_eq!(owner(&hidden, &roster), Owner::Command(numbers[2]));
        roster.strike(numbers[2]);
        assert_eq!(owner(&hidden, &roster), doubtful(&["STEP.1", "STEP.2"]));
        roster.strike(numbers[0]);
        assert_eq!(owner(&hidden, &roster), Owner::Command(numbers[1]));
        roster.given_up.insert(hidden.identity());
        assert_eq!(owner(&hidden, &roster), Owner::Nobody);
    }

    fn sleeper(tool: &std::path::Path, execution: &str) -> spawn::Started {
        spawn::start(&Launch {
            program: tool,
            name: "fake-tool",
            arguments: &["sleep=60000".to_owned()],
            directory: std::path::Path::new("/"),
            variables: &BTreeMap::new(),
            marker: &Marker { execution: execution.to_owned(), action: "STEP.1".to_owned() },
            input: None,
            shim: None,
        })
        .unwrap()
    }

    #[test]
    fn the_children_of_this_process_are_listed() {
        if !std::path::Path::new("/proc/thread-self/children").exists() {
            println!("skipped: this system does not list children");
            return;
        }
        let started = sleeper(&referee_testkit::fake_tool(), "exec-listed");
        let roster = process_registry::lock();
        assert!(own_children().is_none_or(|own| own.contains(&started.leader.pid())));
        drop(roster);
    }

    #[test]
    fn a_helper_is_neither_killed_nor_reaped_by_who_looks_for_what_a_command_left_behind() {
        let tool = referee_testkit::fake_tool();
        let started = sleeper(&tool, "exec-helper");
        let mut helper = Helper::spawn(Command::new(&tool).arg("sleep=60000")).unwrap();
        let pid = helper.child.id();
        let tree = Tree::of(&started.leader);
        assert!(tree.members().iter().all(|process| process.pid() != pid));
        helper.child.kill().unwrap();
        let dead = Pid::from_child(&helper.child);
        rustix::process::waitid(WaitId::Pid(dead), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        assert!(tree.members().is_empty());
        assert_eq!(helper.child.wait().unwrap().code(), None, "a signal ended it, and its exit status was left");
    }

    proptest! {
        #[test]
        fn descendants_end_even_where_parents_form_a_ring(parents in prop::collection::vec(0..12_i32, 1..12)) {
            let all: Vec<Process> = (0..).zip(&parents).map(|(pid, parent)| {
                Process { pid, parent: *parent, group: 0, session: 0, zombie: false, started: 0, ticks: 0 }
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
