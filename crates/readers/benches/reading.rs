//! How fast logs are read, beside one pass of an ANSI strip over the same bytes in the same run: `cargo bench -p
//! referee-readers`. The inputs come from a seeded generator, so they are the same every time.

#![expect(clippy::print_stdout, reason = "a measurement prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use referee_readers::source::MemorySource;
use referee_readers::{Hint, read};

const ROUNDS: usize = 5;
const MEGABYTE: usize = 1_000_000;

/// Measures all inputs, or those whose names hold the argument: `cargo bench -p referee-readers -- mixed`.
fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("{:<58} {:>9} {:>9} {:>7}", "input", "read", "strip", "ratio");
    for (name, tool, text) in [
        ("mixed log, 64 MB, no tool named", None, mixed(64 * MEGABYTE, 20)),
        ("mixed log, 16 MB, no tool named", None, mixed(16 * MEGABYTE, 20)),
        ("build log, one finding in 500 lines, 16 MB, no tool named", None, mixed(16 * MEGABYTE, 500)),
        ("mixed log, 16 MB, eslint named", Some("eslint"), mixed(16 * MEGABYTE, 20)),
        ("nothing but findings, 16 MB, no tool named", None, mixed(16 * MEGABYTE, 1)),
        ("nothing but tsc, 16 MB, tsc named", Some("tsc"), of_tsc(16 * MEGABYTE)),
    ] {
        if name.contains(&wanted) {
            measure(name, tool, text.as_bytes());
        }
    }
}

fn measure(name: &str, tool: Option<&str>, bytes: &[u8]) {
    let source = MemorySource::stdout(bytes.to_vec());
    let hint = Hint { tool: tool.map(str::to_owned), role: None };
    let mut times = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        times[0] = times[0].min(timed(|| drop(black_box(read(&source, &hint).expect("memory can be read")))));
        times[1] = times[1].min(timed(|| strip(bytes)));
    }
    let [read, strip] = times.map(|time| megabytes(bytes) / time.as_secs_f64());
    println!("{name:<58} {read:>6.0} MB/s {strip:>4.0} MB/s {:>6.2}", read / strip);
}

fn megabytes(bytes: &[u8]) -> f64 {
    f64::from(u32::try_from(bytes.len()).expect("inputs are small")) / 1e6
}

fn strip(bytes: &[u8]) {
    let kept: usize = anstream::adapter::strip_bytes(bytes).map(<[u8]>::len).sum();
    black_box(kept);
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// A generator of numbers (Knuth's MMIX).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A log of which one line in so many is a finding.
fn mixed(bytes: usize, one_in: u64) -> String {
    let (mut text, mut seeded) = (String::with_capacity(bytes + 256), Seeded(42));
    while text.len() < bytes {
        if seeded.below(one_in) == 0 {
            finding(&mut text, &mut seeded);
        } else {
            noise(&mut text, &mut seeded);
        }
    }
    text
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

fn of_tsc(bytes: usize) -> String {
    let (mut text, mut seeded) = (String::with_capacity(bytes + 256), Seeded(7));
    while text.len() < bytes {
        let (file, line, column) = (seeded.below(500), seeded.below(900) + 1, seeded.below(80) + 1);
        writeln!(
            text,
            "src/m{file}.ts({line},{column}): error TS2322: Type 'string' is not assignable to type 'number'."
        )
        .expect("a text can be written to");
    }
    text
}
