//! The programs that a shell line names, as far as that can be told without being a shell.
//!
//! It serves the record (which programs a line stands for) and the refusal of lines that would install something. It may
//! miss some, but takes nothing for a command that is none.

/// Commands of one line that are looked at; further ones are not.
const COMMANDS_SEEN: usize = 64;

/// Words that stand before a command and are none.
const LEADERS: &[&str] =
    &["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec", "command", "nohup", "env"];

/// What the shell does itself.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "continue", "done", "echo", "esac", "eval", "exit", "export",
    "false", "fg", "fi", "for", "function", "getopts", "hash", "jobs", "kill", "local", "printf", "pwd", "read",
    "readonly", "return", "set", "shift", "source", "test", "times", "trap", "true", "type", "ulimit", "umask",
    "unset", "wait", "}",
];

/// Returns the words of each command in the line that names a program: its name first. Words that depend on variables or
/// other commands end a command.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for words in simple_commands(line) {
        let words: Vec<String> =
            words.into_iter().skip_while(|word| LEADERS.contains(&word.as_str()) || is_assignment(word)).collect();
        if words.first().is_some_and(|name| !name.is_empty() && !BUILTINS.contains(&name.as_str())) {
            found.push(words);
        }
    }
    found
}

/// Whether the line hands the output of one command to another.
pub(crate) fn has_pipe(line: &str) -> bool {
    let mut scanner = Scanner::new(line);
    while scanner.step() {}
    scanner.pipes
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut scanner = Scanner::new(line);
    while scanner.commands.len() < COMMANDS_SEEN && scanner.step() {}
    scanner.end_command();
    scanner.commands
}

struct Scanner<'line> {
    rest: std::iter::Peekable<std::str::Chars<'line>>,
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    /// The word being read; none between words.
    word: Option<String>,
    /// The word being read depends on what only a shell knows: it and what follows in the command is left out.
    unknown: bool,
    /// The operator of the redirection that the next word belongs to.
    redirection: Option<String>,
    /// The ends of the texts that begin on the next line, and whether they may be indented with tabs.
    texts: Vec<(String, bool)>,
    pipes: bool,
}

impl<'line> Scanner<'line> {
    fn new(line: &'line str) -> Self {
        Self {
            rest: line.chars().peekable(),
            commands: Vec::new(),
            words: Vec::new(),
            word: None,
            unknown: false,
            redirection: None,
            texts: Vec::new(),
            pipes: false,
        }
    }

    /// Takes the next character and what belongs to it; false at the end.
    fn step(&mut self) -> bool {
        let Some(character) = self.rest.next() else { return false };
        match character {
            ' ' | '\t' => self.end_word(),
            '|' => {
                // `|&` is a pipe too, `||` is none.
                self.pipes |= self.rest.next_if_eq(&'|').is_none();
                self.rest.next_if_eq(&'&');
                self.end_command();
            }
            '\n' => {
                self.end_command();
                self.skip_texts();
            }
            ';' | '&' | '(' | ')' => self.end_command(),
            '<' | '>' => {
                // `2>` is no word of its own.
                if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
                    self.word = None;
                }
                self.end_word();
                let mut operator = String::from(character);
                while let Some(next) = self.rest.next_if(|next| matches!(next, '<' | '>' | '&')) {
                    operator.push(next);
                }
                if operator == "<<" {
                    operator.extend(self.rest.next_if_eq(&'-'));
                }
                self.redirection = Some(operator);
            }
            '#' if self.word.is_none() => while self.rest.next_if(|next| *next != '\n').is_some() {},
            '\'' => self.quoted('\''),
            '"' => self.quoted('"'),
            '\\' => {
                if let Some(escaped) = self.rest.next().filter(|next| *next != '\n') {
                    self.push(escaped);
                }
            }
            '$' | '`' | '*' | '?' => self.unknown = true,
            other => self.push(other),
        }
        true
    }

    fn quoted(&mut self, quote: char) {
        self.word.get_or_insert_default();
        while let Some(character) = self.rest.next() {
            match character {
                _ if character == quote => return,
                '\\' if quote == '"' => {
                    if let Some(escaped) = self.rest.next() {
                        self.push(escaped);
                    }
                }
                '$' | '`' if quote == '"' => self.unknown = true,
                other => self.push(other),
            }
        }
    }

    fn push(&mut self, character: char) {
        self.word.get_or_insert_default().push(character);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take().as_deref() {
            Some(operator @ ("<<" | "<<-")) => self.texts.push((word, operator == "<<-")),
            Some(_) => {}
            None if self.unknown => {}
            None => self.words.push(word),
        }
    }

    /// Goes on behind the texts that begin here. One without an end is none: then the `<<` was something else.
    fn skip_texts(&mut self) {
        for (end, indented) in std::mem::take(&mut self.texts) {
            let text: String = self.rest.clone().collect();
            let mut length = 0;
            for line in text.split_inclusive('\n') {
                length += line.chars().count();
                let line = line.trim_end_matches('\n');
                if end == if indented { line.trim_start_matches('\t') } else { line } {
                    self.rest.by_ref().take(length).for_each(drop);
                    break;
                }
            }
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.unknown = false;
        self.redirection = None;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.commands.push(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(line: &str) -> Vec<String> {
        commands(line).into_iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn programs_are_found_behind_assignments_keywords_and_operators() {
        for (line, expected) in [
            ("tsc --noEmit", vec!["tsc --noEmit"]),
            ("CI=1 FOO= npx jest | tee log", vec!["npx jest", "tee log"]),
            ("cd web && npm test; exit 0", vec!["npm test"]),
            ("if ! grep -q 'a b' file; then make all; fi", vec!["grep -q a b file", "make all"]),
            ("(cargo test 2>&1 >out.txt) || true # and more", vec!["cargo test"]),
            ("\"my tool\" x\\ y", vec!["my tool x y"]),
            ("tool $HOME x", vec!["tool"]),
            ("$TOOL x", vec![]),
            ("'unclosed", vec!["unclosed"]),
            ("sleep 1 & wait", vec!["sleep 1"]),
            ("cat <<'END' >out | sort\na | b\nEND\nmake all", vec!["cat", "sort", "make all"]),
            ("cat <<A - <<-B\na\nA\nb\n\tB\nmake", vec!["cat -", "make"]),
            ("cat <<<text\nmake", vec!["cat", "make"]),
            ("cat <<END\nmake", vec!["cat", "make"]),
            ("cat <<END\n\tEND\nEND", vec!["cat"]),
            ("", vec![]),
        ] {
            assert_eq!(named(line), expected, "{line}");
        }
    }

    #[test]
    fn a_pipe_is_told_from_an_alternative_and_from_text() {
        for (line, piped) in [
            ("a | b", true),
            ("a |& b", true),
            ("a || b", false),
            ("echo 'a | b'", false),
            ("a", false),
            ("a|b||c", true),
            ("a <<E\nb | c\nE", false),
        ] {
            assert_eq!(has_pipe(line), piped, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_taken(line in "[a-z |&;<>()$'\"\\\\#\n=0-9]{0,80}") {
            for words in commands(&line) {
                prop_assert!(!words[0].is_empty());
            }
            has_pipe(&line);
        }
    }
}
