//! Command lines that mask the failure of a command (ruling 4).

mod commands;
mod risk;

use referee_model::plan::Container;
use referee_syntax::shell::{Kind, Operator, Token, lex};

use commands::{Flags, find};
use risk::{Masking, Way};

/// Finds what masks a failure in a command line. `pipefail` is whether a failure inside a pipe fails the line.
pub(crate) fn masked(line: &str, pipefail: bool) -> Option<Masking> {
    masked_by(line, Flags { errexit: false, pipefail })
}

fn masked_by(line: &str, flags: Flags) -> Option<Masking> {
    let tokens = lex(line).tokens;
    turned(&tokens, line).or_else(|| find(&tokens, line, flags))
}

/// Finds what turns a failure into success: `|| true`, `|| echo failed` at the end, `set +e`.
fn turned(tokens: &[Token], line: &str) -> Option<Masking> {
    let word = |at: usize| match &tokens.get(at)?.kind {
        Kind::Word(word) if !word.is_quoted => Some(word.text.as_str()),
        _ => None,
    };
    let operator = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(Kind::Operator(operator)) => Some(*operator),
        _ => None,
    };
    let ends = |at: usize| at >= tokens.len() || operator(at).is_some();
    let succeeds = |at: usize| match (operator(at)?, word(at + 1)?) {
        (Operator::Or, "true" | ":" | "/bin/true") if ends(at + 2) => Some(at + 2),
        (Operator::Or, "exit") if word(at + 2) == Some("0") && ends(at + 3) => Some(at + 3),
        _ => None,
    };
    let speaks = |at: usize| {
        let is_last = (at + 1..tokens.len()).all(|at| operator(at).is_none_or(|operator| operator == Operator::Next));
        let is_said = operator(at) == Some(Operator::Or) && matches!(word(at + 1), Some("echo" | "printf"));
        (is_said && is_last).then_some(tokens.len())
    };
    let unsets = |at: usize| {
        let begins = at == 0 || operator(at - 1).is_some() || word(at - 1) == Some("{");
        match (word(at), word(at + 1), word(at + 2)) {
            (Some("set"), Some("+e"), _) if begins => Some(at + 2),
            (Some("set"), Some("+o"), Some("errexit")) if begins => Some(at + 3),
            _ => None,
        }
    };
    let forms: [&dyn Fn(usize) -> Option<usize>; 3] = [&succeeds, &speaks, &unsets];
    let (start, end) = forms.iter().find_map(|form| (0..tokens.len()).find_map(|at| Some((at, form(at)?))))?;
    // The token that ends it is shown if it is meaningful: `|| true)`.
    let end = match operator(end) {
        Some(operator) if operator != Operator::Next => tokens.get(end)?.place.start + 1,
        _ => tokens.get(end - 1)?.place.end,
    };
    let part = line.get(tokens.get(start)?.place.start..end)?;
    let part = part.trim_matches(|character: char| character.is_whitespace() || character == ';').to_owned();
    Some(Masking { way: Way::Turned, part })
}

/// Finds what masks a failure in a command given as a list, if it runs a shell.
pub(crate) fn masked_argv(argv: &[String]) -> Option<Masking> {
    let program = argv.first()?.rsplit('/').next()?;
    if !is_shell(program) {
        return None;
    }
    let short = |argument: &String| argument.starts_with('-') && !argument.starts_with("--");
    let command = argv.iter().position(|argument| short(argument) && argument.ends_with('c'))?;
    let options = &argv[1..=command];
    let errexit = options.iter().any(|option| (short(option) && option.contains('e')) || option == "errexit");
    let pipefail = options.iter().any(|option| option == "pipefail");
    masked_by(argv.get(command + 1)?, Flags { errexit, pipefail })
}

/// Finds what masks a failure of a command in a container, if a shell runs it there.
pub(crate) fn masked_container(container: &Container) -> Option<Masking> {
    let words = &container.arguments;
    words
        .iter()
        .enumerate()
        .find_map(|(at, word)| is_shell(word.rsplit('/').next()?).then(|| masked_argv(&words[at..]))?)
}

/// Returns whether a program is a shell.
fn is_shell(program: &str) -> bool {
    matches!(program, "sh" | "bash" | "dash" | "zsh" | "ash" | "ksh")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            ("set +e; npm test", "set +e"),
            ("echo 'é' || true", "|| true"),
        ] {
            assert_eq!(masked(line, true), Some(Masking { way: Way::Turned, part: part.to_owned() }), "{line}");
        }
    }

    #[test]
    fn lost_failures_are_found() {
        for (way, line, part) in [
            (Way::Overtaken, "npm test; true", "npm test"),
            (Way::Overtaken, "npm test\nexit 0\n", "npm test"),
            (Way::Overtaken, "npm test; exit 0 # fine", "npm test"),
            (Way::Overtaken, "npm test; echo done", "npm test"),
            (Way::Overtaken, "npx tsc --noEmit; npx eslint .", "npx tsc --noEmit"),
            (Way::Overtaken, "echo 'é'; a \"b; c\" && d ; e", "a \"b; c\" && d"),
            (Way::Overtaken, "cd x; npm test", "cd x"),
            (Way::Overtaken, "CI=1 npm test; b", "CI=1 npm test"),
            (Way::Overtaken, "A=$(a; b); c", "A=$(a; b)"),
            (Way::Overtaken, "a; echo $?", "a"),
            (Way::Overtaken, "a || b; c", "a || b"),
            (Way::Overtaken, "(a; b)", "a"),
            (Way::Overtaken, "(a; exit 1); b", "(a; exit 1)"),
            (Way::Overtaken, "{ a; } > log; b", "{ a; } > log"),
            (Way::Overtaken, "if a; then b; fi; c; d", "c"),
            (Way::Overtaken, "a \\\n  --b\nc", "a \\\n  --b"),
            (Way::Overtaken, "a 2>&1; b", "a 2>&1"),
            (Way::Overtaken, "a; set -e; b", "a"),
            (Way::Ended, "exit 0; false", "exit 0"),
            (Way::Overtaken, "cd x && a\nexit 0\nnpm test", "cd x && a"),
            (Way::Ended, "set -e; a; exit 0; npm test", "exit 0"),
            (Way::Turned, "trap \"exit 0\" EXIT; npm test", "trap \"exit 0\" EXIT"),
            (Way::Turned, "trap 'rm -rf x; exit 0' 0\nnpm test", "trap 'rm -rf x; exit 0' 0"),
            (Way::Overtaken, "bash -c \"false; true\"", "false"),
            (Way::Overtaken, "bash -c \"npm test -- $X; true\" > log 2>&1", "npm test -- $X"),
            (Way::Piped, "sh -c 'npx jest | tee log'", "npx jest"),
            (Way::Turned, "cd x && CI=1 /bin/sh -ec 'npm test || true'", "|| true"),
            (Way::Piped, "set +o pipefail; npx jest | tee log", "npx jest"),
            (Way::Awaited, "npm test & wait", "npm test"),
            (Way::Awaited, "npx tsc & npx jest & wait", "npx tsc"),
            (Way::Background, "npm test &", "npm test"),
            (Way::Background, "a && b &", "a && b"),
            (Way::Background, "a &\n", "a"),
            (Way::Negated, "! npm test", "npm test"),
            (Way::Negated, "a && ! b c", "b c"),
            (Way::Negated, "(! a)", "a"),
        ] {
            assert_eq!(masked(line, true), Some(Masking { way, part: part.to_owned() }), "{line}");
        }
        for line in ["npx jest | tee log", "a && npx jest | tee log", "npx jest |& tee log"] {
            let part = "npx jest".to_owned();
            assert_eq!(masked(line, false), Some(Masking { way: Way::Piped, part }), "{line}");
            assert_eq!(masked(line, true), None, "{line}");
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
            "trueish && true-north",
            "set -e; npm test; exit 0",
            "set -euo pipefail\na\nb\n",
            "set -o errexit; a; b",
            "cd x && a",
            "export A=b; x",
            "A=b C='d e'; x",
            "trap 'rm -rf x; y' EXIT; a",
            "echo start; a",
            "a;",
            "a\n\n# done\n",
            "a &&\n b |\n c",
            "find . -name x -exec rm {} \\;",
            "echo 'a; b'",
            "a \"$(b; c \"d; e\")\" `f; g`",
            "for a in b c; do d; e; done",
            "while a; do b; done",
            "if a; then b; else c; fi",
            "if ! a; then b; fi",
            "case $a in b) c; d;; *) e;; esac",
            "f() { a; b; }",
            "[[ -f a && ! -f b ]] && c",
            "! [ -f a ]",
            "a; code=$?; b; exit $code",
            "a; exit $?",
            "a || exit 1; b",
            "a || { b; exit 1; }",
            "a; b; exit 1",
            "a & b",
            "function f { a; b; c; }; d",
            "function f() { a; b; c; }; d",
            "(a && b)",
            "if a; then (b; c); fi",
            "cat <<END\na; b\nEND\n",
            "a &> b",
            "a >&2",
            "a >| b",
            ")",
            "}; (",
            "done; fi; esac",
            "((i = 1))",
            "npm test \\|\\| true",
            "",
        ] {
            assert_eq!(masked(line, true), None, "{line}");
        }
    }

    #[test]
    fn lines_that_only_look_as_if_they_masked_are_left_alone() {
        for line in [
            "a & wait $!",
            "npm start & sleep 1; npm test",
            "npm start & npm test && wait",
            "if a; then exit 0; fi; npm test",
            "trap 'exit 0' TERM; npm test",
            "trap 'rm -rf x' EXIT; npm test",
            "trap 'a; exit $?' EXIT; npm test",
            "bash -c 'npm test'",
            "bash -ec 'a; b'",
            "bash -o pipefail -c 'a | b'",
            "echo bash -c 'a; b'",
            "bash script.sh",
            "set +o pipefail; npm test",
        ] {
            assert_eq!(masked(line, true), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_taken(line in "(a|é|\\[\\[|set -e|if|fi|case|esac|done|function|!|=|[ ;&|(){}$\"'`\\\\#<>\n\\]]){0,30}") {
            if let Some(masking) = masked(&line, false) {
                prop_assert!(line.contains(&masking.part), "{masking:?}");
            }
        }
    }

    #[test]
    fn lists_that_run_a_shell_are_looked_into() {
        let argv = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert!(masked_argv(&argv(&["/bin/bash", "-ec", "npm test || true"])).is_some());
        assert!(masked_argv(&argv(&["bash", "-c", "a; b"])).is_some());
        assert!(masked_argv(&argv(&["bash", "-ec", "a; b"])).is_none());
        assert!(masked_argv(&argv(&["bash", "-c", "a | b"])).is_some());
        assert!(masked_argv(&argv(&["bash", "-e", "-o", "pipefail", "-c", "a | b; c"])).is_none());
        assert!(masked_argv(&argv(&["echo", "-c", "npm test || true"])).is_none());
        assert!(masked_argv(&argv(&["sh", "script.sh"])).is_none());
        assert!(masked_argv(&[]).is_none());
    }
}
