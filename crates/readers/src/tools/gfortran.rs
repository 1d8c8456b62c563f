//! GNU Fortran: the location on its own line, the source with marks below it, then the message.
//!
//! ```text
//! a.f90:9:18:
//!
//!     9 |   call nosuch(1, 2
//!       |                  1
//! Error: Syntax error in argument list at (1)
//! ```

use crate::prelude::*;
use crate::shapes::gnu::split_code;
use crate::tools::ld;

pub(crate) static TOOL: Tool = Tool::new("gfortran", &["f951"], Role::Compile)
    .lines(&[LineFormat::rows(&["Error: ", "Warning: ", "Internal Error at "], &TEXT), ld::BESIDE])
    .merge(candidate::together);

const PLACE: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?i:f|for|ftn|fpp|f77|f90|f95|f03|f08|f18|f23|inc|fi|h|fypp|pf)):(?<line>\d+)(?:[.:](?<column>\d+)(?:-(?<last_column>\d+))?)?:$";

static TEXT: Rows = Rows::new("gfortran", "text")
    .spans_blank_lines()
    .complete(|found| {
        let (message, code) = split_code(&found.message);
        (found.code, found.message) = (code.map(name), message.to_owned());
        true
    })
    .rows(&[
        // Further locations, which the message calls (2), (3), …
        related(PLACE),
        lead(PLACE),
        rest(r"^(?:f951: )?(?<level>Fatal Error|Error|Warning|Internal compiler error): (?<message>\S.*)$").last(),
        finding(r"^f951: (?<level>Fatal Error|Error|Warning|Internal compiler error): (?<message>\S.*)$"),
        // The next line holds the message.
        part(r"^(?<message>Internal Error at \(1\)):$"),
        rest("^(?<message>.*)$").check(|made, _| !std::mem::take(&mut made.message).is_empty()).last(),
        part(r"^ *\d+ \| (?<source>.*)$").check(|made, _| made.source.is_none()),
        part(r"^(?: *\d* *\|.*|[ \d^.-]+|    Included at .*)$"),
        part("^(?<source>.*)$").check(|made, _| made.source.is_none()),
        within(r"^(?:compilation terminated\.$|f951: )"),
    ]);
