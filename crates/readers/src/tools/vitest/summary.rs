//! Vitest's lines with counts: those at the end of a run, and the line of each file.

use crate::prelude::*;

/// `      Tests  3 failed | 5 passed | 1 skipped | 1 todo (10)`.
static SUMMARY: Pattern = Pattern::new(
    r"^ *(?<what>Test Files|Tests|Errors|Type Errors)  (?:no \w+|(?<parts>\d+ [a-z ]+(?: \| \d+ [a-z ]+)*)(?: \((?<total>\d+)\))?)$",
);

/// ` ❯ calc.test.ts (8 tests | 3 failed | 2 skipped) 22ms`; older versions print two spaces before the
/// parenthesis.
static FILE: Pattern = Pattern::new(
    r"^ (?<sign>[✓√❯×✗↓>]) (?<file> ?\S.*?) {1,2}\((?<total>\d+)(?: tests?)?(?<parts>(?: \| \d+ [a-z ]+)*)\)(?: \d+ ?ms| \d[\d.]* ?s| \d+ MB heap used| \(retry x\d+\))*$",
);

/// The counts on a line at the end of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Summed {
    Files(TestCounts),
    Tests(TestCounts),
    Errors(u64),
}

/// Parses a line at the end of a run.
pub(super) fn summed(line: &str) -> Option<Summed> {
    let captures = SUMMARY.find(line)?;
    let parts = captures.get("parts").unwrap_or_default();
    if captures.text("what").ends_with("Errors") {
        return Some(Summed::Errors(parts.split(' ').next().and_then(text::count).unwrap_or(0)));
    }
    let total = captures.get("total").and_then(text::count);
    if !parts.is_empty() && total.is_none() {
        return None;
    }
    let counts = counts(parts, total)?;
    Some(if captures.text("what") == "Tests" { Summed::Tests(counts) } else { Summed::Files(counts) })
}

/// Parses the line of a file: its name, and the counts of its tests.
pub(super) fn file(line: &str) -> Option<(&str, TestCounts)> {
    if !line.ends_with(['s', ')', 'd']) {
        return None;
    }
    let captures = FILE.find(line)?;
    let total = captures.count("total")?;
    let parts = captures.text("parts").trim_start_matches(" | ");
    let mut counts = counts(parts, None)?;
    counts.passed = total.checked_sub(counts.failed + counts.skipped)?;
    counts.total = total;
    Some((without_project(captures.get("file")?), counts))
}

/// Returns a file's name without the project's name before it: `|unit| src/a.test.ts`.
pub(super) fn without_project(file: &str) -> &str {
    let rest = file.strip_prefix('|').and_then(|rest| rest.split_once("| "));
    let rest = rest.map_or(file, |(_, file)| file);
    // In colored output the project's name has one space on each side, and another before the file.
    rest.strip_prefix(' ').and_then(|rest| rest.split_once("  ")).map_or(rest, |(_, file)| file).trim_start()
}

/// Adds up the parts of a count. Tests in none of them never ran.
fn counts(parts: &str, total: Option<u64>) -> Option<TestCounts> {
    let mut counts = if parts.is_empty() { TestCounts::default() } else { results::listed(&parts.replace('|', ","))? };
    if let Some(total) = total {
        let unrun = total.checked_sub(counts.total)?;
        results::add(&mut counts, TestStatus::Skipped, unrun);
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use crate::shapes::results::counts as of;

    use super::*;

    #[test]
    fn ends_of_runs_are_read() {
        for (line, expected) in [
            ("      Tests  3 failed | 5 passed | 1 skipped | 1 todo (10)", Some(Summed::Tests(of(5, 3, 2)))),
            ("      Tests  6 passed | 1 expected fail (7)", Some(Summed::Tests(of(7, 0, 0)))),
            ("      Tests  1 failed (3)", Some(Summed::Tests(of(0, 1, 2)))),
            ("      Tests  no tests", Some(Summed::Tests(of(0, 0, 0)))),
            (" Test Files  4 failed | 1 passed (5)", Some(Summed::Files(of(1, 4, 0)))),
            ("     Errors  2 errors", Some(Summed::Errors(2))),
            ("Type Errors  no errors", Some(Summed::Errors(0))),
            ("      Tests  5 passed", None),
            ("      Tests  5 passed (2)", None),
            ("      Tests  5 apples (5)", None),
            ("Tests: 5 passed, 5 total", None),
        ] {
            assert_eq!(summed(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_of_files_are_read() {
        for (line, expected) in [
            (" ✓ b.test.ts (3 tests | 1 skipped) 1ms", Some(("b.test.ts", of(2, 0, 1)))),
            (" ❯ src/a.test.ts  (8 tests | 3 failed | 2 skipped) 22ms", Some(("src/a.test.ts", of(3, 3, 2)))),
            (" ✓ |unit| src/a b.test.ts (1 test) 1ms 12 MB heap used", Some(("src/a b.test.ts", of(1, 0, 0)))),
            (" ✓  unit  a.test.ts (1 test) 1ms", Some(("a.test.ts", of(1, 0, 0)))),
            (" ✓ a.test.ts > one 1ms", None),
            ("   ✓ one (1) 1ms", None),
        ] {
            assert_eq!(file(line), expected, "{line}");
        }
    }
}
