//! How a command is measured: its time, its processor time, its memory, what it reads; and several of them in turns, so that a
//! machine that drifts hits all of them alike.

use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

/// Something that is done once, and takes so long.
pub(crate) type Task<'task> = Box<dyn FnMut() -> Fallible<Duration> + 'task>;

/// How long something took each time, the shortest time first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub(crate) fn median(&self) -> Duration {
        self.at(0.5)
    }

    /// The time that this part of all took at most.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "there are few samples, and the part is between 0 and 1"
    )]
    pub(crate) fn at(&self, part: f64) -> Duration {
        let place = ((self.0.len() as f64 * part) as usize).min(self.0.len().saturating_sub(1));
        self.0.get(place).copied().unwrap_or_default()
    }

    pub(crate) fn milliseconds(&self) -> Vec<f64> {
        self.0.iter().map(|time| milliseconds(*time)).collect()
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Does all tasks once, which does not count, and then in turns so many times.
pub(crate) fn in_turns(rounds: usize, tasks: &mut [Task<'_>]) -> Fallible<Vec<Samples>> {
    let mut times = vec![Vec::with_capacity(rounds); tasks.len()];
    for round in 0..=rounds {
        for (task, times) in tasks.iter_mut().zip(&mut times) {
            let time = task()?;
            if round > 0 {
                times.push(time);
            }
        }
    }
    Ok(times.into_iter().map(Samples::new).collect())
}

/// Runs a command to its end, and returns what it printed.
pub(crate) fn output(command: &mut Command) -> Fallible<String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command whose output nobody reads, and returns how long it took from start to end.
pub(crate) fn timed(command: &mut Command) -> Fallible<Duration> {
    silence(command);
    let began = Instant::now();
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    let took = began.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{command:?}: {status}").into()) }
}

fn silence(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
}

/// What a command used, the processes that it waited for included but for memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) elapsed: Duration,
    pub(crate) processor: Duration,
    pub(crate) peak_bytes: u64,
    /// Bytes that were read from files and pipes.
    pub(crate) read_bytes: u64,
}

/// Runs a command and says what it used. The kernel keeps the high-water mark of its memory, which is looked at every
/// millisecond, since it goes with the memory; the rest is read of the ended process before it is waited for.
pub(crate) fn usage(command: &mut Command) -> Fallible<Usage> {
    silence(command);
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let process = Pid::from_child(&child);
    let of = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", process.as_raw_nonzero()));
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let mut peak_bytes = 0;
    while waitid(WaitId::Pid(process), ended)?.is_none() {
        peak_bytes = peak_bytes.max(of("status").map_or(0, |text| field(&text, "VmHWM:") * 1_024));
        std::thread::sleep(Duration::from_millis(1));
    }
    let elapsed = began.elapsed();
    let (processor, read_bytes) = (processor_time(&of("stat")?), of("io").map_or(0, |text| field(&text, "rchar:")));
    let status = child.wait()?;
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok(Usage { elapsed, processor, peak_bytes, read_bytes })
}

/// The number behind a name in a file of `/proc`.
pub(crate) fn field(text: &str, name: &str) -> u64 {
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok());
    found.unwrap_or_default()
}

/// The processor time in `/proc/PID/stat`, that of children that were waited for included.
fn processor_time(stat: &str) -> Duration {
    let after_name = stat.rsplit_once(") ").map_or("", |(_, after)| after);
    let ticks: u64 = after_name.split(' ').skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second().max(1))
}
