//! How fast logs are read, beside an ANSI strip and a SHA-256 of the same bytes in the same run, by processor time: `cargo
//! bench -p referee-readers`. The inputs come from a seeded generator, so they are the same every time. Or they are
//! what comes in, once: `cargo bench -p referee-readers -- stdin tsc < FILE`, or without the name of a tool.

#![expect(clippy::print_stdout, reason = "a measurement prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Read as _;
use std::time::Duration;

use referee_readers::source::MemorySource;
use referee_readers::{Hint, read};
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};

const ROUNDS: usize = 3;
const MEGABYTE: usize = 1_000_000;

/// Writes a line or more of a log.
type Writer = fn(&mut String, &mut Seeded);

/// Measures all inputs, or those whose names hold the argument: `cargo bench -p referee-readers -- mixed`.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let [source, tool @ ..] = &arguments[..]
        && source == "stdin"
    {
        return read_stdin(tool.first().cloned());
    }
    let wanted = arguments.first().map_or("", String::as_str);
    println!("{:<48} {:>9} {:>9} {:>9} {:>7}", "input", "read", "strip", "sha256", "ratio");
    let inputs: [(&str, usize, Writer, &[Option<&str>]); 10] = [
        ("jest, every test passed and is listed", 48, passed_test, &[Some("jest"), None]),
        ("jest, every suite passed", 32, passed_suite, &[Some("jest"), None]),
        ("tsc, every line a finding", 32, of_tsc, &[Some("tsc"), None]),
        ("gcc, every line a finding", 16, of_gcc, &[Some("gcc"), None]),
        ("ordinary words", 32, words, &[Some("tsc"), None]),
        ("build log, no finding", 32, noise, &[Some("tsc"), Some("gcc"), None]),
        ("build log, one finding in 500 lines", 32, |text, seeded| mixed(text, seeded, 500), &[None]),
        ("mixed log, one finding in 20 lines", 32, |text, seeded| mixed(text, seeded, 20), &[Some("eslint"), None]),
        ("nothing but findings of six tools", 16, finding, &[None]),
        ("mixed log, longer", 64, |text, seeded| mixed(text, seeded, 20), &[None]),
    ];
    for (name, size, write, tools) in inputs {
        for tool in tools {
            let name = format!("{name}; {}", tool.unwrap_or("no tool named"));
            if name.contains(wanted) {
                measure(&name, *tool, log(size * MEGABYTE, write).as_bytes());
            }
        }
    }
}

fn measure(name: &str, tool: Option<&str>, bytes: &[u8]) {
    let source = MemorySource::stdout(bytes.to_vec());
    let hint = Hint { tool: tool.map(str::to_owned), role: None };
    let mut times = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        times[0] = times[0].min(timed(|| drop(black_box(read(&source, &hint).expect("memory can be read")))));
        times[1] = times[1].min(timed(|| strip(bytes)));
        times[2] = times[2].min(timed(|| _ = black_box(Sha256::digest(bytes))));
    }
    let [read, strip, digest] = times.map(|time| megabytes(bytes) / time.as_secs_f64());
    println!("{name:<48} {read:>4.0} MB/s {strip:>4.0} MB/s {digest:>4.0} MB/s {:>6.2}", read / strip);
}

/// Reads what comes in as the output of a tool, if one is named, and says what was found and how long it took.
fn read_stdin(tool: Option<String>) {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the input can be read");
    let size = megabytes(&bytes);
    let source = MemorySource::stdout(bytes);
    let hint = Hint { tool, role: None };
    let mut found = 0;
    let time = timed(|| found = read(&source, &hint).expect("memory can be read").counts.total()).as_secs_f64();
    println!("{found} findings, {time:.3} s, {:.0} MB/s", size / time);
}

fn megabytes(bytes: &[u8]) -> f64 {
    f64::from(u32::try_from(bytes.len()).expect("inputs are small")) / 1e6
}

fn strip(bytes: &[u8]) {
    let kept: usize = anstream::adapter::strip_bytes(bytes).map(<[u8]>::len).sum();
    black_box(kept);
}

/// Returns the processor time that some work takes.
fn timed(work: impl FnOnce()) -> Duration {
    let now = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("the clock runs forwards");
    let start = now();
    work();
    now().saturating_sub(start)
}

/// Writes a log of at least so many bytes.
fn log(bytes: usize, write: Writer) -> String {
    let (mut text, mut seeded) = (String::with_capacity(bytes + 1024), Seeded(42));
    while text.len() < bytes {
        write(&mut text, &mut seeded);
    }
    text
}

/// A generator of numbers (Knuth's MMIX).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Writes a finding in place of one line in so many.
fn mixed(text: &mut String, seeded: &mut Seeded, one_in: u64) {
    if seeded.below(one_in) == 0 { finding(text, seeded) } else { noise(text, seeded) }
}

fn finding(text: &mut String, seeded: &mut Seeded) {
    let (file, line, column) = (seeded.below(500), seeded.below(900) + 1, seeded.below(80) + 1);
    let written = match seeded.below(6) {
        0 => writeln!(text, "src/m{file}.ts({line},{column}): error TS2322: Type 'a' is not assignable to type 'b'."),
        1 => writeln!(text, "src/m{file}.c:{line}:{column}: warning: unused variable 'x' [-Wunused-variable]"),
        2 => writeln!(text, "src/m{file}.py:{line}: error: Incompatible return value type  [return-value]"),
        3 => writeln!(text, "src/m{file}.py:{line}:{column}: E501 line too long (120 > 79 characters)"),
        4 => writeln!(text, "warning: unused variable: `x`\n --> src/m{file}.rs:{line}:{column}\n  |"),
        _ => writeln!(text, "--- FAIL: TestThing{file} (0.0{column}s)\n    thing_test.go:{line}: got 1, want 2"),
    };
    written.expect("a text can be written to");
}

fn noise(text: &mut String, seeded: &mut Seeded) {
    let (number, other) = (seeded.below(10_000), seeded.below(1_000));
    let written = match seeded.below(8) {
        0 => writeln!(text, "[{number}/10000] Compiling module_{other} with optimisations and all features enabled"),
        1 => {
            writeln!(text, "\u{1b}[32m✓\u{1b}[39m built chunk-{number}.js \u{1b}[2m{other} kB\u{1b}[22m in {other} ms")
        }
        2 => writeln!(
            text,
            "2026-01-02T03:04:05.{other:03}Z INFO service.worker: request {number} was served in {other} ms"
        ),
        3 => {
            writeln!(text, "npm http fetch GET 200 https://registry.npmjs.org/package-{number} {other}ms (cache miss)")
        }
        4 => writeln!(
            text,
            "  downloading {number}%\r  downloading {other}%\r  downloaded layer sha256:{number:08x}{other:08x}"
        ),
        5 => writeln!(text, "    at Object.call (/project/node_modules/package-{number}/lib/index.js:{other}:17)"),
        6 => writeln!(text, "Step {number}/10000 : RUN install --package thing-{other} --no-cache --quiet && true"),
        _ => writeln!(text, "ordinary words of a program that tells what it does, {number} times in {other} ways"),
    };
    written.expect("a text can be written to");
}

fn words(text: &mut String, seeded: &mut Seeded) {
    let (number, other) = (seeded.below(10_000), seeded.below(1_000));
    writeln!(text, "ordinary words of a program that tells what it does, {number} times in {other} ways")
        .expect("a text can be written to");
}

fn of_tsc(text: &mut String, seeded: &mut Seeded) {
    let (file, line, column) = (seeded.below(500), seeded.below(900) + 1, seeded.below(80) + 1);
    writeln!(text, "src/m{file}.ts({line},{column}): error TS2322: Type 'string' is not assignable to type 'number'.")
        .expect("a text can be written to");
}

fn of_gcc(text: &mut String, seeded: &mut Seeded) {
    let (file, line, column) = (seeded.below(500), seeded.below(900) + 1, seeded.below(80) + 1);
    writeln!(text, "src/m{file}.c:{line}:{column}: warning: unused variable 'x{column}' [-Wunused-variable]")
        .expect("a text can be written to");
}

/// Writes a test, and before some the headings of their suite and group.
fn passed_test(text: &mut String, seeded: &mut Seeded) {
    let (number, other) = (seeded.below(10_000), seeded.below(40) + 1);
    let written = match seeded.below(400) {
        0..20 => writeln!(text, "\nPASS src/components/part{number}/view.test.ts (5.{other} s)\n  the part {number}"),
        20..60 => writeln!(text, "    when it is shown {other} times"),
        _ => writeln!(text, "      ✓ answers what was asked of it in case {number} ({other} ms)"),
    };
    written.expect("a text can be written to");
}

fn passed_suite(text: &mut String, seeded: &mut Seeded) {
    let (number, other) = (seeded.below(10_000), seeded.below(40) + 1);
    writeln!(text, "PASS src/components/part{number}/view{other}.test.ts").expect("a text can be written to");
}
