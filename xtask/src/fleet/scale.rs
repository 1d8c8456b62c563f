//! What a fleet on this machine can take: whole runs, one question of many, and many orders.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use self::measure::{Machine, Usage, milliseconds, percentile};
use super::server;
use super::stage::{Process, Programs, Stage, memory_left_mib, wait};

mod measure;

/// How much is measured.
pub(super) struct Sizes {
    /// Runs of each kind that are compared.
    pub(super) runs: usize,
    /// Those who ask the same.
    pub(super) askers: usize,
    /// Different orders, and the time after which no more are asked.
    pub(super) orders: usize,
    pub(super) limit: Duration,
    /// Workers that perform these.
    pub(super) workers: usize,
}

/// Orders that are asked at once, of many, if there are no more workers.
const AT_ONCE: usize = 32;

/// Memory that is left to the machine.
const MEMORY_LEFT_MIB: u64 = 2_000;

/// Measures, and prints a table.
pub(super) fn run(sizes: &Sizes, programs: &Programs, directory: &Path) -> io::Result<()> {
    let before = Machine::look();
    line("what", "measured")?;
    line("---", "---")?;
    whole_runs(sizes, &Stage::new(programs, directory.join("runs"))?)?;
    one_question(sizes, &Stage::new(programs, directory.join("question"))?)?;
    many_orders(sizes, &Stage::new(programs, directory.join("orders"))?)?;
    writeln!(io::stdout(), "\n{before}; load at the end {}", measure::load())
}

fn line(what: &str, measured: &str) -> io::Result<()> {
    writeln!(io::stdout(), "| {what} | {measured} |")
}

/// Runs of one trivial check: here, and on workers.
fn whole_runs(sizes: &Sizes, stage: &Stage) -> io::Result<()> {
    stage.specify("checks:\n  speak: echo hello\n")?;
    let count = sizes.runs;
    for number in 0..count {
        // Each one has another tree, so that each is another question.
        let name = format!("run-{number}");
        stage.copy_asker(&name)?;
        fs::write(stage.file(&name).join("number.txt"), format!("{number}\n"))?;
    }
    for at_once in [1, 2, 4] {
        let rate = rate(count, at_once, |number| {
            let mut command = stage.referee("asker", &["run"])?;
            succeed(command.current_dir(stage.file(&format!("run-{number}"))))
        })?;
        line(&format!("{count} × `referee run` of `echo hello`, {at_once} at once"), &rate)?;
    }
    let names = ["worker-1", "worker-2", "worker-3", "worker-4"];
    stage.trust(&names)?;
    let mut workers = Vec::new();
    for many in [1, 2, 4] {
        for name in &names[workers.len()..many] {
            workers.push(stage.worker(name, &[])?);
        }
        let rate = rate(count, 2 * many, |number| {
            let mut command = stage.referee("asker", &["run", "--fleet", "--label", super::stage::LABEL])?;
            succeed(command.current_dir(stage.file(&format!("run-{number}"))))
        })?;
        line(&format!("the same with `--fleet`, {many} workers, {} who ask at once", 2 * many), &rate)?;
    }
    Ok(())
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(io::Error::other(format!("a run does not pass: {}: {told}", output.status)))
}

/// Does something a number of times, some at once, and returns how often a second.
fn rate(count: usize, at_once: usize, each: impl Fn(usize) -> io::Result<()> + Sync) -> io::Result<String> {
    let begun = Instant::now();
    share(at_once, |next| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if count <= number {
                return Ok(());
            }
            each(number)?;
        }
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(format!("{:.1} a second", per(count, seconds)))
}

/// Runs the same in several threads, which share a number.
fn share(threads: usize, work: impl Fn(&AtomicUsize) -> io::Result<()> + Sync) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(&next))).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(end) => end,
            Err(_) => Err(io::Error::other("a thread panicked")),
        })
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of this program are small")]
fn per(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds
}

/// Many who ask the same, while its run is under way.
fn one_question(sizes: &Sizes, stage: &Stage) -> io::Result<()> {
    let go = stage.file("go");
    let worker =
        simulated_worker(stage, "worker-1", 1, &format!("while ! [ -e {} ]; do sleep 0.1; done", go.display()))?;
    let request = request(stage, 0)?;
    let queued = AtomicUsize::new(0);
    let usage = Usage::begin(&stage.temporal, &[&worker]);
    let begun = Instant::now();
    let mut skipped = 0;
    let answers = thread::scope(|scope| {
        let mut askers = Vec::new();
        for number in 0..sizes.askers {
            if memory_left_mib() < MEMORY_LEFT_MIB {
                skipped = sizes.askers - number;
                break;
            }
            askers.push(scope.spawn(|| {
                ask(stage, &request, || {
                    queued.fetch_add(1, Ordering::Relaxed);
                })
            }));
            // As many start at once as the machine has processors for.
            while queued.load(Ordering::Relaxed) + 8 < number {
                thread::sleep(Duration::from_millis(2));
                if askers.iter().any(thread::ScopedJoinHandle::is_finished) {
                    break;
                }
            }
        }
        wait("all are attached", || queued.load(Ordering::Relaxed) == askers.len())?;
        let attached = begun.elapsed();
        line(
            &format!("{} `referee-fleet order` for one question: until all wait", askers.len()),
            &milliseconds(attached),
        )?;
        // What it costs that they wait.
        let waiting = Usage::begin(&stage.temporal, &[&worker]);
        thread::sleep(Duration::from_secs(10));
        line("processor time while they wait", &waiting.end())?;
        stage.touch("go")?;
        let answered = Instant::now();
        let answers: Vec<io::Result<Instant>> = askers
            .into_iter()
            .map(|asker| asker.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))))
            .collect();
        Ok::<_, io::Error>((answered, answers))
    })?;
    let (answered, answers) = answers;
    let mut times = Vec::new();
    for answer in answers {
        times.push(answer?.saturating_duration_since(answered));
    }
    line("from the end of its check until they have the answer, p50 / p99 / last", &percentiles(&mut times))?;
    line("processor time, all in all", &usage.end())?;
    line("memory of the server and of the worker, peak", &usage.memory())?;
    let ran = stage.count("ran");
    line("runs that it cost", &ran.to_string())?;
    let id = order_id(&request)?;
    let info = server::get(&stage.temporal, &format!("workflows/{id}"))?;
    let info = &info["workflowExecutionInfo"];
    let text = |key: &str| info[key].as_str().unwrap_or("unknown").to_owned();
    line("history of its workflow", &format!("{} events, {} bytes", text("historyLength"), text("historySizeBytes")))?;
    if 0 < skipped {
        line("left out, since memory was short", &format!("{skipped} who would have asked"))?;
    }
    Ok(())
}

/// Size of the files that the server keeps its state in.
fn state_bytes(stage: &Stage) -> u64 {
    let files = ["temporal.db", "temporal.db-wal"].map(|name| fs::metadata(stage.file("temporal").join(name)));
    files.into_iter().filter_map(Result::ok).map(|file| file.len()).sum()
}

/// Many orders, each one another, as many as come in the time.
fn many_orders(sizes: &Sizes, stage: &Stage) -> io::Result<()> {
    let (many, at_once) = (sizes.workers, sizes.workers.max(AT_ONCE));
    let worker = |number: usize| simulated_worker(stage, &format!("worker-{number}"), at_once / many, "sleep 0.2");
    let workers = (1..=many).map(worker).collect::<io::Result<Vec<_>>>()?;
    let size = state_bytes(stage);
    let usage = Usage::begin(&stage.temporal, &workers.iter().collect::<Vec<_>>());
    let begun = Instant::now();
    let times = std::sync::Mutex::new(Vec::new());
    share(at_once, |next| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if sizes.orders <= number || sizes.limit < begun.elapsed() {
                return Ok(());
            }
            let asked = Instant::now();
            let answered = ask(stage, &request(stage, number)?, || ())?;
            if let Ok(mut times) = times.lock() {
                times.push(answered.saturating_duration_since(asked));
            }
        }
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut times = times.into_inner().unwrap_or_default();
    let count = times.len();
    line(
        &format!("{count} orders, {at_once} at once, {many} workers that only sleep for 0.2 s"),
        &format!("{:.1} a second, for {seconds:.0} s", per(count, seconds)),
    )?;
    line("from the start of `referee-fleet order` to its answer, p50 / p99 / last", &percentiles(&mut times))?;
    line("processor time", &usage.end())?;
    line("memory of the server and of the workers, peak", &usage.memory())?;
    let grown = state_bytes(stage).saturating_sub(size) / u64::try_from(count.max(1)).unwrap_or(1);
    line("the server's file grew, for each order", &format!("{grown} bytes"))?;
    line("orders begun twice", &stage.count("ran").saturating_sub(count).to_string())
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let times = [50, 99, 100].map(|part| milliseconds(percentile(times, part)));
    times.join(" / ")
}

/// Starts a worker whose program does nothing but wait.
fn simulated_worker(stage: &Stage, name: &str, jobs: usize, wait: &str) -> io::Result<Process> {
    let outcome = json!({ "kind": "outcome", "outcome": { "kind": "performed", "result": "simulated" } });
    stage.script_worker(name, jobs, &format!("echo begun >> {}\n{wait}\necho '{outcome}'", stage.file("ran").display()))
}

/// Writes a request for an order that has a number.
fn request(stage: &Stage, number: usize) -> io::Result<PathBuf> {
    let digest = format!("{number:064x}");
    let order = json!({
        "project": "scale", "tree": { "sha256": digest, "bytes": 4 }, "inputs": digest, "specification": "referee.yaml",
        "specificationDigest": digest, "task": "T001", "leftOut": {}, "jobs": null, "timeoutMs": null,
        "engineVersion": "1.0.0", "labels": [super::stage::LABEL],
    });
    let request = json!({
        "order": order, "depot": { "kind": "files", "directory": "/" }, "timeoutMs": 600_000, "heartbeatMs": 20_000,
    });
    let path = stage.file(&format!("order-{number}.json"));
    fs::write(&path, request.to_string())?;
    Ok(path)
}

/// The name of an order in the queue.
fn order_id(request: &Path) -> io::Result<String> {
    let request: referee_model::order_protocol::OrderRequest = serde_json::from_slice(&fs::read(request)?)?;
    Ok(format!("referee-order-{}", request.order.digest()?))
}

/// Asks, and returns when the answer was there.
fn ask(stage: &Stage, request: &Path, on_queued: impl FnOnce()) -> io::Result<Instant> {
    let mut command = Command::new(stage.programs.referee.join("referee-fleet"));
    command.arg("order").envs(stage.environment()).stdin(File::open(request)?).stdout(Stdio::piped());
    let mut asker = command.spawn()?;
    let (mut on_queued, mut answered) = (Some(on_queued), Err(io::Error::other("an order was not answered")));
    for line in asker.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
        let line = line?;
        if line.contains(r#""kind":"queued""#) {
            on_queued.take().into_iter().for_each(|queued| queued());
        } else if line.contains(r#""kind":"answered""#) {
            answered = Ok(Instant::now());
        } else if line.contains(r#""kind":"failed""#) {
            answered = Err(io::Error::other(line));
        }
    }
    asker.wait()?;
    answered
}
