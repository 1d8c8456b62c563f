//! How fast output is read, as a program that reads a file.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use crate::log::Kind;
use crate::measurement::{Fallible, Samples, Task, in_turns, output, timed, usage};
use crate::peer::Peer;
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench};

pub(crate) const NAME: &str = "readers";
const MEGABYTE: u32 = 1_000_000;
const ERRORFORMAT: &str = "%f:%l:%c: %m";

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let megabytes = bench.choose(32, 128);
    let mut rows = any_tool(bench, megabytes)?;
    rows.extend(speeds(bench, megabytes)?);
    rows.push(errorformat(bench, megabytes / 8)?);
    rows.push(gotestsum(bench, megabytes / 4)?);
    Ok(Measured { rows, curves: Vec::new() })
}

/// `referee parse` of a file.
fn parse(bench: &Workbench, log: &Path, arguments: &[&str]) -> Command {
    let mut command = bench.referee(bench.path(), &["parse", "--format", "json"]);
    command.args(arguments).arg(log);
    command
}

/// With every reader asked, against one pass over the same bytes.
fn any_tool(bench: &Workbench, megabytes: u32) -> Fallible<Vec<Row>> {
    let log = bench.log(Kind::Build, u64::from(megabytes * MEGABYTE))?;
    let ours = || parse(bench, &log, &[]);
    let strip = || {
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$1\" --floor strip < \"$2\"", "sh"]).arg(std::env::current_exe()?).arg(&log);
        timed(&mut command)
    };
    let mut tasks: [Task<'_>; 2] = [Box::new(|| timed(&mut ours())), Box::new(strip)];
    let times = in_turns(bench.choose(3, 7), &mut tasks)?;
    let used = usage(&mut ours())?;
    let speed = f64::from(megabytes) / used.processor.as_secs_f64().max(f64::MIN_POSITIVE);
    let what = format!("{megabytes} MB of build output, tool unknown");
    Ok(vec![
        Row::value(NAME, format!("{what}, by processor time"), speed, Unit::MegabytesPerSecond, Aim::AtLeast(200.0)),
        Row::ratio(NAME, what, &times[0], ("an ANSI strip", &times[1]), Aim::None),
    ])
}

/// Both ends of what a log can be, with one reader asked and with all, beside a hash of the same bytes. In the log
/// without a finding, gcc says nothing, so that all readers are asked even though it is named; in Jest's, the named
/// tool speaks.
fn speeds(bench: &Workbench, megabytes: u32) -> Fallible<Vec<Row>> {
    let (known, jest): (&[&str], &[&str]) = (&["--tool", "gcc"], &["--tool", "jest"]);
    let cases = [
        ("tool known, every line a passed test of Jest", Kind::Jest, jest, 400.0),
        ("tool unknown, every line a passed test of Jest", Kind::Jest, &[], 200.0),
        ("tool known, no finding", Kind::Quiet, known, 400.0),
        ("tool known, every line a finding", Kind::Findings, known, 150.0),
        ("tool unknown, no finding", Kind::Quiet, &[], 200.0),
        ("tool unknown, every line a finding", Kind::Findings, &[], 75.0),
    ];
    let mut rows = Vec::new();
    for (what, kind, arguments, aim) in cases {
        let log = bench.log(kind, u64::from(megabytes * MEGABYTE))?;
        let ours = || parse(bench, &log, arguments);
        let hash = || timed(Command::new("sha256sum").arg(&log));
        let mut tasks: [Task<'_>; 2] = [Box::new(|| timed(&mut ours())), Box::new(hash)];
        let times = in_turns(bench.choose(3, 7), &mut tasks)?;
        let used = usage(&mut ours())?;
        let speed = f64::from(megabytes) / used.processor.as_secs_f64().max(f64::MIN_POSITIVE);
        let what = format!("{megabytes} MB, {what}");
        let by_processor = format!("{what}, by processor time");
        rows.push(Row::value(NAME, by_processor, speed, Unit::MegabytesPerSecond, Aim::AtLeast(aim)));
        rows.push(Row::ratio(NAME, what, &times[0], ("sha256sum", &times[1]), Aim::None));
    }
    Ok(rows)
}

fn errorformat(bench: &Workbench, megabytes: u32) -> Fallible<Row> {
    let what = format!("{megabytes} MB of findings of gcc");
    let mut peer = match bench.peers.command(Peer::Errorformat) {
        Ok(peer) => peer,
        Err(why) => return Ok(Row::skipped(NAME, what, Peer::Errorformat.name(), why)),
    };
    let log = bench.log(Kind::Findings, u64::from(megabytes * MEGABYTE))?;
    peer.args(["-w", "jsonl", ERRORFORMAT]);
    let times = against(bench, &log, &[], peer)?;
    Ok(Row::ratio(NAME, what, &times[0], (Peer::Errorformat.name(), &times[1]), Aim::AtMost(0.1)))
}

fn gotestsum(bench: &Workbench, megabytes: u32) -> Fallible<Row> {
    let what = format!("{megabytes} MB of go test -json");
    let mut peer = match bench.peers.command(Peer::GotestSum) {
        Ok(peer) => peer,
        Err(why) => return Ok(Row::skipped(NAME, what, Peer::GotestSum.name(), why)),
    };
    let log = bench.log(Kind::GoTests, u64::from(megabytes * MEGABYTE))?;
    peer.args(["--raw-command", "--format", "dots", "--", "cat"]).arg(&log);
    let times = against(bench, &log, &["--tool", "go"], peer)?;
    Ok(Row::ratio(NAME, what, &times[0], (Peer::GotestSum.name(), &times[1]), Aim::None))
}

fn against(bench: &Workbench, log: &Path, arguments: &[&str], mut peer: Command) -> Fallible<Vec<Samples>> {
    let theirs = move || {
        let began = std::time::Instant::now();
        // Read from the file, and not from nothing.
        let status = peer.stdin(File::open(log)?).stdout(std::process::Stdio::null()).status()?;
        let took = began.elapsed();
        if status.success() { Ok(took) } else { Err(format!("{peer:?}: {status}").into()) }
    };
    output(&mut parse(bench, log, arguments))?;
    let mut tasks: [Task<'_>; 2] = [Box::new(|| timed(&mut parse(bench, log, arguments))), Box::new(theirs)];
    in_turns(bench.choose(3, 7), &mut tasks)
}
