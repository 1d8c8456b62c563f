//! Many runs and many operations on incidents, one after the other: what they take at the end is what they took at the
//! beginning.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::client::{Connection, Server};
use crate::lines::incidents::letters;
use crate::measurement::{Fallible, Samples, milliseconds, timed, usage};
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench, specification};

const RUNS: &str = "soak: runs";
const OPERATIONS: &str = "soak: incidents";
const INCIDENTS: &str = "/api/errors/incidents";
/// Everything is done in so many parts, and the last compared with the second: in the first, caches are filled.
const PARTS: usize = 10;
const GROWTH_MAX: f64 = 1.2;

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut rows = runs(bench, bench.choose(200, 10_000))?;
    rows.extend(operations(bench, bench.choose(2_000, 100_000))?);
    Ok(Measured { rows, curves: Vec::new() })
}

/// What was seen of each part.
#[derive(Debug, Default)]
struct Parts(Vec<f64>);

impl Parts {
    /// The last of the second.
    fn row(&self, line: &'static str, what: &str) -> Row {
        let (second, last) = (self.0.get(1).copied().unwrap_or(0.0), self.0.last().copied().unwrap_or(0.0));
        let growth = if second > 0.0 { last / second } else { 1.0 };
        Row::value(
            line,
            format!("{what}, last tenth of second ({last:.1} of {second:.1})"),
            growth,
            Unit::Ratio,
            Aim::AtMost(GROWTH_MAX),
        )
    }
}

fn runs(bench: &Workbench, count: usize) -> Fallible<Vec<Row>> {
    let workspace = bench.directory("soak-runs")?;
    specification(&workspace, 3, "['true']")?;
    let run = || bench.referee(&workspace, &["run", "-q"]);
    let (mut times, mut memory, mut disk, mut before) = (Parts::default(), Parts::default(), Parts::default(), 0);
    for _ in 0..PARTS {
        let part: Fallible<Vec<Duration>> = (1..count / PARTS).map(|_| timed(&mut run())).collect();
        times.0.push(milliseconds(Samples::new(part?).median()));
        memory.0.push(kibibytes(usage(&mut run())?.peak_bytes));
        let after = bytes_on_disk(&workspace)? + bytes_on_disk(&bench.state())?;
        disk.0.push(kibibytes(after.saturating_sub(before)) / f64::from(u32::try_from(count / PARTS)?));
        before = after;
    }
    Ok(vec![
        times.row(RUNS, &format!("milliseconds of a run, {count} runs")),
        memory.row(RUNS, "peak memory of a run, KiB"),
        disk.row(RUNS, "KiB on disk for each run"),
    ])
}

fn operations(bench: &Workbench, count: usize) -> Fallible<Vec<Row>> {
    let workspace = bench.directory("soak-incidents")?;
    let server = Server::start(bench, &workspace)?;
    let mut connection = server.connect()?;
    let incidents = (0..count / 100).map(|number| capture(&mut connection, number)).collect::<Fallible<Vec<_>>>()?;
    let [mut times, mut memory, mut descriptors, mut disk] = [(); 4].map(|()| Parts::default());
    let mut before = bytes_on_disk(&workspace)? + bytes_on_disk(&bench.state())?;
    for part in 0..PARTS {
        let mut took = Vec::with_capacity(count / PARTS);
        for number in 0..count / PARTS {
            let incident = (part * count / PARTS + number) / 3 % incidents.len();
            let began = std::time::Instant::now();
            match number % 3 {
                0 => drop(capture(&mut connection, incident)?),
                1 => drop(connection.get(INCIDENTS)?),
                _ => drop(connection.get(&format!("{INCIDENTS}/{}", incidents[incident]))?),
            }
            took.push(began.elapsed());
        }
        times.0.push(milliseconds(took.iter().sum()) / f64::from(u32::try_from(took.len())?));
        memory.0.push(kibibytes(server.memory_bytes()?));
        descriptors.0.push(f64::from(u32::try_from(server.descriptors()?)?));
        let after = bytes_on_disk(&workspace)? + bytes_on_disk(&bench.state())?;
        disk.0.push(kibibytes(after.saturating_sub(before)));
        before = after;
    }
    Ok(vec![
        times.row(OPERATIONS, &format!("milliseconds of an operation, {count} operations")),
        memory.row(OPERATIONS, "memory of the server, KiB"),
        descriptors.row(OPERATIONS, "descriptors of the server"),
        disk.row(OPERATIONS, "KiB on disk that a tenth adds"),
    ])
}

/// Captures a failure, the same one for the same number, and returns the incident's id.
fn capture(connection: &mut Connection, number: usize) -> Fallible<String> {
    let name = letters(number);
    let body = json!({
        "step": format!("import-{name}"),
        "failure_class": "timeout",
        "message": format!("Import stopped at part {name}"),
        "log": "begin\nthe disk is full\n",
    });
    let answer: serde_json::Value = serde_json::from_slice(&connection.post(INCIDENTS, &body.to_string())?)?;
    Ok(answer["incident_id"].as_str().ok_or_else(|| format!("no incident was captured: {answer}"))?.to_owned())
}

fn kibibytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1_024).unwrap_or(u32::MAX))
}

/// The sizes of all files below a directory.
fn bytes_on_disk(directory: &Path) -> Fallible<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // What a server removes meanwhile counts as nothing.
        let Ok(metadata) = entry.metadata() else { continue };
        sum += if metadata.is_dir() { bytes_on_disk(&entry.path())? } else { metadata.len() };
    }
    Ok(sum)
}
