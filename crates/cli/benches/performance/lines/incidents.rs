//! What commands over many incidents cost, whole processes.

use std::fs;
use std::path::Path;

use crate::growth::Curve;
use crate::incident_store;
use crate::measurement::{Fallible, Task, in_turns, output, timed, usage};
use crate::table::{Aim, Row};
use crate::workbench::{Measured, Workbench};

pub(crate) const NAME: &str = "incidents";

/// Sizes of stores, and how many milliseconds a list may take there.
const STORES: [(usize, f64, Aim); 5] = [
    (10, 10.0, Aim::None),
    (100, 100.0, Aim::None),
    (1_000, 1_000.0, Aim::None),
    (10_000, 10_000.0, Aim::AtMost(50.0)),
    (100_000, 100_000.0, Aim::AtMost(500.0)),
];
/// Where a capture is measured.
const CAPTURE_AT: usize = 10_000;

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut rows = Vec::new();
    let mut curve = Curve::new("incidents", "A list of incidents", "incidents");
    for (count, size, aim) in STORES {
        if bench.is_quick && count > CAPTURE_AT {
            break;
        }
        let workspace = bench.directory(&format!("incidents-{count}"))?;
        incident_store::write(&workspace, count)?;
        let list = || bench.referee(&workspace, &["incident", "list", "--format", "json"]);
        // Makes the index.
        output(&mut list())?;
        let mut tasks: [Task<'_>; 1] = [Box::new(|| timed(&mut list()))];
        let times = in_turns(bench.choose(5, 15), &mut tasks)?;
        curve.add(size, times[0].median(), &usage(&mut list())?);
        if aim != Aim::None {
            rows.push(Row::median(NAME, format!("list of {count} incidents"), &times[0], aim));
        }
        if count == CAPTURE_AT {
            rows.push(capture(bench, &workspace)?);
        }
        fs::remove_dir_all(&workspace)?;
    }
    rows.extend([curve.power(NAME), curve.peak(NAME, Aim::None)].into_iter().flatten());
    Ok(Measured { rows, curves: vec![curve] })
}

/// Each one a failure that was not seen before.
fn capture(bench: &Workbench, workspace: &Path) -> Fallible<Row> {
    fs::write(workspace.join("import.log"), "begin\nthe disk is full\n")?;
    let mut number = 0;
    let captured = || {
        number += 1;
        let (step, message) = (format!("import-{number}"), format!("Import stopped at part {}", letters(number)));
        let told = ["--log", "import.log", "--failure-class", "timeout", "--step", &step, "--message", &message];
        timed(&mut bench.referee(workspace, &[&["incident", "capture"], &told[..]].concat()))
    };
    let mut tasks: [Task<'_>; 1] = [Box::new(captured)];
    let times = in_turns(bench.choose(11, 41), &mut tasks)?;
    Ok(Row::median(NAME, format!("capture of an incident beside {CAPTURE_AT}"), &times[0], Aim::AtMost(20.0)))
}

/// A number in letters, since a fingerprint takes all digits for the same.
pub(crate) fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}
