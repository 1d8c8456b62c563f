//! What errorformat and Referee find in the same output of real tools, for each tool that both know.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::measurement::{Fallible, output};
use crate::peer::Peer;
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench};

pub(crate) const NAME: &str = "errorformat";

/// The files whose output the readers' tests hold, a directory for each tool.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../readers/tests/fixtures");

/// Names that differ: errorformat's, ours.
const ALIASES: [(&str, &str); 5] = [
    ("cargo-check", "rustc"),
    ("clippy", "rustc"),
    ("dotnet", "msbuild"),
    ("eslint-compact", "eslint"),
    ("standardjs", "standard"),
];

/// A file and a line in it.
type FileLine = (String, u64);

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut list = match bench.peers.command(Peer::Errorformat) {
        Ok(peer) => peer,
        Err(why) => {
            let row = Row::skipped(NAME, "places of findings", Peer::Errorformat.name(), why);
            return Ok(Measured { rows: vec![row], curves: Vec::new() });
        }
    };
    let listed = output(list.arg("-list"))?;
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let mut rows = Vec::new();
    for name in names {
        let tool = ALIASES.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours);
        let fixtures = Path::new(FIXTURES).join(tool);
        if fixtures.is_dir() {
            rows.push(compare(bench, name, tool, &fixtures)?);
        }
    }
    Ok(Measured { rows, curves: Vec::new() })
}

fn compare(bench: &Workbench, name: &str, tool: &str, fixtures: &Path) -> Fallible<Row> {
    let (mut both, mut ours_alone, mut theirs_alone) = (0, 0, 0);
    for file in outputs(fixtures)? {
        let (ours, theirs) = (ours(bench, tool, &file)?, theirs(bench, name, &file)?);
        both += ours.intersection(&theirs).count();
        ours_alone += ours.difference(&theirs).count();
        theirs_alone += theirs.difference(&ours).count();
    }
    let what = format!("{name}: {both} places found by both, {ours_alone} by Referee alone; by errorformat alone");
    let alone = f64::from(u32::try_from(theirs_alone)?);
    Ok(Row::value(NAME, what, alone, Unit::Count, Aim::AtMost(0.0)).beside(Peer::Errorformat.name()))
}

fn outputs(directory: &Path) -> Fallible<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".stdout.txt") || name.ends_with(".stderr.txt") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn ours(bench: &Workbench, tool: &str, file: &Path) -> Fallible<BTreeSet<FileLine>> {
    let mut command = bench.referee(bench.path(), &["parse", "--tool", tool, "--format", "json"]);
    let parsed: Value = serde_json::from_str(&output(command.arg(file))?)?;
    let findings = parsed["diagnostics"].as_array().into_iter().flatten();
    Ok(findings.filter_map(|finding| place(&finding["file"], &finding["line"])).collect())
}

fn theirs(bench: &Workbench, name: &str, file: &Path) -> Fallible<BTreeSet<FileLine>> {
    let mut peer = bench.peers.command(Peer::Errorformat)?;
    let read = peer.arg(format!("-name={name}")).args(["-w", "jsonl"]).stdin(File::open(file)?).stderr(Stdio::null());
    let mut places = BTreeSet::new();
    for line in String::from_utf8(read.output()?.stdout)?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        if entry["valid"] == true {
            places.extend(place(&entry["filename"], &entry["lnum"]));
        }
    }
    Ok(places)
}

fn place(file: &Value, line: &Value) -> Option<FileLine> {
    let file = file.as_str().filter(|file| !file.is_empty())?;
    let line = line.as_u64().filter(|line| *line > 0)?;
    Some((file.trim_start_matches("./").to_owned(), line))
}
