//! The format `visualstudio`: `/project/a.js(1,8): error no-undef : 'x' is not defined.`

use std::sync::LazyLock;

use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::Standing;
use crate::shapes::pattern::OneLine;
use crate::text;

/// MSBuild prints a code in capitals, and no space behind it.
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:(][^:]*?)\((?<line>\d+),(?<column>\d+)\): (?<level>error|warning)(?: (?<code>[a-z@][\w@/.-]*))? : (?<message>\S.*)$",
    )
});

/// The format.
pub(crate) static FORMAT: OneLine = OneLine {
    tool: "eslint",
    format: "visualstudio",
    rule: "eslint/visualstudio",
    pattern: &PATTERN,
    level: Level::Error,
    standing: Standing::Certain,
    complete,
};

/// Without a rule it is ESLint's only where it says that a file cannot be parsed.
fn complete(found: &mut Diagnostic, _: &Captures<'_>) -> bool {
    found.code.is_some() || found.message.starts_with("Parsing error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_or_a_parsing_error_makes_it_known() {
        let parts = |text: &str| {
            let captures = PATTERN.captures(text)?;
            let group = |name: &str| captures.name(name).map(|found| found.as_str().to_owned());
            Some((group("file")?, group("code"), group("message")?))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            parts("/p/b c.js(1,8): error @a/no-x : 'x' no."),
            Some(("/p/b c.js".to_owned(), some("@a/no-x"), "'x' no.".to_owned()))
        );
        assert_eq!(
            parts("C:\\a.js(1,7): error : Parsing error: Unexpected token ="),
            Some(("C:\\a.js".to_owned(), None, "Parsing error: Unexpected token =".to_owned()))
        );
        assert_eq!(parts("a.cs(5,13): error CS0103: The name 'x' does not exist"), None);
    }
}
