//! Command lines whose failure does not show (ruling 4).

use std::sync::LazyLock;

use regex::Regex;

/// Forms that turn a failure into a success. Quoted parts and comments are blanked before.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // cmd || true
        r"\|\|\s*(?:true|:|exit\s+0|/bin/true)\s*(?:[;&|)}\n]|$)",
        // cmd || echo failed
        r"\|\|\s*(?:echo|printf)\b[^;&|\n)}]*$",
        // cmd; true   cmd; exit 0
        r"[;\n]\s*(?:true|:|exit\s+0)\s*;?\s*$",
        // cmd &
        r"[^&>|\s]\s*&\s*$",
        // set +e
        r"(?:^|[;&|\n({])\s*set\s+\+(?:e\b|o\s+errexit\b)",
    ]
    .into_iter()
    .map(|form| Regex::new(form).expect("the forms above are regular expressions"))
    .collect()
});

/// Returns the part of a command line that hides a failure.
pub(crate) fn masked(line: &str) -> Option<String> {
    let bare = blank_quoted(line);
    let bare = bare.trim_end();
    let found = FORMS.iter().find_map(|form| form.find(bare))?;
    // Blanking keeps every character's place, so the same characters are taken from the line.
    let start = bare[..found.start()].chars().count();
    let length = found.as_str().chars().count();
    let part: String = line.chars().skip(start).take(length).collect();
    Some(part.trim_matches(|character: char| character.is_whitespace() || character == ';').to_owned())
}

/// Returns the masked part of a command given as a list, where it runs a shell.
pub(crate) fn masked_argv(argv: &[String]) -> Option<String> {
    let program = argv.first()?.rsplit('/').next()?;
    let shell = matches!(program, "sh" | "bash" | "dash" | "zsh" | "ash" | "ksh");
    let command = argv
        .iter()
        .position(|argument| argument.starts_with('-') && !argument.starts_with("--") && argument.ends_with('c'));
    let line = argv.get(command? + 1)?;
    if shell { masked(line) } else { None }
}

/// Replaces each quoted or escaped character by `_`, and each comment by blanks, one for one.
fn blank_quoted(line: &str) -> String {
    let mut bare = String::with_capacity(line.len());
    let mut quote: Option<char> = None;
    let mut characters = line.chars();
    let mut in_comment = false;
    while let Some(character) = characters.next() {
        if in_comment {
            in_comment = character != '\n';
            bare.push(if in_comment { ' ' } else { '\n' });
            continue;
        }
        match (quote, character) {
            (Some('"') | None, '\\') => {
                bare.push('_');
                bare.extend(characters.next().map(|_| '_'));
            }
            (None, '\'' | '"') => {
                quote = Some(character);
                bare.push('_');
            }
            (None, '#') if bare.chars().next_back().is_none_or(char::is_whitespace) => {
                in_comment = true;
                bare.push(' ');
            }
            (None, other) => bare.push(other),
            (Some(open), other) => {
                if open == other {
                    quote = None;
                }
                bare.push('_');
            }
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_failures_are_found() {
        for (line, part) in [
            ("npm test || true", "|| true"),
            ("npm test ||true", "||true"),
            ("npm test || : ", "|| :"),
            ("npm test || exit 0", "|| exit 0"),
            ("(npm test || true)", "|| true)"),
            ("npm test || true && echo done", "|| true &"),
            ("npm test || echo \"it failed\"", "|| echo \"it failed\""),
            ("npm test; true", "true"),
            ("npm test\nexit 0\n", "exit 0"),
            ("npm test; exit 0 # fine", "exit 0"),
            ("set +e; npm test", "set +e"),
            ("npm test &", "t &"),
            ("echo 'é' || true", "|| true"),
        ] {
            assert_eq!(masked(line).as_deref(), Some(part), "{line}");
        }
    }

    #[test]
    fn honest_lines_are_left_alone() {
        for line in [
            "npm test",
            "true",
            "echo '|| true'",
            "echo \"a; exit 0\"",
            "npm test # || true",
            "npm test || exit 1",
            "npm test || { echo failed; exit 1; }",
            "npm test 2>&1",
            "a && b",
            "grep -q x || npm test",
            "set -e; npm test",
            "trueish; true-north",
            "npm test \\|\\| true",
            "",
        ] {
            assert_eq!(masked(line), None, "{line}");
        }
    }

    #[test]
    fn lists_that_run_a_shell_are_looked_into() {
        let argv = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert!(masked_argv(&argv(&["/bin/bash", "-ec", "npm test || true"])).is_some());
        assert!(masked_argv(&argv(&["echo", "-c", "npm test || true"])).is_none());
        assert!(masked_argv(&argv(&["sh", "script.sh"])).is_none());
        assert!(masked_argv(&[]).is_none());
    }
}
