//! Servers of a package, and tests that need them.

use referee_model::selection::Level;

use super::super::ProjectDirectory;
use super::super::ci::Line;
use super::super::project::{Draft, ReadySign, ServiceProposal};
use super::super::text::number_after;
use super::manager::Manager;
use super::package::Package;

/// Default ports of frameworks.
const PORTS: &[(&str, u16)] = &[
    ("next", 3000),
    ("nuxt", 3000),
    ("astro", 4321),
    ("@angular/core", 4200),
    ("react-scripts", 3000),
    ("gatsby", 8000),
    ("vite", 5173),
];

/// Proposes browser tests if CI runs them, with their server if they do not start one themselves.
pub(super) fn in_browser(
    place: &ProjectDirectory<'_>,
    manager: &Manager,
    package: &Package,
    name: &str,
    tool: &str,
    draft: &mut Draft,
) {
    let check = if name.contains("component") { "component" } else { "e2e" };
    if draft.checks.iter().chain(&draft.left_to_people).any(|other| other.name == check) {
        return;
    }
    let because = format!("Script `{name}` of package.json needs `{tool}`");
    let runs = |line: &&Line| {
        let is_script = || line.command.own_script().is_some_and(|(script, _)| script == name);
        line.is_of_ci && (line.command.runs(tool) || is_script())
    };
    let Some(line) = place.lines().find(runs) else {
        draft.leave(
            check,
            manager.run(name),
            Level::Strict,
            format!("{because}, with its browsers, and CI does not run it"),
        );
        return;
    };
    let because = format!("{because}, and {} runs it", line.file);
    let service = if starts_itself(place) { None } else { service(place, manager, package, true) };
    let needs: Vec<String> = service.iter().map(|service| service.name.clone()).collect();
    draft.services.extend(service);
    draft.check(check, manager.run(name), Level::Strict, because).needs = needs;
}

/// Reports a server that no proposed check needs.
pub(super) fn services(place: &ProjectDirectory<'_>, manager: &Manager, package: &Package, draft: &mut Draft) {
    if draft.services.is_empty() && !starts_itself(place) {
        draft.services.extend(service(place, manager, package, false));
    }
}

/// Returns whether the browser test runner starts the server.
fn starts_itself(place: &ProjectDirectory<'_>) -> bool {
    place.texts().any(|(path, text)| path.starts_with("playwright.config.") && text.contains("webServer"))
}

fn service(
    place: &ProjectDirectory<'_>,
    manager: &Manager,
    package: &Package,
    needed: bool,
) -> Option<ServiceProposal> {
    let script = ["dev", "start", "serve"].into_iter().find(|name| package.script(name).is_some())?;
    let line = package.script(script)?;
    let config = |start: &str| place.texts().find(|(path, _)| path.starts_with(start)).map(|(_, text)| text);
    let base = config("cypress.config.").or_else(|| config("playwright.config.")).and_then(local_url);
    let (ready, how) = if let Some(url) = base {
        (ReadySign::Url(url), "its base URL stands in the configuration of the browser tests")
    } else if let Some(port) = ["--port", "-p", "PORT="].iter().find_map(|marker| number_after(line, marker)) {
        (ReadySign::Port(port), "its port stands in the script")
    } else if let Some(port) = config("vite.config.").and_then(|text| number_after(text, "port:")) {
        (ReadySign::Port(port), "its port stands in the configuration of vite")
    } else {
        let (framework, port) = PORTS.iter().find(|(name, _)| package.depends_on(name))?;
        return Some(proposed(
            place,
            manager,
            script,
            ReadySign::Port(*port),
            needed,
            &format!("{framework}'s own port"),
        ));
    };
    Some(proposed(place, manager, script, ready, needed, how))
}

fn proposed(
    place: &ProjectDirectory<'_>,
    manager: &Manager,
    script: &str,
    ready: ReadySign,
    needed: bool,
    how: &str,
) -> ServiceProposal {
    let use_of_it = if needed { "which the checks need" } else { "for checks by HTTP; none was found" };
    ServiceProposal {
        name: "web".to_owned(),
        line: manager.run(script),
        directory: place.directory.to_owned(),
        ready,
        needed,
        because: format!("Script `{script}` of package.json serves, {use_of_it}; {how}"),
    }
}

/// Returns the first URL of this machine in a text.
fn local_url(text: &str) -> Option<String> {
    ["http://localhost:", "http://127.0.0.1:"].iter().find_map(|start| {
        let port = number_after(text, start)?;
        Some(format!("{start}{port}"))
    })
}
