//! Doxygen: `a.h:357: warning: Member f() (function) of class A is not documented.`; old versions omit the
//! blank before the severity.

use crate::prelude::*;
use crate::shapes::gnu::names_flag;

pub(crate) static TOOL: Tool = Tool::new("doxygen", &[], Role::Lint).lines(&[LineFormat::rows(
    &[": warning: ", ":warning: ", ": error: ", ":error: "],
    &TEXT,
)
.unless(names_flag)]);

/// Phrases that no compiler prints.
static WORDS: Pattern = Pattern::new(
    r"is not documented|are not documented|was not declared or defined|documented symbol|\\file statement|explicit link request|unable to resolve reference|unable to resolve link|Found unknown command|Unsupported xml/html tag|of command @param is not found|of command \\param is not found|The following parameter|no uniquely matching class member found|no matching class member found|no matching file member found|multiple use of section label|end of comment block while|end of file while inside a group|doxygen|Doxygen|has become obsolete|return type of member|found documented return type",
);

const PLACED: &str =
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): ?(?<level>[Ww]arning|[Ee]rror): (?<message>\S.*)$";

static TEXT: Rows = Rows::new("doxygen", "text").level(Level::Warning).rows(&[
    head(PLACED).check(|made, _| WORDS.is_match(&made.message)),
    head(PLACED).common(),
    head(r"^(?<level>[Ww]arning|[Ee]rror): (?<message>\S.*)$").hinted(),
    // Continuation lines of a message are indented.
    part(r"^(?<message>  .*)$"),
]);
