//! What a sealed run costs beside what it runs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use referee_testkit::server::{Reply, Server};

use crate::growth::Curve;
use crate::measurement::{Fallible, Task, in_turns, output, timed, usage};
use crate::peer::Peer;
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench, floor, specification};

pub(crate) const NAME: &str = "checks";
const TRUE: &str = "['true']";
const MANY: usize = 1_000;
const REQUESTS: usize = 100;

/// Peers that start a program many times. Make is what people would use instead.
const PEERS: [(Peer, Aim); 5] = [
    (Peer::Make, Aim::AtMost(1.0)),
    (Peer::Parallel, Aim::None),
    (Peer::Bats, Aim::None),
    (Peer::Hyperfine, Aim::None),
    (Peer::Just, Aim::None),
];

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut rows = one(bench)?;
    rows.extend(many(bench)?);
    rows.push(requests(bench)?);
    let curve = growth(bench)?;
    rows.extend([curve.power(NAME), curve.peak(NAME, Aim::None)].into_iter().flatten());
    Ok(Measured { rows, curves: vec![curve] })
}

fn one(bench: &Workbench) -> Fallible<Vec<Row>> {
    let workspace = bench.directory("one")?;
    specification(&workspace, 1, TRUE)?;
    let run = || bench.referee(&workspace, &["run", "-q"]);
    let mut tasks: [Task<'_>; 2] =
        [Box::new(|| timed(&mut run())), Box::new(|| timed(Command::new("sh").args(["-c", "true"])))];
    let times = in_turns(bench.choose(11, 41), &mut tasks)?;
    let what = "a sealed run of one check";
    Ok(vec![Row::more(NAME, what, &times[0], ("sh -c true", &times[1]), Aim::AtMost(10.0)), syncs(&workspace, bench)])
}

/// Counts the system calls that wait for the disk.
fn syncs(workspace: &Path, bench: &Workbench) -> Row {
    let what = "syncs of that run";
    // While much other data waits for the disk, a run syncs its files singly.
    drop(Command::new("sync").status());
    let log = bench.path().join("syncs");
    let run = bench.referee(workspace, &["run", "-q"]);
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=fsync,fdatasync,syncfs,sync", "-e", "signal=none", "-o"]).arg(&log);
    strace.arg(&bench.program).args(run.get_args()).current_dir(workspace).env("REFEREE_STATE_DIR", bench.state());
    if let Err(error) = output(&mut strace) {
        return Row::skipped(NAME, what, "strace", &error.to_string());
    }
    let text = fs::read_to_string(log).unwrap_or_default();
    let count = text.lines().filter(|line| !line.contains("resumed>")).count();
    Row::value(NAME, what, f64::from(u32::try_from(count).unwrap_or(u32::MAX)), Unit::Count, Aim::AtMost(6.0))
}

fn many(bench: &Workbench) -> Fallible<Vec<Row>> {
    let workspace = bench.directory("many")?;
    specification(&workspace, MANY, TRUE)?;
    let run = |jobs: &'static str| bench.referee(&workspace, &["run", "-q", "--jobs", jobs]);
    let what = format!("{MANY} × `true`, sealed");
    let mut tasks: [Task<'_>; 3] = [
        Box::new(|| timed(&mut run("1"))),
        Box::new(|| timed(&mut run("2"))),
        Box::new(|| timed(&mut floor(&["spawn", &MANY.to_string(), "true"])?)),
    ];
    let times = in_turns(bench.choose(3, 7), &mut tasks)?;
    let mut rows = vec![
        Row::ratio(NAME, &what, &times[0], ("a loop of spawn and wait", &times[2]), Aim::AtMost(1.5)),
        Row::ratio(NAME, "the same with two jobs", &times[1], ("one job", &times[0]), Aim::AtMost(1.0)),
    ];
    let peers = bench.directory("many-peers")?;
    for (peer, aim) in PEERS {
        let mut command = match bench.peers.command(peer) {
            Ok(command) => command,
            Err(why) => {
                rows.push(Row::skipped(NAME, &what, peer.name(), why));
                continue;
            }
        };
        prepare(&mut command, peer, &peers)?;
        let mut tasks: [Task<'_>; 2] = [Box::new(|| timed(&mut run("1"))), Box::new(|| timed(&mut command))];
        // It takes minutes, a hundred times as long as ours.
        let rounds = if peer == Peer::Bats { 1 } else { bench.choose(1, 3) };
        let times = in_turns(rounds, &mut tasks)?;
        rows.push(Row::ratio(NAME, &what, &times[0], (peer.name(), &times[1]), aim));
    }
    Ok(rows)
}

/// Has a peer run `true` as often.
fn prepare(command: &mut Command, peer: Peer, directory: &Path) -> Fallible<()> {
    let names: Vec<String> = (0..MANY).map(|number| format!("c{number}")).collect();
    let each = |text: &dyn Fn(&str) -> String| names.iter().map(|name| text(name)).collect::<Vec<_>>().concat();
    command.current_dir(directory);
    let (name, text) = match peer {
        Peer::Make => (
            "Makefile",
            format!(".PHONY: all {0}\nall: {0}\n{1}", names.join(" "), each(&|name| format!("{name}:\n\t@true\n"))),
        ),
        Peer::Just => {
            ("justfile", format!("all: {}\n{}", names.join(" "), each(&|name| format!("{name}:\n    @true\n"))))
        }
        Peer::Bats => {
            command.arg("true.bats");
            ("true.bats", each(&|name| format!("@test \"{name}\" {{ true; }}\n")))
        }
        Peer::Parallel => {
            command.args(["--will-cite", "-j1", "-a", "names", "-N0", "true"]);
            ("names", each(&|name| format!("{name}\n")))
        }
        Peer::Hyperfine => {
            command.args(["-N", "--warmup", "0", "--runs", &MANY.to_string(), "true"]);
            return Ok(());
        }
        Peer::Errorformat | Peer::GotestSum | Peer::Hurl => return Err("it starts no programs".into()),
    };
    Ok(fs::write(directory.join(name), text)?)
}

/// Requests to a server on this machine that answers at once.
fn requests(bench: &Workbench) -> Fallible<Row> {
    let what = format!("{REQUESTS} HTTP requests, sealed");
    let mut hurl = match bench.peers.command(Peer::Hurl) {
        Ok(hurl) => hurl,
        Err(why) => return Ok(Row::skipped(NAME, what, Peer::Hurl.name(), why)),
    };
    let server = Server::start(|_| Reply::json("[]"));
    let url = server.url("/items");
    let workspace = bench.directory("requests")?;
    let mut text = "checks:\n".to_owned();
    (0..REQUESTS).try_for_each(|number| writeln!(text, "  c{number}: {{ http: '{url}', status: 200 }}"))?;
    fs::write(workspace.join("referee.yaml"), text)?;
    fs::write(workspace.join("requests.hurl"), format!("GET {url}\nHTTP 200\n\n").repeat(REQUESTS))?;
    hurl.args(["--test", "--jobs", "1", "requests.hurl"]).current_dir(&workspace);
    let mut tasks: [Task<'_>; 2] =
        [Box::new(|| timed(&mut bench.referee(&workspace, &["run", "-q"]))), Box::new(|| timed(&mut hurl))];
    let times = in_turns(bench.choose(3, 7), &mut tasks)?;
    Ok(Row::ratio(NAME, what, &times[0], (Peer::Hurl.name(), &times[1]), Aim::None))
}

fn growth(bench: &Workbench) -> Fallible<Curve> {
    let mut curve = Curve::new("actions", "A run with many actions", "actions");
    for (actions, size) in [(10, 10.0), (100, 100.0), (1_000, 1_000.0), (10_000, 10_000.0)] {
        if bench.is_quick && actions > 1_000 {
            break;
        }
        let workspace = bench.directory(&format!("actions-{actions}"))?;
        specification(&workspace, actions, TRUE)?;
        let run = || bench.referee(&workspace, &["run", "-q", "--jobs", "1"]);
        let used = usage(&mut run())?;
        let elapsed = if actions < 1_000 { timed(&mut run())?.min(used.elapsed) } else { used.elapsed };
        curve.add(size, elapsed, &used);
        fs::remove_dir_all(&workspace)?;
    }
    Ok(curve)
}
