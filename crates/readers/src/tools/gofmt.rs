//! gofmt, goimports and gofumpt: with `-l` the names of files, with `-d` a difference under
//! `diff a.go.orig a.go`, and what cannot be parsed as `a.go:3:1: expected declaration, found x`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};

use crate::candidate;
use crate::pattern::Groups;
use crate::rows::{Rows, finding, head, part};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "gofmt",
    aliases: &["goimports", "gofumpt", "go-fmt"],
    role: Role::Format,
    lines: &[LineFormat { prefilter: &[".go.orig "], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "gofmt",
        "text",
        [
            // Before Go 1.10 `diff a.go gofmt/a.go`.
            head(r"^diff (?:-u )?(?:\S+\.go\.orig (?<file>\S+\.go)|(?<file2>\S+\.go) gofmt/\S+\.go)$")
                .rule("gofmt/list")
                .level(Level::Warning)
                .check(unformatted),
            part(r"^[-+ @\\]"),
            finding(r"^(?<file>[^ :]+\.(?i:go))$").rule("gofmt/list").level(Level::Warning).check(unformatted).hinted(),
            finding(r"^(?<file>\S+\.go):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$").rule("gofmt/syntax").hinted(),
        ],
    )
    .spans_blank_lines()
});

fn unformatted(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    "not formatted".clone_into(&mut made.message);
    made.fixable = true;
    true
}
