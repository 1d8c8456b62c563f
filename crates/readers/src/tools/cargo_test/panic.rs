//! Output of a failed Rust test: its panic, in the format before and since Rust 1.73.
//!
//! ```text
//! thread 'tests::adds' (7) panicked at src/lib.rs:34:9:
//! assertion `left == right` failed
//!   left: 3
//!  right: 4
//! note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
//! ```
//! Before 1.73: `thread 'tests::adds' panicked at 'assertion failed: …', src/lib.rs:34:9`.

use crate::prelude::*;
use crate::shapes::locate::Frame;

/// Maximum number of output lines kept per test.
const LINES: usize = 400;

/// `thread 'main' (12) panicked at src/lib.rs:5:1:`.
static NEW: Pattern =
    Pattern::new(r"^thread '(?<thread>.*?)'(?: \(\d+\))? panicked at (?<file>[^'].*?):(?<line>\d+):(?<column>\d+):$");

/// `thread 'main' panicked at 'message`, with the location at the end of this line or of a later one.
static OLD: Pattern = Pattern::new(r"^thread '(?<thread>.*?)' panicked at '(?<message>.*)$");

/// The end of a message in the old format.
static OLD_END: Pattern = Pattern::new(r"^(?<message>.*)', (?<file>.+?):(?<line>\d+)(?::(?<column>\d+))?$");

static FRAME: Pattern = Pattern::new(r"^\s+at (?<file>\S.*\.rs):(?<line>\d+)(?::(?<column>\d+))?$");

/// `note: test did not panic as expected at src/lib.rs:56:8`.
static NO_PANIC: Pattern =
    Pattern::new(r"^note: test did not panic as expected(?: at (?<file>.+):(?<line>\d+):(?<column>\d+))?$");

/// `src/lib.rs - add (line 12)`, the format of doctest names.
static DOCTEST: Pattern = Pattern::new(r"^(?<file>\S.*\.(?:rs|md)) - (?:.* )?\(line (?<line>\d+)\)");

/// Collects the output of one failed test.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    lines: Vec<String>,
}

impl Printed {
    pub(crate) fn add(&mut self, line: &str) {
        if self.lines.len() < LINES {
            self.lines.push(cut::head(line, limit::MESSAGE_BYTES).to_owned());
        }
    }

    /// Completes a failure with message, location and stack.
    pub(crate) fn fill(&self, failure: &mut TestFailure) {
        if let Some(found) = DOCTEST.find(&failure.name) {
            (failure.file, failure.line) = (found.file("file"), found.position("line"));
        }
        let panics: Vec<Panic> = (0..self.lines.len()).filter_map(|at| self.panic(at)).collect();
        let own = panics.iter().find(|panic| panic.thread == failure.name).or_else(|| panics.first());
        match own {
            Some(panic) => {
                failure.message.clone_from(&panic.message);
                let place = if is_in_project(&panic.place.file) { Some(panic.place.clone()) } else { self.frame() };
                if failure.file.is_none()
                    && let Some(Frame { file, line, column }) = place
                {
                    failure.file = Some(name(&file));
                    (failure.line, failure.column) = (line, column);
                }
            }
            None => self.fill_without_panic(failure),
        }
        let stack: Vec<&str> = self.stack().collect();
        if !stack.is_empty() {
            failure.stack = Some(cut::head(&stack.join("\n"), limit::MESSAGE_BYTES).to_owned());
        }
    }

    fn fill_without_panic(&self, failure: &mut TestFailure) {
        let said = |line: &&String| {
            let line = line.trim();
            line.starts_with("Error: ") || line.starts_with("note: test did not panic") || line.starts_with("error")
        };
        let at = self.lines.iter().position(|line| said(&line)).unwrap_or(0);
        for line in self.lines.iter().skip(at).filter(|line| !line.trim().is_empty()).take(8) {
            text::append_line(&mut failure.message, line.trim_end(), limit::MESSAGE_BYTES);
        }
        let found = self.lines.iter().find_map(|line| NO_PANIC.find(line));
        if let Some(found) = found.filter(|found| found.has("file")) {
            failure.file = found.file("file");
            (failure.line, failure.column) = (found.position("line"), found.position("column"));
        }
    }

    /// Parses the panic that begins at a line.
    fn panic(&self, at: usize) -> Option<Panic> {
        let line = self.lines.get(at).filter(|line| line.starts_with("thread '"))?;
        if let Some(found) = NEW.find(line) {
            let mut message = String::new();
            for line in self.lines.iter().skip(at + 1).take_while(|line| !ends_message(line)) {
                text::append_line(&mut message, line, limit::MESSAGE_BYTES);
            }
            return Some(Panic { thread: found.text("thread").to_owned(), message, place: Frame::of(&found) });
        }
        let found = OLD.find(line)?;
        let mut message = String::new();
        let first = found.get("message")?;
        for line in std::iter::once(first).chain(self.lines.iter().skip(at + 1).map(String::as_str)) {
            if let Some(end) = OLD_END.find(line) {
                text::append_line(&mut message, end.text("message"), limit::MESSAGE_BYTES);
                return Some(Panic { thread: found.text("thread").to_owned(), message, place: Frame::of(&end) });
            }
            text::append_line(&mut message, line, limit::MESSAGE_BYTES);
        }
        None
    }

    /// Returns the innermost frame of a backtrace that is in the project.
    fn frame(&self) -> Option<Frame> {
        let places = self.lines.iter().filter_map(|line| FRAME.find(line)).map(|found| Frame::of(&found));
        places.into_iter().find(|place| is_in_project(&place.file))
    }

    fn stack(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .map(String::as_str)
            .skip_while(|line| *line != "stack backtrace:")
            .skip(1)
            .take_while(|line| line.starts_with(' ') && !line.trim().is_empty())
    }
}

struct Panic {
    thread: String,
    message: String,
    place: Frame,
}

/// Returns whether a file belongs neither to the standard library nor to a dependency.
fn is_in_project(file: &str) -> bool {
    !file.starts_with("/rustc/")
        && !file.contains("/.cargo/")
        && !file.contains("/rustlib/")
        && !file.contains("/toolchains/")
}

fn ends_message(line: &str) -> bool {
    line.trim().is_empty()
        || line.starts_with("note: run with `RUST_BACKTRACE")
        || line.starts_with("stack backtrace:")
        || line.starts_with("thread '")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(test: &str, printed: &str) -> (String, Option<String>, Option<u32>) {
        let mut of_test = Printed::default();
        printed.lines().for_each(|line| of_test.add(line));
        let mut failure = TestFailure { name: test.to_owned(), ..TestFailure::default() };
        of_test.fill(&mut failure);
        (failure.message, failure.file, failure.line)
    }

    #[test]
    fn panics_are_read_in_both_wordings() {
        for (printed, message, file, line) in [
            (
                "x\n\nthread 't' (7) panicked at src/lib.rs:34:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1` x\n",
                "assertion `left == right` failed\n  left: 3\n right: 4",
                Some("src/lib.rs"),
                Some(34),
            ),
            (
                "thread 't' panicked at 'assertion failed: `(left == right)`\n  left: `1`,\n right: `2`', src/lib.rs:7:9\nnote: run with",
                "assertion failed: `(left == right)`\n  left: `1`,\n right: `2`",
                Some("src/lib.rs"),
                Some(7),
            ),
            ("thread 't' panicked at 'boom', src\\a.rs:7", "boom", Some("src/a.rs"), Some(7)),
            (
                "thread 't' panicked at /rustc/abc/library/core/src/option.rs:1:2:\nnone\nstack backtrace:\n   0: x\n             at /rustc/abc/library/std/src/panicking.rs:5:5\n   1: demo::f\n             at ./src/lib.rs:45:11\n",
                "none",
                Some("./src/lib.rs"),
                Some(45),
            ),
            (
                "note: test did not panic as expected at src/lib.rs:56:8",
                "note: test did not panic as expected at src/lib.rs:56:8",
                Some("src/lib.rs"),
                Some(56),
            ),
            ("hello\nError: \"bad\"", "Error: \"bad\"", None, None),
            ("", "", None, None),
        ] {
            let (message, file) = (message.to_owned(), file.map(str::to_owned));
            assert_eq!(filled("t", printed), (message, file, line), "{printed}");
        }
    }

    #[test]
    fn a_doctest_is_where_its_name_says() {
        let (_, file, line) = filled("src/lib.rs - div (line 12)", "thread 'main' panicked at src/lib.rs:5:1:\nno\n");
        assert_eq!((file.as_deref(), line), (Some("src/lib.rs"), Some(12)));
    }
}
