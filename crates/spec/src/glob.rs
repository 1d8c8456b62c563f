//! Glob patterns.

/// Returns why a pattern is invalid, if its brackets show it.
pub(crate) fn broken_pattern(pattern: &str) -> Option<&'static str> {
    let mut in_class = false;
    let mut in_choice = 0_usize;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '[' if !in_class => {
                in_class = true;
                characters.next_if(|next| matches!(next, '!' | '^'));
                // A closing bracket right after the opening one belongs to the class.
                characters.next_if_eq(&']');
            }
            ']' if in_class => in_class = false,
            '{' if !in_class => in_choice += 1,
            '}' if !in_class => match in_choice.checked_sub(1) {
                Some(outer) => in_choice = outer,
                None => return Some("a `}` has no `{` before it"),
            },
            _ => {}
        }
    }
    match (in_class, in_choice) {
        (true, _) => Some("a `[` has no `]` after it"),
        (false, 0) => None,
        (false, _) => Some("a `{` has no `}` after it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_patterns_belong_together() {
        for (pattern, valid) in [
            ("dist/**/*.js", true),
            ("src/{a,b{c,d}}/[!a-z]?.ts", true),
            ("[]]x", true),
            ("[^]]x", true),
            ("[{]", true),
            ("\\[a", true),
            ("[a", false),
            ("[]", false),
            ("{a,b", false),
            ("a}", false),
            ("{[}", false),
        ] {
            assert_eq!(broken_pattern(pattern).is_none(), valid, "{pattern}");
        }
    }
}
