//! ESLint findings as printed by `next lint` and `next build`: a file on a line, and below it
//! `5:7  Warning: Do not use <img>.  @next/next/no-img-element`.

use crate::prelude::*;
use crate::tools::eslint::is_rule;

/// Message if nothing was found.
pub(super) const ALL_CLEAR: &str = "No ESLint warnings or errors";

pub(super) static FORMAT: Rows = Rows::new("eslint", "next").lists_to_blank_lines().rows(&[
    finding(r"^(?<line>\d+):(?<column>\d+)  (?<level>Warning|Error): (?<message>\S.*?)(?:  (?<code>\S+))?$").check(
        |made, _| {
            made.code = made.code.take().filter(|code| is_rule(code));
            made.file.is_some()
        },
    ),
    known("^(?:✔ )?No ESLint warnings or errors$"),
    heading(r"^(?<file>\./.*)$").tentative(),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn rows_stand_below_their_file() {
        let text = "./app/page.tsx\n5:7  Warning: Do not use `<img>`.  @next/next/no-img-element\n6:3  Error: Parsing error: x\n\n7:1  Error: of nobody\n";
        let found = trial::claimed(FORMAT.reader(false), text).unwrap().findings.kept.into_items();
        let facts: Vec<_> =
            found.iter().map(|it| (it.line, it.level, it.code.as_deref(), it.message.as_str())).collect();
        assert_eq!(
            facts,
            [
                (Some(5), Level::Warning, Some("@next/next/no-img-element"), "Do not use `<img>`."),
                (Some(6), Level::Error, None, "Parsing error: x"),
            ]
        );
        assert_eq!(found[0].file.as_deref(), Some("./app/page.tsx"));
    }
}
