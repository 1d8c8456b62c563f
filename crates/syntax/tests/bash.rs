//! The shell parser agrees with bash. bash only parses these texts; none of their lines is ever executed.
#![expect(clippy::disallowed_methods, clippy::print_stderr, reason = "bash is asked, and missed aloud")]

use std::process::{Command, Output};

use proptest::prelude::*;
use referee_syntax::shell::{Kind, Operator, Script, lex};

/// Scripts of package.json, recipes of Makefiles, CI steps: blocks separated by a blank line.
const SCRIPTS: &str = include_str!("scripts.txt");

fn scripts() -> impl Iterator<Item = &'static str> {
    SCRIPTS.split("\n\n").map(str::trim_end)
}

fn bash(arguments: &[&str]) -> Option<Output> {
    let output = Command::new("bash").args(arguments).env_clear().output().ok();
    if output.is_none() {
        eprintln!("skipped: there is no bash");
    }
    output
}

/// Returns whether bash accepts a text as a script. None: bash is not available. The exit code is not sufficient:
/// bash rejects `a; [[ ;;` with 0.
fn is_taken(text: &str) -> Option<bool> {
    let output = bash(&["-nc", "--", text])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_warning = |line: &str| line.contains("delimited by end-of-file");
    Some(output.status.success() && said.lines().all(is_warning))
}

/// Returns bash's own printed form of a script. None: bash does not accept it, or is not available.
fn written_by_bash(text: &str) -> Option<String> {
    // Only a text that is complete on its own is put into a function: it cannot end the function, so nothing of
    // it is run.
    is_taken(text).filter(|is_taken| *is_taken)?;
    let output = bash(&["-c", &format!("PATH=/nowhere\nf() {{\n{text}\n}}\ndeclare -f f")])?;
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    let body = written.strip_prefix("f () \n{ \n")?.trim_end().strip_suffix('}')?;
    Some(body.to_owned())
}

/// Returns the words and operators of a script, apart from those that bash prints differently.
fn shape(script: Script) -> Vec<String> {
    let mut shape: Vec<String> = Vec::new();
    for token in script.tokens {
        let piece = match token.kind {
            // bash reformats them.
            Kind::Word(word) if word.text.starts_with("((") || word.text.starts_with("[[") => "…".to_owned(),
            Kind::Word(word) => word.text,
            Kind::Redirection(redirection) => format!("> {}", redirection.target.text),
            Kind::Operator(Operator::Next) => continue,
            Kind::Operator(operator) => format!("{operator:?}"),
        };
        shape.push(piece);
    }
    shape
}

/// Returns the words of all commands. bash reformats substitutions, so of these only the commands inside are
/// compared.
fn command_words(script: Script) -> Vec<String> {
    let words = script.all_commands().into_iter().flat_map(|command| command.texts());
    words.filter(|word| !word.contains("$(") && !word.contains("<(")).collect()
}

#[test]
fn scripts_that_bash_takes_are_whole() {
    for script in scripts() {
        let Some(is_taken) = is_taken(script) else { return };
        assert!(is_taken, "{script}");
        assert!(lex(script).is_whole, "{script}\n{:#?}", lex(script));
    }
}

#[test]
fn scripts_have_the_tokens_that_bash_finds() {
    for script in scripts() {
        // bash prints other operators such as `|&` and `;&`, and function names, in a form of its own.
        if ["|&", "function ", "()", ";;", "<<", "elif"].iter().any(|form| script.contains(form)) {
            continue;
        }
        let Some(written) = written_by_bash(script) else { return };
        assert_eq!(shape(lex(script)), shape(lex(&written)), "{script}\n{written}");
    }
}

#[test]
fn scripts_have_the_commands_that_bash_finds() {
    for script in scripts().filter(|script| !["function ", "()", "elif"].iter().any(|form| script.contains(form))) {
        let Some(written) = written_by_bash(script) else { return };
        assert_eq!(command_words(lex(script)), command_words(lex(&written)), "{script}\n{written}");
    }
}

/// Returns the arguments that bash passes to a program for words without expansions.
fn words_of_bash(words: &str) -> Option<Vec<String>> {
    let output = bash(&[
        "-fc",
        &format!("PATH=/nowhere\nwords=({words}\n); ((${{#words[@]}})) && printf '%s\\0' \"${{words[@]}}\""),
    ])?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.split_terminator('\0').map(str::to_owned).collect())
}

#[test]
fn words_are_those_that_bash_gives_to_programs() {
    let mut compared = 0;
    for script in scripts() {
        let mut run: Vec<(&str, String)> = Vec::new();
        let end = lex("\n").tokens;
        for token in lex(script).tokens.into_iter().chain(end) {
            match token.kind {
                // bash is never given anything that it would expand.
                Kind::Word(word)
                    if !(word.is_expanded
                        || word.is_special
                        || script[token.place.clone()].contains(['$', '`', '('])) =>
                {
                    run.push((&script[token.place], word.text));
                }
                _ => {
                    let (written, ours): (Vec<&str>, Vec<String>) = std::mem::take(&mut run).into_iter().unzip();
                    let Some(words) = words_of_bash(&written.join(" ")) else { return };
                    compared += words.len();
                    assert_eq!(ours, words, "{script}");
                }
            }
        }
    }
    assert!(compared > 300, "{compared} words are too few");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_of_any_line_are_those_of_bash(line in "([a-c=,.é]|[\"'\\\\ \t#]| '|' |\" ){0,16}") {
        let script = lex(&line);
        // A line that ends within a quote or after `\\` continues on the next line.
        prop_assume!(script.is_whole && !line.ends_with('\\'));
        let ours: Vec<String> = script.commands().iter().flat_map(referee_syntax::shell::Command::texts).collect();
        let Some(words) = words_of_bash(&line) else { return Ok(()) };
        prop_assert_eq!(ours, words);
    }

    #[test]
    fn what_bash_takes_is_whole_and_has_its_commands(
        line in "(a|b|x=1| |;|&|&&|\\|\\||\\||\\|&|\n|\\(|\\)|\\$\\(|`|\\$\\{a\\}|'|\"|#|if |then |fi|\\{ |case |in | esac|;;|<<E\n|\nE\n|>|2>&1|<\\(|\\[\\[ a \\]\\]|\\(\\(1\\)\\)|!|\\\\|\\$'a '){0,12}",
    ) {
        let Some(is_taken) = is_taken(&line) else { return Ok(()) };
        let script = lex(&line);
        if is_taken && !line.trim_end().ends_with('\\') {
            prop_assert!(script.is_whole, "{:#?}", script);
            // bash prints redirections last, and `> file [[` is not a test.
            if let Some(written) = written_by_bash(&line).filter(|_| !line.contains("[[")) {
                prop_assert_eq!(command_words(script), command_words(lex(&written)), "{}", written);
            }
        }
    }

    #[test]
    fn any_text_is_taken_and_tokens_stand_in_order(text in "(?s)([|&;<>()$`\"'\\\\{}#=\n ]|\\[\\[ |<<|case |esac|é|.){0,60}") {
        let mut end = 0;
        for token in lex(&text).tokens {
            prop_assert!(token.place.start >= end && token.place.end > token.place.start);
            prop_assert!(text.get(token.place.clone()).is_some());
            end = token.place.end;
        }
    }
}

#[test]
fn hostile_texts_are_taken_quickly() {
    for piece in ["$(", "((", "${", "`", "a=(", "\"${x:-", "case x in ", "<<E\n", "[[ ", "\"", "\\`", "<(", "a ", "a;"]
    {
        let start = std::time::Instant::now();
        assert!(!lex(&piece.repeat(100_001)).tokens.is_empty(), "{piece}");
        assert!(start.elapsed().as_secs() < 10, "{piece} {:?}", start.elapsed());
    }
}
