//! How large the program is; and, where it is asked for, how long it takes to build it and to run all tests.

use std::path::Path;
use std::process::Command;

use crate::measurement::{Fallible, output, timed};
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench};

pub(crate) const NAME: &str = "program";
const NOT_ASKED: &str = "not asked for (--builds)";

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut rows = vec![size(bench)?];
    let [build, tests] = ["release build from nothing", "cargo test --workspace, built"];
    if !bench.builds {
        rows.extend([build, tests].map(|what| Row::skipped(NAME, what, "–", NOT_ASKED)));
        return Ok(Measured { rows, curves: Vec::new() });
    }
    let target = bench.path().join("target");
    let took = timed(cargo(&target).args(["build", "--release", "-p", "referee"]))?;
    rows.push(Row::value(NAME, build, took.as_secs_f64(), Unit::Seconds, Aim::AtMost(240.0)));
    timed(cargo(&target).args(["test", "--workspace", "--no-run"]))?;
    let took = timed(cargo(&target).args(["test", "--workspace"]))?;
    rows.push(Row::value(NAME, tests, took.as_secs_f64(), Unit::Seconds, Aim::AtMost(180.0)));
    Ok(Measured { rows, curves: Vec::new() })
}

fn cargo(target: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).env("CARGO_TARGET_DIR", target);
    cargo
}

fn size(bench: &Workbench) -> Fallible<Row> {
    let what = "the program, stripped";
    let stripped = bench.path().join("stripped");
    if let Err(error) = output(Command::new("strip").arg("-o").arg(&stripped).arg(&bench.program)) {
        return Ok(Row::skipped(NAME, what, "–", &error.to_string()));
    }
    let kilobytes = u32::try_from(stripped.metadata()?.len() / 1_000)?;
    Ok(Row::value(NAME, what, f64::from(kilobytes) / 1_000.0, Unit::Megabytes, Aim::AtMost(25.0)))
}
