//! Reads the lines of one stream with the rows of a format.

use referee_model::limit;
use referee_model::reading::{TestCase, TestStatus};

use super::numbers::Numbers;
use super::progress::Progress;
use super::row::{Kind, TestRow};
use super::{Details, TestRows};
use crate::candidate::{Candidate, LineReader, Use, add_counts, name};
use crate::pattern::Groups;
use crate::scan::Line;
use crate::shapes::ctest_lines;
use crate::shapes::failing::Failing;
use crate::shapes::locate::Frame;
use crate::shapes::results;
use crate::text;

pub(super) struct Reader {
    format: &'static TestRows,
    progress: Progress,
    /// Whether no line of the section was read yet.
    is_top: bool,
    /// Whether the output of a test stands between its start and its result.
    has_starts: bool,
}

impl Reader {
    pub(super) fn new(format: &'static TestRows, is_hinted: bool) -> Self {
        let has_starts = format.all().any(|row| row.kind == Kind::Started);
        let progress = Progress { is_hinted, ..Progress::default() };
        Self { format, progress, is_top: false, has_starts }
    }

    fn admits(&self, row: &TestRow, is_top: bool) -> bool {
        let Progress { is_hinted, is_known, is_announced, runs, section, .. } = &self.progress;
        (!row.needs_failure() || runs.open.is_some())
            && row.inside.is_none_or(|inside| inside == *section)
            && (!row.top || is_top)
            && (!row.announced || *is_announced || *is_hinted)
            && (!row.known || *is_known || *is_hinted || runs.end.is_some())
    }

    /// Processes a line that a row matches. Returns false if the row rejects the line after all.
    fn take(&mut self, row: &TestRow, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
        let at = &mut self.progress;
        let is_taken = match row.kind {
            Kind::Run => {
                at.begin(self.format, self.has_starts);
                at.runs.start();
                at.numbers = Numbers::default().with(found).unwrap_or_default();
                true
            }
            Kind::Heading => {
                at.head(found);
                at.count_so_far(found);
                true
            }
            Kind::Started => {
                at.end_test(true);
                let failing = at.failing(self.format, found, line);
                at.runs.open(failing);
                true
            }
            Kind::Test => self.test(row, found, line),
            Kind::Failed => self.fail(row, found, line),
            Kind::Part => at.runs.open.as_mut().is_some_and(|open| add(open, found, line)),
            Kind::Place => at.runs.open.as_mut().filter(|open| open.failure.file.is_none()).is_some_and(|open| {
                open.failure.file = found.file("file");
                open.begins_at(Frame::of(found));
                open.extend(line);
                true
            }),
            Kind::Frame => at.runs.open.as_mut().is_some_and(|open| trace(open, found, line)),
            Kind::Count | Kind::Suites | Kind::Sum => at.sum_up(self.format, row, found, line),
            Kind::More => at.more(found, line),
            Kind::Within => {
                at.count_so_far(found);
                true
            }
        };
        if is_taken && let Some(then) = row.then {
            then(&mut self.progress, found);
        }
        self.progress.is_known |= is_taken && row.names_tool;
        self.progress.is_announced |= is_taken && row.announces;
        is_taken
    }

    fn test(&mut self, row: &TestRow, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
        let at = &mut self.progress;
        let title = at.title(self.format, found);
        // Its output stands above, where no line may have named the test yet.
        let is_of_test = |name: &str| name.is_empty() || (self.has_starts && name == title);
        let mut running = at.runs.open.take_if(|open| is_of_test(&open.failure.name));
        // Lists at the end repeat tests whose results were read.
        if self.has_starts && running.is_none() {
            return true;
        }
        at.runs.close();
        at.runs.go_on();
        let status = row.status.unwrap_or_else(|| found.status());
        let file = found.file("file").or_else(|| at.file.clone());
        if let Some(failing) = running.as_mut().filter(|failing| failing.failure.name.is_empty()) {
            failing.failure.file = failing.failure.file.take().or_else(|| file.clone());
        }
        let duration_ms = found.get("ms").and_then(|time| time.parse().ok()).and_then(results::milliseconds);
        at.runs.case_of(status, || TestCase { duration_ms, ..results::case(&[], &title, file.as_deref(), status) });
        if status == TestStatus::Failed && !row.listed && (at.remember(&name(&title)) || !row.once) {
            let mut failing = running.unwrap_or_else(|| at.failing(self.format, found, line));
            failing.failure.duration_ms = duration_ms;
            failing.failure.name = name(&title);
            failing.extend(line);
            at.runs.open(failing);
            self.end_failure();
        }
        true
    }

    fn fail(&mut self, row: &TestRow, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
        let at = &mut self.progress;
        if found.has("number") && found.count("number") != Some(at.number + 1) {
            return false;
        }
        let failing = at.failing(self.format, found, line);
        let title = &failing.failure.name;
        if !at.remember(title) && row.once {
            if let Some(message) = found.get("message") {
                at.runs.add_to(title, message);
            }
            return true;
        }
        at.number += 1;
        at.broken += u64::from(found.has("broken"));
        if !row.listed && !at.count_so_far(found) {
            at.runs.count(TestStatus::Failed, 1);
        }
        at.runs.open(failing);
        self.end_failure();
        true
    }

    /// Ends a failure that has no further lines.
    fn end_failure(&mut self) {
        if self.has_starts || self.format.details.is_none() {
            self.progress.runs.close();
        }
    }

    /// Processes a line that no row matches: a detail of the open failure, if there is one.
    fn detail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let runs = &mut self.progress.runs;
        let Some(details) = self.format.details else { return false };
        let TestRows { trimmed, skips_blank_lines, spans_blank_lines, ends_at_blank_lines, .. } = *self.format;
        let Details { indent, .. } = details;
        let own = text::indent(text);
        if text.is_empty() {
            if ends_at_blank_lines || !self.has_starts && !spans_blank_lines && runs.has_stack() {
                runs.close();
            }
            return !skips_blank_lines && runs.add(line, text);
        }
        if own < indent {
            if !self.has_starts {
                runs.close();
            }
            return false;
        }
        runs.add(line, if trimmed { text.trim_start() } else { &text[indent..] })
    }
}

/// Adds the values of a further line to a failure. Returns false if it names a test, and the failure has a name.
fn add(open: &mut Failing, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
    let failure = &mut open.failure;
    if found.has("name") {
        if !failure.name.is_empty() {
            return false;
        }
        failure.name = name(found.text("name").trim());
    }
    for (group, value) in [("expected", &mut failure.expected), ("received", &mut failure.received)] {
        if let Some(said) = found.get(group) {
            value.get_or_insert_with(|| name(said.trim()));
        }
    }
    if found.has("line") {
        open.looks_at(Frame::of(found));
    }
    if let Some(message) = found.get("message").filter(|_| !open.is_past_message) {
        open.append(message);
    }
    open.extend(line);
    true
}

/// Adds a line to the stack of a failure.
fn trace(open: &mut Failing, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
    if found.has("file") {
        open.looks_at(Frame::of(found));
    }
    open.is_past_message = true;
    open.trace(found.get("message").unwrap_or(&line.text));
    open.extend(line);
    true
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.is_empty() {
            return self.detail(text, line).into();
        }
        if self.format.within_ctest && self.progress.section.is_empty() && self.progress.runs.open.is_none() {
            ctest_lines::give_way(text, &mut self.progress.runs);
        }
        let is_top = std::mem::replace(&mut self.is_top, false);
        for (row, pattern) in self.format.table().admitted(text) {
            if self.admits(row, is_top)
                && let Some(found) = pattern.find(text)
                && row.check.is_none_or(|check| check(&self.progress, &found))
                && self.take(row, &found, line)
            {
                if let Some(section) = row.enters {
                    (self.progress.section, self.is_top, self.progress.number) = (section, true, 0);
                }
                return (!row.tentative).into();
            }
        }
        self.detail(text, line).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let Self { format, progress, has_starts, .. } = &mut *self;
        progress.begin(format, *has_starts);
        let Progress { runs, is_hinted, is_known, .. } = std::mem::take(progress);
        let is_told = (!format.needs_sum && (is_known || is_hinted)) || runs.end.is_some();
        (is_told && !runs.is_empty()).then(|| runs.candidate(format.tool, format.format))
    }
}

impl Progress {
    /// Returns the name of a test with its suite.
    fn title(&self, format: &TestRows, found: &Groups<'_, '_>) -> String {
        let suite = found.get("suite").unwrap_or(&self.suite).trim();
        match found.text("name").trim() {
            "" => suite.to_owned(),
            test if suite.is_empty() => test.to_owned(),
            test => format!("{suite}{}{test}", format.joint.unwrap_or(" > ")),
        }
    }

    /// Begins a failure. The location in its first line counts unless its stack names a line of the same file.
    fn failing(&self, format: &TestRows, found: &Groups<'_, '_>, line: &Line<'_>) -> Failing {
        let mut failure = found.failure(&format.origin(), line);
        failure.suite = found.has("broken");
        failure.name = name(&found.get("broken").map_or_else(|| self.title(format, found), str::to_owned));
        if !self.intro.is_empty() {
            failure.message.clone_from(&self.intro);
        }
        let (at, column) = (failure.line.take(), failure.column.take());
        let file = failure.file.clone().or_else(|| self.file.clone());
        let mut failing = Failing::of(failure);
        found.get("broken").or(found.get("suite")).unwrap_or(&self.suite).clone_into(&mut failing.class);
        found.text("name").clone_into(&mut failing.method);
        if let Some(file) = file {
            failing.begins_at(Frame { file, line: at, column });
        }
        if let Some(details) = format.details { failing.told_in(details.language) } else { failing }
    }

    /// Remembers a failed test. Returns false if it has failed before.
    pub(crate) fn remember(&mut self, test: &str) -> bool {
        self.names.len() < limit::FINDINGS_KEPT && self.names.insert(test.to_owned())
    }

    /// Ends the open failure; with `dies`, it is a test that never reported its result.
    fn end_test(&mut self, dies: bool) {
        if dies {
            if let Some(running) = self.runs.open.as_ref().map(|open| open.failure.name.clone()) {
                self.remember(&running);
            }
            self.runs.die();
        } else {
            self.runs.close();
        }
    }

    fn head(&mut self, found: &Groups<'_, '_>) {
        let suite = found.get("suite").map(|suite| name(suite.trim()));
        // A suite is named again for another part of the same test.
        if suite.as_ref().is_none_or(|suite| *suite != self.suite) {
            self.runs.close();
        }
        self.suite = suite.unwrap_or_else(|| std::mem::take(&mut self.suite));
        self.file = found.file("file").or_else(|| self.file.take());
        self.version = found.count("version").or(self.version);
    }

    /// Sets the counts of the tests so far, if the line gives them.
    fn count_so_far(&mut self, found: &Groups<'_, '_>) -> bool {
        let so_far = found.has("passed").then(|| found.tests()).flatten();
        self.runs.seen = so_far.unwrap_or(self.runs.seen);
        so_far.is_some()
    }

    /// Begins a run, and ends the previous one.
    fn begin(&mut self, format: &TestRows, dies: bool) {
        self.end_test(dies);
        if let Some(end) = format.end {
            end(self);
        }
        self.runs.begin();
        self.names.clear();
    }

    /// Reads numbers of a sum, and completes it.
    fn sum_up(&mut self, format: &TestRows, row: &TestRow, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
        let begun = if row.first { Numbers::default() } else { self.numbers };
        if row.kind == Kind::Suites {
            self.suites = found.tests();
            return self.suites.is_some();
        }
        let Some(mut numbers) = begun.with(found) else { return false };
        if row.kind == Kind::Count {
            self.runs.close();
            self.numbers = numbers;
            return true;
        }
        let included = if row.with_broken { self.broken.min(numbers.failed()) } else { 0 };
        numbers.failed = numbers.failed.map(|failed| failed - included);
        let broken = if found.has("outside") { found.number("outside").max(self.broken) } else { included };
        let tests = row.counts.map_or_else(|| numbers.tests(), |counts| counts(self, &numbers));
        let Some(tests) = tests else { return false };
        self.runs.close();
        self.runs.go_on();
        self.runs.sum_up(tests);
        self.runs.end = Some(line.end);
        let broken = (0 < broken).then(|| results::counts(0, broken, 0));
        self.broken = 0;
        if let Some(suites) = self.suites.take().or(broken) {
            self.runs.sum_up_suites(suites);
        }
        self.numbers = Numbers::default();
        self.is_announced = false;
        if row.last {
            self.begin(format, false);
        }
        true
    }

    /// Adds numbers to the last sum.
    fn more(&mut self, found: &Groups<'_, '_>, line: &Line<'_>) -> bool {
        let (Some(numbers), Some(sum)) = (Numbers::default().with(found), self.runs.summary_mut()) else {
            return false;
        };
        let further = results::counts(numbers.passed.unwrap_or_default(), numbers.failed(), numbers.skipped());
        add_counts(&mut sum.tests, further);
        self.runs.end = Some(line.end);
        true
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{CountAuthority, TestResults};

    use super::*;
    use crate::shapes::failing::Language;
    use crate::test_rows::{count, failed, frame, heading, part, place, run, skipped, started, sum, test, within};
    use crate::trial;

    /// Reads a text with a format.
    fn read(format: &'static TestRows, text: &str, is_hinted: bool) -> Option<TestResults> {
        trial::claimed(format.reader(is_hinted), text)?.tests
    }

    /// Returns the name, location and message of each failure.
    fn failures(tests: &TestResults) -> Vec<String> {
        let shown = tests.failures.iter().map(|failure| {
            let (file, line) = (failure.file.as_deref().unwrap_or_default(), failure.line.unwrap_or_default());
            format!("{} {file}:{line} {}", failure.name, failure.message.replace('\n', "|"))
        });
        shown.collect()
    }

    fn counts(tests: &TestResults) -> (u64, u64, u64) {
        (tests.counts.passed, tests.counts.failed, tests.counts.skipped)
    }

    #[test]
    fn a_failure_has_the_lines_below_it() {
        static FORMAT: TestRows = TestRows::new("tool", "text").details(Language::PLAIN, 2).rows(&[
            failed(r"^FAIL (?<suite>\w+) (?<name>\w+)$"),
            place(r"^  test at (?<file>\S+):(?<line>\d+)$"),
            frame(r"^  in (?<file>\S+):(?<line>\d+)$"),
            part(r"^  (?<message>wanted (?<expected>.*))$"),
            sum(r"^(?<ran>\d+) run, (?<passed>\d+) passed, (?<skipped>\d+) skipped$"),
        ]);
        let text = "FAIL a b\n  test at a.x:3\n  boom\n\n    really\n  wanted 4\n  in b.x:7\n  in a.x:4\n  late\nprose\n  more\nFAIL c d\n  test at a.x:9\n3 run, 1 passed, 2 skipped\n";
        let tests = read(&FORMAT, text, false).unwrap();
        assert_eq!(failures(&tests), ["a > b a.x:4 boom||  really|wanted 4", "c > d a.x:9 "]);
        assert_eq!(tests.failures[0].expected.as_deref(), Some("4"));
        assert_eq!((counts(&tests), tests.authority), ((1, 2, 2), CountAuthority::Summary));
        assert_eq!(read(&FORMAT, "FAIL a b\n  boom\n", false), None, "nothing says whose these lines are");
        assert_eq!(read(&FORMAT, "FAIL a b\n  boom\n", true).map(|tests| tests.authority), Some(CountAuthority::Lines));
    }

    #[test]
    fn tests_are_counted_where_no_sum_follows() {
        static FORMAT: TestRows = TestRows::new("tool", "text").rows(&[
            run(r"^tool 1\.0$").names_tool(),
            heading(r"^(?<file>\S+):$"),
            test(r"^(?<status>ok|failed) (?<name>\w+)$"),
            skipped(r"^later (?<name>\w+)$"),
            sum(r"^(?<list>\d+ \w+(?:, \d+ \w+)*)$").last(),
        ]);
        let run = "tool 1.0\na.x:\nok a\nfailed b\nlater c\n";
        for (text, expected, authority) in [
            (run.to_owned(), (1, 1, 1), CountAuthority::Lines),
            (format!("{run}3 passed, 1 failed\n"), (3, 1, 0), CountAuthority::Summary),
            (format!("{run}3 passed\n{run}"), (4, 1, 1), CountAuthority::Lines),
            (format!("{run}3 passed, 1 failed, 9 total\n"), (1, 1, 1), CountAuthority::Lines),
        ] {
            let tests = read(&FORMAT, &text, false).unwrap();
            assert_eq!((counts(&tests), tests.authority), (expected, authority), "{text}");
            assert_eq!((tests.cases[0].file.as_deref(), tests.failures[0].name.as_str()), (Some("a.x"), "b"));
        }
    }

    #[test]
    fn a_test_that_does_not_end_failed() {
        static FORMAT: TestRows = TestRows::new("tool", "text")
            .details(Language::PLAIN, 0)
            .rows(&[started(r"^begin (?<name>\w+)$").names_tool(), test(r"^(?<status>ok|failed) (?<name>\w+)$")]);
        let text = "begin a\nfine\nok a\nbegin b\nboom\nfailed b\nfailed b\nbegin c\n";
        let tests = read(&FORMAT, text, false).unwrap();
        assert_eq!(failures(&tests), ["b :0 boom", "c :0 the test did not end"]);
        assert_eq!(counts(&tests), (1, 2, 0));
    }

    #[test]
    fn rows_apply_in_their_sections() {
        static FORMAT: TestRows = TestRows::new("tool", "text").rows(&[
            heading(r"^Failures:$").enters("failures"),
            failed(r"^(?<number>\d+)\) (?<name>\w+)$").inside("failures").once(),
            within(r"^Time: ").announces().enters(""),
            count(r"^(?<passed>\d+) passed$").first(),
            sum(r"^(?<failed>\d+) failed$").announced(),
        ]);
        let text = "1) none\n1 failed\nFailures:\n2) none\n1) a\n1) none\n2) b\n3) a\nTime: 1\n5 passed\n4 passed\n2 failed\n4) none\n";
        let tests = read(&FORMAT, text, false).unwrap();
        assert_eq!((failures(&tests), counts(&tests)), (vec!["a :0 ".to_owned(), "b :0 ".to_owned()], (4, 2, 0)));
    }
}
