//! ESLint: its text formats (stylish, compact, unix, visualstudio, codeframe) and its JSON.
//!
//! A crash (`Oops! Something went wrong!`) contains no findings and yields no reading. A clean run of a text
//! format prints nothing and yields no reading either; the exit code decides.

pub(crate) mod codeframe;
pub(crate) mod json;
pub(crate) mod next;
pub(crate) mod one_line;
pub(crate) mod stylish;
pub(crate) mod visual_studio;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("eslint", &[], Role::Lint)
    .lines(&[
        LineFormat::new(&["  error  ", "  warning  ", "✖ "], |is_hinted| Box::new(stylish::Stylish::new(is_hinted))),
        LineFormat::rows(&[": line "], &one_line::COMPACT),
        LineFormat::rows(&["[Error/", "[Warning/", "[Error]", "[Warning]"], &one_line::UNIX),
        LineFormat::rows(&[], &visual_studio::FORMAT).both(&["): error ", "): warning "], &[" : "]),
        LineFormat::rows(
            &["\nerror: ", "\nwarning: ", "✖ ", " found.", " with the `--fix` option."],
            &codeframe::FORMAT,
        ),
        LineFormat::rows(&["  Warning: ", "  Error: ", next::ALL_CLEAR], &next::FORMAT),
    ])
    .documents(&[json::FORMAT]);

/// Maximum number of lines of a message.
const MESSAGE_LINES: u32 = 40;

/// The closing count of stylish and codeframe: total, errors, warnings.
static PROBLEMS: Pattern =
    Pattern::new(r"^✖ (?<all>\d+) problems? \((?<errors>\d+) errors?, (?<warnings>\d+) warnings?\)$");

/// Number of findings that `--fix` would fix: errors, warnings. Until version 4 they were separated by a comma.
const FIXABLE_ROW: &str = r"^ *(?:(?<fixable_errors>\d+) errors?)?(?: and |, )?(?:(?<fixable_warnings>\d+) warnings?)? potentially fixable with the `--fix` option\.$";

static FIXABLE: Pattern = Pattern::new(FIXABLE_ROW);

/// Parses the closing count of stylish.
fn problems(text: &str) -> Option<Sum> {
    if !text.starts_with('✖') {
        return None;
    }
    let found = PROBLEMS.find(text)?;
    let (all, errors, warnings) = (found.count("all")?, found.count("errors")?, found.count("warnings")?);
    (errors + warnings == all).then(|| Sum::errors_and_warnings(errors, warnings))
}

fn fixable(text: &str) -> Option<u64> {
    let found = FIXABLE.find(text)?;
    Some(found.number("fixable_errors") + found.number("fixable_warnings"))
}

/// Returns whether a word looks like the id of a rule: `semi`, `@typescript-eslint/no-unused-vars`, or Oxlint's
/// `eslint(semi)`.
fn is_rule(word: &str) -> bool {
    let word = match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
        Some((plugin, rule)) if is_rule(plugin) => rule,
        Some(_) => return false,
        None => word,
    };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'@');
    word.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'@')
        && word.bytes().all(is_part)
        && !word.ends_with(['.', '/'])
}

/// Returns whether the code at the end of a message, if there is one, is a rule.
fn is_its(_: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    found.get("code").is_none_or(is_rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_counts_are_read_in_their_forms() {
        let sum = |errors, warnings| Some(Sum::errors_and_warnings(errors, warnings));
        assert_eq!(problems("✖ 33 problems (27 errors, 6 warnings)"), sum(27, 6));
        assert_eq!(problems("✖ 1 problem (1 error, 0 warnings)"), sum(1, 0));
        assert_eq!(problems("✖ 5 problems (1 error, 0 warnings)"), None);
        assert_eq!(problems("✖ 6 problems (3 errors, 3 warnings, 0 infos, 0 hints)"), None);
        assert_eq!(problems("✖ 99999999999 problems (99999999999 errors, 0 warnings)"), None);
        let fix = " potentially fixable with the `--fix` option.";
        assert_eq!(fixable(&format!("  5 errors and 1 warning{fix}")), Some(6));
        assert_eq!(fixable(&format!("  2 errors, 1 warning{fix}")), Some(3));
        assert_eq!(fixable(&format!("5 errors{fix}")), Some(5));
        assert_eq!(fixable(&format!("some errors{fix}")), None);
    }

    #[test]
    fn rules_are_told_from_words() {
        for rule in [
            "semi",
            "@typescript-eslint/no-unused-vars",
            "import/no-unresolved",
            "n/no-missing-require",
            "eslint(semi)",
        ] {
            assert!(is_rule(rule), "{rule}");
        }
        for word in ["", "option.", "(document-start)", "'x'", "-", "12", "a,b", "src/", "f()"] {
            assert!(!is_rule(word), "{word}");
        }
    }
}
