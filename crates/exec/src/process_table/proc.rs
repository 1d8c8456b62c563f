//! The processes of this machine from /proc (proc(5)).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::time::ClockId;

use super::Process;
use crate::environment;
use crate::process_registry::Marker;

/// Orphans below this process become its children.
pub(crate) const ADOPTS_ORPHANS: bool = true;

/// Maximum number of bytes that are read of one file below /proc; an environment may be of any size.
const PROC_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Time within which the system sets up the environment of a process that has executed another program.
const LAID_OUT: Duration = Duration::from_millis(20);

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
    if super::is_in(ignored_signals().unwrap_or(0), signal_hook::consts::SIGCHLD) {
        signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::new(AtomicBool::new(false)))?;
    }
    DONE.get_or_init(|| ());
    Ok(())
}

/// Returns the signals that this process ignores, one bit each. None: the system does not say.
pub(crate) fn ignored_signals() -> Option<u64> {
    ignored(&std::fs::read("/proc/self/status").ok()?)
}

fn ignored(status: &[u8]) -> Option<u64> {
    let status = String::from_utf8_lossy(status);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Returns the ticks since boot, rounded down.
pub(crate) fn now() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Boottime);
    let frequency = rustix::param::clock_ticks_per_second();
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * frequency + u64::try_from(now.tv_nsec).unwrap_or(0) * frequency / 1_000_000_000
}

/// Sends a signal to a process, if its id still belongs to it.
pub(crate) fn signal(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    // Each step fails where the process is gone, which is the desired state.
    if let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty())
        && one(process.pid).is_some_and(|now| now.started == process.started)
    {
        let _ = rustix::process::pidfd_send_signal(pidfd, signal);
    }
}

/// Returns this process's own children, orphans and ended ones included. None: the system does not list them. Call
/// with the registry locked: a child that is reaped meanwhile would hide another one.
pub(crate) fn own_children() -> Option<Vec<i32>> {
    let mut own = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        // The children of a thread that has just ended move to another thread, which may have been read already.
        let children = std::fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        own.extend(children.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(own)
}

/// Returns all visible processes.
pub(crate) fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(one).collect()
}

/// Returns one process. None: there is none with this id.
pub(crate) fn one(pid: i32) -> Option<Process> {
    parse_stat(pid, &read(&format!("/proc/{pid}/stat"))?)
}

/// Returns the memory of processes that is not shared with others, in bytes.
pub(crate) fn memory(processes: &[Process]) -> u64 {
    processes.iter().fold(0, |sum, process| sum.saturating_add(own_memory(process.pid)))
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

/// Returns the markers of those of the processes that have one.
pub(crate) fn markers(pids: &[i32]) -> BTreeMap<i32, Marker> {
    pids.iter().filter_map(|pid| Some((*pid, marker(*pid)?))).collect()
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

/// Returns the words of a command line, each with a zero byte behind it. None: it cannot be read.
pub(crate) fn command_line(pid: i32) -> Option<Vec<u8>> {
    read(&format!("/proc/{pid}/cmdline"))
}

/// Whether a process holds a pipe open.
pub(crate) fn holds_pipe(pid: i32, inode: u64) -> bool {
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

fn parse_marker(environment: &[u8]) -> Option<Marker> {
    let value = |name: &str| {
        let mut variables = environment.split(|byte| *byte == 0);
        let value = variables.find_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    Some(Marker { execution: value(environment::EXECUTION)?, action: value(environment::ACTION)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_their_mask() {
        assert_eq!(ignored(b"Name:\tx\nSigIgn:\t0000000000010000\nSigCgt:\t0\n"), Some(1 << 16));
        assert_eq!(ignored(b"Name:\tx\n"), None);
        assert_eq!(ignored(b"SigIgn:\tx\n"), None);
    }

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
    fn the_children_of_this_process_are_listed() {
        if !std::path::Path::new("/proc/thread-self/children").exists() {
            println!("skipped: this system does not list children");
            return;
        }
        let mut child = std::process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_child(&child).as_raw_nonzero().get();
        assert!(own_children().is_none_or(|own| own.contains(&pid)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
