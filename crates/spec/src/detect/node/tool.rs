//! Programs for Node: their roles and packages.

use referee_model::plan::Role::{self, Compile, Format, Lint, Test, Typecheck};

use super::super::command::{Command, Word, spelled};

/// Roles by program, with its first plain argument (empty: any).
const ROLES: &[(&str, &str, Role)] = &[
    ("jest", "", Test),
    ("vitest", "", Test),
    ("mocha", "", Test),
    ("ava", "", Test),
    ("uvu", "", Test),
    ("tap", "", Test),
    ("tape", "", Test),
    ("jasmine", "", Test),
    ("qunit", "", Test),
    ("borp", "", Test),
    ("lab", "", Test),
    ("karma", "", Test),
    ("playwright", "test", Test),
    ("cypress", "run", Test),
    ("bun", "test", Test),
    ("deno", "test", Test),
    ("react-scripts", "test", Test),
    ("ng", "test", Test),
    ("tsc", "", Typecheck),
    ("vue-tsc", "", Typecheck),
    ("tsgo", "", Typecheck),
    ("svelte-check", "", Typecheck),
    ("astro", "check", Typecheck),
    ("eslint", "", Lint),
    ("oxlint", "", Lint),
    ("stylelint", "", Lint),
    ("xo", "", Lint),
    ("standard", "", Lint),
    ("tslint", "", Lint),
    ("jshint", "", Lint),
    ("biome", "lint", Lint),
    ("biome", "check", Lint),
    ("biome", "ci", Lint),
    ("markdownlint", "", Lint),
    ("markdownlint-cli2", "", Lint),
    ("cspell", "", Lint),
    ("knip", "", Lint),
    ("next", "lint", Lint),
    ("prettier", "", Format),
    ("oxfmt", "", Format),
    ("biome", "format", Format),
    ("webpack", "", Compile),
    ("rollup", "", Compile),
    ("esbuild", "", Compile),
    ("vite", "build", Compile),
    ("next", "build", Compile),
    ("tsup", "", Compile),
    ("tsdown", "", Compile),
    ("unbuild", "", Compile),
    ("babel", "", Compile),
];

/// Programs whose package has another name.
const PACKAGES: &[(&str, &str)] = &[
    ("tsc", "typescript"),
    ("tsgo", "@typescript/native-preview"),
    ("biome", "@biomejs/biome"),
    ("playwright", "@playwright/test"),
    ("ng", "@angular/cli"),
    ("babel", "@babel/cli"),
    ("attw", "@arethetypeswrong/cli"),
    ("commitlint", "@commitlint/cli"),
    ("webpack", "webpack-cli"),
    ("run-s", "npm-run-all"),
    ("run-p", "npm-run-all"),
    ("lab", "@hapi/lab"),
    ("nyc", "nyc"),
];

/// Programs that exist without a package, and have the same meaning outside of a script.
const SYSTEM: &[&str] = &[
    "node", "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "bash", "sh", "make", "git", "cargo", "go", "python",
    "python3", "docker", "test", "[", "cat", "diff", "grep", "sed", "find", "tar", "cmake", "true",
];

/// Programs that only prepare for later commands.
const HOUSEKEEPING: &[&str] = &[
    "rm", "rimraf", "del", "del-cli", "mkdir", "mkdirp", "cp", "cpx", "cpy", "mv", "shx", "touch", "ln", "sleep",
    "kill", "wait",
];

pub(super) fn role(command: &Command) -> Option<Role> {
    let name = command.program();
    let first = command.arguments().find(|word| !word.starts_with('-')).unwrap_or_default();
    if matches!(name, "node" | "tsx") && command.arguments().any(|word| word == "--test") {
        return Some(Test);
    }
    ROLES.iter().find(|(program, sub, _)| *program == name && (sub.is_empty() || *sub == first)).map(|(.., role)| *role)
}

/// Returns the package that provides a program, if known.
pub(super) fn package_of(program: &str) -> Option<&'static str> {
    PACKAGES.iter().find(|(name, _)| *name == program).map(|(_, package)| *package)
}

pub(super) fn is_system(program: &str) -> bool {
    SYSTEM.contains(&program)
}

pub(super) fn is_housekeeping(program: &str) -> bool {
    HOUSEKEEPING.contains(&program)
}

/// Returns the line of a tool that is not a dependency, as CI runs it; launchers must not download it.
pub(super) fn as_it_is(command: &Command) -> String {
    let mut words: Vec<Word> = command.prefix.iter().chain(&command.words).cloned().collect();
    let keeps = |word: &Word| matches!(word.text.as_str(), "--no-install" | "--no" | "--offline");
    if let Some(at) = words.iter().position(|word| word.text == "npx").filter(|_| !words.iter().any(keeps)) {
        let asks = |word: &Word| !matches!(word.text.as_str(), "-y" | "--yes");
        let rest = words.split_off(at + 1);
        words.push(Word::plain("--no-install"));
        words.extend(rest.into_iter().filter(asks));
    }
    spelled(&words)
}
