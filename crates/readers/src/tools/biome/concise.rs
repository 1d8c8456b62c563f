//! The concise format, one finding per line:
//! `× src/a.ts:1:21: lint/style/useTemplate: Template literals are preferred.`

use crate::prelude::*;
use crate::tools::biome::{CHECKED, FOUND, MARKS};

/// A closing count is used only after findings, because the default format prints it too.
pub(crate) static TEXT: Rows = Rows::new("biome", "concise").rows(&[
    finding(
        r"^(?<level>[×✖x!⚠iℹ])\u{fe0f}? (?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))?: (?<code>(?:lint|assist|suppressions|syntax|source|nursery|project|plugin|format|parse|organizeImports|deserialize|configuration)(?:/[\w/-]+)?): (?<message>.*)$",
    )
    .levels(MARKS)
    .vouches(),
    sum(FOUND),
    within(CHECKED).known(),
    within("^  × Some errors were emitted while running checks\\.$").known(),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    #[test]
    fn findings_are_told_by_their_category() {
        for (text, is_one) in [
            ("× src/a.ts:1:21: lint/style/useTemplate: Template literals are preferred.", true),
            ("! src/a.ts: format: File content differs from formatting output", true),
            ("x src/a.ts:1:21: error: no", false),
            ("i am: lint/style: no", true),
            ("i src/a.ts:1:2: lint: no", true),
            ("× see: no", false),
        ] {
            assert_eq!(claimed(TEXT.reader(false), text).is_some(), is_one, "{text}");
        }
    }
}
