//! Files that tools load automatically: one that appears during a run may change what later checks do.

use std::path::Path;

use referee_ledger::tree::Change;
use referee_model::run_context::tree::TreeChangeKind;

/// Names of files that tools load automatically, in any directory.
const NAMES: [&str; 24] = [
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "pyproject.toml",
    "package.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".babelrc",
    ".mocharc.js",
    ".mocharc.json",
    "tsconfig.json",
    "build.rs",
    "rust-toolchain",
    "rust-toolchain.toml",
    "clippy.toml",
    "Makefile",
    "go.work",
    ".rspec",
    ".gitattributes",
];

/// Prefixes of such names, for configuration that is a program in one of several languages.
const STEMS: [&str; 11] = [
    "jest.config.",
    "jest.setup.",
    "vitest.config.",
    "vite.config.",
    "eslint.config.",
    ".eslintrc",
    "babel.config.",
    "playwright.config.",
    "webpack.config.",
    "rollup.config.",
    ".prettierrc",
];

const PATHS: [&str; 2] = [".cargo/config", ".cargo/config.toml"];

/// Returns a notice about added files that tools load automatically. `None` if there are none.
pub(super) fn notice(changes: &[Change]) -> Option<String> {
    let added: Vec<Change> = changes
        .iter()
        .filter(|change| change.kind == TreeChangeKind::Added && is_auto_loaded(&change.path))
        .cloned()
        .collect();
    (!added.is_empty()).then(|| {
        format!(
            "files appeared during the run that tools load without being told to: {}. What ran before did not see them, \
             what ran afterwards may have",
            super::named(&added)
        )
    })
}

fn is_auto_loaded(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    NAMES.contains(&name.as_ref())
        || STEMS.iter().any(|stem| name.starts_with(stem))
        || PATHS.iter().any(|end| path.ends_with(end))
        || (name.ends_with(".pth") && !name.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_added_files_that_tools_load_by_themselves_are_told() {
        let change = |path: &str, kind| Change { path: path.into(), kind, at: None };
        let told = notice(&[
            change("conftest.py", TreeChangeKind::Modified),
            change("src/main.ts", TreeChangeKind::Added),
            change("tests/conftest.py", TreeChangeKind::Added),
            change("jest.config.mjs", TreeChangeKind::Added),
            change("a/.cargo/config.toml", TreeChangeKind::Added),
        ])
        .unwrap();
        for name in ["tests/conftest.py", "jest.config.mjs", ".cargo/config.toml"] {
            assert!(told.contains(name), "{told}");
        }
        assert!(!told.contains("main.ts") && !told.contains(" conftest.py"), "{told}");
        assert_eq!(notice(&[change("config.toml", TreeChangeKind::Added)]), None);
    }
}
