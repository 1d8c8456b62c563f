//! clang-tidy: the format of clang, with the name of a check in brackets.
//!
//! `a.cpp:16:5: warning: use a trailing return type for this function [modernize-use-trailing-return-type]`

use crate::prelude::*;
use crate::shapes::gnu::{Carets, Heading, is_c_file, names_flag};

pub(crate) static TOOL: Tool = Tool::new("clang-tidy", &["run-clang-tidy"], Role::Lint).lines(&[LineFormat::new(
    &[": error: ", ": warning: ", "[clang-diagnostic-", "in non-user code)", "In file included from "],
    |_| Box::new(ClangTidy { carets: Carets::new("clang-tidy", "clang-tidy/text", takes) }),
)
.unless(names_flag)]);

/// A finding without a line, or without any location.
static PLACELESS: Pattern = Pattern::new(
    r"^(?:(?<file>/[^:]+):(?::?(?<column>\d+):)? )?(?<level>error|warning): (?<message>.*) \[(?<code>[a-z][\w.,-]+)\]$",
);

/// Suffix of the name of a check that was promoted to an error.
const AS_ERROR: &str = ",-warnings-as-errors";

struct ClangTidy {
    carets: Carets,
}

/// Returns whether a code is the name of a check, which begins with its module: `bugprone-…`,
/// `clang-analyzer-core.…`.
fn is_check(code: &str) -> bool {
    const MODULES: &str = "abseil- altera- android- boost- bugprone- cert- clang- concurrency- cppcoreguidelines- custom- darwin- \
        fuchsia- google- hicpp- linuxkernel- llvm- llvmlibc- misc- modernize- mpi- objc- openmp- performance- \
        portability- readability- zircon-";
    let is_of_module = |name: &str| !name.starts_with('-') && MODULES.split(' ').any(|module| name.starts_with(module));
    code.split(',').all(|name| is_of_module(name) || name == "-warnings-as-errors")
}

fn takes(heading: &Heading<'_>) -> bool {
    is_c_file(heading.file()) && heading.code.is_some_and(is_check)
}

/// Returns whether a line reports progress, or how many findings are not shown.
fn is_talk(text: &str) -> bool {
    text.ends_with(" generated.") && text.contains(" warning")
        || text.ends_with(" errors generated.")
        || text.starts_with("Error while processing ")
        || text.starts_with("Found compiler error")
        || text.starts_with("Suppressed ") && text.contains(" warning")
        || text.starts_with("Use -header-filter=.* to display errors")
        || text.contains(" warnings treated as error")
}

impl LineReader for ClangTidy {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let used = self.carets.line(line);
        if used != Use::None {
            return used;
        }
        if is_talk(&line.text) {
            return Use::Line;
        }
        let Some(found) = PLACELESS.find(&line.text).filter(|found| is_check(found.text("code"))) else {
            return Use::None;
        };
        let mut made = found.diagnostic("clang-tidy", "clang-tidy/text", line, Level::Warning);
        made.column = found.position("column");
        self.carets.add(made);
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let mut findings = self.carets.finish();
        for found in findings.kept.items_mut() {
            // The line may begin with the command that ran.
            if let Some(file) = &mut found.file
                && file.starts_with("clang-tidy")
                && let Some((_, printed)) = file.rsplit_once(' ')
            {
                *file = printed.to_owned();
            }
            if let Some(code) = &mut found.code
                && code.ends_with(AS_ERROR)
            {
                code.truncate(code.len() - AS_ERROR.len());
            }
        }
        findings.candidate("text")
    }
}
