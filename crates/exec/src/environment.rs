//! Selects the environment variables of a command.
//!
//! A check must have the same result for every caller, and must not depend on the caller's shell. So a command gets
//! the variables that toolchains need to be found and to reach the network, those that the specification declares,
//! and nothing else: no secrets, and nothing that makes a program load or run something (`NODE_OPTIONS`,
//! `LD_PRELOAD`, `BASH_ENV`, `RUSTC_WRAPPER`, …). A declared variable is passed whatever its name, because it was
//! declared on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::id::{ActionId, ExecutionId};

/// Variable with the id of the run; together with [`ACTION`] it marks all processes that a command starts.
pub const EXECUTION: &str = "REFEREE_EXECUTION";

/// Variable with the id of the action.
pub const ACTION: &str = "REFEREE_ACTION";

/// Variable that marks a non-interactive run for tools.
const CI: &str = "CI";

/// Variables that are passed on, by family.
const PASSED: &[&[&str]] = &[
    // User and locale.
    &["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TEMP", "TMP", CI, "LOCALE_ARCHIVE"],
    // Locations of toolchains and their caches.
    &["JAVA_HOME", "JDK_HOME", "M2_HOME", "MAVEN_HOME", "GRADLE_USER_HOME"],
    &["GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOSUMDB", "GOTOOLCHAIN"],
    &["CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"],
    &["VIRTUAL_ENV", "PNPM_HOME", "COREPACK_HOME", "DENO_DIR", "BUN_INSTALL", "PLAYWRIGHT_BROWSERS_PATH"],
    &["ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT", "DOTNET_CLI_HOME", "NUGET_PACKAGES"],
    &["COMPOSER_HOME", "GEM_HOME", "BUNDLE_PATH"],
    &["npm_config_registry", "npm_config_cache", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE"],
    // Network access.
    &["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"],
    &["SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"],
    &["CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO"],
];

/// Prefixes of variables that are passed on: locale, base directories, version managers.
const PASSED_PREFIXES: &[&str] =
    &["LC_", "XDG_", "NVM_", "VOLTA_", "FNM_", "PYENV_", "RBENV_", "GOENV_", "ASDF_", "MISE_", "SDKMAN_", "CONDA_"];

/// Prefixes of variables that make a version manager run or load something; with the words that mark a secret, they
/// are excluded within a family.
const NEVER_PREFIXES: &[&str] = &["MISE_ENV"];
const NEVER_WORDS: &[&str] = &["HOOK", "HOOKS", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS", "AUTH", "KEY"];

/// Returns the search path for programs of a caller with these variables.
pub fn search_path(environment: &[(OsString, OsString)]) -> Option<&OsStr> {
    environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str())
}

/// Environment variables for one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    pub variables: BTreeMap<OsString, OsString>,
    /// Names of the caller's variables that are not passed on, sorted.
    pub dropped: Vec<String>,
}

impl Selected {
    /// Returns the search path for programs of the command.
    pub fn path(&self) -> Option<&OsStr> {
        self.variables.get(OsStr::new("PATH")).map(OsString::as_os_str)
    }
}

/// Selects the variables for an action that runs in `directory`: the caller's that are passed on, then the plan's,
/// then the action's own, then those that the engine sets.
pub fn select(
    caller: &[(OsString, OsString)],
    plan: &BTreeMap<String, String>,
    own: &BTreeMap<String, String>,
    execution: &ExecutionId,
    action: &ActionId,
    directory: &Path,
) -> Selected {
    let mut variables = BTreeMap::new();
    let mut dropped = BTreeSet::new();
    for (name, value) in caller {
        if name == "PATH" {
            variables.insert(name.clone(), clean_path(value));
        } else if is_passed(name) {
            variables.insert(name.clone(), value.clone());
        } else {
            dropped.insert(name.to_string_lossy().into_owned());
        }
    }
    variables.entry("TERM".into()).or_insert_with(|| "dumb".into());
    // Checks run as in CI: no watch mode, no questions, no snapshots written. An outer CI keeps its own value.
    if variables.get(OsStr::new(CI)).is_none_or(|outer| outer.is_empty()) {
        variables.insert(CI.into(), "true".into());
    }
    for (name, value) in plan.iter().chain(own) {
        variables.insert(name.into(), value.into());
    }
    variables.insert(EXECUTION.into(), execution.as_str().into());
    variables.insert(ACTION.into(), action.as_str().into());
    variables.insert("PWD".into(), directory.into());
    // npx must not install what is missing: a check runs what is there (ruling 4). npm reads the name in any case.
    variables.retain(|name, _| !name.eq_ignore_ascii_case("npm_config_yes"));
    variables.insert("npm_config_yes".into(), "false".into());
    // A declared `CI: ""` removes it, because some tools check whether it is set rather than its value.
    variables.retain(|name, value| name != CI || !value.is_empty());
    let dropped = dropped.into_iter().filter(|name| !variables.contains_key(OsStr::new(name))).collect();
    Selected { variables, dropped }
}

fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    if PASSED.iter().any(|family| family.contains(&name)) {
        return true;
    }
    PASSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && !NEVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && !name.split('_').any(|word| NEVER_WORDS.contains(&word))
}

/// Returns the absolute directories of a search path without duplicates: a relative or empty one would find
/// programs in the command's current directory.
fn clean_path(path: &OsStr) -> OsString {
    let mut kept: Vec<&[u8]> = Vec::new();
    for directory in path.as_bytes().split(|byte| *byte == b':') {
        if directory.starts_with(b"/") && !kept.contains(&directory) {
            kept.push(directory);
        }
    }
    OsStr::from_bytes(&kept.join(&b':')).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(caller: &[(&str, &str)], plan: &[(&str, &str)], own: &[(&str, &str)]) -> Selected {
        let caller: Vec<_> = caller.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let declared = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>()
        };
        let execution = ExecutionId::parse("exec-1").unwrap();
        let action = ActionId::parse("STEP.1").unwrap();
        select(&caller, &declared(plan), &declared(own), &execution, &action, Path::new("/work"))
    }

    fn value(selected: &Selected, name: &str) -> Option<String> {
        selected.variables.get(OsStr::new(name)).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn what_toolchains_need_is_passed_on() {
        for name in [
            "HOME",
            "USER",
            "LOGNAME",
            "LANG",
            "LC_ALL",
            "TZ",
            "TERM",
            "TMPDIR",
            "XDG_CACHE_HOME",
            "CI",
            "NVM_DIR",
            "VOLTA_HOME",
            "PYENV_ROOT",
            "PYENV_VERSION",
            "MISE_DATA_DIR",
            "JAVA_HOME",
            "GOPATH",
            "GOTOOLCHAIN",
            "CARGO_HOME",
            "RUSTUP_TOOLCHAIN",
            "CARGO_TARGET_DIR",
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "PNPM_HOME",
            "DOTNET_ROOT",
            "GEM_HOME",
            "BUNDLE_PATH",
            "HTTPS_PROXY",
            "no_proxy",
            "SSL_CERT_FILE",
            "GIT_SSL_CAINFO",
            "NODE_EXTRA_CA_CERTS",
            "npm_config_registry",
        ] {
            let selected = selected(&[(name, "value")], &[], &[]);
            assert_eq!(value(&selected, name).as_deref(), Some("value"), "{name}");
            assert!(selected.dropped.is_empty(), "{name}");
        }
    }

    #[test]
    fn what_injects_code_bends_tools_or_is_secret_is_dropped_unless_declared() {
        for name in [
            "NODE_OPTIONS",
            "NODE_PATH",
            "PYTEST_ADDOPTS",
            "PYTEST_PLUGINS",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PYTHONHOME",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "GOFLAGS",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "MAVEN_OPTS",
            "MAVEN_ARGS",
            "GRADLE_OPTS",
            "PERL5OPT",
            "PERL5LIB",
            "RUBYOPT",
            "RUBYLIB",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "SHELLOPTS",
            "BASHOPTS",
            "IFS",
            "CDPATH",
            "BASH_FUNC_npx%%",
            "GIT_SSH_COMMAND",
            "GIT_EXTERNAL_DIFF",
            "EDITOR",
            "PAGER",
            "CC",
            "CXX",
            "CFLAGS",
            "SHELL",
            "REFEREE_FORMAT",
            "REFEREE_KEY",
            "SSH_AUTH_SOCK",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "MISE_GITHUB_TOKEN",
            "MISE_ENV",
            "PYENV_HOOK_PATH",
            "RBENV_HOOK_PATH",
            "NVM_AUTH_HEADER",
            "npm_config_node_options",
            "npm_config_script_shell",
            "npm_config_userconfig",
            "OLDPWD",
        ] {
            let from_caller = selected(&[(name, "x")], &[], &[]);
            assert_eq!(value(&from_caller, name), None, "{name}");
            assert_eq!(from_caller.dropped, [name], "{name}");
            let declared = selected(&[(name, "x")], &[(name, "y")], &[]);
            assert_eq!(value(&declared, name).as_deref(), Some("y"), "{name}");
            assert!(declared.dropped.is_empty(), "{name}");
        }
    }

    #[test]
    fn the_action_goes_before_the_plan_and_the_engine_before_both() {
        let selected = selected(
            &[("TZ", "caller"), ("LANG", "caller"), ("PWD", "/elsewhere"), ("REFEREE_EXECUTION", "outer")],
            &[("TZ", "plan"), ("LANG", "plan"), ("REFEREE_ACTION", "forged"), ("npm_config_yes", "true")],
            &[("TZ", "own"), ("NPM_CONFIG_YES", "true")],
        );
        assert_eq!(value(&selected, "TZ").as_deref(), Some("own"));
        assert_eq!(value(&selected, "LANG").as_deref(), Some("plan"));
        assert_eq!(value(&selected, "PWD").as_deref(), Some("/work"));
        assert_eq!(value(&selected, EXECUTION).as_deref(), Some("exec-1"));
        assert_eq!(value(&selected, ACTION).as_deref(), Some("STEP.1"));
        assert_eq!(value(&selected, "npm_config_yes").as_deref(), Some("false"));
        assert_eq!(value(&selected, "NPM_CONFIG_YES"), None);
        assert!(selected.dropped.is_empty());
    }

    #[test]
    fn the_search_path_keeps_absolute_directories_once() {
        for (given, kept) in [
            ("/bin:/usr/bin", "/bin:/usr/bin"),
            (":/bin::node_modules/.bin:./x:/bin:/usr/bin:", "/bin:/usr/bin"),
            (".", ""),
            ("", ""),
        ] {
            assert_eq!(value(&selected(&[("PATH", given)], &[], &[]), "PATH").as_deref(), Some(kept), "{given}");
        }
    }

    #[test]
    fn a_terminal_type_is_kept_and_dumb_without_one() {
        assert_eq!(value(&selected(&[("TERM", "xterm")], &[], &[]), "TERM").as_deref(), Some("xterm"));
        assert_eq!(value(&selected(&[], &[], &[]), "TERM").as_deref(), Some("dumb"));
    }

    #[test]
    fn commands_run_as_in_ci_unless_the_specification_says_otherwise() {
        for (caller, plan, own, expected) in [
            (None, None, None, Some("true")),
            (Some(""), None, None, Some("true")),
            (Some("woodpecker"), None, None, Some("woodpecker")),
            (Some("woodpecker"), Some("1"), None, Some("1")),
            (None, Some("1"), Some("false"), Some("false")),
            (Some("true"), Some(""), None, None),
            (None, Some("1"), Some(""), None),
            (None, Some(""), Some("1"), Some("1")),
        ] {
            let pair = |value: Option<&'static str>| value.map(|value| ("CI", value));
            let [caller, plan, own] = [caller, plan, own].map(|value| Vec::from_iter(pair(value)));
            assert_eq!(
                value(&selected(&caller, &plan, &own), "CI").as_deref(),
                expected,
                "{caller:?} {plan:?} {own:?}"
            );
        }
    }

    #[test]
    fn dropped_names_are_sorted_and_stand_once() {
        let selected = selected(&[("B_B", ""), ("A_A", ""), ("B_B", "")], &[], &[]);
        assert_eq!(selected.dropped, ["A_A", "B_B"]);
    }
}
