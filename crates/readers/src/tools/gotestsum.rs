//! gotestsum: the lines of its formats (`PASS pkg.TestA (0.00s)`, `✖  pkg (7ms)`), the failures repeated at the
//! end (`=== FAIL: pkg TestA (0.00s)`) and the final count (`DONE 12 tests, 1 skipped, 4 failures in 0.002s`).

use super::go_build;
use super::go_test::{self, printed::Printed};
use crate::candidate::Kept;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("gotestsum", &[], Role::Test)
    .lines(&[
        LineFormat::new(&["DONE ", "=== FAIL: ", "=== Failed", "PASS ", "FAIL ", "✓  ", "✖  "], |is_hinted| {
            Box::new(Report { is_hinted, ..Report::default() })
        })
        .unless(names_script),
        go_build::BESIDE_TESTS,
    ])
    .merge(crate::candidate::together);

/// Returns whether a line names a file of JavaScript, as the suites of Jest and its kin do: `PASS src/a.test.ts (5.2 s)`.
fn names_script(line: &str) -> bool {
    line.split(' ').any(|word| text::has_extension(word, &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"]))
}

/// `PASS demo/good.TestNested/a/sub (0.00s)`.
static TEST: Pattern = Pattern::new(
    r"^(?:  |::group::)?(?<status>PASS|FAIL|SKIP) (?<package>\S+?)\.(?<test>(?:Test|Example|Fuzz|Benchmark)\S*)(?: \(re-run \d+\))? \(\d+\.\d+s\)$",
);

/// `FAIL demo/bad`, `PASS demo/good (cached)`, `✖  pkg (7ms)`, `EMPTY pkg`.
static PACKAGE: Pattern = Pattern::new(
    r"^(?:  )?(?<status>PASS|FAIL|EMPTY|✓|✖|∅|✅|❌|➖|🖴 )(?: Package| )? +(?<package>[\w./~@+-]+)(?: \((?:cached|[\d.]+m?µ?s|coverage: .*)\))?(?: \(coverage: .*\))?$",
);

/// ` ✓ Nested success a (0.00s)`, below the name of its package, in the format `testdox`.
static TESTDOX: Pattern = Pattern::new(r"^ (?<status>✓|✖|∅) (?<test>\S.*) \(\d+\.\d+s\)$");

/// The name of a package above its tests.
static HEADING: Pattern = Pattern::new(r"^(?<package>[\w./~@+-]+):$");

/// `=== FAIL: pkg TestA (0.00s)`; without a test for a failure of the package itself.
static REPEATED: Pattern = Pattern::new(
    r"^=== (?<status>FAIL|SKIP): (?<package>\S+)(?: (?<test>\S+))?(?: \(re-run \d+\))? +\((?:\d+\.\d+s|cached|unknown)\)$",
);

/// `DONE 2 runs, 12 tests, 1 skipped, 4 failures, 1 error in 0.002s`.
static DONE: Pattern = Pattern::new(
    r"^DONE (?:\d+ runs?, )?(?<total>\d+) tests?(?:, (?<skipped>\d+) skipped)?(?:, (?<failed>\d+) failures?)?(?:, \d+ errors?)? in [\d.]+(?:s|ms|m[\d.]+s)$",
);

#[derive(Default)]
struct Report {
    is_hinted: bool,
    results: Runs,
    /// Lines printed since the last result: the output of the test whose result follows.
    printed: Printed,
    /// The repeated failure whose lines are being read.
    open: Option<(TestFailure, Printed)>,
    /// Failures read while the tests ran.
    failed: Kept<TestFailure>,
    repeated: Kept<TestFailure>,
    /// The package whose tests `testdox` lists.
    heading: Option<String>,
}

impl Report {
    fn close(&mut self) {
        if let Some((mut failure, printed)) = self.open.take() {
            printed.fill(&mut failure);
            self.repeated.push(failure);
        }
    }

    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(captures) = text.ends_with("s)").then(|| TEST.find(text)).flatten() else { return false };
        let printed = std::mem::take(&mut self.printed);
        let status = captures.status();
        let (package, test) = (captures.text("package"), captures.text("test"));
        self.results.case(go_test::case(Some(package), test, status));
        if status == TestStatus::Failed {
            let mut failure = candidate::failure(test, "gotestsum/text", line);
            printed.fill(&mut failure);
            self.failed.push(failure);
        }
        true
    }

    fn package(&mut self, text: &str) -> bool {
        let Some(status) = package_alone(text).or_else(|| Some(PACKAGE.find(text)?.text("status"))) else {
            return false;
        };
        let suites = self.results.suites.get_or_insert_default();
        match status {
            "FAIL" | "✖" | "❌" => results::add(suites, TestStatus::Failed, 1),
            "PASS" | "✓" | "✅" => results::add(suites, TestStatus::Passed, 1),
            _ => {}
        }
        self.printed = Printed::default();
        true
    }

    fn testdox(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(captures) = HEADING.find(text) {
            self.heading = Some(captures.text("package").to_owned());
            return false;
        }
        let Some(captures) = TESTDOX.find(text) else { return false };
        let Some(package) = &self.heading else { return false };
        let status = captures.status();
        self.results.case(results::case(&[package], captures.text("test"), None, status));
        if status == TestStatus::Failed {
            self.failed.push(candidate::failure(captures.text("test"), "gotestsum/text", line));
        }
        true
    }

    fn repetition(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if matches!(text, "=== Skipped" | "=== Failed" | "=== Errors") {
            self.close();
            return true;
        }
        let Some(captures) = REPEATED.find(text) else { return false };
        self.close();
        if captures.text("status") == "FAIL" {
            let (failed, suite) = match captures.get("test") {
                Some(test) => (test, false),
                None => (captures.text("package"), true),
            };
            let failure = TestFailure { suite, ..candidate::failure(failed, "gotestsum/text", line) };
            self.open = Some((failure, Printed::default()));
        }
        true
    }

    fn done(&mut self, text: &str) -> bool {
        let Some(counts) = DONE.find(text).and_then(|found| found.tests()) else { return false };
        self.close();
        self.results.add_up(counts);
        true
    }
}

/// Parses the line of a package with nothing behind its name, and returns its status: the most frequent such line,
/// in which any byte might begin what [`PACKAGE`] allows behind a name.
fn package_alone(text: &str) -> Option<&str> {
    let text = text.strip_prefix("  ").unwrap_or(text);
    let (status, rest) = text.split_once(' ').filter(|(status, _)| STATUSES.contains(status))?;
    let package = rest.trim_start_matches(' ');
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "_./~@+-".contains(sign) || !sign.is_ascii();
    (!package.is_empty() && package.chars().all(is_part)).then_some(status)
}

const STATUSES: &[&str] = &["PASS", "FAIL", "EMPTY", "✓", "✖", "∅", "✅", "❌", "➖"];

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.repetition(line) || self.done(text) || self.test(line) || self.testdox(line) || self.package(text) {
            return Use::Line;
        }
        if let Some((failure, printed)) = &mut self.open {
            printed.add(text);
            if let Some(origin) = &mut failure.origin {
                origin.end = line.end;
            }
            return if line.is_blank { Use::None } else { Use::Line };
        }
        // Other marks of `go test`; the lines read above already report the tests.
        if text.starts_with("=== ") {
            return Use::Line;
        }
        self.printed.add(text);
        if text.trim_start().starts_with("--- ") { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_tests = 0 < self.results.seen.total;
        let has_packages = self.results.suites.is_some();
        if !(self.results.is_summed_up() || has_tests || self.is_hinted && has_packages) {
            return None;
        }
        // The repetition at the end is complete, and includes the output.
        let listed = if self.repeated.len() == 0 { self.failed } else { self.repeated };
        listed.into_items().into_iter().for_each(|failure| self.results.failure(failure));
        let tests = self.results.finish("gotestsum", CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), ..Candidate::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_count_has_many_forms() {
        for text in [
            "DONE 12 tests, 1 skipped, 4 failures in 0.002s",
            "DONE 1 test in 1.234s",
            "DONE 2 runs, 14 tests, 3 failures in 2.1s",
            "DONE 0 tests, 1 error in 0.5s",
        ] {
            assert!(DONE.is_match(text), "{text}");
        }
        assert!(!DONE.is_match("DONE Compiled successfully in 212ms"));
    }
}
