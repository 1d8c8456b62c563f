//! A line of a shell as its commands, as well as they can be told without running it.

/// What stands before a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// The beginning, `;`, a line break or a parenthesis.
    Nothing,
    /// `&&`.
    And,
    /// `||`: it runs where the one before it fails, whose failure is then lost.
    Or,
    /// `|`.
    Pipe,
    /// `&`: nobody waits for the one before it.
    Background,
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// What stands before it.
    pub(super) before: Before,
    /// Its words, quotes taken off. Never empty.
    pub(super) words: Vec<String>,
}

/// Splits a line. What a shell would expand stays as it is written; where output goes is left out, and comments are.
pub(super) fn parts(line: &str) -> Vec<Part> {
    let mut splitter = Splitter { parts: Vec::new(), before: Before::Nothing, words: Vec::new(), word: None };
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let doubled = characters.peek() == Some(&character);
        match character {
            ' ' | '\t' => splitter.end_word(),
            '#' if splitter.word.is_none() => while characters.next_if(|next| *next != '\n').is_some() {},
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(next) => splitter.push(next),
            },
            '\'' | '"' => {
                splitter.word.get_or_insert_default();
                while let Some(next) = characters.next().filter(|next| *next != character) {
                    match next {
                        '\\' if character == '"' => characters.next().into_iter().for_each(|next| splitter.push(next)),
                        other => splitter.push(other),
                    }
                }
            }
            '<' | '>' => {
                splitter.redirected();
                while characters.next_if(|next| matches!(next, '<' | '>' | '&' | '|' | ' ')).is_some() {}
                while characters.next_if(|next| !next.is_whitespace() && !";&|".contains(*next)).is_some() {}
            }
            '&' | '|' => {
                if doubled {
                    characters.next();
                }
                splitter.end_part(match (character, doubled) {
                    ('&', true) => Before::And,
                    ('&', false) => Before::Background,
                    (_, true) => Before::Or,
                    (_, false) => Before::Pipe,
                });
            }
            ';' | '\n' | '(' | ')' => splitter.end_part(Before::Nothing),
            other => splitter.push(other),
        }
    }
    splitter.end_part(Before::Nothing);
    splitter.parts
}

struct Splitter {
    parts: Vec<Part>,
    before: Before,
    words: Vec<String>,
    word: Option<String>,
}

impl Splitter {
    fn push(&mut self, character: char) {
        self.word.get_or_insert_default().push(character);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    /// The number of a stream before `>` is no word.
    fn redirected(&mut self) {
        if self.word.as_ref().is_some_and(|word| word.len() == 1 && word.as_bytes()[0].is_ascii_digit()) {
            self.word = None;
        }
        self.end_word();
    }

    fn end_part(&mut self, next: Before) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            // `( a` begins no other part; what stands before it stays.
            if next != Before::Nothing {
                self.before = next;
            }
            return;
        }
        self.parts.push(Part { before: self.before, words });
        self.before = next;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_split_into_commands_and_words() {
        let shown = |line: &str| {
            let sign = |part: &Part| match part.before {
                Before::Nothing => "",
                Before::And => "&& ",
                Before::Or => "|| ",
                Before::Pipe => "| ",
                Before::Background => "& ",
            };
            parts(line)
                .iter()
                .map(|part| format!("{}{}", sign(part), part.words.join("_")))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (line, split) in [
            ("npm test", "npm_test"),
            ("a 'b c' \"d \\\" e\" && f || g; h | i & j", "a_b c_d \" e && f || g h | i & j"),
            ("a > out.txt 2>&1 b # and c", "a_b"),
            ("(a; b) && c\nd", "a b && c d"),
            ("a \\\n  b", "a_b"),
            ("", ""),
            ("&&", ""),
        ] {
            assert_eq!(shown(line), split, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_split_and_no_command_is_empty(line in "[a|&;()<>'\"#\\\\ \n-]{0,40}|(?s).{0,60}") {
            prop_assert!(parts(&line).iter().all(|part| !part.words.is_empty()));
        }
    }
}
