//! The regular expressions of the declarations, each compiled once.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;

thread_local! {
    /// Compiled patterns of the declarations. None: the expression is invalid, and matches nothing.
    static PATTERNS: RefCell<HashMap<&'static str, Option<Pattern>>> = RefCell::new(HashMap::new());
}

/// A compiled pattern, with the maximum number of characters if it bounds one class.
struct Pattern {
    regex: Regex,
    most: Option<usize>,
}

impl Pattern {
    fn new(pattern: &str) -> Option<Self> {
        let (regex, most) = match bounded_class(pattern) {
            Some((class, most)) => (Regex::new(&format!("^{class}+$")), Some(most)),
            None => (Regex::new(pattern), None),
        };
        Some(Self { regex: regex.ok()?, most })
    }

    fn matches(&self, text: &str) -> bool {
        self.most.is_none_or(|most| text.chars().nth(most).is_none()) && self.regex.is_match(text)
    }
}

/// Returns whether a text matches a pattern of the declarations.
pub(super) fn matches(pattern: &'static str, text: &str) -> bool {
    PATTERNS.with_borrow_mut(|patterns| {
        let compiled = patterns.entry(pattern).or_insert_with(|| Pattern::new(pattern));
        compiled.as_ref().is_some_and(|compiled| compiled.matches(text))
    })
}

/// Returns the class and the maximum number of characters of a pattern such as `^[^/]{1,200}$`. As it stands it is
/// compiled to as many copies of the class, which takes longer than all else that is done with a document.
fn bounded_class(pattern: &str) -> Option<(&str, usize)> {
    let (class, most) = pattern.strip_prefix('^')?.strip_suffix("}$")?.split_once("]{1,")?;
    let class = &pattern[1..class.len() + 2];
    let is_one = class.starts_with('[') && class.matches(']').count() == 1 && !class.ends_with("\\]");
    Some((class, most.parse().ok()?)).filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_bounded_classes_as_the_patterns_say() {
        let long = "é".repeat(200);
        let texts =
            ["", "a", "é", "a/b", "a b", "\n", "\u{7f}", "]", "x]", &long, &format!("{long}é"), &"a".repeat(65)];
        for pattern in [
            r"^[^/\x00-\x20\x7f]{1,200}$",
            r"^[^\x00-\x1f\x7f]{1,200}$",
            "^[A-Za-z0-9_-]{1,64}$",
            "^[A-Za-z]{1,2}[0-9]{1,3}$",
            r"^[a\]]{1,3}$",
            "^[[:alpha:]]{1,3}$",
            "^x[a]{1,3}$",
        ] {
            for text in texts {
                assert_eq!(matches(pattern, text), Regex::new(pattern).unwrap().is_match(text), "{pattern} {text:?}");
            }
        }
        assert_eq!(bounded_class(r"^[^\x00-\x1f\x7f]{1,200}$"), Some((r"[^\x00-\x1f\x7f]", 200)));
        assert_eq!(bounded_class(r"^[a\]]{1,3}$"), None);
    }
}
