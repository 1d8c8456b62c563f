//! The programs that a shell line names, as far as they can be determined without a shell.
//!
//! The result serves the record (which programs a line stands for) and the refusal of lines that would install
//! something. Some commands may be missed, but nothing is taken for a command that is not one.

use referee_syntax::shell::{self, Operator, Word};

/// Maximum number of examined commands of one line.
const COMMANDS_SEEN: usize = 64;

/// Programs that only run the command after them.
const LEADERS: [&str; 4] = ["exec", "command", "nohup", "env"];

/// Builtins and keywords of the shell.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "continue", "done", "echo", "esac", "eval", "exit", "export",
    "false", "fg", "fi", "function", "getopts", "hash", "jobs", "kill", "local", "printf", "pwd", "read", "readonly",
    "return", "set", "shift", "source", "test", "times", "trap", "true", "type", "ulimit", "umask", "unset", "wait",
    "}",
];

/// Returns the words of each command in the line that names a program, its name first. A word that depends on
/// variables or other commands ends the command.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let commands = shell::lex(line).all_commands().into_iter().take(COMMANDS_SEEN).map(|command| {
        let words = command.words.into_iter().skip_while(|word| leads(&word.text)).take_while(is_known);
        words.map(|word| word.text).collect()
    });
    let is_program = |name: &String| !name.is_empty() && !BUILTINS.contains(&name.as_str());
    commands.filter(|words: &Vec<String>| words.first().is_some_and(is_program)).collect()
}

fn leads(word: &str) -> bool {
    shell::RESERVED.contains(&word) || LEADERS.contains(&word) || shell::is_assignment(word)
}

fn is_known(word: &Word) -> bool {
    !(word.is_expanded || word.is_special && word.text.contains(['*', '?']))
}

/// Whether the line pipes the output of one command into another.
pub(crate) fn has_pipe(line: &str) -> bool {
    shell::lex(line).all_commands().iter().any(|command| command.before == Some(Operator::Pipe))
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
            ("cat <<END\nmake", vec!["cat"]),
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
