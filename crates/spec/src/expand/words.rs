//! Words of plain command lines.

use referee_syntax::shell::{Kind, Operator, lex, quote};

/// Splits a line into its commands, joined by `&&`, and each into words as a shell would. None: it is something
/// else, or needs a shell.
pub(crate) fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let script = lex(line.trim());
    let mut commands = vec![Vec::new()];
    for token in script.tokens {
        match token.kind {
            Kind::Word(word) if !word.is_expanded => commands.last_mut()?.push(word.text),
            Kind::Operator(Operator::And) => commands.push(Vec::new()),
            _ => return None,
        }
    }
    script.is_whole.then_some(commands)
}

/// Joins words into a line that a shell splits into the same words.
pub(crate) fn join(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
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
