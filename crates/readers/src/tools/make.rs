//! `make`: what it says of its own files. What its recipes print is read by the tools that print it.
//!
//! `Makefile:3: *** missing separator.  Stop.` and `make: *** No rule to make target 'x', needed by 'y'.  Stop.`

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use referee_model::record::Stream;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::{gcc, ld};

/// GNU make.
pub(crate) const TOOL: Tool = Tool {
    name: "make",
    aliases: &["gmake"],
    role: Role::Compile,
    lines: &[
        LineFormat {
            wakes: &[": *** ", ": warning: overriding recipe", ": warning: ignoring old recipe", "make: warning: "],
            reader: |_| Box::new(Make::default()),
        },
        LineFormat { wakes: gcc::WAKES, reader: gcc::beside },
        LineFormat { wakes: ld::WAKES, reader: ld::beside },
    ],
    documents: &[],
    settle: one_claim,
};

/// Takes what compilers found only beside what make says itself: else the log is theirs.
fn one_claim(claims: Vec<(Stream, Claim)>) -> Option<Claim> {
    let has_own = claims.iter().any(|(_, claim)| claim.format == FORMAT);
    claim::together(claims).filter(|_| has_own)
}

/// What make prints itself.
const FORMAT: &str = "make";

/// What is wrong in a makefile.
static IN_FILE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?:\*\*\* |(?<level>warning): )(?<message>.*?)(?:\.? {1,2}Stop\.)?$",
    )
});

/// What has no place. A recipe that failed says so itself.
static OF_MAKE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\S*[/\\])?g?(?:make|mingw32-make|nmake)(?:\.exe)?(?:\[\d+\])?: (?:\*\*\* |(?<level>[Ww]arning): ) ?(?<message>.*?)(?:\.? {1,2}Stop\.)?$",
    )
});

/// A recipe that failed: `[Makefile:3: all] Error 2`, with old versions `[all] Error 2`.
static RECIPE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?:\[[^\]]+\] (?:Error \d+|\S.*)|Waiting for unfinished jobs\.\.\.\.)(?: \(.*\))?$")
});

#[derive(Default)]
struct Make {
    findings: Findings,
}

impl LineReader for Make {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if !text.contains(": *** ") && !text.contains("arning: ") {
            return Use::None;
        }
        if let Some(captures) = OF_MAKE.captures(text) {
            if !RECIPE.is_match(&captures["message"]) && !captures["message"].starts_with("Deleting ") {
                self.findings.add(matched("make", "make/text", line, &captures, Level::Error));
            }
            return Use::Line;
        }
        let Some(captures) = IN_FILE.captures(text) else {
            return Use::None;
        };
        let message = &captures["message"];
        let is_warning = captures.name("level").is_some();
        if is_warning && !message.starts_with("overriding recipe") && !message.starts_with("ignoring old recipe") {
            return Use::None;
        }
        self.findings.add(matched("make", "make/text", line, &captures, Level::Error));
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: FORMAT, findings: self.findings, ..Claim::default() })
    }
}
