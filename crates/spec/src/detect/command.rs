//! Commands in a shell text. Comments, the arguments of `echo` and the text of a heredoc are not commands.
//!
//! Parts that are only known at run time (variables, substitutions) stay in the words as written.

use referee_syntax::shell::{Kind, Operator, Script, lex};

use super::launcher;
use crate::expand;

/// Maximum depth of nested shells.
const DEPTH: usize = 4;
/// Maximum number of commands of one text.
const COMMANDS: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Value that the program receives.
    pub(crate) text: String,
    /// Spelling with quotes.
    pub(crate) spelled: String,
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// Launcher of the program, such as `CI=1`, `npx` and `uv run`.
    pub(crate) prefix: Vec<Word>,
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<Word>,
    /// Whether its failure is ignored (`|| true`).
    pub(crate) is_lenient: bool,
}

impl Word {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), spelled: text.to_owned() }
    }

    /// Returns whether it has the same meaning everywhere: no variable, no substitution.
    pub(super) fn is_fixed(&self) -> bool {
        !self.spelled.contains(['$', '`', '\n']) && !self.text.contains("{{")
    }
}

impl Command {
    /// Returns the name of the program, without directories.
    pub(crate) fn program(&self) -> &str {
        launcher::program(self.words.first().map_or("", |word| &word.text))
    }

    /// Returns the arguments of the program.
    pub(crate) fn arguments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.words.iter().skip(1).map(|word| word.text.as_str())
    }

    /// Returns whether it runs a program with these words among its arguments (`cargo fmt --check`).
    pub(super) fn runs(&self, pattern: &str) -> bool {
        let mut wanted = pattern.split(' ');
        let given = |word: &str| {
            self.arguments()
                .any(|argument| argument == word || argument.split_once('=').is_some_and(|(option, _)| option == word))
        };
        wanted.next() == Some(self.program()) && wanted.all(given)
    }

    /// Returns whether all of it has the same meaning everywhere.
    pub(super) fn is_fixed(&self) -> bool {
        self.prefix.iter().chain(&self.words).all(Word::is_fixed)
    }

    /// Returns the variables that are set for it, if their values have the same meaning everywhere.
    pub(super) fn assignments(&self) -> impl Iterator<Item = &Word> {
        self.prefix.iter().filter(|word| launcher::is_assignment(&word.text) && word.is_fixed())
    }

    /// Sets variables. Those that the command sets itself are kept.
    pub(super) fn set(&mut self, variables: &[Word]) {
        let new = variables.iter().filter(|variable| !sets(&self.prefix, variable)).cloned();
        let new: Vec<Word> = new.collect();
        self.prefix.splice(0..0, new);
    }

    /// Returns a line with the variables that are set for this command. Those that the line sets itself are kept.
    pub(super) fn with_assignments(&self, line: &str) -> String {
        let own = commands(line);
        let is_new = |variable: &&Word| own.iter().all(|command| !sets(&command.prefix, variable));
        let new = self.assignments().filter(is_new).map(|variable| variable.spelled.as_str());
        new.chain([line]).collect::<Vec<_>>().join(" ")
    }

    /// Returns the script of a package that the command runs, with its arguments.
    pub(super) fn own_script(&self) -> Option<(String, Vec<String>)> {
        let words: Vec<String> = self.words.iter().map(|word| word.text.clone()).collect();
        expand::own_script(&words)
    }

    /// Returns the program and its arguments as they are written.
    pub(super) fn own_text(&self) -> String {
        spelled(&self.words)
    }

    /// Returns the whole command as it is written.
    pub(super) fn text(&self) -> String {
        let words: Vec<Word> = self.prefix.iter().chain(&self.words).cloned().collect();
        spelled(&words)
    }
}

/// Returns whether one of these words sets the variable of an assignment.
fn sets(prefix: &[Word], assignment: &Word) -> bool {
    let name = |word: &Word| word.text.split_once('=').map(|(name, _)| name.to_owned());
    prefix.iter().any(|word| name(word) == name(assignment))
}

pub(super) fn spelled(words: &[Word]) -> String {
    words.iter().map(|word| word.spelled.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the commands of a shell text, in order.
pub(crate) fn commands(text: &str) -> Vec<Command> {
    let mut found = Vec::new();
    let text = text.replace("\r\n", "\n");
    collect(Some(&text), lex(&text), 0, &mut found);
    found.truncate(COMMANDS);
    found
}

/// Adds the commands of a script, each after those of its substitutions. Without the text to which offsets
/// refer, as within backquotes, words are spelled without quotes.
fn collect(text: Option<&str>, script: Script, depth: usize, found: &mut Vec<Command>) {
    let mut after_or = false;
    let mut words = Vec::new();
    for token in script.tokens {
        let written = text.and_then(|text| text.get(token.place));
        let nested = match token.kind {
            Kind::Word(word) => {
                let spelled = written.unwrap_or(&word.text).to_owned();
                words.push(Word { text: word.text, spelled });
                word.nested
            }
            Kind::Redirection(redirection) => redirection.target.nested,
            Kind::Operator(operator) => {
                let ended = std::mem::take(&mut words);
                // A line may end after `||`, and a pattern of a `case` is not a command.
                let is_command = !ended.is_empty() && operator != Operator::Pattern;
                if is_command {
                    add(ended, after_or, depth, found);
                }
                after_or = operator == Operator::Or || (after_or && !is_command);
                Vec::new()
            }
        };
        let is_backquoted = written.is_some_and(|written| written.contains('`'));
        for inner in nested {
            collect(text.filter(|_| !is_backquoted), inner, depth, found);
        }
    }
    if !words.is_empty() {
        add(words, after_or, depth, found);
    }
}

fn add(words: Vec<Word>, after_or: bool, depth: usize, found: &mut Vec<Command>) {
    let (prefix, words) = launcher::split(words);
    let command = Command { prefix, words, is_lenient: false };
    if after_or && is_consent(&command) {
        if let Some(last) = found.last_mut() {
            last.is_lenient = true;
        }
    } else if let Some(line) = launcher::inner_line(&command.words) {
        if depth < DEPTH && found.len() < COMMANDS {
            collect(Some(line), lex(line), depth + 1, found);
        }
    } else if !command.words.is_empty() && found.len() < COMMANDS {
        found.push(command);
    }
}

/// Returns whether the command after `||` discards the failure before it.
fn is_consent(command: &Command) -> bool {
    match command.program() {
        "true" | ":" | "echo" | "printf" => true,
        "exit" => command.arguments().next() == Some("0"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        commands(text).iter().filter(|command| !command.is_lenient).map(Command::own_text).collect()
    }

    #[test]
    fn commands_are_told_from_comments_and_from_what_is_only_said() {
        for (text, found) in [
            ("# pytest\nmake # lint\n", &["make"][..]),
            ("echo \"run pytest\"; printf 'ruff check'", &["echo \"run pytest\"", "printf 'ruff check'"]),
            ("a \\\n  b && c || d | e", &["a b", "c", "d", "e"]),
            ("cat <<EOF > x\nruff check\nEOF\nb", &["cat", "b"]),
            ("test -z \"$(gofmt -l .)\"", &["gofmt -l .", "test -z \"$(gofmt -l .)\""]),
            ("diff -u <(echo -n) <(gofmt -d ./)", &["echo -n", "gofmt -d ./", "diff -u <(echo -n) <(gofmt -d ./)"]),
            ("if ! cargo fmt --check; then exit 1; fi", &["cargo fmt --check", "exit 1"]),
            ("bash -ec 'ruff check && mypy'", &["ruff check", "mypy"]),
            ("mypy src || true; flake8 || echo bad", &[]),
            ("mypy || exit 1", &["mypy", "exit 1"]),
            ("CI=1 npx --no-install eslint 'a b' > log 2>&1", &["eslint 'a b'"]),
            ("uv run --locked --group dev pytest -x", &["pytest -x"]),
            ("python3.12 -W error -m coverage run -m pytest", &["pytest"]),
            ("eslint ${{ matrix.a b }} .", &["eslint ${{ matrix.a b }} ."]),
            ("", &[]),
        ] {
            assert_eq!(shown(text), found, "{text}");
        }
    }

    #[test]
    fn a_pattern_fits_the_program_and_its_arguments_alone() {
        let runs = |line: &str, pattern: &str| commands(line).iter().any(|command| command.runs(pattern));
        assert!(runs("poetry run ruff --quiet check .", "ruff check") && runs("vendor/bin/phpcs -p", "phpcs"));
        assert!(runs("prettier . --check=true", "prettier --check") && !runs("echo ruff check", "ruff check"));
        assert!(!runs("pip install mypy", "mypy") && !runs("ruff-lsp check", "ruff check"));
        let fixed = |line: &str| commands(line).last().is_some_and(Command::is_fixed);
        assert!(fixed("a 'b*' c") && !fixed("a $B") && !fixed("a ${{ b }}") && !fixed("a `b`"));
    }

    proptest! {
        #[test]
        fn whatever_is_written_the_words_are_as_they_were_written(text in "\\PC{0,80}|[ -~\n]{0,80}") {
            for command in commands(&text) {
                prop_assert!(!command.words.is_empty());
            }
        }
    }
}
