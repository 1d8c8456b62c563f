//! The page of the documentation that the figures are written into.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::growth::Curve;
use crate::machine::Machine;
use crate::measurement::Fallible;
use crate::table::{Row, markdown};

const BEGIN: &str = "<!-- measured:begin -->";
const END: &str = "<!-- measured:end -->";

fn documentation() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Writes table and curves between the marks of `docs/performance.md`, and the curves as files beside it.
pub(crate) fn write(machine: &Machine, rows: &[Row], curves: &[Curve]) -> Fallible<()> {
    let page = documentation().join("performance.md");
    let text = fs::read_to_string(&page)?;
    let (before, rest) = text.split_once(BEGIN).ok_or("docs/performance.md has no mark where figures begin")?;
    let (_, after) = rest.split_once(END).ok_or("docs/performance.md has no mark where figures end")?;
    let mut measured = format!("{BEGIN}\n\n{}.\n\n{}\n", machine.line(), markdown(rows));
    let drawings = documentation().join("performance");
    fs::create_dir_all(&drawings)?;
    for curve in curves {
        fs::write(drawings.join(format!("{}.svg", curve.name)), curve.svg())?;
        let _ = writeln!(measured, "![{}](performance/{}.svg)\n", curve.title, curve.name);
    }
    Ok(fs::write(page, format!("{before}{measured}{END}{after}"))?)
}
