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
use std::time::{Duration, Instant};

use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::record::LeakedProcess;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

mod container_processes;
mod unadopted;

pub(crate) use self::container_processes::{HeldProcesses, hold};
use crate::control_group;
use crate::process_registry::{self, Entry, Identity, ProcessRegistry};
use crate::process_table::{self, COMMAND_CHARACTERS, Process};
use crate::spawn::{self, Leader};

/// Time in which orphans must end before they are left alone.
const SWEEP: Duration = Duration::from_secs(5);

/// Number of looks, beside the first, for a process that does not show yet whose it is, and the time before each.
const LOOKS_AGAIN: u32 = 2;
const LOOK_AGAIN: Duration = Duration::from_millis(10);

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
        let leader = if self.is_led(&roster) { process_table::one(self.leader) } else { None };
        let all: Vec<Process> = members.into_iter().chain(leader.filter(|leader| !leader.zombie)).collect();
        Usage { processes: all.len() as u64, bytes: if with_memory { process_table::memory(&all) } else { 0 } }
    }

    /// Returns the activity of the tree so far, the leader included.
    pub(crate) fn activity(&self) -> Activity {
        let mut roster = process_registry::lock();
        let members = self.look(&mut roster);
        let leader = if self.is_led(&roster) { process_table::one(self.leader) } else { None };
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
        let mut over = self.look(&mut roster).is_empty();
        for _ in 0..LOOKS_AGAIN {
            if !over || !roster.is_unsettled {
                break;
            }
            std::thread::sleep(LOOK_AGAIN);
            over = self.look(&mut roster).is_empty();
        }
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
        if process_table::ADOPTS_ORPHANS
            && spawn::retry(|| rustix::process::waitid(WaitId::All, options)).err() == Some(Errno::CHILD)
        {
            return Vec::new();
        }
        let leads = self.is_led(roster);
        if !leads && process_table::own_children().is_some_and(|own| own.iter().all(|pid| roster.is_started_here(*pid)))
        {
            return Vec::new();
        }
        let all = process_table::all();
        let mut roots: Vec<i32> = leads.then_some(self.leader).into_iter().collect();
        for orphan in orphans(&all, roster) {
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
                process_table::signal(&process, signal);
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
        [only] if process_table::ADOPTS_ORPHANS => Some(only),
        several if !process_table::ADOPTS_ORPHANS => {
            // It may be anybody's, so only what is certain counts.
            let told = several.iter().find(was_told).or_else(|| several.iter().find(in_group));
            return told.map_or(Owner::Nobody, |entry| Owner::Command(entry.number));
        }
        several => {
            let holds = |entry: &&&Entry| entry.pipes.iter().any(|inode| process_table::holds_pipe(orphan.pid, *inode));
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

/// Returns the processes that commands may have left behind: the children of this process, where the system makes orphans
/// its children.
fn orphans<'all>(all: &'all [Process], roster: &mut ProcessRegistry) -> Vec<&'all Process> {
    let engine = rustix::process::getpid().as_raw_nonzero().get();
    if process_table::ADOPTS_ORPHANS {
        return all.iter().filter(|process| process.parent == engine).collect();
    }
    unadopted::orphans(engine, all, roster)
}

/// Returns the command with the orphan's marker. None: the process removed the marker, or carries that of a run
/// inside this one.
fn told_by_marker<'all, 'roster>(orphan: &Process, possible: &'all [&'roster Entry]) -> Option<&'all &'roster Entry> {
    let marker = process_table::markers(&[orphan.pid]).remove(&orphan.pid)?;
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

    /// Describes the process as left behind by its command, whose output pipes are these.
    pub(crate) fn leaked(&self, pipes: &[u64]) -> LeakedProcess {
        LeakedProcess {
            pid: self.pid.unsigned_abs(),
            command: shown(&process_table::command_line(self.pid).unwrap_or_default()),
            held_output: pipes.iter().any(|inode| process_table::holds_pipe(self.pid, *inode)),
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
                process_table::signal(process, Signal::TERM);
                process.leaked(&[])
            });
        }
        if left.is_empty() || begun.elapsed() > SWEEP {
            control_group::sweep(execution);
            return found.into_values().collect();
        }
        if begun.elapsed() > grace {
            for process in &left {
                process_table::signal(process, Signal::KILL);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn marked(execution: &ExecutionId) -> Vec<Process> {
    let all = process_table::all();
    let roster = process_registry::lock();
    let foreign = all.iter().filter(|process| !process.zombie && !roster.is_started_here(process.pid));
    let mut markers = process_table::markers(&foreign.map(|process| process.pid).collect::<Vec<_>>());
    markers.retain(|_, marker| marker.execution == execution.as_str());
    let tree = descendants(&all, markers.into_keys().collect());
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

/// Returns a command line as it is reported.
fn shown(words: &[u8]) -> String {
    let line = String::from_utf8_lossy(words).replace('\0', " ");
    line.trim_end().chars().take(COMMAND_CHARACTERS).collect()
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
    use crate::process_registry::{Helper, Marker};
    use crate::spawn::Launch;

    #[test]
    fn this_process_sees_itself_and_its_time_fits_the_clock() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let seen = process_table::all().into_iter().find(|process| process.pid == own).unwrap();
        assert!(seen.started <= process_table::now() + 1);
        assert!(ancestors(&process_table::all(), own).contains(&seen.parent));
    }

    #[cfg(all(target_os = "linux", not(feature = "portable")))]
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
