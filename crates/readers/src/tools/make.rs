//! `make`: messages about its own files. Output of its recipes is read by the readers of the tools that print
//! it.
//!
//! `Makefile:3: *** missing separator.  Stop.` and `make: *** No rule to make target 'x', needed by 'y'.  Stop.`

use crate::prelude::*;
use crate::tools::{gcc, ld};

pub(crate) static TOOL: Tool = Tool::new("make", &["gmake"], Role::Compile)
    .lines(&[
        LineFormat::rows(
            &[": *** ", ": warning: overriding recipe", ": warning: ignoring old recipe", "make: warning: "],
            &TEXT,
        ),
        gcc::BESIDE,
        ld::BESIDE,
    ])
    .merge(one_candidate);

/// Keeps findings of compilers only beside messages of make itself; otherwise the log is theirs.
fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let has_own = candidates.iter().any(|(_, candidate)| candidate.format == FORMAT);
    candidate::together(candidates).filter(|_| has_own)
}

const FORMAT: &str = "make";

static TEXT: Rows = Rows::new("make", FORMAT).rows(&[
    // Failure of a recipe, whose output explains it: `[Makefile:3: all] Error 2`, in old versions
    // `[all] Error 2`.
    within(r"^(?:\S*[/\\])?g?(?:make|mingw32-make|nmake)(?:\.exe)?(?:\[\d+\])?: (?:\*\*\*|[Ww]arning:)  ?(?:\[[^\]]+\] \S|Waiting for unfinished jobs\.|Deleting )"),
    // A message without a location.
    finding(r"^(?:\S*[/\\])?g?(?:make|mingw32-make|nmake)(?:\.exe)?(?:\[\d+\])?: (?:\*\*\* |(?<level>[Ww]arning): ) ?(?<message>.*?)(?:\.? {1,2}Stop\.)?$")
        .rule("make/text"),
    finding(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?:\*\*\* (?<message>.*?)|(?<level>warning): (?<message2>(?:overriding recipe|ignoring old recipe).*?))(?:\.? {1,2}Stop\.)?$")
        .rule("make/text"),
]);
