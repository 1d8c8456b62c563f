//! Findings as printed by the Scala 3 compiler, on its own or under sbt:
//!
//! ```text
//! -- [E007] Type Mismatch Error: a.scala:3:26 ----------------------------------
//! 3 |  def f(a: Int): String = a
//!   |                          ^
//!   |                          Found:    (a : Int)
//!   |                          Required: String
//! ```

use referee_model::reading::Diagnostic;

use crate::pattern::Groups;

/// Creates the rows of such findings; `$prefix` is a pattern for what stands before each line.
macro_rules! rows {
    ($prefix:literal) => {{
        use crate::rows::{head, part};
        use crate::rows::dotty::{is_first, replace};
        [
            // Without a message, the kind becomes the message.
            head(concat!("^", $prefix, r"-- (?:\[(?<code>E\d+)\] )?(?<message>(?:[A-Z]\w* )*?(?<level>Error|Warning|Info)): (?<file>\S.*?\.\w+):(?<line>\d+):(?<column0>\d+) ?-*$"))
                .enters("kind"),
            part(concat!("^", $prefix, r" *\d+ *\|(?<source>.*)$")).check(is_first),
            part(concat!("^", $prefix, r" *\|\s*\^[\^~]*$")).inside("kind").enters("caret"),
            part(concat!("^", $prefix, r" *\|[\s-]*$")).inside("message").enters("rest"),
            part(concat!("^", $prefix, r" *\|\s*(?<message>[^\s-].*)$")).inside("caret").check(replace).enters("message"),
            part(concat!("^", $prefix, r" *\|\s*(?<message>\S.*)$")).inside("message"),
            part(concat!("^", $prefix, r" *(?:\d+ *)?\|")),
        ]
    }};
}

pub(crate) use rows;

/// Whether a line is the first of the source.
pub(crate) fn is_first(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.source.is_none()
}

/// Lets the message of a line replace the kind of the finding.
pub(crate) fn replace(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.message.clear();
    true
}
