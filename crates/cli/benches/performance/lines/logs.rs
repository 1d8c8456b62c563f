//! What it costs to keep output and to verify it, beside the least that can be done with the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::growth::Curve;
use crate::log::Kind;
use crate::measurement::{Fallible, Task, in_turns, timed, usage};
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench, specification};

pub(crate) const NAME: &str = "logs";
const MEBIBYTE: u64 = 1 << 20;
const PEAK_MEBIBYTES_MAX: f64 = 64.0;
const FLOOR: &str = "cat \"$1\" | cat > copy && sha256sum copy";

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mebibytes = bench.choose(256, 1_024);
    let mut rows = Vec::new();
    for kind in [Kind::Base64, Kind::Build] {
        let log = bench.log(kind, mebibytes * MEBIBYTE)?;
        let workspace = bench.directory(kind.name())?;
        specification(&workspace, 1, &format!("[cat, '{}']", log.display()))?;
        let what = format!("{mebibytes} MiB of {} lines", kind.name());
        rows.push(capture(bench, &workspace, &log, &what)?);
        if kind == Kind::Base64 {
            rows.extend(verification(bench, &workspace, &log, &what)?);
        }
        bench.forget(&workspace)?;
        fs::remove_file(log)?;
    }
    let curve = growth(bench)?;
    rows.extend([curve.power(NAME), curve.peak(NAME, Aim::AtMost(PEAK_MEBIBYTES_MAX))].into_iter().flatten());
    Ok(Measured { rows, curves: vec![curve] })
}

/// Leaves the evidence of a run.
fn capture(bench: &Workbench, workspace: &Path, log: &Path, what: &str) -> Fallible<Row> {
    let run = || bench.referee(workspace, &["run", "-q"]);
    let copied = || {
        let took = timed(Command::new("sh").args(["-c", FLOOR, "sh"]).arg(log).current_dir(workspace))?;
        fs::remove_file(workspace.join("copy"))?;
        Ok(took)
    };
    let captured = || {
        bench.forget(workspace)?;
        timed(&mut run())
    };
    let mut tasks: [Task<'_>; 2] = [Box::new(captured), Box::new(copied)];
    let times = in_turns(bench.choose(3, 5), &mut tasks)?;
    let what = format!("capture of {what}");
    Ok(Row::ratio(NAME, what, &times[0], ("cat > file; sha256sum", &times[1]), Aim::AtMost(1.0)))
}

fn verification(bench: &Workbench, workspace: &Path, log: &Path, what: &str) -> Fallible<Vec<Row>> {
    let task = fs::read_dir(workspace.join("evidence"))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| !name.starts_with('.'))
        .ok_or("a run leaves evidence")?;
    let evidence = format!("evidence/{task}");
    let verify = || bench.referee(workspace, &["evidence", "verify", &evidence]);
    let replay = || bench.referee(workspace, &["evidence", "verify", &evidence, "--replay"]);
    let sum = || {
        let mut command = Command::new("sha256sum");
        command.arg(log);
        command
    };
    let mut tasks: [Task<'_>; 3] =
        [Box::new(|| timed(&mut verify())), Box::new(|| timed(&mut replay())), Box::new(|| timed(&mut sum()))];
    let times = in_turns(bench.choose(3, 5), &mut tasks)?;
    let (verified, summed) = (usage(&mut verify())?, usage(&mut sum())?);
    bench.forget(workspace)?;
    let live = usage(&mut bench.referee(workspace, &["run", "-q"]))?;
    let size = as_number(log.metadata()?.len());
    let processor = verified.processor.as_secs_f64() / summed.processor.as_secs_f64();
    // `cat` reads the log, and Referee what comes out of the pipe.
    let read_back = as_number(live.read_bytes) / size - 2.0;
    Ok(vec![
        Row::ratio(NAME, format!("evidence verify, {what}"), &times[0], ("sha256sum", &times[2]), Aim::AtMost(0.25)),
        Row::ratio(NAME, format!("verify --replay, {what}"), &times[1], ("sha256sum", &times[2]), Aim::AtMost(0.6)),
        Row::value(NAME, "processor time of evidence verify, of sha256sum's", processor, Unit::Ratio, Aim::AtMost(1.1)),
        passes("evidence verify reads the log, times", as_number(verified.read_bytes) / size),
        passes("a run reads its log back, times", read_back),
    ])
}

fn passes(what: &str, times: f64) -> Row {
    // Other files are read, too.
    Row::value(NAME, what, times, Unit::Ratio, Aim::AtMost(1.05))
}

fn as_number(bytes: u64) -> f64 {
    std::time::Duration::from_micros(bytes).as_secs_f64() * 1e6
}

fn growth(bench: &Workbench) -> Fallible<Curve> {
    let mut curve = Curve::new("output", "A run with much output", "MiB");
    let workspace = bench.directory("output")?;
    let bench_program: PathBuf = std::env::current_exe()?;
    for (mebibytes, size) in [(1, 1.0), (16, 16.0), (256, 256.0), (1_024, 1_024.0), (10_240, 10_240.0)] {
        if bench.is_quick && mebibytes > 256 {
            break;
        }
        let bytes = mebibytes * MEBIBYTE;
        specification(&workspace, 1, &format!("['{}', --floor, write, build, '{bytes}']", bench_program.display()))?;
        let used = usage(&mut bench.referee(&workspace, &["run", "-q"]))?;
        curve.add(size, used.elapsed, &used);
        bench.forget(&workspace)?;
    }
    Ok(curve)
}
