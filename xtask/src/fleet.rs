//! Runs a fleet on this machine, with the real servers: plays faults on it, and measures it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use self::fault::{Fault, Outcome};
use self::scale::Sizes;
use self::stage::{Programs, Stage};
use crate::command_line::CommandLine;

mod balancer;
mod fault;
mod scale;
mod server;
mod stage;
mod wait;

pub(crate) const USAGE: &str = "\
cargo xtask fleet [--fault NAME]... [--programs DIR] [--keep]
cargo xtask fleet --scale [--runs N] [--askers N] [--orders N] [--seconds N] [--workers N] [--programs DIR] [--keep]
    Plays faults on workers, whoever asks, Temporal and object storage, with the real servers on free ports, and prints what
    came of each. Exits with 1 if one did not come as expected.
    With --scale nothing fails, and it is measured what this machine can take: whole runs on workers beside runs without, then
    those who ask the same at once, then different orders, with workers that only wait.
    --fault NAME    play only this one (can be repeated)
    --runs N        whole runs of each kind [default: 40]
    --askers N      those who ask the same [default: 1000]
    --orders N      different orders [default: 10000]
    --seconds N     time after which no more orders are asked [default: 180]
    --workers N     workers that perform these orders [default: 2]
    --programs DIR  directory of `referee` and `referee-fleet` [default: that of this program]
    --keep          keep the directory with logs and evidence
    Temporal's server is built where it is not there yet (.ci/temporal --server). Needs versitygw, which .ci/run installs; where there is
    no PostgreSQL or libfaketime, the faults that need them are skipped.";

pub(crate) struct Options {
    faults: Vec<String>,
    programs: PathBuf,
    keep: bool,
    scale: Option<Sizes>,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> io::Result<Self> {
        let with_value = ["--fault", "--programs", "--runs", "--askers", "--orders", "--seconds", "--workers"];
        let read = CommandLine::parse(arguments, &with_value, &["--keep", "--scale"])?;
        let faults = read.values("--fault");
        let known = fault::all();
        if let Some(unknown) = faults.iter().find(|name| !known.iter().any(|fault| fault.name == name.as_str())) {
            let names: Vec<&str> = known.iter().map(|fault| fault.name).collect();
            return Err(io::Error::other(format!("--fault: expected one of {}: {unknown}", names.join(", "))));
        }
        let programs = match read.value("--programs") {
            Some(directory) => PathBuf::from(directory).canonicalize()?,
            None => std::env::current_exe()?.parent().map(Path::to_path_buf).unwrap_or_default(),
        };
        let sizes = Sizes {
            runs: number(&read, "--runs", 40)?,
            askers: number(&read, "--askers", 1000)?,
            orders: number(&read, "--orders", 10_000)?,
            workers: number(&read, "--workers", 2)?,
            limit: Duration::from_secs(number(&read, "--seconds", 180)?),
        };
        let scale = read.has("--scale").then_some(sizes);
        if scale.is_some() && !faults.is_empty() {
            return Err(io::Error::other("--scale and --fault exclude each other"));
        }
        Ok(Self { faults, programs, keep: read.has("--keep"), scale })
    }
}

fn number<T: FromStr>(read: &CommandLine, name: &str, default: T) -> io::Result<T> {
    let Some(value) = read.value(name) else { return Ok(default) };
    value.parse().map_err(|_| io::Error::other(format!("{name}: expected a number: {value}")))
}

pub(crate) fn run(options: &Options) -> io::Result<()> {
    for program in ["referee", "referee-fleet"] {
        if !options.programs.join(program).is_file() {
            let directory = options.programs.display();
            return Err(io::Error::other(format!("there is no {program} in {directory}: build it, or see --programs")));
        }
    }
    let programs = Programs { referee: options.programs.clone(), temporal: server::temporal_programs()? };
    let directory = std::env::temp_dir().join(format!("referee-fleet-{}", std::process::id()));
    let end = match &options.scale {
        Some(sizes) => scale::run(sizes, &programs, &directory),
        None => play(options, &programs, &directory),
    };
    if options.keep {
        writeln!(io::stdout(), "kept: {}", directory.display())?;
    } else if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    end
}

fn play(options: &Options, programs: &Programs, directory: &Path) -> io::Result<()> {
    let is_chosen = |fault: &Fault| options.faults.is_empty() || options.faults.iter().any(|name| name == fault.name);
    let mut unexpected = Vec::new();
    row("fault", "what is done", "expected", "came", "seconds")?;
    for fault in fault::all().into_iter().filter(is_chosen) {
        let begun = Instant::now();
        let came = came(&fault, programs, directory.join(fault.name));
        let seconds = format!("{:.1}", begun.elapsed().as_secs_f64());
        let words = match &came {
            Ok(words) | Err(words) => words.as_str(),
        };
        row(fault.name, fault.what, fault.expected, words, &seconds)?;
        if came.is_err() {
            unexpected.push(fault.name);
        }
    }
    if unexpected.is_empty() {
        return Ok(());
    }
    Err(io::Error::other(format!("not as expected: {}", unexpected.join(", "))))
}

/// Plays a fault, and returns in words what came of it. Fails if that was not expected.
fn came(fault: &Fault, programs: &Programs, directory: PathBuf) -> Result<String, String> {
    let outcome = Stage::new(programs, directory).and_then(|mut stage| {
        let outcome = (fault.play)(&mut stage)?;
        Ok(match outcome {
            Outcome::Ended { code, told } => Outcome::Ended { code, told: stage.with_names(&told) },
            skipped @ Outcome::Skipped(_) => skipped,
        })
    });
    match outcome.map_err(|error| format!("NOT AS EXPECTED: {error}"))? {
        Outcome::Skipped(why) => Ok(format!("skipped: {why}")),
        Outcome::Ended { code, told } => {
            let words: Vec<&str> = told.split_whitespace().collect();
            let words = words.join(" ");
            let is_a_pass = words.contains("PASS") || words.contains("✓ resolved");
            if code == Some(fault.code) && words.contains(fault.says) && is_a_pass == (fault.code == 0) {
                return Ok(format!("exit {}, {}", fault.code, if is_a_pass { "PASS" } else { "no pass" }));
            }
            let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
            Err(format!("NOT AS EXPECTED: {code}: {words}"))
        }
    }
}

fn row(name: &str, what: &str, expected: &str, came: &str, seconds: &str) -> io::Result<()> {
    writeln!(io::stdout(), "| {name} | {what} | {expected} | {came} | {seconds} |")
}
