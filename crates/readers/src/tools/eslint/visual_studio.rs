//! The format `visualstudio`: `/project/a.js(1,8): error no-undef : 'x' is not defined.`

use crate::prelude::*;

/// The code is in lowercase and followed by a space, unlike MSBuild's. Without a rule, a line is ESLint's only
/// if it says that a file cannot be parsed.
pub(crate) static FORMAT: Rows = Rows::new("eslint", "visualstudio").rows(&[finding(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:(][^:]*?)\((?<line>\d+),(?<column>\d+)\): (?<level>error|warning)(?: (?<code>[a-z@][\w@/.-]*))? : (?<message>\S.*)$",
)
.check(|made, _| made.code.is_some() || made.message.starts_with("Parsing error: "))]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn a_rule_or_a_parsing_error_makes_it_known() {
        let read = |text: &str| {
            let found = trial::claimed(FORMAT.reader(false), text)?.findings.kept.into_items().pop()?;
            Some((found.file?, found.code, found.message))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            read("/p/b c.js(1,8): error @a/no-x : 'x' no."),
            Some(("/p/b c.js".to_owned(), some("@a/no-x"), "'x' no.".to_owned()))
        );
        assert_eq!(
            read("C:\\a.js(1,7): error : Parsing error: Unexpected token ="),
            Some(("C:/a.js".to_owned(), None, "Parsing error: Unexpected token =".to_owned()))
        );
        assert_eq!(read("a.cs(5,13): error CS0103: The name 'x' does not exist"), None);
    }
}
