//! Words of a plain command line.

/// Splits a line into words as a shell would. None: it is more than one plain command, or needs a shell to be understood.
pub(super) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '$' | '\n' | '\r' => return None,
            '#' if word.is_none() => break,
            '\\' => word.get_or_insert_default().push(characters.next()?),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        end if end == character => break,
                        '$' | '`' if character == '"' => return None,
                        '\\' if character == '"' => word.push(characters.next()?),
                        other => word.push(other),
                    }
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

/// Joins words to a line that a shell splits into the same words.
pub(super) fn join(words: &[String]) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Returns whether a text can be a variable's name.
pub(super) fn is_variable(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_commands_are_split_and_others_are_not() {
        let words = |line: &str| split(line).map(|words| words.join("|"));
        assert_eq!(words("npm run  lint -- --fix").as_deref(), Some("npm|run|lint|--|--fix"));
        assert_eq!(words(r#"a 'b c' "d \" e" f\ g '' # h"#).as_deref(), Some(r#"a|b c|d " e|f g|"#));
        for line in ["a && b", "a; b", "a | b", "a > b", "a $B", "a \"$B\"", "a `b`", "(a)", "a 'b", "a \\", "a\nb"] {
            assert_eq!(words(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn joined_words_split_into_themselves(words in prop::collection::vec("[^\r\n\0]*", 0..5)) {
            prop_assert_eq!(split(&join(&words)), Some(words));
        }
    }
}
