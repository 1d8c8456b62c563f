//! shfmt: with `-d` a diff of each file that it would change; with `-l` the file names, which are recognized
//! only with a hint.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("shfmt", &[], Role::Format).lines(&[LineFormat::rows(&[".orig"], &TEXT)]);

static TEXT: Rows = Rows::new("shfmt", "text").level(Level::Warning).spans_blank_lines().rows(&[
    // In newer versions `diff a.sh.orig a.sh` precedes `--- a.sh.orig`.
    part(r"^--- (?<below>\S.*?)\.orig(?:\s.*)?$").check(|made, found| made.file == found.file("below")),
    head(r"^(?:diff (?:-u )?|--- )(?<file>\S.*?\.(?:sh|bash|zsh|ksh|bats|mksh))\.orig(?:\s.*)?$")
        .rule("shfmt/diff")
        .then(is_unformatted),
    head(r"^(?:diff (?:-u )?|--- )(?<file>\S.*?)\.orig(?:\s.*)?$").rule("shfmt/diff").then(is_unformatted).hinted(),
    part(r"^[-+ @]"),
    // Printed if the script could not be parsed.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$")
        .rule("shfmt/syntax")
        .level(Level::Error)
        .hinted(),
    finding(r"^(?<file>\S+\.(?:sh|bash|zsh|ksh|bats|mksh))$").rule("shfmt/diff").then(is_unformatted).hinted(),
]);

fn is_unformatted(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "not formatted with shfmt".clone_into(&mut made.message);
    made.fixable = true;
}
