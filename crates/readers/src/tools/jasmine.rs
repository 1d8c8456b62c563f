//! Jasmine on Node: dots, the failures, what is pending, and `5 specs, 2 failures, 2 pending specs`.
//!
//! ```text
//! Failures:
//! 1) calc throws
//!   Message:
//!     Error: boom
//!   Stack:
//!         at UserContext.<anonymous> (/project/spec/calc.spec.js:4:30)
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results;
use crate::shapes::runs::{self, Runs};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Jasmine.
pub(crate) const TOOL: Tool = Tool {
    name: "jasmine",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &["Failures:", " specs, ", " spec, ", "Suite error: ", "Randomized with seed "],
        reader: |_| Box::new(Report::default()),
    }],
    documents: &[],
    settle: runs::one_run,
};

const FRAMEWORK: &str = "jasmine";
const RULE: &str = "jasmine/text";

/// `5 specs, 2 failures, 2 pending specs`.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:Ran \d+ of )?(?<specs>\d+) specs?, (?<failures>\d+) failures?(?:, (?<pending>\d+) pending specs?)?(?:, \d+ .*)?$",
    )
});

/// `1) calc throws`.
static HEADING: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<number>\d+)\) (?<name>\S.*)$"));

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
    /// Failures outside of specs.
    outside: u64,
    open: Option<Failing>,
    runs: Runs,
    end: Option<u64>,
}

impl Report {
    fn close(&mut self) {
        if let Some(failing) = self.open.take() {
            self.runs.failure(failing.finish());
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let part = match text {
            "Failures:" => Part::Failures,
            "Pending:" => Part::Pending,
            _ => Part::Nothing,
        };
        if part != Part::Nothing {
            self.close();
            self.part = part;
            self.listed = 0;
            return true;
        }
        if let Some(suite) = text.strip_prefix("Suite error: ") {
            self.close();
            let mut failing = Failing::new(suite, RULE, line);
            failing.failure.suite = true;
            self.open = Some(failing);
            self.outside += 1;
            self.part = Part::Failures;
            return true;
        }
        if matches!(self.part, Part::Nothing | Part::Pending) {
            return self.part == Part::Pending && HEADING.is_match(text);
        }
        let Some(captures) = HEADING.captures(text) else {
            return false;
        };
        if text::count(&captures["number"]) != Some(self.listed + 1) {
            return false;
        }
        self.close();
        self.listed += 1;
        self.open = Some(Failing::new(&captures["name"], RULE, line));
        self.part = Part::Failures;
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else {
            return self.part == Part::Pending && line.text.starts_with("  ");
        };
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
        let Some(captures) = line.text.contains("spec").then(|| SUMMARY.captures(line.text.trim_end())).flatten()
        else {
            return false;
        };
        let number = |group: &str| captures.name(group).map_or(Some(0), |number| text::count(number.as_str()));
        let (Some(specs), Some(failures), Some(pending)) = (number("specs"), number("failures"), number("pending"))
        else {
            return false;
        };
        self.close();
        self.part = Part::Nothing;
        let outside = std::mem::take(&mut self.outside).min(failures);
        let failed = failures - outside;
        let Some(passed) = specs.checked_sub(failed + pending) else {
            return false;
        };
        if self.runs.is_summed_up() {
            self.runs.begin();
        }
        self.runs.sum_up(results::counts(passed, failed, pending));
        if 0 < outside {
            self.runs.sum_up_suites(results::counts(0, outside, 0));
        }
        self.end = Some(line.end);
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_around = ["Randomized with seed ", "Finished in "].iter().any(|start| line.text.starts_with(start));
        let is_read = self.summary(line) || self.heading(line) || self.body(line) || (is_around && self.end.is_some());
        if is_read { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        self.end?;
        let (tests, notes) = self.runs.finish(FRAMEWORK);
        Some(Claim { format: "text", tests: Some(tests), notes, summary_end: self.end, ..Claim::default() })
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
