//! The Go compiler, as `go build`, `go install` and `go run` pass its findings on, and the linker:
//! `# example.com/demo/app` and below it `app/main.go:5:2: "os" imported and not used`.

pub(crate) mod lines;
pub(crate) mod quotation;

use crate::prelude::*;
use crate::shapes::nothing::with_hint;

pub(crate) static TOOL: Tool = Tool::new("go-build", &["go", "gc", "go-install", "go-run"], Role::Compile)
    .lines(&[LineFormat::new(lines::PREFILTER, |is_hinted| Box::new(lines::Compiler::new(&lines::BUILD, is_hinted)))]);

/// The compiler's lines for a runner of tests, whose log holds them too. Without a hint the compiler's own tool reads
/// them.
pub(crate) const BESIDE_TESTS: LineFormat = LineFormat::new(lines::PREFILTER, |is_hinted| {
    with_hint(is_hinted, || Box::new(lines::Compiler::new(&lines::TEST, true)))
});

/// How bad what keeps a package from being built is.
const LEVEL: Level = Level::Error;
