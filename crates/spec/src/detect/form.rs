//! Rewrites commands as checks: a check never edits the files it judges, and it terminates.

use super::command::{Command, Word};

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

/// How to prevent a tool from editing.
struct Editor {
    program: &'static str,
    /// First plain argument for which the entry applies; empty: any.
    sub: &'static str,
    /// Whether the tool edits unless an option prevents it.
    always: bool,
    /// Options that make the tool edit.
    edits: &'static [&'static str],
    /// Options with which the tool only checks.
    looks: &'static [&'static str],
    /// Options to add so that the tool only checks.
    adds: &'static [&'static str],
}

const FIX: &[&str] = &["--fix", "--fix-type"];
const BIOME: &[&str] = &["--write", "--apply", "--apply-unsafe", "--fix", "--unsafe"];

const fn linter(program: &'static str, edits: &'static [&'static str]) -> Editor {
    Editor { program, sub: "", always: false, edits, looks: &[], adds: &[] }
}

const fn formatter(
    program: &'static str,
    sub: &'static str,
    looks: &'static [&'static str],
    adds: &'static [&'static str],
) -> Editor {
    Editor { program, sub, always: true, edits: &["--write"], looks, adds }
}

const EDITORS: &[Editor] = &[
    linter("eslint", FIX),
    linter("oxlint", &["--fix", "--fix-suggestions", "--fix-dangerously"]),
    linter("stylelint", FIX),
    linter("standard", FIX),
    linter("xo", FIX),
    linter("tslint", FIX),
    linter("markdownlint", &["--fix", "-f"]),
    linter("markdownlint-cli2", FIX),
    linter("golangci-lint", FIX),
    linter(
        "rubocop",
        &[
            "-a",
            "-A",
            "-x",
            "--autocorrect",
            "--autocorrect-all",
            "--auto-correct",
            "--auto-correct-all",
            "--fix-layout",
        ],
    ),
    linter("standardrb", FIX),
    linter("ktlint", &["-F", "--format"]),
    linter("next", FIX),
    Editor {
        program: "ruff",
        sub: "check",
        always: false,
        edits: &["--fix", "--fix-only", "--unsafe-fixes", "--exit-non-zero-on-fix"],
        looks: &["--no-fix"],
        adds: &["--no-fix"],
    },
    Editor {
        program: "ruff",
        sub: "format",
        always: true,
        edits: &["--exit-non-zero-on-format"],
        looks: &["--check", "--diff"],
        adds: &["--check"],
    },
    linter("biome", BIOME),
    Editor {
        program: "prettier",
        sub: "",
        always: false,
        edits: &["--write", "-w"],
        looks: &["--check", "-c", "--list-different", "-l"],
        adds: &["--check"],
    },
    Editor { program: "gofmt", sub: "", always: false, edits: &["-w"], looks: &["-l", "-d"], adds: &["-l"] },
    Editor { program: "goimports", sub: "", always: false, edits: &["-w"], looks: &["-l", "-d"], adds: &["-l"] },
    Editor {
        program: "shfmt",
        sub: "",
        always: false,
        edits: &["-w", "--write"],
        looks: &["-d", "--diff"],
        adds: &["-d"],
    },
    Editor {
        program: "clang-format",
        sub: "",
        always: false,
        edits: &["-i"],
        looks: &["-n", "--dry-run"],
        adds: &["--dry-run", "--Werror"],
    },
    Editor { program: "rustfmt", sub: "", always: true, edits: &[], looks: &["--check"], adds: &["--check"] },
    formatter("cargo", "fmt", &["--check"], &["--check"]),
    formatter("black", "", &["--check"], &["--check"]),
    formatter("isort", "", &["--check", "--check-only", "-c"], &["--check-only"]),
    formatter("oxfmt", "", &["--check", "--list-different"], &["--check"]),
    formatter("deno", "fmt", &["--check"], &["--check"]),
    formatter("dotnet", "format", &["--verify-no-changes"], &["--verify-no-changes"]),
    formatter("dart", "format", &["--set-exit-if-changed"], &["--output=none", "--set-exit-if-changed"]),
    formatter("terraform", "fmt", &["-check"], &["-check"]),
    formatter("php-cs-fixer", "fix", &["--dry-run"], &["--dry-run"]),
    formatter("pint", "", &["--test"], &["--test"]),
    formatter("sort-package-json", "", &["--check"], &["--check"]),
    formatter("pretty-quick", "", &["--check"], &["--check"]),
];

/// Tasks of build tools that edit, each with the one that checks.
const TASKS: &[(&str, &str)] =
    &[("spotless:apply", "spotless:check"), ("spotlessApply", "spotlessCheck"), ("ktlintFormat", "ktlintCheck")];

/// Programs that edit, publish or serve whatever their arguments: program, first plain argument (empty: any), effect.
const UNFIT: &[(&str, &str, &str)] = &[
    ("lint-staged", "", "edits what is staged"),
    ("pre-commit", "", "may edit files, with tools of its own"),
    ("prek", "", "may edit files, with tools of its own"),
    ("husky", "", "installs hooks"),
    ("phpcbf", "", "edits files"),
    ("autopep8", "", "edits files"),
    ("autoflake", "", "edits files"),
    ("pyupgrade", "", "edits files"),
    ("go", "fmt", "edits files"),
    ("go", "generate", "edits files"),
    ("npm", "publish", "publishes"),
    ("pnpm", "publish", "publishes"),
    ("yarn", "publish", "publishes"),
    ("git", "push", "publishes"),
    ("git", "commit", "writes history"),
    ("nodemon", "", "never ends"),
    ("webpack", "serve", "never ends"),
    ("webpack", "watch", "never ends"),
    ("webpack-dev-server", "", "never ends"),
    ("vite", "", "never ends"),
    ("vite", "dev", "never ends"),
    ("vite", "serve", "never ends"),
    ("vite", "preview", "never ends"),
    ("next", "dev", "never ends"),
    ("next", "start", "never ends"),
    ("nuxt", "dev", "never ends"),
    ("astro", "dev", "never ends"),
    ("astro", "preview", "never ends"),
    ("ng", "serve", "never ends"),
    ("react-scripts", "start", "never ends"),
    ("storybook", "dev", "never ends"),
    ("tsc-watch", "", "never ends"),
    ("ts-node-dev", "", "never ends"),
    ("tsx", "watch", "never ends"),
    ("chokidar", "", "never ends"),
    ("onchange", "", "never ends"),
    ("watch", "", "never ends"),
    ("live-server", "", "never ends"),
    ("http-server", "", "never ends"),
    ("serve", "", "never ends"),
    ("json-server", "", "never ends"),
    ("ptw", "", "never ends"),
    ("pytest-watch", "", "never ends"),
    ("sphinx-autobuild", "", "never ends"),
    ("mkdocs", "serve", "never ends"),
];

/// Programs that terminate unless they watch, with the options that make them watch.
const WATCHERS: &[(&str, &[&str])] = &[
    ("jest", &["--watch", "--watchAll", "--watch=true", "--watchAll=true"]),
    ("vitest", &["--watch", "-w", "--watch=true", "--ui"]),
    ("mocha", &["--watch", "-w"]),
    ("ava", &["--watch", "-w"]),
    ("tap", &["--watch", "-w"]),
    ("borp", &["--watch", "-w"]),
    ("node", &["--watch"]),
    ("tsc", &["--watch", "-w", "--preserveWatchOutput"]),
    ("vue-tsc", &["--watch", "-w", "--preserveWatchOutput"]),
    ("svelte-check", &["--watch"]),
    ("rollup", &["--watch", "-w"]),
    ("webpack", &["--watch", "-w"]),
    ("vite", &["--watch", "-w"]),
    ("esbuild", &["--watch"]),
    ("tsup", &["--watch"]),
    ("babel", &["--watch", "-w"]),
    ("sass", &["--watch"]),
];

/// Returns the form in which a command is a check.
pub(super) fn form(command: &Command) -> Form {
    let name = command.program();
    if let Some(task) = command.arguments().find_map(|word| TASKS.iter().find(|(edits, _)| *edits == word)) {
        let words =
            command.words.iter().map(|word| if word.text == task.0 { Word::plain(task.1) } else { word.clone() });
        return changed(command, words.collect(), format!("`{}` edits files, so `{}`", task.0, task.1));
    }
    if let Some((edited, words)) = unedited(command) {
        return changed(command, words, format!("without editing files, as `{edited}` does"));
    }
    if let Some(words) = unwatched(command) {
        return changed(command, words, "once, instead of on each change".to_owned());
    }
    let first = command.arguments().find(|word| !word.starts_with('-'));
    let is_meant = |sub: &str| match (name, sub) {
        // Without a subcommand vite serves; others behave the same for all arguments.
        ("vite", "") => first.is_none(),
        (_, "") => true,
        _ => first == Some(sub),
    };
    match UNFIT.iter().find(|(program, sub, _)| *program == name && is_meant(sub)) {
        Some((_, _, what)) => Form::Unfit(format!("`{}` {what}", command.own_text())),
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
    let editor =
        EDITORS.iter().find(|editor| editor.program == name && (editor.sub.is_empty() || first == Some(editor.sub)))?;
    let has = |options: &[&str]| command.words.iter().any(|word| given(word, options));
    let edits = if editor.always { !has(editor.looks) || has(editor.edits) } else { has(editor.edits) };
    if !edits || has(&["--fix-dry-run"]) {
        return None;
    }
    let edited = command
        .words
        .iter()
        .find(|word| given(word, editor.edits))
        .map_or_else(|| [name, editor.sub].join(" ").trim().to_owned(), |word| word.text.clone());
    let mut words: Vec<Word> = Vec::new();
    let mut skips_value = false;
    for word in &command.words {
        if std::mem::take(&mut skips_value) {
            continue;
        }
        if given(word, editor.edits) {
            skips_value = word.text == "--fix-type";
        } else {
            words.push(word.clone());
        }
    }
    if !has(editor.looks) {
        let at = words.iter().position(|word| word.text == editor.sub).unwrap_or(0) + 1;
        words.splice(at..at, editor.adds.iter().map(|option| Word::plain(option)));
    }
    Some((edited, words))
}

/// Returns the words of a watching tool such that it terminates.
fn unwatched(command: &Command) -> Option<Vec<Word>> {
    let (name, options) = WATCHERS.iter().find(|(name, _)| *name == command.program())?;
    let kept = |word: &&Word| !given(word, options);
    let mut words: Vec<Word> = command.words.iter().filter(kept).cloned().collect();
    let watched = words.len() < command.words.len();
    if *name != "vitest" {
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
