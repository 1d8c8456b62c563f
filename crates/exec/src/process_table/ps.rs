//! The processes of this machine from the program `ps`, which every POSIX system has.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::process::{Pid, Signal};
use rustix::time::ClockId;

use super::Process;
use crate::environment;
use crate::process_registry::Marker;

/// Orphans become children of the system's first process, which tells nobody about them.
pub(crate) const ADOPTS_ORPHANS: bool = false;

const PS: &str = "/bin/ps";

/// Columns of the list of processes, without headings; the last one has five words.
const COLUMNS: [&str; 7] = ["pid=", "ppid=", "pgid=", "sess=", "stat=", "time=", "lstart="];

/// Options that make `ps` show the environment of a process behind its command line.
const WITH_ENVIRONMENT: &str = if cfg!(target_os = "linux") { "eww" } else { "-Eww" };

/// Number of seconds by which systems differ that compute the start of a process anew each time.
const JITTER_S: u64 = 1;

/// Number of times that `ps` is started before its answer is given up.
const TRIES: usize = 3;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Makes sure that processes can be listed, and keeps the exit statuses of children from being discarded. From now on
/// only `spawn` may start children.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_some() {
        return Ok(());
    }
    keep_exit_statuses()?;
    // Without a list of processes, those that a command leaves behind would go unnoticed.
    if all().is_empty() {
        return Err(io::Error::other(format!("{PS} does not list this process")));
    }
    DONE.get_or_init(|| ());
    Ok(())
}

/// The parent of this process may have set SIGCHLD to be ignored; the system would then discard the exit statuses of
/// children, also that of `ps`.
fn keep_exit_statuses() -> io::Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_none() {
        signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::new(AtomicBool::new(false)))?;
        DONE.get_or_init(|| ());
    }
    Ok(())
}

/// Returns the signals that this process ignores, one bit each. None: the system does not say.
pub(crate) fn ignored_signals() -> Option<u64> {
    keep_exit_statuses().ok()?;
    let own = rustix::process::getpid().as_raw_nonzero().get().to_string();
    u64::from_str_radix(ps(&["-o", "sigignore=", "-p", &own]).trim(), 16).ok()
}

/// Returns the time in seconds since 1970, such that no process that starts from now on has started earlier.
pub(crate) fn now() -> u64 {
    u64::try_from(rustix::time::clock_gettime(ClockId::Realtime).tv_sec).unwrap_or(0).saturating_sub(JITTER_S)
}

/// Returns all processes; where `ps` cannot be started any more, those that it listed last, so that nothing counts as gone
/// that nobody has looked for.
pub(crate) fn all() -> Vec<Process> {
    // Also kept so that the start of a process is always the same.
    static LAST: Mutex<Vec<Process>> = Mutex::new(Vec::new());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let listed = (0..TRIES).map(|_| listed(&["-A"])).find(|all| all.iter().any(|process| process.pid == own));
    if let Some(mut listed) = listed {
        let starts: BTreeMap<i32, u64> = last.iter().map(|process| (process.pid, process.started)).collect();
        for process in &mut listed {
            let before = starts.get(&process.pid).filter(|before| before.abs_diff(process.started) <= JITTER_S);
            process.started = before.copied().unwrap_or(process.started);
        }
        *last = listed;
    }
    last.clone()
}

/// Returns one process. None: there is none with this id.
pub(crate) fn one(pid: i32) -> Option<Process> {
    listed(&["-p", &pid.to_string()]).into_iter().find(|process| process.pid == pid)
}

/// Returns this process's own children: they are not known.
pub(crate) fn own_children() -> Option<Vec<i32>> {
    None
}

/// Sends a signal to a process, if its id still belongs to it.
pub(crate) fn signal(process: &Process, signal: Signal) {
    if let Some(pid) = Pid::from_raw(process.pid)
        && one(process.pid).is_some_and(|now| now.started.abs_diff(process.started) <= JITTER_S)
    {
        // Where the process is gone, that is the desired state.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Returns the resident memory of processes, in bytes.
pub(crate) fn memory(processes: &[Process]) -> u64 {
    let pids: Vec<i32> = processes.iter().map(|process| process.pid).collect();
    let kib = ps(&["-o", "rss=", "-p", &list(&pids)]);
    kib.lines().filter_map(|line| line.trim().parse::<u64>().ok()).fold(0, u64::saturating_add).saturating_mul(1024)
}

/// Returns the markers of those of the processes that have one, and whose environment the system shows.
pub(crate) fn markers(pids: &[i32]) -> BTreeMap<i32, Marker> {
    if pids.is_empty() {
        return BTreeMap::new();
    }
    let pids = list(pids);
    let plain = ps(&["-ww", "-o", "pid=", "-o", "args=", "-p", &pids]);
    let full = ps(&[WITH_ENVIRONMENT, "-o", "pid=", "-o", "args=", "-p", &pids]);
    let plain: BTreeMap<i32, &str> = plain.lines().filter_map(numbered).collect();
    // The environment is what is behind the command line.
    let environment = |(pid, line)| Some((pid, str::strip_prefix(line, *plain.get(&pid)?)?));
    let of = |(pid, environment)| Some((pid, parse_marker(environment)?));
    full.lines().filter_map(numbered).filter_map(environment).filter_map(of).collect()
}

/// Returns the words of a command line, each with a zero byte behind it; `ps` shows no difference between a space in a
/// word and one between words. None: the process is gone.
pub(crate) fn command_line(pid: i32) -> Option<Vec<u8>> {
    let line = ps(&["-ww", "-o", "args=", "-p", &pid.to_string()]);
    let line = line.lines().next()?;
    Some(line.split_ascii_whitespace().flat_map(|word| word.bytes().chain([0])).collect())
}

/// Whether a process holds a pipe open: not known.
pub(crate) fn holds_pipe(_pid: i32, _inode: u64) -> bool {
    false
}

/// Runs `ps`, and returns what it prints; nothing where it fails.
fn ps(arguments: &[&str]) -> String {
    let mut command = Command::new(PS);
    command.args(arguments).env_clear().env("LC_ALL", "C").env("TZ", "UTC0");
    // A signal from the terminal to this process's group must not end it.
    command.process_group(0).stdin(Stdio::null()).stderr(Stdio::null());
    // `ps` fails where it finds no process, too; only an end by a signal or no start at all tells nothing.
    let output = (0..TRIES).find_map(|_| command.output().ok().filter(|output| output.status.code().is_some()));
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

fn listed(which: &[&str]) -> Vec<Process> {
    let columns = COLUMNS.iter().flat_map(|column| ["-o", column]);
    let arguments: Vec<&str> = which.iter().copied().chain(columns).collect();
    ps(&arguments).lines().filter_map(parse_line).collect()
}

fn list(pids: &[i32]) -> String {
    pids.iter().map(i32::to_string).collect::<Vec<_>>().join(",")
}

/// Splits a line into the id of a process and what is behind it.
fn numbered(line: &str) -> Option<(i32, &str)> {
    let (pid, rest) = line.trim_start().split_once(' ')?;
    Some((pid.parse().ok()?, rest))
}

/// Parses a line with [`COLUMNS`].
fn parse_line(line: &str) -> Option<Process> {
    let mut words = line.split_ascii_whitespace();
    let mut number = || words.next()?.parse::<i32>().ok();
    let (pid, parent, group) = (number()?, number()?, number()?);
    let (session, state, time) = (words.next()?, words.next()?, words.next()?);
    let started = parse_start(&words.collect::<Vec<_>>())?;
    Some(Process {
        pid,
        parent,
        group,
        session: session_of(pid, session),
        zombie: state.starts_with('Z'),
        started,
        ticks: parse_time(time)?,
    })
}

/// Returns the id of a process's session; 0 where it has none.
#[cfg(target_os = "linux")]
fn session_of(_pid: i32, shown: &str) -> i32 {
    shown.parse().unwrap_or(0)
}

/// Returns the id of a process's session; 0 where it has none. What macOS shows is no id.
#[cfg(not(target_os = "linux"))]
fn session_of(pid: i32, _shown: &str) -> i32 {
    let session = Pid::from_raw(pid).and_then(|pid| rustix::process::getsid(Some(pid)).ok());
    session.map_or(0, |session| session.as_raw_nonzero().get())
}

/// Parses a processor time, `[[days-]hours:]minutes:seconds[.hundredths]`, to hundredths of a second.
fn parse_time(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let (clock, hundredths) = clock.split_once('.').unwrap_or((clock, "0"));
    let sum = clock.split(':').try_fold(0_u64, |sum, part| {
        let part: u64 = part.parse().ok()?;
        sum.checked_mul(60)?.checked_add(part)
    })?;
    let seconds = days.parse::<u64>().ok()?.checked_mul(86_400)?.checked_add(sum)?;
    seconds.checked_mul(100)?.checked_add(hundredths.parse().ok()?)
}

/// Parses a start such as `Sat Nov 28 21:14:20 2026`, in UTC, to seconds since 1970.
fn parse_start(words: &[&str]) -> Option<u64> {
    let [_, month, day, clock, year] = words else { return None };
    let month = MONTHS.iter().position(|name| name == month)? as u64;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let clock = parse_time(clock)? / 100;
    // Counted from the first of March, so that a leap day is the last of its year (after Howard Hinnant).
    let (year, month) = if month >= 2 { (year, month - 2) } else { (year.checked_sub(1)?, month + 10) };
    let days = year.checked_mul(365)? + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    days.checked_sub(719_469)?.checked_mul(86_400)?.checked_add(clock)
}

fn parse_marker(environment: &str) -> Option<Marker> {
    let value = |name: &str| {
        let mut variables = environment.split_ascii_whitespace();
        variables.find_map(|variable| variable.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    };
    Some(Marker { execution: value(environment::EXECUTION)?, action: value(environment::ACTION)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_macos_and_linux_print_it() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let session = rustix::process::getsid(None).unwrap().as_raw_nonzero().get();
        for (time, ticks) in [("0:00.03", 3), ("00:01:02", 6_200), ("1-02:03:04", 9_378_400), ("61:02.50", 366_250)] {
            for (state, zombie) in [("Ss+", false), ("Z", true)] {
                let line = format!("{own}     1   7 {session} {state}  {time} Sat Nov 28 21:14:20 2026    ");
                let expected =
                    Process { pid: own, parent: 1, group: 7, session, zombie, started: 1_795_900_460, ticks };
                assert_eq!(parse_line(&line), Some(expected), "{line}");
            }
        }
        for junk in ["", "1 2", "x 1 1 1 S 0:00 Sat Nov 28 21:14:20 2026", "1 1 1 1 S 0:00 Sat Foo 28 21:14:20 2026"] {
            assert_eq!(parse_line(junk), None, "{junk}");
        }
    }

    #[test]
    fn the_signals_that_this_process_ignores_are_told() {
        // The standard library has every program ignore SIGPIPE.
        let is_told = ignored_signals().map(|mask| mask & 1 << (signal_hook::consts::SIGPIPE - 1) != 0);
        assert_eq!(is_told, Some(true));
    }

    #[test]
    fn starts_are_seconds_since_1970() {
        for (text, expected) in [
            ("Thu Jan 1 00:00:00 1970", 0),
            ("Tue Feb 29 12:00:00 2000", 951_825_600),
            ("Wed Mar 1 00:00:00 2000", 951_868_800),
            ("Sun Feb 1 00:00:01 2026", 1_769_904_001),
        ] {
            assert_eq!(parse_start(&text.split(' ').collect::<Vec<_>>()), Some(expected), "{text}");
        }
        assert_eq!(parse_start(&["Thu", "Jan", "1", "00:00:00", "1969"]), None);
    }

    #[test]
    fn a_marker_is_read_from_the_environment_and_not_from_the_command_line() {
        let name = ["REFEREE_EXECUTION=exec-ps", "REFEREE_ACTION=STEP.1"];
        let mut marked = Command::new("/bin/sleep");
        marked.arg("60").env("REFEREE_EXECUTION", "exec-ps").env("REFEREE_ACTION", "STEP.1");
        let mut named = Command::new("/bin/sh");
        named.args(["-c", "sleep 60; :", name[0], name[1]]).env_clear();
        let mut children = [marked.spawn().unwrap(), named.spawn().unwrap()];
        let pids = children.each_ref().map(|child| Pid::from_child(child).as_raw_nonzero().get());
        let found = markers(&pids);
        let line = command_line(pids[1]).unwrap();
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let marker = Marker { execution: "exec-ps".to_owned(), action: "STEP.1".to_owned() };
        assert!(line.split(|byte| *byte == 0).any(|word| word == name[0].as_bytes()));
        assert!(!found.contains_key(&pids[1]));
        // macOS shows the environment of its own programs to nobody.
        assert!(found.get(&pids[0]) == Some(&marker) || cfg!(target_os = "macos"), "{found:?}");
    }

    #[test]
    fn a_process_is_listed_with_its_parent_and_memory_until_it_is_gone() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let before = now();
        let mut child = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_child(&child).as_raw_nonzero().get();
        let seen = all().into_iter().find(|process| process.pid == pid).unwrap();
        assert!((seen.parent, seen.zombie) == (own, false) && seen.started >= before, "{seen:?} {before}");
        assert!(memory(&[seen]) > 0);
        signal(&seen, Signal::KILL);
        assert_eq!(child.wait().unwrap().code(), None);
        assert_eq!(one(pid), None);
    }
}
