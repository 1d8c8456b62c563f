//! Types, lint and format of a package, and the policies that they ask for.

use referee_model::plan::Strategy;
use referee_model::selection::Level;

use super::super::Place;
use super::super::document;
use super::super::project::{Draft, Wanted};
use super::super::text::{mentions, number_after, plain_words};
use super::manager::Manager;
use super::package::{Package, watches};
use crate::tree::Node;

const TYPES: &[&str] = &[
    "typecheck",
    "type-check",
    "check-types",
    "types",
    "check:types",
    "types:check",
    "ts:check",
    "tsc",
    "typescript",
    "test:types",
];
const LINTS: &[&str] =
    &["lint:check", "lint:ci", "lint", "eslint", "lint:js", "lint:ts", "lint:all", "check:lint", "test:lint"];
const STYLES: &[&str] = &["lint:css", "lint:styles", "lint:style", "stylelint"];
const FORMATS: &[&str] = &[
    "format:check",
    "check:format",
    "format-check",
    "fmt:check",
    "prettier:check",
    "check-format",
    "check:prettier",
    "lint:format",
    "style:check",
    "format:ci",
];
/// What a script named `check` must run to be one.
const CHECKERS: &[&str] = &[
    "svelte-check",
    "astro check",
    "biome check",
    "biome ci",
    "biome lint",
    "tsc",
    "vue-tsc",
    "eslint",
    "oxlint",
    "prettier --check",
    "stylelint",
    "xo",
];
const ESLINT_CONFIGS: &[&str] = &[
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    ".eslintrc",
    ".eslintrc.json",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.yml",
    ".eslintrc.yaml",
];
const PRETTIER_CONFIGS: &[&str] = &[
    ".prettierrc",
    ".prettierrc.json",
    ".prettierrc.yaml",
    ".prettierrc.yml",
    ".prettierrc.js",
    ".prettierrc.cjs",
    ".prettierrc.mjs",
    "prettier.config.js",
    "prettier.config.mjs",
    "prettier.config.cjs",
];

/// The script that checks types; else the command by which another script checks them.
pub(super) fn types(place: &Place<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    let usable = |name: &&&str| package.script(name).is_some_and(|line| !watches(line));
    if let Some(name) = TYPES.iter().find(usable) {
        draft.check("types", manager.run(name), Level::Smoke, format!("Script `{name}` of package.json"));
        return;
    }
    // A script `check` is a check of its own.
    let names = package.names().filter(|name| *name != "check" && !name.starts_with("check:"));
    for (name, line) in names.filter_map(|name| Some((name, package.script(name)?))) {
        let pieces: Vec<&str> = line.split("&&").map(str::trim).collect();
        // A script that is nothing but the compiler is a check by itself.
        if let Some(words) = pieces.iter().filter(|_| pieces.len() > 1).find_map(|piece| compiler(piece)) {
            let because = format!("Script `{name}` of package.json checks the types so");
            draft.check("types", manager.execute(&words), Level::Smoke, because);
            return;
        }
    }
    let runs = package.script_that_reaches(&["tsc", "vue-tsc", "svelte-check", "astro check"]).is_some();
    if let Some(config) = place.text("tsconfig.json").filter(|_| package.depends_on("typescript") && !runs) {
        let references = document::tree(config)
            .is_some_and(|root| root.get("references").is_some_and(|list| !list.elements().is_empty()));
        let line = manager.execute(if references { "tsc -b" } else { "tsc --noEmit" });
        let run_by = place.ci.line_with(&["tsc"]).map(|line| line.file.clone());
        draft.check_if_run("types", &line, Level::Smoke, "There is a tsconfig.json", run_by);
    }
}

/// The words of a plain run of the compiler, made to write nothing.
fn compiler(piece: &str) -> Option<String> {
    let words = plain_words(piece)?;
    if !matches!(words.first().copied(), Some("tsc" | "vue-tsc" | "tsgo" | "svelte-check")) || watches(piece) {
        return None;
    }
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    let asks = has(&[
        "--init",
        "--version",
        "-v",
        "--help",
        "--emitDeclarationOnly",
        "--declaration",
        "-d",
        "--clean",
        "--showConfig",
    ]);
    let writes = words[0] != "svelte-check" && !has(&["-b", "--build", "--noEmit"]);
    (!asks).then(|| if writes { format!("{} --noEmit", words.join(" ")) } else { words.join(" ") })
}

/// The script that lints, else the linter that is configured.
pub(super) fn lint(place: &Place<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    let script = LINTS.iter().copied().find(|name| package.script(name).is_some_and(|line| !watches(line)));
    if let Some(name) = script {
        lint_script(manager, package, name, draft);
    } else if let Some(config) =
        place.first(ESLINT_CONFIGS).or(package.has_key("eslintConfig").then_some("`eslintConfig`"))
    {
        let runs = package.script_that_reaches(&["eslint"]).is_some();
        let run_by = place.ci.line_with(&["eslint"]).map(|line| line.file.clone());
        if !runs {
            draft.check_if_run(
                "lint",
                &manager.execute("eslint ."),
                Level::Fast,
                &format!("There is {config}"),
                run_by,
            );
        }
    }
    for (tool, configs) in [
        ("oxlint", &[".oxlintrc.json", "oxlint.json"][..]),
        ("stylelint", &[".stylelintrc", ".stylelintrc.json", "stylelint.config.js"]),
    ] {
        if let Some(config) =
            place.first(configs).filter(|_| package.script_that_reaches(&["oxlint", "stylelint"]).is_none())
        {
            let run_by = place.ci.line_with(&[tool]).map(|line| line.file.clone());
            let line = manager.execute(if tool == "oxlint" { "oxlint" } else { "stylelint \"**/*.css\"" });
            draft.check_if_run(tool, &line, Level::Fast, &format!("There is {config}"), run_by);
        }
    }
    if let Some(name) = STYLES.iter().find(|name| package.script(name).is_some_and(|line| !changes(line))) {
        draft.check("styles", manager.run(name), Level::Fast, format!("Script `{name}` of package.json"));
    }
}

/// A linter that mends is asked what it would leave unmended: the same question, and nothing is changed.
fn lint_script(manager: &Manager, package: &Package, name: &str, draft: &mut Draft) {
    let because = format!("Script `{name}` of package.json");
    let lines = package.lines(name);
    if !lines.iter().any(|line| changes(line)) {
        draft.check("lint", manager.run(name), Level::Fast, because);
        return;
    }
    let line = package.script(name).unwrap_or_default().trim();
    let alone = !line.contains(['&', '|', ';', '$', '`']);
    match line.strip_prefix("eslint ").filter(|_| alone && lines.len() == 1) {
        Some(arguments) => {
            let arguments: Vec<&str> =
                arguments.split(' ').map(|word| if word == "--fix" { "--fix-dry-run" } else { word }).collect();
            let because = format!("{because}, which mends what it can; asked here without changing a file");
            draft.check("lint", manager.execute(&format!("eslint {}", arguments.join(" "))), Level::Fast, because);
        }
        None => draft.leave("lint", manager.run(name), Level::Fast, format!("{because}, which changes files")),
    }
}

fn changes(line: &str) -> bool {
    line.split_whitespace()
        .any(|word| matches!(word, "--fix" | "--write" | "-w" | "--apply" | "--unsafe" | "--fix-type"))
}

/// A script named `check`, and biome where nothing runs it.
pub(super) fn others(manager: &Manager, package: &Package, draft: &mut Draft) {
    for name in ["check", "biome", "ci"] {
        let Some(tool) = package.reaches(name, CHECKERS) else { continue };
        if package.lines(name).iter().any(|line| changes(line) || watches(line)) {
            continue;
        }
        let level =
            if matches!(tool, "svelte-check" | "astro check" | "tsc" | "vue-tsc") { Level::Smoke } else { Level::Fast };
        draft.check(
            if name == "biome" { "lint" } else { "check" },
            manager.run(name),
            level,
            format!("Script `{name}` of package.json runs {tool}"),
        );
        return;
    }
    if package.depends_on("@biomejs/biome") && package.script_that_reaches(&["biome"]).is_none() {
        draft.leave(
            "lint",
            manager.execute("biome check"),
            Level::Fast,
            "biome is a dependency, and no script runs it",
        );
    }
}

/// The script that checks the format; else the formatter that is configured.
pub(super) fn format(place: &Place<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    let by_name = FORMATS.iter().copied().find(|name| package.script(name).is_some_and(|line| !changes(line)));
    let by_line = ["format", "fmt", "prettier"].into_iter().find(|name| {
        package.script(name).is_some_and(|line| {
            !changes(line) && line.split(' ').any(|word| matches!(word, "--check" | "-c" | "--list-different" | "-l"))
        })
    });
    if let Some(name) = by_name.or(by_line) {
        draft.check("format", manager.run(name), Level::Strict, format!("Script `{name}` of package.json"));
        if let Some(line) = place.ci.line_with(&[name, "prettier --check"]) {
            draft.policy(
                "formatting",
                Wanted::BlockOn(Strategy::ErrorsAndWarnings),
                format!("{} checks the format", line.file),
            );
        }
        return;
    }
    let reached = draft.checks.iter().any(|check| check.line.contains("prettier"))
        || ["lint", "check", "test"].iter().any(|name| package.reaches(name, &["prettier"]).is_some());
    let config = place.first(PRETTIER_CONFIGS).or(package.has_key("prettier").then_some("`prettier` in package.json"));
    if let Some(config) = config.filter(|_| !reached && package.depends_on("prettier")) {
        let run_by = place.ci.line_with(&["prettier --check", "prettier -c"]).map(|line| line.file.clone());
        draft.check_if_run(
            "format",
            &manager.execute("prettier --check ."),
            Level::Strict,
            &format!("There is {config}"),
            run_by,
        );
    }
}

/// The runner of tests that is there without a script.
pub(super) fn runner(place: &Place<'_>, manager: &Manager, package: &Package) -> Option<(String, String)> {
    if !package.has_tests {
        return None;
    }
    let tests_of_bun = place.files().any(|path| path.contains(".test.") || path.contains("_test."));
    if manager.is_bun() && tests_of_bun {
        return Some(("bun test".to_owned(), "bun's own runner; there are tests, and no script `test`".to_owned()));
    }
    let tools = [("vitest", "vitest run"), ("jest", "jest"), ("mocha", "mocha"), ("ava", "ava")];
    let (tool, line) = tools.into_iter().find(|(tool, _)| package.depends_on(tool))?;
    Some((manager.execute(line), format!("{tool} is a dependency and there are tests, but no script `test`")))
}

/// The policies that the project's own strictness asks for (seed 1, "Agent Guidance for Setting Policies").
pub(super) fn policies(place: &Place<'_>, package: &Package, draft: &mut Draft) {
    let lints = draft
        .checks
        .iter()
        .any(|check| matches!(check.name.as_str(), "lint" | "check" | "styles" | "oxlint" | "stylelint"));
    if lints {
        warnings(place, package, draft);
    }
    let strict = |name: &str| {
        let root = place.text(name).and_then(document::tree)?;
        root.get("compilerOptions")?.get("strict").and_then(Node::boolean).filter(|strict| *strict)
    };
    let config =
        ["tsconfig.json", "tsconfig.app.json", "tsconfig.base.json"].into_iter().find(|name| strict(name).is_some());
    let checked = draft.checks.iter().any(|check| check.name == "types")
        || package.reaches("build", &["tsc", "vue-tsc"]).is_some();
    if let Some(config) = config.filter(|_| checked) {
        draft.policy(
            "typescript",
            Wanted::BlockOn(Strategy::ErrorsAlways),
            format!("{} says `strict`", place.path(config)),
        );
    }
}

/// Whether warnings block: by the scripts, by CI, by the configuration.
fn warnings(place: &Place<'_>, package: &Package, draft: &mut Draft) {
    let in_scripts = package.names().filter_map(|name| Some((format!("script `{name}`"), package.script(name)?)));
    let in_ci = place.ci.lines().map(|line| (line.file.clone(), line.text.as_str()));
    let tools = ["eslint", "oxlint", "stylelint", "biome", "svelte-check"];
    let mut found: Vec<(&str, Wanted, String)> = Vec::new();
    for (who, line) in in_scripts.chain(in_ci) {
        let named = tools.into_iter().find(|tool| mentions(line, tool));
        let tool = named.or_else(|| (mentions(line, "lint") || mentions(line, "next lint")).then_some("eslint"));
        let Some(tool) = tool else { continue };
        let most = line
            .contains("--max-warnings")
            .then(|| {
                if line.contains("--max-warnings 0") || line.contains("--max-warnings=0") {
                    Some(0)
                } else {
                    number_after(line, "--max-warnings")
                }
            })
            .flatten();
        let wanted = match most {
            Some(0) => Some((Wanted::BlockOn(Strategy::ErrorsAndWarnings), "--max-warnings 0")),
            Some(most) => Some((Wanted::MaxWarnings(u64::from(most)), "--max-warnings")),
            None => ["--error-on-warnings", "--deny-warnings", "--fail-on-warnings"]
                .into_iter()
                .find(|option| line.contains(option))
                .map(|option| (Wanted::BlockOn(Strategy::ErrorsAndWarnings), option)),
        };
        if let Some((wanted, option)) = wanted.filter(|_| found.iter().all(|(other, ..)| *other != tool)) {
            found.push((tool, wanted, format!("{who} says `{option}`")));
        }
    }
    let configured =
        place.text(".eslintrc.json").is_some_and(|text| text.replace(' ', "").contains("\"max-warnings\":0"));
    if configured && found.iter().all(|(tool, ..)| *tool != "eslint") {
        found.push((
            "eslint",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            ".eslintrc.json says `max-warnings: 0`".to_owned(),
        ));
    }
    for (tool, wanted, because) in found {
        draft.policy(tool, wanted, because);
    }
}
