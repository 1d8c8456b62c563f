//! How an MCP server for browsers is started.
//!
//! By default it is Playwright's, from `node_modules` of the workspace, with the browser of the system. Nothing is
//! installed. Another one is started as it is given, and told the same by environment variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use referee_model::plan::interaction::BrowserEngine;
use referee_model::plan::{Action, Browser, CaptureName, Command, Invocation};
use referee_model::record::StartFailure;

use crate::command::{Commands, Prepared};
use crate::resolve::{Refusal, search};

/// Package of Playwright's server, and the names of its program, the present one first.
const PACKAGE: &str = "@playwright/mcp";
const PROGRAMS: [&str; 2] = ["playwright-mcp", "mcp-server-playwright"];

/// Names of the system's browser. Playwright's Firefox and WebKit are its own.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Prefix of the environment variables that Playwright's server reads.
const VARIABLE: &str = "PLAYWRIGHT_MCP";

/// Prepares the start of a server, without starting it.
pub(crate) fn prepare(
    action: &Action,
    captured: &BTreeMap<CaptureName, String>,
    browser: &Browser,
    commands: &Commands<'_>,
) -> Prepared {
    let own = if browser.server.is_empty() { Some(&[][..]) } else { playwright(&browser.server) };
    let mut prepared = if let Some(arguments) = own {
        installed((action, captured), browser, commands, arguments)
    } else {
        let command = Command::of(Invocation::Argv(browser.server.clone()));
        commands.prepare(action, &command, captured, None)
    };
    let chosen = (browser.engine == BrowserEngine::Chromium).then(|| chromium(prepared.selected.path())).flatten();
    let is_root = rustix::process::geteuid().is_root();
    if let (Some(given), Ok(resolved)) = (own, &mut prepared.resolved) {
        let options = options(browser, chosen.as_ref().map(|(_, path)| path), is_root, given);
        resolved.argv.splice(1..1, options);
    }
    for (name, value) in variables(browser, chosen.as_ref().map(|(_, path)| path), is_root, own.is_some()) {
        prepared.selected.variables.insert(format!("{VARIABLE}_{name}").into(), value);
    }
    // A server of somebody else's may drive any browser.
    if let (Some((name, path)), Ok(resolved), true) = (chosen, &mut prepared.resolved, own.is_some()) {
        resolved.executables.push(commands.identify(name, &path));
    }
    // Where a server writes files that nobody asked for.
    let temporary = prepared.selected.variables.get(OsStr::new("TMPDIR")).cloned().unwrap_or_else(|| "/tmp".into());
    let mut directory = temporary;
    directory.push("/referee-browser");
    prepared.selected.variables.insert(format!("{VARIABLE}_OUTPUT_DIR").into(), directory);
    prepared
}

/// Returns the arguments of a command that makes npx run Playwright's server. None: it runs something else. Whatever
/// version it names, only the installed one is run.
fn playwright(words: &[String]) -> Option<&[String]> {
    let (program, words) = words.split_first()?;
    let consents = words.iter().take_while(|word| ["-y", "--yes"].contains(&word.as_str())).count();
    let (tool, arguments) = words.get(consents..)?.split_first()?;
    let is_it = tool.strip_prefix(PACKAGE).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'));
    (program == "npx" && is_it).then_some(arguments)
}

/// Finds the installed server.
fn installed(
    (action, captured): (&Action, &BTreeMap<CaptureName, String>),
    browser: &Browser,
    commands: &Commands<'_>,
    arguments: &[String],
) -> Prepared {
    let prepare = |program: &str| {
        let words = ["npx", program].into_iter().map(str::to_owned).chain(arguments.iter().cloned()).collect();
        commands.prepare(action, &Command::of(Invocation::Argv(words)), captured, None)
    };
    let mut first = prepare(PROGRAMS[0]);
    let is_missing =
        |prepared: &Prepared| prepared.resolved.as_ref().is_err_and(|refusal| refusal.cause == StartFailure::NotFound);
    if is_missing(&first) {
        let second = prepare(PROGRAMS[1]);
        if !is_missing(&second) {
            return second;
        }
        let instead = if browser.server.is_empty() { ", or name another server with `mcpServerCommand`" } else { "" };
        let message = format!(
            "the MCP server {PACKAGE} is not installed in node_modules of the workspace: add it with \
             `npm install --save-dev {PACKAGE}`{instead}"
        );
        first.resolved = Err(Refusal::new(StartFailure::NotFound, message));
    }
    first
}

/// Finds the system's browser on the search path.
fn chromium(path: Option<&OsStr>) -> Option<(&'static str, PathBuf)> {
    CHROMIUM.iter().find_map(|name| Some((*name, search(name, path).ok()?)))
}

/// Returns the options of Playwright's server, which precede those that are given.
fn options(browser: &Browser, program: Option<&PathBuf>, is_root: bool, given: &[String]) -> Vec<String> {
    let mut options = vec!["--browser".to_owned(), browser.engine.as_str().to_owned()];
    if browser.headless {
        options.push("--headless".to_owned());
    }
    let keeps_profile = ["--user-data-dir", "--cdp-endpoint", "--extension", "--endpoint"];
    if !given.iter().any(|word| keeps_profile.iter().any(|option| word.starts_with(option))) {
        options.push("--isolated".to_owned());
    }
    if let Some(program) = program {
        options.extend(["--executable-path".to_owned(), program.to_string_lossy().into_owned()]);
    }
    // Chromium's sandbox does not work for root.
    if is_root && browser.engine == BrowserEngine::Chromium {
        options.push("--no-sandbox".to_owned());
    }
    options
}

/// Returns the settings that a server gets by environment variables: all, unless it has got them by options.
fn variables(
    browser: &Browser,
    program: Option<&PathBuf>,
    is_root: bool,
    has_options: bool,
) -> Vec<(&'static str, OsString)> {
    // The driver itself waits for what a command causes.
    let mut variables: Vec<(&str, OsString)> = vec![("TIMEOUT_SETTLE", "0".into())];
    if has_options {
        return variables;
    }
    variables.push(("BROWSER", browser.engine.as_str().into()));
    variables.push(("HEADLESS", browser.headless.to_string().into()));
    if let Some(program) = program {
        variables.push(("EXECUTABLE_PATH", program.into()));
    }
    if is_root && browser.engine == BrowserEngine::Chromium {
        variables.push(("SANDBOX", "false".into()));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn playwrights_server_is_recognized_however_npx_is_asked_for_it() {
        for (line, expected) in [
            ("npx @playwright/mcp", Some("")),
            ("npx @playwright/mcp@latest --headless", Some("--headless")),
            ("npx -y @playwright/mcp@0.0.83 --isolated --x", Some("--isolated --x")),
            ("npx --yes @playwright/mcp", Some("")),
            ("npx @playwright/mcp-other", None),
            ("npx other @playwright/mcp", None),
            ("node server.js", None),
            ("npx", None),
            ("", None),
        ] {
            assert_eq!(playwright(&words(line)).map(<[String]>::to_vec), expected.map(words), "{line}");
        }
    }

    #[test]
    fn options_follow_the_specification_and_what_is_given() {
        let browser = |engine, headless| Browser { engine, headless, server: Vec::new(), commands: Vec::new() };
        let chromium = PathBuf::from("/usr/bin/chromium");
        for (browser, program, is_root, given, expected) in [
            (
                browser(BrowserEngine::Chromium, true),
                Some(&chromium),
                true,
                "",
                "--browser chromium --headless --isolated --executable-path /usr/bin/chromium --no-sandbox",
            ),
            (browser(BrowserEngine::Chromium, false), None, false, "", "--browser chromium --isolated"),
            (browser(BrowserEngine::Firefox, true), None, true, "", "--browser firefox --headless --isolated"),
            (browser(BrowserEngine::Webkit, true), None, false, "--user-data-dir=/p", "--browser webkit --headless"),
        ] {
            assert_eq!(options(&browser, program, is_root, &words(given)), words(expected));
        }
    }
}
