//! ShellCheck's default format: a source line with one or more findings below it.

use crate::prelude::*;

pub(super) static TTY: Rows = Rows::new("shellcheck", "tty").level(Level::Warning).spans_blank_lines().rows(&[
    heading(r"^In (?<file>\S.*) line (?<line>\d+):$").enters("source"),
    // A suggestion is one finding's only if no other is at its line.
    head(FINDING).inside("one").check(place).enters("many"),
    head(FINDING).inside("many").check(place),
    head(FINDING).check(place).enters("one"),
    subheading("^(?<source>.*)$").inside("source").enters("findings"),
    part("^Did you mean:$").inside("one").enters("suggestion"),
    part("^Did you mean:$").inside("many").enters("suggestions"),
    within("^For more information:$").known().enters("links"),
    within("^  http").inside("links"),
    part("^(?<suggestion>.*)$").inside("suggestion").then(|made, _| made.fixable = true),
    part("").inside("suggestions"),
]);

/// `     ^--^ SC2086 (info): Double quote …`; before version 0.7 without a level.
const FINDING: &str = r"^(?<indent>\s*)(?<mark>\^-*\^?) (?<code>SC\d{4})(?: \((?<level>\w+)\))?: (?<message>.*)$";

/// Sets the columns of a finding from its mark.
fn place(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let source = made.source.as_deref().unwrap_or_default();
    let (indent, mark) = (found.text("indent").chars().count(), found.text("mark"));
    let column = |width| u32::try_from(characters(source, width) + 1).ok();
    made.column = column(indent);
    // `^--` also stands for a range of one or two characters.
    if 1 < mark.len() && mark.ends_with('^') {
        (made.end_line, made.end_column) = (made.line, column(indent + mark.len()));
    }
    made.line.is_some()
}

/// Returns the number of characters in the first `width` columns of a source line. A tab extends to the next
/// column that is a multiple of eight.
fn characters(source: &str, width: usize) -> usize {
    let (mut reached, mut number) = (0, 0);
    for character in source.chars().take_while(|character| *character == '\t' || *character == ' ') {
        let next = if character == '\t' { (reached / 8 + 1) * 8 } else { reached + 1 };
        if width < next {
            break;
        }
        (reached, number) = (next, number + 1);
    }
    number + (width - reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_one_character_of_several_columns() {
        assert_eq!(characters("echo $x", 5), 5);
        assert_eq!(characters("\tif [ $x ]", 13), 6);
        assert_eq!(characters("\t\techo $y", 21), 7);
        assert_eq!(characters("", 0), 0);
    }
}
