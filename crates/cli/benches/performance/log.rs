//! Logs of any length from a seeded generator, the same every time.

use std::io::{self, Write};

/// What a log is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Lines of base64, which no reader can dismiss by a rare byte.
    Base64,
    /// What builds print, with a finding in 500 lines.
    Build,
    /// What builds print, without a finding.
    Quiet,
    /// Nothing but findings, as gcc writes them.
    Findings,
    /// What `go test -json` prints for tests that pass.
    GoTests,
    /// What Jest prints for tests that pass.
    Jest,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Build => "build",
            Self::Quiet => "quiet",
            Self::Findings => "findings",
            Self::GoTests => "go-tests",
            Self::Jest => "jest",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Base64, Self::Build, Self::Quiet, Self::Findings, Self::GoTests, Self::Jest]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// Writes lines until there are at least so many bytes.
pub(crate) fn write(out: &mut impl Write, kind: Kind, bytes: u64) -> io::Result<()> {
    let mut seeded = Seeded(42);
    let mut line = Vec::with_capacity(512);
    let mut written = 0;
    while written < bytes {
        line.clear();
        match kind {
            Kind::Base64 => base64(&mut line, &mut seeded),
            Kind::Build if seeded.below(500) == 0 => finding(&mut line, &mut seeded)?,
            Kind::Build | Kind::Quiet => build(&mut line, &mut seeded)?,
            Kind::Findings => finding(&mut line, &mut seeded)?,
            Kind::GoTests => go_test(&mut line, &mut seeded)?,
            Kind::Jest => jest(&mut line, &mut seeded)?,
        }
        out.write_all(&line)?;
        written += line.len() as u64;
    }
    Ok(())
}

/// A generator of numbers (Knuth's MMIX).
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// 76 characters, as MIME breaks them.
fn base64(line: &mut Vec<u8>, seeded: &mut Seeded) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for _ in 0..19 {
        let bits = seeded.next();
        line.extend((0..4).map(|place| ALPHABET[usize::from((bits >> (place * 6)).to_le_bytes()[0] & 63)]));
    }
    line.push(b'\n');
}

fn finding(line: &mut Vec<u8>, seeded: &mut Seeded) -> io::Result<()> {
    let (file, row, column) = (seeded.below(500), seeded.below(900) + 1, seeded.below(80) + 1);
    writeln!(line, "src/m{file}.c:{row}:{column}: warning: unused variable 'x{column}' [-Wunused-variable]")
}

fn build(line: &mut Vec<u8>, seeded: &mut Seeded) -> io::Result<()> {
    let (number, other) = (seeded.below(10_000), seeded.below(1_000));
    match seeded.below(6) {
        0 => writeln!(line, "[{number}/10000] Compiling module_{other} with all features enabled"),
        1 => writeln!(line, "\u{1b}[32m✓\u{1b}[39m built chunk-{number}.js \u{1b}[2m{other} kB\u{1b}[22m"),
        2 => writeln!(line, "2026-01-02T03:04:05.{other:03}Z INFO service: request {number} was served in {other} ms"),
        3 => {
            writeln!(line, "npm http fetch GET 200 https://registry.npmjs.org/package-{number} {other}ms (cache miss)")
        }
        4 => writeln!(line, "    at Object.call (/project/node_modules/package-{number}/lib/index.js:{other}:17)"),
        _ => writeln!(line, "Step {number}/10000 : RUN install --package thing-{other} --no-cache --quiet && true"),
    }
}

fn go_test(line: &mut Vec<u8>, seeded: &mut Seeded) -> io::Result<()> {
    let (package, test, time) = (seeded.below(40), seeded.next(), seeded.below(90));
    let event = |line: &mut Vec<u8>, action: &str, more: &str| {
        let at = "2026-01-02T03:04:05.678901Z";
        writeln!(
            line,
            r#"{{"Time":"{at}","Action":"{action}","Package":"example.com/p{package}","Test":"Test{test}"{more}}}"#
        )
    };
    event(line, "run", "")?;
    event(line, "output", &format!(r#","Output":"=== RUN   Test{test}\n""#))?;
    event(line, "output", &format!(r#","Output":"--- PASS: Test{test} (0.{time:02}s)\n""#))?;
    event(line, "pass", &format!(r#","Elapsed":0.{time:02}"#))
}

/// A suite with its tests.
fn jest(lines: &mut Vec<u8>, seeded: &mut Seeded) -> io::Result<()> {
    let (part, seconds) = (seeded.below(10_000), seeded.below(9));
    writeln!(lines, "PASS src/components/part{part}/view.test.ts ({seconds}.2 s)\n  the part {part}")?;
    for _ in 0..=seeded.below(3) {
        writeln!(lines, "    when it is shown {} times", seeded.below(40))?;
        for _ in 0..3 + seeded.below(9) {
            let (case, time) = (seeded.below(10_000), seeded.below(40));
            writeln!(lines, "      ✓ answers what was asked of it in case {case} ({time} ms)")?;
        }
    }
    writeln!(lines)
}
