//! The machine that is measured on, and when.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::measurement::output;

pub(crate) struct Machine {
    date: String,
    processor: String,
    processors: usize,
    memory_gib: u64,
    kernel: String,
    /// The file system of the directory that is measured in.
    file_system: String,
    /// Processes that wanted a processor in the last minute, on average, when measuring began.
    load: String,
    commit: String,
}

impl Machine {
    pub(crate) fn look(directory: &Path) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let said = |program: &str, arguments: &[&str]| {
            output(Command::new(program).args(arguments))
                .map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
        };
        let information = read("/proc/cpuinfo");
        let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let memory = read("/proc/meminfo");
        let kilobytes =
            memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
        Self {
            date: said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            processor: model.map_or_else(|| "unknown".to_owned(), |(_, model)| model.to_owned()),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: kilobytes.unwrap_or(0_u64) >> 20,
            kernel: said("uname", &["-sr"]),
            file_system: said("stat", &["-f", "-c", "%T", &directory.to_string_lossy()]),
            load: read("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned(),
            commit: said("git", &["-C", env!("CARGO_MANIFEST_DIR"), "describe", "--always", "--dirty"]),
        }
    }

    /// Warns where the directory is not on a disk, since a sync costs nothing there.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.file_system == "tmpfs"
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "{}, commit {}: {} × {}, {} GiB, {}, {}, load {}",
            self.date,
            self.commit,
            self.processors,
            self.processor,
            self.memory_gib,
            self.kernel,
            self.file_system,
            self.load
        )
    }

    pub(crate) fn document(&self) -> Value {
        json!({
            "date": self.date,
            "commit": self.commit,
            "processor": self.processor,
            "processors": self.processors,
            "memoryGibibytes": self.memory_gib,
            "kernel": self.kernel,
            "fileSystem": self.file_system,
            "load": self.load,
        })
    }
}
