//! Node and its relatives: a `package.json`, its scripts, its package manager, what checks it.

mod checkers;
mod manager;
mod package;
mod serving;

use referee_model::plan::Role;
use referee_model::selection::Level;

use self::manager::Manager;
use self::package::Package;
use super::Place;
use super::project::{Draft, Ecosystem};
use super::silent;

/// What drives a browser or a device: more than the project itself is needed.
const BROWSER: &[&str] = &[
    "playwright test",
    "cypress run",
    "cypress open",
    "wdio",
    "testcafe",
    "nightwatch",
    "karma start",
    "web-test-runner",
    "wtr",
    "test-storybook",
    "detox test",
];

/// Scripts that are the tests, where `test` is not.
const OTHER_TESTS: &[&str] = &["test:ci", "test:run", "test:unit", "unit", "test:all"];

/// Looks for a package.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let text = place.text("package.json")?;
    let manager = Manager::told(place, text);
    let Some(package) = Package::read(place, text) else {
        let mut draft = Draft::new(Ecosystem::Node, place.folder, "package.json, which is no JSON");
        draft.notes.push(format!("{} is no JSON object: nothing of it was taken", place.path("package.json")));
        return Some(draft);
    };
    let mut draft = Draft::new(Ecosystem::Node, place.folder, "package.json");
    draft.title.clone_from(&package.name);
    draft.signs.push(manager.because.clone());
    draft.signs.extend(package.frameworks().into_iter().map(str::to_owned));
    install(place, &manager, &package, &mut draft);
    checkers::types(place, &manager, &package, &mut draft);
    checkers::lint(place, &manager, &package, &mut draft);
    checkers::others(&manager, &package, &mut draft);
    build(&manager, &package, &mut draft);
    tests(place, &manager, &package, &mut draft);
    checkers::format(place, &manager, &package, &mut draft);
    if package.has_workspaces {
        members(place, &manager, &package, &mut draft);
    }
    serving::services(place, &manager, &package, &mut draft);
    checkers::policies(place, &package, &mut draft);
    evidence(place, &package, &mut draft);
    Some(draft)
}

/// Formatters look at every file, so also at the evidence of the run that they are a part of.
fn evidence(place: &Place<'_>, package: &Package, draft: &mut Draft) {
    let names = ["lint", "check", "format", "test", "ci", "biome"];
    let run = names.iter().find_map(|name| package.reaches(name, &["biome", "prettier"]));
    let is_hidden = |file: &str| place.tree.text(file).is_some_and(|text| text.contains("evidence"));
    let advice = match run {
        Some("biome") if !is_hidden("biome.json") && !is_hidden("biome.jsonc") => {
            "`\"!evidence\"` under `files.includes` of its configuration"
        }
        Some("prettier") if !is_hidden(".gitignore") && !is_hidden(".prettierignore") => {
            "`evidence/` in .gitignore or .prettierignore"
        }
        _ => return,
    };
    let tool = run.unwrap_or_default();
    draft.notes.push(format!(
        "{tool} looks at every file, also at the evidence that a run keeps, and would complain: it needs {advice}"
    ));
}

/// Dependencies that are not there are installed first; those that are there are left as they are.
fn install(place: &Place<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    if !package.has_dependencies {
        return;
    }
    let line = manager.install();
    let ancestors = place.folder.match_indices('/').map(|(at, _)| &place.folder[..at]);
    let above = ancestors.chain([""]).any(|folder| {
        let path = if folder.is_empty() { "node_modules".to_owned() } else { format!("{folder}/node_modules") };
        place.tree.has_folder(&path)
    });
    if above || place.has_folder("node_modules") || place.has(".pnp.cjs") {
        draft.leave(
            "install",
            line,
            Level::Strict,
            "Dependencies are installed here already; elsewhere this belongs under `prerequisites`",
        );
    } else {
        let because = "There are dependencies, and no node_modules here";
        let proposal = draft.proposal("install", line, Level::Smoke, because);
        draft.prerequisites.push(proposal);
    }
}

fn build(manager: &Manager, package: &Package, draft: &mut Draft) {
    let Some(line) = package.script("build") else { return };
    if package::watches(line) {
        return draft.leave(
            "build",
            manager.run("build"),
            Level::Fast,
            "Script `build` of package.json, which watches and never ends",
        );
    }
    draft.check("build", manager.run("build"), Level::Fast, "Script `build` of package.json");
}

fn tests(place: &Place<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    let named = |name: &&str| package.script(name).is_some_and(|line| !package::is_placeholder(line));
    let candidates: Vec<&str> = ["test"].into_iter().chain(OTHER_TESTS.iter().copied()).filter(named).collect();
    let runs = |name: &&&str| {
        package.script(name).is_some_and(|line| !package::watches(line) && browser(package, name).is_none())
    };
    if let Some(name) = candidates.iter().find(runs) {
        test_script(place, manager, package, name, draft);
    } else if let Some(name) = candidates.first() {
        let why = browser(package, name)
            .map_or("which watches and never ends".to_owned(), |tool| format!("which needs `{tool}`"));
        draft.leave("test", manager.run(name), Level::Fast, format!("Script `{name}` of package.json, {why}"));
    } else if let Some((line, because)) = checkers::runner(place, manager, package) {
        draft.check("test", line, Level::Fast, because);
    } else if package.script("test").is_some_and(package::is_placeholder) {
        draft.notes.push(format!(
            "the script `test` of {} is the one that npm writes where there is no test",
            place.path("package.json")
        ));
    }
    for name in package.names() {
        if let Some(tool) = browser(package, name)
            .filter(|_| !candidates.contains(&name) && !package::watches(package.script(name).unwrap_or_default()))
        {
            serving::in_browser(place, manager, package, name, tool, draft);
        }
    }
}

/// Returns what of a browser a script needs.
fn browser(package: &Package, name: &str) -> Option<&'static str> {
    package.reaches(name, BROWSER)
}

fn test_script(place: &Place<'_>, manager: &Manager, package: &Package, name: &str, draft: &mut Draft) {
    let line = package.script(name).unwrap_or_default();
    let because = format!("Script `{name}` of package.json");
    if package.reaches(name, &["ng test"]).is_some() {
        let karma = place.text("angular.json").is_some_and(|text| text.contains("karma"));
        let command = manager.run_with(name, "--watch=false");
        if karma {
            return draft.leave("test", command, Level::Fast, format!("{because}, which needs a browser (karma)"));
        }
        draft.check("test", command, Level::Fast, format!("{because}, once instead of on each change"));
        return;
    }
    let run = manager.run(name);
    let command = if package.reaches(name, &["react-scripts test"]).is_some() { format!("CI=true {run}") } else { run };
    let several = line.contains("&&") || line.contains(';');
    let check = draft.check("test", command, Level::Fast, because);
    if several {
        // A line of several tools has no role of its own; this one is there for its tests.
        check.role = Some(Role::Test);
    }
    if let Some(why) = package.lines(name).into_iter().find_map(silent::why) {
        check.exit_code_only = true;
        check.because = format!("{}; {why}, so its exit code decides", check.because);
    } else if line.trim().starts_with("node --test") && reports_no_test(place) {
        check.exit_code_only = true;
        check.because.push_str("; no file of tests uses node:test, so the exit code of each decides");
    }
    check.allow_no_tests = line.trim() == "node --test" && !package.has_tests;
    if check.allow_no_tests {
        check.because.push_str("; there is no test yet, so take `allowNoTests` away with the first one");
    }
}

/// Whether all files of tests are known and none of them uses Node's runner: it then takes each file for one test.
fn reports_no_test(place: &Place<'_>) -> bool {
    let mut files = place.files().filter(|path| package::is_test_file(path)).peekable();
    files.peek().is_some() && files.all(|file| place.text(file).is_some_and(|text| !text.contains("node:test")))
}

/// What the members of a workspace have and its root has not.
fn members(place: &Place<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    for (name, scripts, level) in [
        ("types", &["typecheck", "type-check", "check-types"][..], Level::Smoke),
        ("lint", &["lint"], Level::Fast),
        ("build", &["build"], Level::Fast),
        ("test", &["test"], Level::Fast),
    ] {
        if draft.checks.iter().any(|check| check.name == name)
            || scripts.iter().any(|script| package.script(script).is_some())
        {
            continue;
        }
        for script in scripts {
            let lines: Vec<String> = package::members_scripts(place, script);
            let fits = |line: &String| {
                !package::is_placeholder(line)
                    && !package::watches(line)
                    && !BROWSER.iter().any(|tool| line.contains(tool))
                    && !line.contains("--fix")
            };
            if let Some(line) = manager.run_in_members(script).filter(|_| !lines.is_empty() && lines.iter().all(fits)) {
                draft.check(
                    name,
                    line,
                    level,
                    format!("Script `{script}` of {} packages of the workspace", lines.len()),
                );
                break;
            }
        }
    }
}
