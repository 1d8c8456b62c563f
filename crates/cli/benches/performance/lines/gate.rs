//! What an answer of the gate costs where nothing changed, beside `git status` over the same files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::growth::Curve;
use crate::measurement::{Fallible, Task, in_turns, output, timed, usage};
use crate::table::{Aim, Row};
use crate::workbench::{Measured, Workbench, git, repository, specification};

pub(crate) const NAME: &str = "gate";
/// The number of files that an answer has a bound in time for.
const BOUND_AT: usize = 10_000;

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut rows = Vec::new();
    let mut curve = Curve::new("files", "An answer of the gate where nothing changed", "files");
    for (files, size) in [(100, 100.0), (1_000, 1_000.0), (BOUND_AT, 10_000.0), (100_000, 100_000.0)] {
        if bench.is_quick && files > BOUND_AT {
            break;
        }
        let workspace = bench.directory(&format!("files-{files}"))?;
        // First, so that it is committed.
        specification(&workspace, 1, "['true']")?;
        repository(&workspace, files)?;
        await_reuse(bench, &workspace)?;
        let gate = || bench.referee(&workspace, &["gate"]);
        let mut tasks: [Task<'_>; 2] =
            [Box::new(|| timed(&mut gate())), Box::new(|| timed(&mut git(&workspace, &["status", "--porcelain"])))];
        let times = in_turns(bench.choose(7, 15), &mut tasks)?;
        curve.add(size, times[0].median(), &usage(&mut gate())?);
        let what = format!("the gate, nothing changed, {files} files");
        rows.push(Row::ratio(NAME, &what, &times[0], ("git status", &times[1]), Aim::AtMost(1.0)));
        if files == BOUND_AT {
            rows.push(Row::median(NAME, &what, &times[0], Aim::AtMost(100.0)));
        }
        fs::remove_dir_all(&workspace)?;
    }
    rows.extend([curve.power(NAME), curve.peak(NAME, Aim::None)].into_iter().flatten());
    Ok(Measured { rows, curves: vec![curve] })
}

/// Has the checks run, and waits until files that were written just now are old enough to be known by their stamps.
fn await_reuse(bench: &Workbench, workspace: &Path) -> Fallible<()> {
    let answer = || output(&mut bench.referee(workspace, &["gate", "--format", "json"]));
    answer()?;
    std::thread::sleep(Duration::from_secs(3));
    answer()?;
    if answer()?.contains("\"basis\": \"recorded\"") {
        return Ok(());
    }
    Err("an unchanged tree is not answered by the recorded verdict".into())
}
