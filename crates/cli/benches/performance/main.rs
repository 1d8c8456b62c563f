//! What Referee costs, beside floors and peers in the same run, in turns: `cargo bench -p referee --bench performance`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement starts processes, makes files, opens sockets and prints"
)]

mod client;
mod floor;
mod growth;
mod incident_store;
mod lines;
mod log;
mod machine;
mod measurement;
mod page;
mod peer;
mod soak;
mod table;
mod workbench;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use crate::growth::Curve;
use crate::machine::Machine;
use crate::measurement::Fallible;
use crate::peer::Peers;
use crate::table::{Columns, Row};
use crate::workbench::Workbench;

/// Measure what Referee costs, beside floors and peers
#[derive(Debug, Parser)]
struct Options {
    /// Measure smaller sizes and fewer rounds
    #[arg(long)]
    quick: bool,

    /// Measure only this line (can be repeated)
    #[arg(long, value_name = "NAME", value_parser = lines::ALL.map(|(name, _)| name))]
    only: Vec<String>,

    /// Write machine, date and all numbers to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write table and curves into docs/performance.md
    #[arg(long, conflicts_with = "only")]
    write_docs: bool,

    /// Install peers that are missing into the build directory
    #[arg(long)]
    install_peers: bool,

    /// Also measure a release build from nothing, and all tests
    #[arg(long)]
    builds: bool,

    /// Instead, repeat runs and operations on incidents, and see that nothing grows
    #[arg(long, conflicts_with_all = ["only", "write_docs"])]
    soak: bool,

    /// Directory to measure in; on a disk, since syncs cost nothing in memory
    #[arg(long, value_name = "DIR", default_value_os_t = std::env::temp_dir())]
    directory: PathBuf,

    /// Program to measure instead of the one that was built, to compare before and after
    #[arg(long, value_name = "PATH", default_value = env!("CARGO_BIN_EXE_referee"))]
    program: PathBuf,

    /// What cargo passes to every bench
    #[arg(long, hide = true)]
    bench: bool,

    /// Be one of the floors
    #[arg(long, hide = true, num_args = 1.., allow_hyphen_values = true)]
    floor: Vec<String>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = if options.floor.is_empty() { measure(&options) } else { floor::run(&options.floor).map(|()| true) };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether everything could be measured, whatever was reached.
fn measure(options: &Options) -> Fallible<bool> {
    let peers = Peers::new(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("peers"));
    if options.install_peers {
        peers.install();
    }
    let bench = Workbench::new(options, peers)?;
    let machine = Machine::look(bench.path());
    println!("{}", machine.line());
    if machine.is_in_memory() {
        println!("warning: {} is in memory, where syncs cost nothing", options.directory.display());
    }
    let (rows, curves) = measure_lines(options, &bench);
    println!("\n{}", Columns(&rows));
    if let Some(path) = &options.json {
        std::fs::write(path, format!("{:#}\n", table::document(&machine, &rows, &curves)))?;
    }
    if options.write_docs {
        page::write(&machine, &rows, &curves)?;
    }
    Ok(!rows.iter().any(Row::has_failed))
}

fn measure_lines(options: &Options, bench: &Workbench) -> (Vec<Row>, Vec<Curve>) {
    let is_selected = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let lines = lines::ALL.into_iter().filter(|(name, _)| !options.soak && is_selected(name));
    let soak: Option<(_, lines::Measure)> = options.soak.then_some(("soak", soak::measure));
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for (name, measure) in lines.chain(soak) {
        let began = Instant::now();
        match measure(bench) {
            Ok(measured) => {
                rows.extend(measured.rows);
                curves.extend(measured.curves);
            }
            Err(error) => rows.push(Row::failed(name, &error.to_string())),
        }
        eprintln!("{name}: {:.0} s", began.elapsed().as_secs_f64());
    }
    (rows, curves)
}
