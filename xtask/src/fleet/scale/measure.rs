//! Processor time and memory of processes, and the machine.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use referee_testkit::temporal::TemporalServer;

use crate::fleet::stage::Process;
use crate::process;

/// Ticks of processor time in a second, on every Linux that this runs on.
const TICKS: f64 = 100.0;

/// Processor time since a moment, of the server, of workers and of those who asked and have ended.
pub(super) struct Usage {
    begun: Instant,
    server: (u32, f64),
    workers: Vec<(u32, f64)>,
    ended: f64,
}

impl Usage {
    pub(super) fn begin(server: &TemporalServer, workers: &[&Process]) -> Self {
        let with_time = |id| (id, processor_seconds(id));
        Self {
            begun: Instant::now(),
            server: with_time(server.id),
            workers: workers.iter().map(|worker| with_time(worker.id())).collect(),
            ended: ended_seconds(),
        }
    }

    /// Says how many processors were used since then, by whom.
    pub(super) fn end(&self) -> String {
        let seconds = self.begun.elapsed().as_secs_f64();
        let since = |(id, before): &(u32, f64)| (processor_seconds(*id) - before) / seconds;
        let workers: f64 = self.workers.iter().map(since).sum();
        format!(
            "server {:.2}, workers {workers:.2}, those who asked and have ended {:.2} processors",
            since(&self.server),
            (ended_seconds() - self.ended) / seconds
        )
    }

    /// Says how much memory the server and each worker had at most.
    pub(super) fn memory(&self) -> String {
        let worker = self.workers.iter().map(|(id, _)| peak_mib(*id)).max().unwrap_or_default();
        format!("{} MiB; {worker} MiB", peak_mib(self.server.0))
    }
}

/// The fields of a process after its name, as `proc(5)` numbers them from 3.
fn fields(id: &str) -> Vec<String> {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let after_name = status.rsplit_once(") ").map_or("", |(_, rest)| rest);
    after_name.split(' ').map(str::to_owned).collect()
}

fn seconds_of(fields: &[String], numbers: [usize; 2]) -> f64 {
    let ticks = numbers.map(|number| fields.get(number - 3).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0));
    (ticks[0] + ticks[1]) / TICKS
}

/// Time of a process, and of those that it started and that have ended.
fn processor_seconds(id: u32) -> f64 {
    let fields = fields(&id.to_string());
    seconds_of(&fields, [14, 15]) + seconds_of(&fields, [16, 17])
}

/// Time of what this process started and that has ended.
fn ended_seconds() -> f64 {
    seconds_of(&fields("self"), [16, 17])
}

/// Largest memory that a process had. 0: it is not there any more.
fn peak_mib(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}

/// The value below which a part of the sorted values is.
pub(super) fn percentile(sorted: &[Duration], part: usize) -> Duration {
    let place = (sorted.len() * part).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// Processes that wanted a processor in the last minute, on average.
pub(super) fn load() -> String {
    fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}

/// The machine, and when.
pub(super) struct Machine(String);

impl Machine {
    pub(super) fn look() -> Self {
        let told = |program: &str, arguments: &[&str]| {
            process::output(std::process::Command::new(program).args(arguments))
                .map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
        };
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self(format!(
            "{}: {processors} × {}, {}, load at the beginning {}",
            told("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            model.map_or("unknown", |(_, model)| model),
            told("uname", &["-sr"]),
            load()
        ))
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        let part = |part| percentile(&times, part).as_millis();
        assert_eq!((part(50), part(99), part(100)), (100, 198, 200));
        assert_eq!(percentile(&[], 50), Duration::ZERO);
    }

    #[test]
    fn a_process_has_used_time_and_memory() {
        let id = std::process::id();
        let begun = Instant::now();
        while processor_seconds(id) == 0.0 {
            assert!(begun.elapsed() < Duration::from_mins(1), "this loop uses no time");
        }
        assert!(0 < peak_mib(id));
    }
}
