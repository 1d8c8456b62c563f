//! Detects Node and related runtimes: `package.json`, scripts, package manager, checkers.

mod checkers;
mod format;
mod manager;
mod member;
mod name;
mod package;
mod script;
mod server;
mod tool;

use referee_model::selection::Level;

use self::manager::Manager;
use self::package::Package;
use super::project::{Draft, Ecosystem};
use super::{ProjectDirectory, TOOLS, under};

pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let text = place.text("package.json")?;
    let manager = Manager::told(place, text);
    let Some(package) = Package::read(place, text) else {
        let mut draft = Draft::new(Ecosystem::Node, place.directory, "package.json, which is not JSON");
        draft.notes.push(format!("{} is not a JSON object: nothing of it was taken", place.path("package.json")));
        return Some(draft);
    };
    let mut draft = Draft::new(Ecosystem::Node, place.directory, "package.json");
    draft.title.clone_from(&package.name);
    draft.signs.push(manager.because.clone());
    draft.signs.extend(package.frameworks().into_iter().map(str::to_owned));
    install(place, &manager, &package, &mut draft);
    script::Scripts::new(place, &manager, &package, &mut draft).propose();
    checkers::types(place, &manager, &package, &mut draft);
    checkers::configured(place, &manager, &package, &mut draft);
    tests(place, &manager, &package, &mut draft);
    if package.has_workspaces {
        members(place, &manager, &package, &mut draft);
    }
    server::services(place, &manager, &package, &mut draft);
    checkers::policies(place, &package, &mut draft);
    Some(draft)
}

/// Proposes to install missing dependencies first; existing ones are left unchanged.
fn install(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    if !package.has_dependencies {
        return;
    }
    let line = manager.install();
    let ancestors = place.directory.match_indices('/').map(|(at, _)| &place.directory[..at]);
    let above = ancestors.chain([""]).any(|directory| place.tree.has_directory(&under(directory, "node_modules")));
    if above || place.has_directory("node_modules") || place.has(".pnp.cjs") {
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

/// Proposes tests that no `test` script runs.
fn tests(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    let is_placeholder = package.script("test").is_some_and(package::is_placeholder);
    let has_test = draft.checks.iter().chain(&draft.left_to_people).any(|check| check.name == "test");
    if let Some((line, because)) = checkers::runner(place, manager, package).filter(|_| !has_test) {
        draft.check("test", line, Level::Fast, because);
    } else if is_placeholder && !has_test {
        draft.notes.push(format!(
            "the script `test` of {} is the one that npm writes where there is no test",
            place.path("package.json")
        ));
    }
    for name in package.names() {
        let is_proposed = draft.checks.iter().chain(&draft.left_to_people).any(|check| check.line == manager.run(name));
        let watches = || package::watches(package.script(name).unwrap_or_default());
        if let Some(tool) = browser(package, name).filter(|_| !is_proposed && !watches()) {
            server::in_browser(place, manager, package, name, tool, draft);
        }
    }
}

/// Returns the tools that control a browser or a device, which the project alone does not provide.
fn browser_tools() -> Vec<&'static str> {
    TOOLS.words("programs.browser").collect()
}

/// Returns the browser tool that a script needs.
fn browser(package: &Package, name: &str) -> Option<&'static str> {
    package.reaches(name, &browser_tools())
}

/// Returns whether all test files are known and none uses Node's runner, which then counts each file as one test.
fn reports_no_test(place: &ProjectDirectory<'_>) -> bool {
    let mut files = place.files().filter(|path| package::is_test_file(path)).peekable();
    files.peek().is_some() && files.all(|file| place.text(file).is_some_and(|text| !text.contains("node:test")))
}

/// Proposes checks that members of a workspace have and its root has not.
fn members(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
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
                    && !browser_tools().iter().any(|tool| line.contains(tool))
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
