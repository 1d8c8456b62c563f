//! The Go compiler and the linker, with findings passed on by `go build`, `go install` and `go run`:
//! `# example.com/demo/app` and below it `app/main.go:5:2: "os" imported and not used`.

pub(crate) mod lines;
pub(crate) mod quotation;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("go-build", &["go", "gc", "go-install", "go-run"], Role::Compile)
    .lines(&[LineFormat::rows(lines::PREFILTER, &lines::BUILD)]);

/// Compiler lines in the log of a test runner. Without a hint the compiler's own tool reads them.
pub(crate) const BESIDE_TESTS: LineFormat = LineFormat::hinted(lines::PREFILTER, |_| lines::TEST.reader(true));
