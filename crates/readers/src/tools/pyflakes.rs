//! pyflakes: one finding per line, without a code. It is recognized by its messages.
//!
//! ```text
//! ./app.py:1:1: 'os' imported but unused
//! ```

use crate::prelude::*;
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool =
    Tool::new("pyflakes", &[], Role::Lint).lines(&[LineFormat::rows(MESSAGES, &TEXT)]).merge(candidate::together);

/// Texts one of which is in every message of pyflakes.
const MESSAGES: &[&str] = &[
    "imported but unused",
    ": undefined name ",
    "is assigned to but never used",
    "may be undefined, or defined from star imports",
    "unable to detect undefined names",
    ": redefinition of unused ",
    "missing placeholders",
    "assertion is always true, perhaps remove parentheses?",
    "use ==/!= to compare constant literals",
    "'...'.format(...) ",
    "'...' % ... ",
    " repeated with different values",
    ": invalid syntax",
    ": unexpected indent",
    ": unindent does not match ",
    "referenced before assignment",
    "raise NotImplemented' should be",
    "from __future__ imports must occur",
    "an 'except:' block as not the last",
    "is unused: name is never assigned in scope",
    "is annotated but never used",
    "duplicate argument ",
    "outside function",
    "' outside loop",
];

static TEXT: Rows = Rows::new("pyflakes", "text").rows(&[
    finding(LOCATED).check(|made, found| is_its(made, found) && made.file.as_deref().is_some_and(is_source)),
    finding(LOCATED).check(is_its).hinted(),
    finding(LOCATED).check(|made, found| !is_coded(made) && found.matched().contains(".py:")).hinted(),
]);

const LOCATED: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):?)? (?<message>\S.*)$";

fn is_its(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let text = found.matched();
    MESSAGES.iter().any(|message| text.contains(message)) && !is_coded(made)
}

/// Whether a code precedes the message, which then is another tool's.
fn is_coded(made: &Diagnostic) -> bool {
    static CODE: Pattern = Pattern::new(r"^(?:[A-Z]{1,6}\d{1,5}|\[|[a-z-]+:|[A-Z]\w*:) ?");
    CODE.is_match(&made.message)
}
