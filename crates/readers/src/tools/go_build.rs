//! The Go compiler, as `go build`, `go install` and `go run` pass its findings on, and the linker:
//! `# example.com/demo/app` and below it `app/main.go:5:2: "os" imported and not used`.

pub(crate) mod lines;
pub(crate) mod quotation;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::shapes::nothing::with_hint;
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "go-build",
    aliases: &["go", "gc", "go-install", "go-run"],
    role: Role::Compile,
    lines: &[LineFormat {
        prefilter: lines::PREFILTER,
        reader: |is_hinted| Box::new(lines::Compiler::new(&lines::BUILD, is_hinted)),
    }],
    documents: &[],
    merge: crate::candidate::gravest,
};

/// The compiler's lines for a runner of tests, whose log holds them too. Without a hint the compiler's own tool reads
/// them.
pub(crate) const BESIDE_TESTS: LineFormat = LineFormat {
    prefilter: lines::PREFILTER,
    reader: |is_hinted| with_hint(is_hinted, || Box::new(lines::Compiler::new(&lines::TEST, true))),
};

/// How bad what keeps a package from being built is.
const LEVEL: Level = Level::Error;
