//! A stream of TAP: test points, plans, subtests, and details of failed points.

use referee_model::test_file::is_of_tests;

use crate::prelude::*;
use crate::tools::tap::details::{self, Block};
use crate::tools::tap::footer::Footer;
use crate::tools::tap::point::{self, Point};
use crate::tools::tap::run::{LEVELS, Run};

const RULE: &str = "tap/text";

#[derive(Debug, Default)]
pub(super) struct Report {
    framework: &'static str,
    is_hinted: bool,
    /// Whether a runner is known, which may have reported the same results elsewhere.
    is_of_runner: bool,
    has_version: bool,
    has_plan: bool,
    has_numbers: bool,
    /// Whether no test point came since the plan.
    is_behind_plan: bool,
    /// Whether a test point was at the outermost level: formatters indent failed ones.
    has_outer: bool,
    /// Whether prove ran the tests; it prints its own summary.
    is_of_prove: bool,
    is_of_deno: bool,
    run: Run,
    runs: Runs,
    /// The open subtests, with their level.
    groups: Vec<(usize, String)>,
    /// The comment before a test point, which names the test in tape.
    comment: Option<String>,
    file: Option<String>,
    open: Option<(Failing, usize)>,
    block: Option<Block>,
    notes: Vec<String>,
    footer: Footer,
}

impl Report {
    pub(super) fn new(framework: &'static str, is_hinted: bool) -> Self {
        Self { framework, is_hinted, ..Self::default() }
    }

    pub(super) fn of_runner(self) -> Self {
        Self { is_of_runner: true, ..self }
    }

    fn begin(&mut self) {
        self.close();
        let run = std::mem::take(&mut self.run);
        self.groups.clear();
        let counts = run.counts(self.is_of_deno);
        self.runs.seen = counts;
        if run.is_whole() || run.is_closed || (run.plan.is_some() && 0 < counts.failed) {
            self.runs.sum_up(counts);
        }
        if let Some(plan) = run.plan.filter(|plan| run.points < *plan && !run.is_closed) {
            self.notes.push(format!("{} of {plan} planned tests did not run", plan - run.points));
            self.notes.truncate(8);
        }
        self.runs.begin();
    }

    fn close(&mut self) {
        self.block = None;
        if let Some((failing, _)) = self.open.take() {
            self.runs.failure(failing.finish());
        }
    }

    fn point(&mut self, line: &Line<'_>) -> bool {
        let Some(point) = point::point(&line.text) else { return false };
        if point.number.is_none() && !self.has_version && !self.is_hinted && !self.has_plan {
            return false;
        }
        if point.level == 0 && point.number == Some(1) && 0 < self.run.points {
            self.begin();
        }
        self.close();
        self.is_behind_plan = false;
        self.has_numbers |= point.number.is_some();
        self.has_outer |= point.level == 0;
        let level = point.level.min(LEVELS);
        let sums_up = self.run.point(level, point.status);
        self.groups.retain(|(of, _)| *of < level);
        if point.opens {
            self.groups.push((level, crate::candidate::name(point.name)));
            return true;
        }
        if !sums_up {
            self.leaf(&point, line);
        }
        true
    }

    /// Reads a test point without subtests.
    fn leaf(&mut self, point: &Point<'_>, line: &Line<'_>) {
        self.run.leaf(point.status);
        let mut groups: Vec<&str> = self.groups.iter().map(|(_, group)| group.as_str()).collect();
        if let Some(comment) = self.comment.as_deref().filter(|_| !point.has_dash && self.has_version) {
            groups.push(comment);
        }
        let mut file = self.file.as_deref();
        if let Some(first) = groups.first().filter(|first| is_file(first)) {
            file = Some(first);
            groups.remove(0);
        }
        let mut name = point.name;
        if let Some((first, rest)) = name.split_once(" > ").filter(|(first, _)| is_file(first)) {
            (file, name) = (Some(first), rest);
        }
        let mut case = results::case(&groups, name, file, point.status);
        case.duration_ms = point.duration_ms;
        self.runs.name(case);
        if point.status == TestStatus::Failed {
            groups.push(name);
            let mut failing = Failing::new(&groups.join(" > "), RULE, line);
            if let Some(file) = file {
                failing = failing.in_file(file);
            }
            if is_file(point.name) {
                failing = failing.in_file(point.name);
                failing.failure.suite = true;
            }
            self.open = Some((failing, point.level));
        }
    }

    /// Reads a line below a failed test point.
    fn details(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let trimmed = text.trim_start();
        if let Some(block) = &mut self.block {
            if trimmed == "..." {
                // The next lines belong to the whole run, or to the next test.
                self.close();
                return true;
            }
            let Some((failing, _)) = &mut self.open else { return true };
            failing.extend(line);
            if block.line(text, failing) {
                // A test point that sums up others, which were reported individually.
                self.open = None;
                self.run.forget_failure();
            }
            return true;
        }
        if trimmed == "---" && text.len() > 3 {
            self.block = Some(Block::default());
            self.open.iter_mut().for_each(|(failing, _)| failing.extend(line));
            return true;
        }
        let Some((failing, level)) = &mut self.open else { return false };
        let is_below = *level * 4 + 2 <= text::indent(text) && !line.is_blank;
        if let Some(comment) = trimmed.strip_prefix('#').filter(|comment| !comment.trim_start().starts_with("Subtest:"))
        {
            details::comment(comment, failing);
        } else if is_below && !trimmed.starts_with("1..") && trimmed != "}" {
            if !failing.takes_frame(text) {
                failing.say(trimmed);
            }
        } else {
            return false;
        }
        failing.extend(line);
        true
    }

    fn comment(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let trimmed = text.trim_start();
        let Some(comment) = trimmed.strip_prefix("# ") else { return false };
        let level = (text.len() - trimmed.len()).div_ceil(4);
        if let Some(name) = comment.strip_prefix("Subtest: ") {
            self.close();
            self.groups.retain(|(of, _)| *of < level);
            if self.groups.len() < LEVELS {
                self.groups.push((level, crate::candidate::name(name)));
            }
            return true;
        }
        let is_tap = self.has_version || self.has_plan || 0 < self.run.points;
        if level != 0 || !(is_tap || self.is_hinted) {
            return false;
        }
        if self.footer(comment, line) {
            return true;
        }
        if self.run.total(comment) {
            self.close_run(line);
            return true;
        }
        if !is_tap {
            return false;
        }
        if (comment.starts_with("./") || comment.starts_with("file://")) && is_of_tests(comment) {
            self.close();
            self.is_of_deno = true;
            self.file = Some(crate::candidate::name(comment));
            return true;
        }
        if self.open.is_none() {
            self.comment = Some(crate::candidate::name(comment));
            return true;
        }
        false
    }

    /// Reads a line of Node's summary.
    fn footer(&mut self, comment: &str, line: &Line<'_>) -> bool {
        let is_one = self.footer.takes(comment);
        if is_one {
            self.close();
        }
        if let Some(counts) = self.footer.counts.take() {
            self.run.footer = Some(counts);
            self.close_run(line);
        }
        is_one
    }

    /// Reads the last line of a runner's summary. A test that prints the same does so before the plan, or
    /// between test points.
    fn close_run(&mut self, line: &Line<'_>) {
        self.close();
        self.run.is_closed = self.is_behind_plan || (self.run.points == 0 && !self.has_version);
        self.runs.end = Some(line.end);
    }

    /// Reads the end of subtests in braces.
    fn brace(&mut self, text: &str) -> bool {
        let is_end = text.trim() == "}" && !self.groups.is_empty();
        if is_end {
            self.close();
            let level = text::indent(text).div_ceil(4);
            self.groups.retain(|(of, _)| *of < level);
            self.run.leave(level);
        }
        is_end
    }

    fn plan(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(plan) = point::plan(text.trim_start()) else { return false };
        if text::indent(text) == 0 {
            if self.run.plan.is_some() {
                self.begin();
            }
            self.close();
            (self.has_plan, self.is_behind_plan) = (true, true);
            self.run.plan = Some(plan);
            self.runs.end = Some(line.end);
        }
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with("TAP version 1") {
            self.begin();
            self.has_version = true;
            return Use::Line;
        }
        if let Some(reason) = text.strip_prefix("Bail out!") {
            self.close();
            self.run.has_bailed = true;
            self.notes.push(format!("the tests were given up: {}", cut::head(reason.trim(), 200)));
            self.notes.truncate(8);
            return Use::Line;
        }
        self.is_of_prove |= text.starts_with("Result: ") || text.starts_with("Files=");
        let is_read = if self.block.is_some() {
            self.details(line)
        } else {
            self.point(line) || self.details(line) || self.comment(line) || self.plan(line)
        };
        if is_read || self.brace(text) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let is_closed = self.run.is_closed;
        let has_points = self.has_numbers || 0 < self.run.points || self.runs.seen.total != 0 || is_closed;
        self.begin();
        let is_known = self.has_version || (self.has_plan && self.has_numbers) || is_closed;
        let is_recognized =
            if self.is_hinted { is_known || self.has_outer || self.has_plan } else { is_known && !self.is_of_prove };
        if !is_recognized || (self.is_of_runner && !is_known) || (!has_points && !self.has_plan) {
            return None;
        }
        let candidate = self.runs.candidate(self.framework, "tap");
        self.notes.extend(candidate.notes);
        Some(Candidate { notes: self.notes, ..candidate })
    }
}

/// Whether the name of a test is a file name.
fn is_file(name: &str) -> bool {
    !name.contains(' ') && is_of_tests(name) && name.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{CountAuthority, TestResults};

    use crate::source::MemorySource;
    use crate::{Hint, read};

    fn results(text: &str, tool: Option<&str>) -> Option<TestResults> {
        let hint = Hint { tool: tool.map(str::to_owned), role: None };
        read(&MemorySource::stdout(text.as_bytes().to_vec()), &hint).unwrap().tests
    }

    fn numbers(text: &str) -> (u64, u64, u64) {
        let counts = results(text, Some("tap")).unwrap().counts;
        (counts.passed, counts.failed, counts.skipped)
    }

    #[test]
    fn what_is_inside_of_subtests_counts_once() {
        for (text, counts) in [
            ("1..2\nok 1 - a\nnot ok 2 - b\n", (1, 1, 0)),
            ("TAP version 14\n# Subtest: f\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - f\n1..1\n", (1, 1, 0)),
            ("TAP version 14\n# Subtest: f\n    ok 1 - a\n    1..1\nnot ok 1 - f\n1..1\n", (1, 1, 0)),
            ("TAP version 13\n1..1\nnot ok 1 - a.test.ts {\n    1..2\n    ok 1 - a\n    not ok 2 - b\n}\n", (1, 1, 0)),
            ("1..0 # SKIP no database\n", (0, 0, 0)),
            ("1..1\nok 1 - a\n1..1\nok 1 - b\n", (2, 0, 0)),
            ("ok 1 - a # TODO\nnot ok 2 - b # todo\n1..2\n", (0, 0, 2)),
        ] {
            assert_eq!(numbers(text), counts, "{text}");
        }
    }

    #[test]
    fn a_stream_that_is_cut_short_acquits_nobody() {
        let cut = results("TAP version 13\n1..5\nok 1 - a\n", None).unwrap();
        assert_eq!(cut.authority, CountAuthority::Lines);
        let failed = results("TAP version 13\n1..5\nok 1 - a\nnot ok 2 - b\n", None).unwrap();
        assert_eq!(failed.authority, CountAuthority::Summary);
    }

    #[test]
    fn what_a_runner_sums_up_behind_the_plan_is_all() {
        let node = |pass: u64| {
            format!(
                "# tests {pass}\n# suites 0\n# pass {pass}\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 9.5\n"
            )
        };
        let total = "# { total: 7, pass: 4, fail: 1, todo: 1, skip: 1 }\n# time=9ms\n";
        for (text, passed, authority) in [
            (format!("1..5\n{}", node(5)), 5, CountAuthority::Summary),
            (node(5), 5, CountAuthority::Summary),
            (total.to_owned(), 4, CountAuthority::Summary),
            (format!("TAP version 13\n{}ok 1 - a\n", node(5)), 5, CountAuthority::Lines),
            (format!("1..5\nok 1 - a\n{}", node(5)), 5, CountAuthority::Lines),
        ] {
            let tests = results(&text, Some("tap")).unwrap();
            assert_eq!((tests.counts.passed, tests.authority), (passed, authority), "{text}");
        }
        assert!(results(&node(5), None).is_none());
    }

    #[test]
    fn other_words_are_no_tap() {
        for text in ["ok then\nnot ok\n", "ok 1 thing\nok 2 things\n", "1..5\n", "ok  \tgithub.com/x/y\t0.01s\n"] {
            let reading = read(&MemorySource::stdout(text.as_bytes().to_vec()), &Hint::default()).unwrap();
            assert!(reading.reader.is_none_or(|reader| reader.tool != "tap"), "{text}");
        }
    }

    #[test]
    fn failures_say_where() {
        for (below, place) in [
            ("#   Failed test 'b'\n#   at t/a.t line 8.\n", Some(("t/a.t", 8))),
            (
                "  ---\n  location: '/p/a.test.mjs:4:1'\n  error: |-\n    no\n    expected: 3\n  ...\n",
                Some(("/p/a.test.mjs", 4)),
            ),
            ("  ---\n    at: Test.<anonymous> (/p/calc.js:3:24)\n  ...\n", Some(("/p/calc.js", 3))),
            ("  ---\n  at:\n    line: 7\n    column: 2\n    file: test/a.js\n  ...\n", Some(("test/a.js", 7))),
            ("# spec/a_spec.lua @ 3\n# Failure message: no\n", Some(("spec/a_spec.lua", 3))),
            ("", None),
        ] {
            let results = results(&format!("1..1\nnot ok 1 - b\n{below}"), Some("tap")).unwrap();
            let [failure] = &results.failures[..] else { panic!("{below}") };
            assert_eq!(failure.file.as_deref().zip(failure.line), place, "{below}");
        }
    }
}
