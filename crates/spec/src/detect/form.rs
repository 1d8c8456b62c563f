//! Rewrites commands as checks: a check never edits the files it judges, and it terminates.

use super::TOOLS;
use super::command::{Command, Word};
use referee_syntax::table::words as words_of;

/// A command as a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Same,
    Changed {
        command: Command,
        /// Description of the change, as a clause.
        because: String,
    },
    /// No form of the command is a check.
    Unfit(String),
}

/// Returns the form in which a command is a check.
pub(super) fn form(command: &Command) -> Form {
    let name = command.program();
    let task = |edits| Some((edits, TOOLS.row("tasks", edits)?.text()?));
    if let Some((edits, checks)) = command.arguments().find_map(task) {
        let words = command.words.iter();
        let words = words.map(|word| if word.text == edits { Word::plain(checks) } else { word.clone() }).collect();
        return changed(command, words, format!("`{edits}` edits files, so `{checks}`"));
    }
    if let Some((edited, words)) = unedited(command) {
        return changed(command, words, format!("without editing files, as `{edited}` does"));
    }
    if let Some(words) = unwatched(command) {
        return changed(command, words, "once, instead of on each change".to_owned());
    }
    let first = command.arguments().find(|word| !word.starts_with('-'));
    match TOOLS.list_of("unfit", name, first.unwrap_or_default()) {
        Some(what) => Form::Unfit(format!("`{}` {what}", command.own_text())),
        None => Form::Same,
    }
}

fn changed(command: &Command, words: Vec<Word>, because: String) -> Form {
    Form::Changed { command: Command { words, ..command.clone() }, because }
}

fn given(word: &Word, options: &[&str]) -> bool {
    options
        .iter()
        .any(|option| word.text == *option || word.text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
}

/// Returns the words of an editing tool such that it only checks, and what made it edit.
fn unedited(command: &Command) -> Option<(String, Vec<Word>)> {
    let name = command.program();
    let first = command.arguments().find(|word| !word.starts_with(['-', '+']));
    let editor = TOOLS.program("editors", name, first.unwrap_or_default())?;
    let sub = editor.key.split_once(' ').map_or("", |(_, sub)| sub);
    let options = |key: &str| editor.value.get(key).into_iter().flat_map(words_of).collect::<Vec<_>>();
    let [edits, looks, adds] = ["edits", "looks", "adds"].map(options);
    let has = |options: &[&str]| command.words.iter().any(|word| given(word, options));
    let always = editor.value.get("always").is_some();
    let is_editing = if always { !has(&looks) || has(&edits) } else { has(&edits) };
    if !is_editing || has(&["--fix-dry-run"]) {
        return None;
    }
    let edited = command.words.iter().find(|word| given(word, &edits));
    let edited = edited.map_or_else(|| [name, sub].join(" ").trim().to_owned(), |word| word.text.clone());
    let mut words: Vec<Word> = Vec::new();
    let mut skips_value = false;
    for word in &command.words {
        if std::mem::take(&mut skips_value) {
            continue;
        }
        if given(word, &edits) {
            skips_value = word.text == "--fix-type";
        } else {
            words.push(word.clone());
        }
    }
    if !has(&looks) {
        let at = words.iter().position(|word| word.text == sub).unwrap_or(0) + 1;
        words.splice(at..at, adds.iter().map(|option| Word::plain(option)));
    }
    Some((edited, words))
}

/// Returns the words of a watching tool such that it terminates.
fn unwatched(command: &Command) -> Option<Vec<Word>> {
    let options: Vec<&str> = words_of(TOOLS.row("watchers", command.program())?).collect();
    let kept = |word: &&Word| !given(word, &options);
    let mut words: Vec<Word> = command.words.iter().filter(kept).cloned().collect();
    let watched = words.len() < command.words.len();
    if command.program() != "vitest" {
        return watched.then_some(words);
    }
    let first = command.arguments().find(|word| !word.starts_with('-'));
    if matches!(first, Some("run" | "list" | "bench" | "init" | "related"))
        || command.runs("vitest --run")
        || command.runs("vitest --watch=false")
    {
        return watched.then_some(words);
    }
    words.retain(|word| !matches!(word.text.as_str(), "watch" | "dev"));
    words.insert(1.min(words.len()), Word::plain("run"));
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::super::command::commands;
    use super::*;

    fn shown(line: &str) -> String {
        let found = commands(line);
        match form(&found[0]) {
            Form::Same => "=".to_owned(),
            Form::Changed { command, .. } => command.text(),
            Form::Unfit(_) => "no".to_owned(),
        }
    }

    #[test]
    fn what_edits_only_looks() {
        for (line, looks) in [
            ("eslint --fix . --cache", "eslint . --cache"),
            ("eslint . --fix --fix-type layout", "eslint ."),
            ("eslint --fix-dry-run .", "="),
            ("prettier --write 'src/**/*.js'", "prettier --check 'src/**/*.js'"),
            ("prettier . --check", "="),
            ("black .", "black --check ."),
            ("black --check --diff src", "="),
            ("uv run ruff check --fix .", "uv run ruff check --no-fix ."),
            ("ruff check", "="),
            ("ruff format", "ruff format --check"),
            ("ruff format --diff .", "="),
            ("gofmt -s -w .", "gofmt -l -s ."),
            ("gofmt -l .", "="),
            ("cargo fmt --all", "cargo fmt --check --all"),
            ("cargo +nightly fmt", "cargo +nightly fmt --check"),
            ("cargo fmt -- --check", "="),
            ("isort .", "isort --check-only ."),
            ("isort -c .", "="),
            ("biome check --apply src", "biome check src"),
            ("biome ci", "="),
            ("standard --fix", "standard"),
            ("xo --fix", "xo"),
            ("stylelint --fix '**/*.css'", "stylelint '**/*.css'"),
            ("bundle exec rubocop -a", "bundle exec rubocop"),
            ("mvn spotless:apply -q", "mvn spotless:check -q"),
            ("./gradlew spotlessApply", "./gradlew spotlessCheck"),
            ("clang-format -i a.c", "clang-format --dry-run --Werror a.c"),
            ("dotnet format", "dotnet format --verify-no-changes"),
            ("oxfmt src", "oxfmt --check src"),
            ("lint-staged", "no"),
            ("pre-commit run --all-files", "no"),
            ("go fmt ./...", "no"),
            ("git push", "no"),
        ] {
            assert_eq!(shown(line), looks, "{line}");
        }
    }

    #[test]
    fn what_watches_ends() {
        for (line, ends) in [
            ("vitest", "vitest run"),
            ("vitest --coverage", "vitest run --coverage"),
            ("vitest run", "="),
            ("vitest --run", "="),
            ("vitest watch -w src", "vitest run src"),
            ("jest --watch --ci", "jest --ci"),
            ("jest -w 4", "="),
            ("mocha -w", "mocha"),
            ("tsc -w -p .", "tsc -p ."),
            ("node --watch --test", "node --test"),
            ("nodemon a.js", "no"),
            ("webpack serve", "no"),
            ("webpack", "="),
            ("vite", "no"),
            ("vite build", "="),
            ("vite build --watch", "vite build"),
            ("next dev", "no"),
            ("next build", "="),
        ] {
            assert_eq!(shown(line), ends, "{line}");
        }
    }
}
