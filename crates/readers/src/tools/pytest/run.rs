//! One run: the lines read of it, and the results made from them.

use referee_model::reading::TestCase;

use crate::prelude::*;
use crate::shapes::locate::is_same_file;
use crate::shapes::python_runs::Listed;
use crate::tools::pytest::FRAMEWORK;
use crate::tools::pytest::block::{Block, When};
use crate::tools::pytest::counts::Closing;

/// Maximum memory for full failures kept of one run, in bytes.
const BLOCKS_BYTES: usize = 4 * 1024 * 1024;

/// A line of the short summary: `FAILED test_a.py::test_b - AssertionError: …`.
#[derive(Debug)]
pub(super) struct Short {
    pub(super) id: String,
    pub(super) is_error: bool,
    pub(super) message: Option<String>,
    pub(super) origin: Origin,
}

impl Short {
    /// Returns the file of the test.
    fn file(&self) -> &str {
        self.id.split_once("::").map_or(self.id.as_str(), |(file, _)| file)
    }

    /// Returns the name of the test as printed in headings.
    fn title(&self) -> String {
        self.id.split_once("::").map_or_else(|| self.id.clone(), |(_, test)| test.replace("::", "."))
    }
}

#[derive(Default)]
pub(super) struct Run {
    /// Whether a line was read that begins or ends a run, or a section of it.
    pub(super) is_certain: bool,
    pub(super) closing: Option<Closing>,
    pub(super) listed: Listed,
    /// Whether the progress reached its end in a run that prints neither heading nor final line (`-qq`).
    pub(super) is_whole: bool,
    pub(super) shorts: Vec<Short>,
    /// Failed tests listed individually.
    failed: Vec<String>,
    /// Full failures, and those without a title, for which the traceback style prints only one line each.
    blocks: Vec<Block>,
    bytes: usize,
}

impl Run {
    pub(super) fn is_empty(&self) -> bool {
        !self.is_certain
            && self.closing.is_none()
            && self.shorts.is_empty()
            && self.listed.letters.total == 0
            && !self.listed.are_named
    }

    /// Whether a final line may belong to this run: its counts are not lower than those already read.
    pub(super) fn may_close_with(&self, closing: &Closing) -> bool {
        let seen = self.listed.letters.total.max(self.listed.runs.seen.total);
        seen <= closing.counts.total && self.shorts.len() as u64 <= closing.counts.failed
    }

    /// Adds the name of a failed test that was listed.
    pub(super) fn failed(&mut self, id: &str) {
        if self.failed.len() < limit::FINDINGS_KEPT {
            self.failed.push(name(&text::path(id)));
        }
    }

    /// Adds a failure while there is room.
    pub(super) fn block(&mut self, block: Block) {
        self.bytes += block.weight();
        if self.bytes < BLOCKS_BYTES && self.blocks.len() < limit::FINDINGS_KEPT {
            self.blocks.push(block);
        }
    }

    pub(super) fn short(&mut self, short: Short) {
        // A test that is listed twice failed once.
        let is_known = |known: &Short| known.id == short.id && known.is_error == short.is_error;
        if self.shorts.len() < limit::FINDINGS_KEPT && (short.message.is_some() || !self.shorts.iter().any(is_known)) {
            self.shorts.push(short);
        }
    }

    pub(super) fn finish(mut self) -> TestResults {
        for failure in self.failures() {
            self.listed.runs.failure(failure);
        }
        let is_unnumbered = self.closing.is_none() && self.is_whole;
        let tests = self.listed.finish(FRAMEWORK, self.closing.map(|closing| closing.counts));
        if is_unnumbered { TestResults { authority: CountAuthority::Unnumbered, ..tests } } else { tests }
    }

    /// Makes one failure for each test in the short summary, combined with its full failure if there is one;
    /// then adds other full failures, up to the number that the run counts.
    fn failures(&mut self) -> Vec<TestFailure> {
        let mut shorts: Vec<Option<Short>> = std::mem::take(&mut self.shorts).into_iter().map(Some).collect();
        let (places, blocks): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.blocks).into_iter().partition(|block| block.title.is_empty());
        let room = match self.closing {
            Some(closing) => closing.counts.failed.max(shorts.len() as u64),
            // The short summary ends a run and lists all failures.
            None if !shorts.is_empty() => shorts.len() as u64,
            None => u64::MAX,
        };
        let mut unlisted = room.saturating_sub(shorts.len() as u64);
        let mut failures = Vec::new();
        for block in blocks {
            match best(&shorts, &block).and_then(|at| shorts.get_mut(at)).and_then(Option::take) {
                Some(short) => failures.push(told(&short, Some(&block))),
                None if 0 < unlisted => {
                    unlisted -= 1;
                    failures.push(untold(block));
                }
                None => {}
            }
        }
        let mut places = places.into_iter().peekable();
        for short in shorts.into_iter().flatten() {
            // Both are in the order of the tests; some failures have no such line.
            let place = places.next_if(|place| !short.is_error && says_the_same(place, &short));
            failures.push(told(&short, place.as_ref()));
        }
        for place in places {
            if 0 < unlisted {
                unlisted -= 1;
                failures.push(untold(place));
            }
        }
        if failures.is_empty() {
            failures.extend(std::mem::take(&mut self.failed).into_iter().map(|id| TestFailure {
                file: id.split_once("::").map(|(file, _)| file.to_owned()),
                name: id,
                ..TestFailure::default()
            }));
        }
        failures
    }
}

/// Whether a failure line and a line of the short summary, which may be truncated, have the same message.
fn says_the_same(place: &Block, short: &Short) -> bool {
    let (Some(at_place), Some(said)) = (place.message(), short.message.as_deref()) else { return false };
    let said = said.trim_end_matches('.');
    at_place.starts_with(said) || said.starts_with(at_place.as_str())
}

/// Returns the index of the short summary's test that a failure belongs to: by name and, if several match, by
/// file.
fn best(shorts: &[Option<Short>], block: &Block) -> Option<usize> {
    let title = block.title.replace("::", ".");
    let is_of = |short: &Short| {
        let is_error = block.when != When::Call;
        short.is_error == is_error
            && match block.when {
                When::Collection => is_same_file(&short.id, &block.title) || short.id == block.title,
                // A subtest is named after the name of its test.
                _ => title
                    .strip_prefix(&short.title())
                    .is_some_and(|sub| sub.is_empty() || sub.starts_with(" (") || sub.starts_with(" [")),
            }
    };
    let of_title = |(at, short): (usize, &Option<Short>)| {
        short.as_ref().filter(|short| is_of(short)).map(|short| (at, short.file().to_owned()))
    };
    let candidates: Vec<(usize, String)> = shorts.iter().enumerate().filter_map(of_title).collect();
    let in_file = candidates.iter().find(|(_, file)| block.has(file));
    in_file.or_else(|| candidates.first()).map(|(at, _)| *at)
}

/// Makes the failure of a test in the short summary.
fn told(short: &Short, block: Option<&Block>) -> TestFailure {
    let file = short.file().to_owned();
    let is_suite = short.is_error && !short.id.contains("::");
    let said = block.and_then(Block::message).or_else(|| short.message.clone());
    let origin = block.map_or(&short.origin, |block| &block.origin);
    TestFailure {
        name: short.id.clone(),
        suite: is_suite,
        line: block.and_then(|block| block.line_in(&file)),
        file: Some(file),
        message: said.unwrap_or_default(),
        stack: block.map(|block| block.stack.clone()).filter(|stack| !stack.is_empty()),
        origin: Some(origin.clone()),
        ..TestFailure::default()
    }
}

/// Makes the failure of a test that is not in the short summary: its file is that of the failure's location.
fn untold(block: Block) -> TestFailure {
    let is_suite = block.when == When::Collection;
    let place = block.place();
    let file = if is_suite { Some(block.title.clone()) } else { place.map(|frame| frame.file.clone()) };
    let line = file.as_deref().and_then(|file| block.line_in(file));
    let name = if block.title.is_empty() { file.clone().unwrap_or_default() } else { block.title.clone() };
    TestFailure {
        name,
        suite: is_suite,
        file,
        line,
        message: block.message().unwrap_or_default(),
        stack: Some(block.stack).filter(|stack| !stack.is_empty()),
        origin: Some(block.origin),
        ..TestFailure::default()
    }
}

/// Makes a test case from an id: `test_more.py::TestGroup::test_deep[a::b]`.
pub(super) fn case(id: &str, status: TestStatus) -> TestCase {
    let (plain, parameters) = id.split_at(id.find('[').unwrap_or(id.len()));
    let mut parts: Vec<&str> = plain.split("::").collect();
    let title = format!("{}{parameters}", parts.pop().unwrap_or_default());
    let file = (!parts.is_empty()).then(|| parts.remove(0));
    TestCase {
        ancestors: parts.into_iter().map(name).collect(),
        title: name(&title),
        file: file.map(|file| name(&text::path(file))),
        status,
        duration_ms: None,
    }
}
