//! Words of plain command lines.

/// Splits a line into its commands, which `&&` joins, and each into words as a shell would. None: it is something else,
/// or needs a shell to be understood.
pub(crate) fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut commands = Vec::new();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '&' if characters.as_str().starts_with('&') => {
                characters.next();
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
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
    commands.push(words);
    Some(commands)
}

/// Joins words to a line that a shell splits into the same words.
pub(crate) fn join(words: &[String]) -> String {
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
pub(crate) fn is_variable(text: &str) -> bool {
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
        let words = |line: &str| {
            let shown: Vec<String> = commands(line)?.iter().map(|words| words.join("|")).collect();
            Some(shown.join(" && "))
        };
        assert_eq!(words("npm run  lint -- --fix").as_deref(), Some("npm|run|lint|--|--fix"));
        assert_eq!(words(r#"a 'b c' "d \" e" f\ g '' # h"#).as_deref(), Some(r#"a|b c|d " e|f g|"#));
        assert_eq!(words("cd 'a b'&&c d && e").as_deref(), Some("cd|a b && c|d && e"));
        for line in
            ["a & b", "a &&& b", "a; b", "a | b", "a > b", "a $B", "a \"$B\"", "a `b`", "(a)", "a 'b", "a \\", "a\nb"]
        {
            assert_eq!(words(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn joined_words_split_into_themselves(words in prop::collection::vec("[^\r\n\0]*", 0..5)) {
            prop_assert_eq!(commands(&join(&words)), Some(vec![words]));
        }
    }
}
