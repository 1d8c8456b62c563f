//! RuboCop's formatters for terminals and for editors.

use crate::prelude::*;

/// RuboCop's text. TAP output has `# ` before each line of a finding.
pub(super) static TEXT: Rows =
    Rows::new("rubocop", "text").level(Level::Info).without(without_mark).most_lines(6).rows(&[
        head(OFFENSE).rule(CLANG).check(|_, found| found.has("corrected")).fixed(),
        head(OFFENSE).rule(CLANG).check(|made, _| made.code.is_some()),
        // Without a cop's name, the line counts only with a hint or for a Ruby file.
        head(OFFENSE).rule(CLANG).check(|made, _| made.file.as_deref().is_some_and(is_ruby)).common(),
        head(OFFENSE).rule(CLANG).hinted(),
        // `C:  5:  3: [Correctable] Layout/EmptyLineBetweenDefs: Expected …`, below `== lib/calc.rb ==`.
        head(SIMPLE).rule("rubocop/simple").check(|made, found| made.file.is_some() && found.has("corrected")).fixed(),
        head(SIMPLE).rule("rubocop/simple").check(|made, _| made.file.is_some()),
        heading("^== (?<file>.+) ==$"),
        // `6 files inspected, 41 offenses detected, …`.
        sum(r"^\d+ files? inspected, (?<all>no|\d+) off[ec]n[sc]es? detected(?:, .*)?$")
            .unlisted(Level::Warning)
            .names_tool(),
        within("^Offenses:$").known(),
        within("^Inspecting .* files?$"),
        part(r"^(?<indent>\s*)(?<mark>\^+|\^\{\})$").caret().then(mark).last(),
        // Further lines of a message precede the source line.
        part("^(?<source>.*)$").held(),
    ]);

const CLANG: &str = "rubocop/clang";

/// `lib/calc.rb:5:3: C: [Correctable] Layout/EmptyLineBetweenDefs: Expected …`.
const OFFENSE: &str = r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>[CRWEFI]): (?:\[(?:(?<fix>Correctable)|(?<corrected>Corrected)|Todo)\] )?(?:(?<code>(?:[A-Z]\w+/)+[A-Z]\w+): )?(?<message>.*)$";

const SIMPLE: &str = r"^(?<level>[CRWEFI]): *(?<line>\d+): *(?<column>\d+): (?:\[(?:(?<fix>Correctable)|(?<corrected>Corrected)|Todo)\] )?(?:(?<code>(?:[A-Z]\w+/)+[A-Z]\w+): )?(?<message>.*)$";

fn without_mark(text: &str) -> &str {
    text.strip_prefix("# ").unwrap_or(text)
}

/// Sets the end of an offense from the mark below its source line, if the mark is at its column.
fn mark(made: &mut Diagnostic, found: &Groups<'_, '_>) {
    let column = u32::try_from(found.text("indent").chars().count() + 1).ok();
    let length = u32::try_from(found.text("mark").len()).unwrap_or_default();
    let is_whole = made.source.as_ref().is_some_and(|source| !source.ends_with(" ..."));
    if column == made.column && is_whole && found.text("mark") != "^{}" {
        made.end_line = made.line;
        made.end_column = column.and_then(|column| column.checked_add(length));
    }
}

/// Whether a file is a Ruby source, judged by its name.
fn is_ruby(file: &str) -> bool {
    text::has_extension(file, &["rb", "rake", "ru", "gemspec", "rbi"])
        || file.ends_with("Gemfile")
        || file.ends_with("Rakefile")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn closing_counts_are_read_in_their_forms() {
        for (text, number) in [
            ("1 file inspected, no offenses detected", Some(0)),
            ("6 files inspected, 41 offenses detected, 31 offenses autocorrectable", Some(41)),
            ("1 file inspected, 1 offence detected", Some(1)),
            ("2 files inspected, 3 lints detected", None),
        ] {
            let found = trial::claimed(TEXT.reader(false), text);
            assert_eq!(found.map(|candidate| candidate.findings.counts.warnings), number, "{text}");
        }
    }
}
