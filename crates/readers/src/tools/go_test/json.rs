//! The JSON format, one event per line:
//! `{"Action":"fail","Package":"example.com/demo","Test":"TestA","Elapsed":0}`.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;

use super::lines::BENCHMARK;
use super::printed::Printed;
use super::{FRAMEWORK, case, package_failure};
use crate::prelude::*;
use crate::tools::go_build::lines::TEST;

/// Maximum number of packages tracked, and of tests tracked while they run.
const WATCHED: usize = 20_000;

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    package: Option<String>,
    test: Option<String>,
    output: Option<String>,
    elapsed: Option<f64>,
    failed_build: Option<String>,
    import_path: Option<String>,
}

pub(crate) struct Events {
    results: Runs,
    findings: Findings,
    compiler: Box<dyn LineReader>,
    /// Output of the tests, by package and test.
    tests: HashMap<(String, String), Printed>,
    packages: HashMap<String, Package>,
    read: u64,
}

/// State of a package.
#[derive(Default)]
struct Package {
    printed: Printed,
    failed: u64,
    running: BTreeSet<String>,
    is_unbuilt: bool,
    /// The benchmark last named on a line of its own.
    benchmark: Option<String>,
    /// Benchmarks already counted: before Go 1.20 only an output line reports a benchmark that passed.
    benchmarks: HashSet<String>,
    is_over: bool,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            results: Runs::default(),
            findings: Findings::default(),
            compiler: TEST.reader(true),
            tests: HashMap::new(),
            packages: HashMap::new(),
            read: 0,
        }
    }
}

impl LineReader for Events {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with('{') || !text.contains("\"Action\":") {
            return Use::None;
        }
        let Ok(event) = serde_json::from_str::<Event>(text) else { return Use::None };
        if event.package.is_none() && event.import_path.is_none() {
            return Use::None;
        }
        self.read += 1;
        match (event.action.as_str(), &event.package) {
            ("build-output", _) => self.compiled(event.output.as_deref().unwrap_or_default(), line),
            ("run", Some(package)) => self.run(package, event.test.as_deref()),
            ("output", Some(_)) => self.output(event, line),
            ("pass", Some(_)) => self.over(event, TestStatus::Passed, line),
            ("fail", Some(_)) => self.over(event, TestStatus::Failed, line),
            ("skip", Some(_)) => self.over(event, TestStatus::Skipped, line),
            _ => {}
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        if self.read == 0 {
            return None;
        }
        let mut findings = self.findings;
        if let Some(compiled) = self.compiler.finish() {
            findings.append(compiled.findings);
        }
        let is_over = self.packages.values().all(|package| package.is_over);
        let mut tests = self.results.finish(FRAMEWORK, CountAuthority::MachineReport);
        let mut notes = Vec::new();
        if is_over {
            tests.authority = CountAuthority::MachineReport;
        } else {
            notes.push("the report was cut short: a package has no result".to_owned());
            let has_result = 0 < tests.counts.failed;
            tests.authority = if has_result { CountAuthority::MachineReport } else { CountAuthority::Lines };
        }
        Some(Candidate { format: "json", findings, tests: Some(tests), notes, ..Candidate::default() })
    }
}

impl Events {
    /// Reads lines that the compiler printed.
    fn compiled(&mut self, printed: &str, line: &Line<'_>) {
        for text in printed.lines() {
            let Line { text_start, stream, start, end, is_cut, .. } = *line;
            self.compiler.line(&Line { text_start, is_cut, ..Line::new(text, stream, start..end) });
        }
    }

    fn output(&mut self, event: Event, line: &Line<'_>) {
        let Event { package: Some(package), test, output: Some(printed), .. } = event else { return };
        // Before Go 1.24 the compiler's messages are in the output of the package.
        let known = self.package(&package);
        let printed = ansi::strip(printed.trim_end_matches(['\n', '\r'])).into_owned();
        known.is_unbuilt |= printed.ends_with("[build failed]") || printed.ends_with("[setup failed]");
        if printed.starts_with("Benchmark") && !printed.contains(char::is_whitespace) {
            known.benchmark = Some(printed);
            return;
        }
        if let Some(found) = printed.starts_with("Benchmark").then(|| BENCHMARK.find(&printed)).flatten() {
            let bench = known.benchmark.clone().unwrap_or_else(|| without_processors(found.text("test")).to_owned());
            if known.benchmarks.len() < WATCHED && known.benchmarks.insert(bench.clone()) {
                self.results.case(results::case(&[&package], &bench, None, TestStatus::Passed));
            }
            return;
        }
        let is_frame = printed.starts_with("=== ") || printed.trim_start().starts_with("--- ");
        if is_frame {
            return;
        }
        let of_benchmark = test.as_deref().is_none_or(|test| test.starts_with("Benchmark"));
        let owner = known.benchmark.clone().filter(|_| of_benchmark).or(test);
        let Some(test) = owner else {
            known.printed.add(&printed);
            if printed.contains(".go:") && !printed.starts_with(char::is_whitespace) || printed.starts_with("# ") {
                self.compiled(&printed, line);
            }
            return;
        };
        let key = (package, test);
        if self.tests.len() < WATCHED || self.tests.contains_key(&key) {
            self.tests.entry(key).or_default().add(&printed);
        }
    }

    fn run(&mut self, package: &str, test: Option<&str>) {
        let running = &mut self.package(package).running;
        if let Some(test) = test.filter(|_| running.len() < WATCHED) {
            running.insert(test.to_owned());
        }
    }

    fn package(&mut self, package: &str) -> &mut Package {
        // Packages beyond the limit share one entry.
        let known = self.packages.len() < WATCHED || self.packages.contains_key(package);
        self.packages.entry(if known { package.to_owned() } else { String::new() }).or_default()
    }

    fn over(&mut self, event: Event, status: TestStatus, line: &Line<'_>) {
        let Event { package: Some(package), test, elapsed, failed_build, .. } = event else { return };
        let Some(test) = test else {
            self.package_over(&package, status, failed_build.is_some(), line);
            return;
        };
        let is_benchmark = test.starts_with("Benchmark") && status == TestStatus::Passed;
        if is_benchmark && !self.package(&package).benchmarks.insert(test.clone()) {
            return;
        }
        self.package(&package).running.remove(&test);
        let printed = self.tests.remove(&(package.clone(), test.clone()));
        if let Some(printed) = printed.as_ref().filter(|_| status != TestStatus::Failed)
            && printed.panic().is_some()
        {
            // A panic that stopped the package is reported as output of the last test.
            self.package(&package).printed = printed.clone();
        }
        let mut case = case(Some(&package), &test, status);
        case.duration_ms = elapsed.and_then(results::seconds);
        let duration_ms = case.duration_ms;
        self.results.case(case);
        if status == TestStatus::Failed {
            self.package(&package).failed += 1;
            let mut failure = TestFailure { duration_ms, ..candidate::failure(&test, "go-test/json", line) };
            printed.unwrap_or_default().fill(&mut failure);
            self.results.failure(failure);
        }
    }

    fn package_over(&mut self, package: &str, status: TestStatus, is_unbuilt: bool, line: &Line<'_>) {
        // Tests still running when their package failed did not end.
        let running = std::mem::take(&mut self.package(package).running);
        for test in running.into_iter().filter(|_| status == TestStatus::Failed) {
            let event = Event { package: Some(package.to_owned()), test: Some(test), ..Event::default() };
            self.over(event, status, line);
        }
        let known = self.package(package);
        known.is_over = true;
        let is_finding = status == TestStatus::Failed && known.failed == 0 && !is_unbuilt && !known.is_unbuilt;
        let finding = is_finding.then(|| package_failure(package, &known.printed, line, "go-test/json"));
        if let Some(finding) = finding {
            self.findings.add(finding);
        }
        if status != TestStatus::Skipped {
            results::add(self.results.suites.get_or_insert_default(), status, 1);
        }
    }
}

/// Returns the name of a benchmark without the `-8` suffix that gives the number of processors.
fn without_processors(printed: &str) -> &str {
    let digits = printed.rsplit_once('-').filter(|(_, digits)| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits.map_or(printed, |(bench, _)| bench)
}
