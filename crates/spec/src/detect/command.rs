//! The commands that a text of shell runs. What it only says (comments, what `echo` prints, the text of a heredoc) is none.
//!
//! This is no shell: it knows quotes, separators, comments and substitutions, which is what it takes to tell programs from
//! prose. What only a run would tell (variables, what a substitution prints) stays in the words as it is written.

use super::launcher;
use crate::expand;

/// Deepest shell within a shell that is looked into.
const DEPTH: usize = 4;
/// Most commands of one text that are kept.
const COMMANDS: usize = 500;

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// What the program is given.
    pub(crate) text: String,
    /// How it is written, with its quotes.
    pub(crate) spelled: String,
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// What starts the program, such as `CI=1`, `npx` and `uv run`.
    pub(crate) prefix: Vec<Word>,
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<Word>,
    /// Whether its failure is passed over (`|| true`).
    pub(crate) is_lenient: bool,
}

impl Word {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), spelled: text.to_owned() }
    }

    /// Whether it means the same wherever it is run: no variable, no substitution.
    pub(super) fn is_fixed(&self) -> bool {
        !self.spelled.contains(['$', '`', '\n']) && !self.text.contains("{{")
    }
}

impl Command {
    /// The program's name, without folders.
    pub(crate) fn program(&self) -> &str {
        launcher::program(self.words.first().map_or("", |word| &word.text))
    }

    /// The arguments of the program.
    pub(crate) fn arguments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.words.iter().skip(1).map(|word| word.text.as_str())
    }

    /// Whether it runs a program with these words among its arguments (`cargo fmt --check`).
    pub(super) fn runs(&self, pattern: &str) -> bool {
        let mut wanted = pattern.split(' ');
        let given = |word: &str| {
            self.arguments()
                .any(|argument| argument == word || argument.split_once('=').is_some_and(|(option, _)| option == word))
        };
        wanted.next() == Some(self.program()) && wanted.all(given)
    }

    /// Whether all of it means the same wherever it is run.
    pub(super) fn is_fixed(&self) -> bool {
        self.prefix.iter().chain(&self.words).all(Word::is_fixed)
    }

    /// The variables that are set for it, as far as their values mean the same wherever it is run.
    pub(super) fn assignments(&self) -> impl Iterator<Item = &Word> {
        self.prefix.iter().filter(|word| launcher::is_assignment(&word.text) && word.is_fixed())
    }

    /// Sets variables for it. Those that it sets itself stay as they are.
    pub(super) fn set(&mut self, variables: &[Word]) {
        let new = variables.iter().filter(|variable| !sets(&self.prefix, variable)).cloned();
        let new: Vec<Word> = new.collect();
        self.prefix.splice(0..0, new);
    }

    /// A line with the variables that are set for this command. Those that the line sets itself stay as they are.
    pub(super) fn with_assignments(&self, line: &str) -> String {
        let own = commands(line);
        let is_new = |variable: &&Word| own.iter().all(|command| !sets(&command.prefix, variable));
        let new = self.assignments().filter(is_new).map(|variable| variable.spelled.as_str());
        new.chain([line]).collect::<Vec<_>>().join(" ")
    }

    /// The script of a package that it runs, and what it is given.
    pub(super) fn own_script(&self) -> Option<(String, Vec<String>)> {
        let words: Vec<String> = self.words.iter().map(|word| word.text.clone()).collect();
        expand::own_script(&words)
    }

    /// The program and its arguments as they are written.
    pub(super) fn own_text(&self) -> String {
        spelled(&self.words)
    }

    /// Everything, as it is written.
    pub(super) fn text(&self) -> String {
        let words: Vec<Word> = self.prefix.iter().chain(&self.words).cloned().collect();
        spelled(&words)
    }
}

/// Whether one of these words sets the variable that an assignment sets.
fn sets(prefix: &[Word], assignment: &Word) -> bool {
    let name = |word: &Word| word.text.split_once('=').map(|(name, _)| name.to_owned());
    prefix.iter().any(|word| name(word) == name(assignment))
}

/// Words as one line.
pub(super) fn spelled(words: &[Word]) -> String {
    words.iter().map(|word| word.spelled.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the commands that a text of shell runs, in the order in which they are written.
pub(crate) fn commands(text: &str) -> Vec<Command> {
    let mut found = Vec::new();
    collect(text, 0, &mut found);
    found.truncate(COMMANDS);
    found
}

fn collect(text: &str, depth: usize, found: &mut Vec<Command>) {
    let text = text.replace("\r\n", "\n");
    let mut taker = Taker {
        rest: &text,
        depth,
        word: None,
        words: Vec::new(),
        is_target: false,
        after_or: false,
        heredoc: None,
        found,
    };
    while let Some(next) = taker.bump() {
        taker.take(next);
    }
    taker.end_command(false);
}

struct Taker<'a> {
    rest: &'a str,
    depth: usize,
    word: Option<Word>,
    words: Vec<Word>,
    /// Whether the next word is what a redirection leads to.
    is_target: bool,
    /// Whether the command follows `||`.
    after_or: bool,
    /// The word that ends the text which follows the line.
    heredoc: Option<String>,
    found: &'a mut Vec<Command>,
}

impl Taker<'_> {
    fn bump(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, next: char) {
        match next {
            '\\' if self.eat("\n") => self.end_word(),
            '\\' => {
                let escaped = self.bump().map(String::from).unwrap_or_default();
                self.push(&escaped, &format!("\\{escaped}"));
            }
            '\'' => {
                let inner = self.until('\'');
                self.push(&inner, &format!("'{inner}'"));
            }
            '"' => self.quoted(),
            '$' if self.rest.starts_with('(') => self.substitution("$"),
            '`' => {
                let inner = self.until('`');
                self.inner(&inner);
                self.push(&format!("`{inner}`"), &format!("`{inner}`"));
            }
            '$' if self.rest.starts_with("{{") => {
                let end = self.rest.find("}}").map_or(self.rest.len(), |end| end + 2);
                let (expression, rest) = self.rest.split_at(end);
                self.rest = rest;
                self.push(&format!("${expression}"), &format!("${expression}"));
            }
            '#' if self.word.is_none() => self.skip_line(),
            '\n' => {
                self.end_command(false);
                self.skip_heredoc();
            }
            ';' | '(' | ')' => self.end_command(false),
            '&' if self.eat(">") => self.redirection(),
            '&' => {
                self.eat("&");
                self.end_command(false);
            }
            '|' => {
                let either = self.eat("|");
                self.eat("&");
                self.end_command(either);
            }
            '<' if self.eat("<<") => self.redirection(),
            '<' if self.eat("<") => self.begin_heredoc(),
            '<' | '>' if self.rest.starts_with('(') => self.substitution(&next.to_string()),
            '<' | '>' => self.redirection(),
            blank if blank.is_whitespace() => self.end_word(),
            other => self.push(&other.to_string(), &other.to_string()),
        }
    }

    fn push(&mut self, text: &str, spelled: &str) {
        let word = self.word.get_or_insert(Word { text: String::new(), spelled: String::new() });
        word.text.push_str(text);
        word.spelled.push_str(spelled);
    }

    fn until(&mut self, end: char) -> String {
        let (inner, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        inner.to_owned()
    }

    fn quoted(&mut self) {
        self.push("", "\"");
        while let Some(next) = self.bump() {
            match next {
                '"' => break,
                '\\' => {
                    let escaped = self.bump().map(String::from).unwrap_or_default();
                    self.push(&escaped, &format!("\\{escaped}"));
                }
                '$' if self.rest.starts_with('(') => self.substitution("$"),
                other => self.push(&other.to_string(), &other.to_string()),
            }
        }
        self.push("", "\"");
    }

    /// Looks into `$(…)`, and keeps it in the word as it is written.
    fn substitution(&mut self, mark: &str) {
        let mut depth = 0_usize;
        let end = self.rest.char_indices().find_map(|(at, character)| {
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (depth == 0).then_some(at + 1)
        });
        let (whole, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let inner = whole.strip_prefix('(').unwrap_or(whole);
        let inner = inner.strip_suffix(')').unwrap_or(inner).to_owned();
        self.inner(&inner);
        let spelled = format!("{mark}{whole}");
        self.push(&spelled, &spelled);
    }

    fn inner(&mut self, text: &str) {
        if self.depth < DEPTH && self.found.len() < COMMANDS {
            collect(text, self.depth + 1, self.found);
        }
    }

    fn redirection(&mut self) {
        // The digits right before `>` are a file descriptor, not a word.
        if self.word.as_ref().is_some_and(|word| word.text.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.eat(">");
        self.eat("&");
        self.is_target = true;
    }

    fn begin_heredoc(&mut self) {
        self.end_word();
        self.eat("-");
        let word: String = self.rest.trim_start().chars().take_while(|next| !next.is_whitespace()).collect();
        self.rest = &self.rest.trim_start()[word.len()..];
        self.heredoc = Some(word.replace(['\'', '"', '\\'], ""));
    }

    fn skip_heredoc(&mut self) {
        let Some(end) = self.heredoc.take() else { return };
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            if line.trim() == end {
                return;
            }
        }
    }

    fn skip_line(&mut self) {
        self.rest = self.rest.find('\n').map_or("", |at| &self.rest[at..]);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if !std::mem::take(&mut self.is_target) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self, then_or: bool) {
        self.end_word();
        self.is_target = false;
        let after_or = std::mem::replace(&mut self.after_or, then_or);
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            // A line may end after `||`.
            self.after_or |= after_or && !then_or;
            return;
        }
        let (prefix, words) = launcher::split(words);
        let command = Command { prefix, words, is_lenient: false };
        if after_or && is_consent(&command) {
            if let Some(last) = self.found.last_mut() {
                last.is_lenient = true;
            }
            return;
        }
        if let Some(line) = launcher::inner_line(&command.words) {
            let line = line.to_owned();
            self.inner(&line);
        } else if !command.words.is_empty() && self.found.len() < COMMANDS {
            self.found.push(command);
        }
    }
}

/// Whether what follows `||` makes nothing of the failure before it.
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
