//! Compares variables. Some make programs load code, or change their behavior (attacks, row 2).

use std::collections::BTreeMap;

use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;

/// Variables that make a program load code, run something else or take other arguments.
const INJECTING: &[&str] = &[
    "_JAVA_OPTIONS",
    "BASH_ENV",
    "BUNDLE_GEMFILE",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_ENCODED_RUSTFLAGS",
    "CLASSPATH",
    "COVERAGE_PROCESS_START",
    "DOTNET_ADDITIONAL_DEPS",
    "DOTNET_STARTUP_HOOKS",
    "ENV",
    "ESLINT_USE_FLAT_CONFIG",
    "GOFLAGS",
    "GRADLE_OPTS",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAKEFLAGS",
    "MAVEN_ARGS",
    "MAVEN_OPTS",
    "MYPYPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RSPEC_OPTS",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "SHELLOPTS",
    "TS_NODE_TRANSPILE_ONLY",
    "ZDOTDIR",
];

/// Prefixes of further such variables.
const INJECTING_PREFIXES: &[&str] =
    &["CARGO_TARGET_", "DYLD_", "GIT_CONFIG", "LD_", "NPM_CONFIG_", "UV_", "YARN_", "npm_config_"];

/// Compares the variables of one subject.
pub(super) fn compare(
    subject: &str,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    weaker: &mut Weaker,
) {
    let shown = |name: &str, value: &String| format!("{name}={value}");
    for (name, value) in after {
        let old = before.get(name);
        if old == Some(value) {
            continue;
        }
        let kind = if injects(name, value) { Kind::EnvironmentInjected } else { Kind::EnvironmentChanged };
        let old = old.map_or_else(|| format!("{name} is not set"), |old| shown(name, old));
        weaker.add(kind, subject, old, shown(name, value));
    }
    for (name, value) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
        weaker.add(Kind::EnvironmentChanged, subject, shown(name, value), format!("{name} is not set"));
    }
}

/// Returns whether a variable makes programs load code or changes their behavior. Turning Rust warnings into
/// errors does not count.
fn injects(name: &str, value: &str) -> bool {
    if matches!(name, "RUSTFLAGS" | "RUSTDOCFLAGS") && only_denies(value) {
        return false;
    }
    INJECTING.contains(&name) || INJECTING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn only_denies(flags: &str) -> bool {
    let mut words = flags.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-D" | "-F" | "--deny" | "--forbid" => drop(words.next()),
            _ if word.starts_with("-D") || word.starts_with("-F") => {}
            _ => return false,
        }
    }
    true
}
