//! Jasmine on Node: dots, failures, pending specs, and the summary `5 specs, 2 failures, 2 pending specs`.
//!
//! ```text
//! Failures:
//! 1) calc throws
//!   Message:
//!     Error: boom
//!   Stack:
//!         at UserContext.<anonymous> (/project/spec/calc.spec.js:4:30)
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("jasmine", &[], Role::Test)
    .lines(&[LineFormat::new(&["Failures:", " specs, ", " spec, ", "Suite error: ", "Randomized with seed "], |_| {
        Box::new(Report::default())
    })])
    .merge(runs::one_run);

const RULE: &str = "jasmine/text";

/// `5 specs, 2 failures, 2 pending specs`.
static SUMMARY: Pattern = Pattern::new(
    r"^(?:Ran \d+ of )?(?<specs>\d{1,9}) specs?, (?<failures>\d{1,9}) failures?(?:, (?<pending>\d{1,9}) pending specs?)?(?:, \d+ .*)?$",
);

/// `1) calc throws`.
static HEADING: Pattern = Pattern::new(r"^(?<number>\d+)\) (?<name>\S.*)$");

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Nothing,
    Failures,
    Message,
    Stack,
    Pending,
}

#[derive(Default)]
struct Report {
    part: Part,
    listed: u64,
    /// Number of failures outside of specs.
    outside: u64,
    runs: Runs,
}

impl Report {
    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let part = match text {
            "Failures:" => Part::Failures,
            "Pending:" => Part::Pending,
            _ => Part::Nothing,
        };
        if part != Part::Nothing {
            self.runs.close();
            self.part = part;
            self.listed = 0;
            return true;
        }
        if let Some(suite) = text.strip_prefix("Suite error: ") {
            let mut failing = Failing::new(suite, RULE, line);
            failing.failure.suite = true;
            self.runs.open(failing);
            self.outside += 1;
            self.part = Part::Failures;
            return true;
        }
        if matches!(self.part, Part::Nothing | Part::Pending) {
            return self.part == Part::Pending && HEADING.is_match(text);
        }
        let next = Some(self.listed + 1);
        let Some(found) = HEADING.find(text).filter(|found| found.count("number") == next) else { return false };
        self.listed += 1;
        self.runs.open(found.failing(RULE, line));
        self.part = Part::Failures;
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return self.part == Part::Pending && line.text.starts_with("  ") };
        let text = line.text.trim_end();
        match text {
            "  Message:" => self.part = Part::Message,
            "  Stack:" => self.part = Part::Stack,
            _ if self.part == Part::Message => open.say(text.strip_prefix("    ").unwrap_or(text)),
            _ if self.part == Part::Stack => {
                open.takes_frame(text);
            }
            _ => return false,
        }
        open.extend(line);
        true
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = SUMMARY.find(line.text.trim_end()) else { return false };
        let (failures, pending) = (found.number("failures"), found.number("pending"));
        self.part = Part::Nothing;
        let outside = std::mem::take(&mut self.outside).min(failures);
        let failed = failures - outside;
        let Some(passed) = found.number("specs").checked_sub(failed + pending) else { return false };
        self.runs.sum_up_at(line, results::counts(passed, failed, pending));
        if 0 < outside {
            self.runs.sum_up_suites(results::counts(0, outside, 0));
        }
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_around = ["Randomized with seed ", "Finished in "].iter().any(|start| line.text.starts_with(start));
        let is_read =
            self.summary(line) || self.heading(line) || self.body(line) || (is_around && self.runs.end.is_some());
        is_read.into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("jasmine", "text"))
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn failures_outside_of_specs_are_none_of_specs() {
        for (text, expected) in [
            ("Started\n.\n\n1 spec, 0 failures\nFinished in 0.005 seconds\n", Some((1, 0, 0))),
            ("5 specs, 2 failures, 2 pending specs\n", Some((1, 2, 2))),
            ("Suite error: broken\n  Message:\n    boom\n\n1 spec, 1 failure\n", Some((1, 0, 0))),
            ("1 spec, 9 failures\n", None),
            ("the spec, 0 failures\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
