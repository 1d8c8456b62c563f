//! Type checks, lint and format of a package, with their policies.

use referee_model::plan::Strategy;
use referee_model::selection::Level;
use referee_syntax::tree::Node;

use super::super::manifest_document;
use super::super::project::{Draft, PolicyChoice};
use super::super::text::{mentions, number_after, plain_words};
use super::super::{ProjectDirectory, TOOLS};
use super::manager::Manager;
use super::package::{Package, watches};

/// Proposes a type check if no script is one: the command by which another script checks types.
pub(super) fn types(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    if draft.checks.iter().any(|check| check.name == "types") {
        return;
    }
    // A script `check` is a check of its own.
    let names = package.names().filter(|name| *name != "check" && !name.starts_with("check:"));
    for (name, line) in names.filter_map(|name| Some((name, package.script(name)?))) {
        let pieces: Vec<&str> = line.split("&&").map(str::trim).collect();
        // A script that only runs the compiler is a check by itself.
        if let Some(words) = pieces.iter().filter(|_| pieces.len() > 1).find_map(|piece| compiler(piece)) {
            let because = format!("Script `{name}` of package.json checks the types so");
            draft.check("types", manager.execute(&words), Level::Smoke, because);
            draft.checks.rotate_right(1);
            return;
        }
    }
    let runs = package.script_that_reaches(&["tsc", "vue-tsc", "svelte-check", "astro check"]).is_some();
    if let Some(config) = place.text("tsconfig.json").filter(|_| package.depends_on("typescript") && !runs) {
        let references = manifest_document::tree(config)
            .is_some_and(|root| root.get("references").is_some_and(|list| !list.elements().is_empty()));
        let line = manager.execute(if references { "tsc -b" } else { "tsc --noEmit" });
        draft.check_if_run("types", &line, Level::Smoke, "There is a tsconfig.json", place.run_by(&["tsc"]));
    }
}

/// Returns the words of a plain run of the compiler, with output disabled.
fn compiler(piece: &str) -> Option<String> {
    let words = plain_words(piece)?;
    if !matches!(words.first().copied(), Some("tsc" | "vue-tsc" | "tsgo" | "svelte-check")) || watches(piece) {
        return None;
    }
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    let asks = words.iter().any(|word| TOOLS.holds("typescript.asking", word));
    let writes = words[0] != "svelte-check" && !has(&["-b", "--build", "--noEmit"]);
    (!asks).then(|| if writes { format!("{} --noEmit", words.join(" ")) } else { words.join(" ") })
}

/// Reports linters and formatters that are configured, but that nothing runs.
pub(super) fn configured(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    let runs = |tool: &'static str| package.script_that_reaches(&[tool]).is_some() || place.run_by(&[tool]).is_some();
    let config = |tool: &str| TOOLS.words(&format!("files.{tool}")).find(|name| place.has(name));
    let eslint = config("eslint").or(package.has_key("eslintConfig").then_some("`eslintConfig`"));
    let prettier = config("prettier").or(package.has_key("prettier").then_some("`prettier` in package.json"));
    let styles = place.first(&[".stylelintrc", ".stylelintrc.json", "stylelint.config.js"]);
    for (name, tool, config, line, level) in [
        ("lint", "eslint", eslint, "eslint .", Level::Fast),
        ("oxlint", "oxlint", place.first(&[".oxlintrc.json", "oxlint.json"]), "oxlint", Level::Fast),
        ("stylelint", "stylelint", styles, "stylelint \"**/*.css\"", Level::Fast),
        ("lint", "biome", place.first(&["biome.json", "biome.jsonc"]), "biome check", Level::Fast),
        ("format", "prettier", prettier, "prettier --check .", Level::Strict),
    ] {
        let Some(config) = config.filter(|_| !runs(tool)) else { continue };
        draft.check_if_run(name, &manager.execute(line), level, &format!("There is {config}"), None);
    }
}

/// Proposes the test runner that is available without a script.
pub(super) fn runner(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package) -> Option<(String, String)> {
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

/// Proposes policies by the project's own strictness (seed 1, "Agent Guidance for Setting Policies").
pub(super) fn policies(place: &ProjectDirectory<'_>, package: &Package, draft: &mut Draft) {
    let lints = draft
        .checks
        .iter()
        .any(|check| matches!(check.name.as_str(), "lint" | "check" | "styles" | "oxlint" | "stylelint"));
    if lints {
        warnings(place, package, draft);
    }
    let strict = |name: &str| {
        let root = place.text(name).and_then(manifest_document::tree)?;
        root.get("compilerOptions")?.get("strict").and_then(Node::boolean).filter(|strict| *strict)
    };
    let config =
        ["tsconfig.json", "tsconfig.app.json", "tsconfig.base.json"].into_iter().find(|name| strict(name).is_some());
    let checked = draft.checks.iter().any(|check| check.name == "types")
        || package.reaches("build", &["tsc", "vue-tsc"]).is_some();
    if let Some(config) = config.filter(|_| checked) {
        draft.policy(
            "typescript",
            PolicyChoice::BlockOn(Strategy::ErrorsAlways),
            format!("{} says `strict`", place.path(config)),
        );
    }
}

/// Decides whether warnings block: by the scripts, by CI, by the configuration.
fn warnings(place: &ProjectDirectory<'_>, package: &Package, draft: &mut Draft) {
    let in_scripts =
        package.names().filter_map(|name| Some((format!("script `{name}`"), package.script(name)?.to_owned())));
    let in_ci = place.ci_lines().map(|line| (line.file.clone(), line.command.text()));
    let tools = ["eslint", "oxlint", "stylelint", "biome", "svelte-check"];
    let mut found: Vec<(&str, PolicyChoice, String)> = Vec::new();
    for (who, line) in in_scripts.chain(in_ci) {
        let line = line.as_str();
        let named = tools.into_iter().find(|tool| mentions(line, tool));
        let tool = named.or_else(|| mentions(line, "lint").then_some("eslint"));
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
            Some(0) => Some((PolicyChoice::BlockOn(Strategy::ErrorsAndWarnings), "--max-warnings 0")),
            Some(most) => Some((PolicyChoice::MaxWarnings(u64::from(most)), "--max-warnings")),
            None => ["--error-on-warnings", "--deny-warnings", "--fail-on-warnings"]
                .into_iter()
                .find(|option| line.contains(option))
                .map(|option| (PolicyChoice::BlockOn(Strategy::ErrorsAndWarnings), option)),
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
            PolicyChoice::BlockOn(Strategy::ErrorsAndWarnings),
            ".eslintrc.json says `max-warnings: 0`".to_owned(),
        ));
    }
    for (tool, wanted, because) in found {
        draft.policy(tool, wanted, because);
    }
}
