//! Text is read as bash reads it. bash is asked for its reading; no line of these is ever run.
#![expect(clippy::disallowed_methods, clippy::print_stderr, reason = "bash is asked, and missed aloud")]

use std::process::{Command, Output};

use proptest::prelude::*;
use referee_syntax::shell::{Kind, Operator, Script, lex};

/// Scripts of package.json, recipes of Makefiles, steps of CI: blocks with a blank line between them.
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

/// Whether bash takes a text for a script. None: there is no bash. It says less by its code: `a; [[ ;;` is none, and has 0.
fn is_taken(text: &str) -> Option<bool> {
    let output = bash(&["-nc", "--", text])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_warning = |line: &str| line.contains("delimited by end-of-file");
    Some(output.status.success() && said.lines().all(is_warning))
}

/// What bash takes a text for, written by bash itself. None: it is no script to bash, or there is no bash.
fn written_by_bash(text: &str) -> Option<String> {
    // Only a text that is whole by itself is put into a function: it cannot end that, so nothing of it runs.
    is_taken(text).filter(|is_taken| *is_taken)?;
    let output = bash(&["-c", &format!("PATH=/nowhere\nf() {{\n{text}\n}}\ndeclare -f f")])?;
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    let body = written.strip_prefix("f () \n{ \n")?.trim_end().strip_suffix('}')?;
    Some(body.to_owned())
}

/// The words and operators of a script, but for what bash writes in its own way.
fn shape(script: Script) -> Vec<String> {
    let mut shape: Vec<String> = Vec::new();
    for token in script.tokens {
        let piece = match token.kind {
            // It prints them anew.
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

/// The words of all commands. bash writes substitutions anew: of these only the commands inside are held against ours.
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
        // bash writes what begins and ends anew, such as `|&` and `;&`, and the names of functions.
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

/// What bash gives a program for words in which it expands nothing.
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
                // What bash would expand is never given to it.
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
        // A line that ends within a quote or behind `\\` goes on.
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
            // bash writes redirections last, and `> file [[` is no test.
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
