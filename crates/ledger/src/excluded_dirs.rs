//! Well-known directories of third-party code and generated files: one table for all searches that skip them.

/// How a directory with a known name is recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Name,
    /// By a file of this name next to the directory.
    Beside(&'static str),
    /// By a file of this name in the directory.
    Inside(&'static str),
}

#[derive(Debug, Clone, Copy)]
struct Kind {
    name: &'static str,
    sign: Sign,
    /// Nothing in the directory is an input, unless git tracks something there.
    no_input: bool,
    /// The directory is not searched for protected files, tracked or not.
    unprotected: bool,
    /// Dependencies are installed into the directory, so its files say nothing about what the project requires.
    installed: bool,
}

const fn kind(name: &'static str, sign: Sign, [no_input, unprotected, installed]: [bool; 3]) -> Kind {
    Kind { name, sign, no_input, unprotected, installed }
}

/// Marks a directory that a tool can regenerate (the cache directory tagging convention).
const CACHE_TAG: Sign = Sign::Inside("CACHEDIR.TAG");
/// Marks a Python virtual environment.
const ENVIRONMENT: Sign = Sign::Inside("pyvenv.cfg");
const YES: bool = true;
const NO: bool = false;

/// Every known kind of directory. Protected files could be hidden in a directory that is wrongly in the
/// `unprotected` column, so it is set only for directories that no tool loads code from by itself.
const KINDS: [Kind; 33] = [
    //                                              no input, unprotected, installed
    // A `node_modules` without a package beside it was put there deliberately.
    kind("node_modules", Sign::Name, [YES, NO, YES]),
    kind("node_modules", Sign::Beside("package.json"), [YES, YES, YES]),
    kind("node_modules", Sign::Beside("deno.json"), [YES, YES, YES]),
    kind("node_modules", Sign::Beside("deno.jsonc"), [YES, YES, YES]),
    kind(".venv", Sign::Name, [YES, YES, YES]),
    kind("venv", Sign::Name, [NO, YES, YES]),
    kind("venv", ENVIRONMENT, [YES, NO, NO]),
    kind("env", ENVIRONMENT, [YES, NO, NO]),
    kind("site-packages", Sign::Name, [YES, YES, YES]),
    kind("vendor", Sign::Name, [NO, NO, YES]),
    kind("bower_components", Sign::Name, [YES, YES, NO]),
    kind("Pods", Sign::Name, [YES, NO, NO]),
    kind(".terraform", Sign::Name, [YES, NO, NO]),
    kind(".dart_tool", Sign::Name, [YES, NO, NO]),
    kind("__pycache__", Sign::Name, [YES, YES, NO]),
    kind(".mypy_cache", Sign::Name, [YES, YES, NO]),
    kind(".pytest_cache", Sign::Name, [YES, YES, NO]),
    kind(".ruff_cache", Sign::Name, [YES, YES, NO]),
    kind(".tox", Sign::Name, [YES, YES, NO]),
    kind(".nox", Sign::Name, [YES, YES, NO]),
    kind(".gradle", Sign::Name, [YES, YES, NO]),
    kind(".next", Sign::Name, [YES, YES, NO]),
    kind(".nuxt", Sign::Name, [YES, YES, NO]),
    kind(".turbo", Sign::Name, [YES, YES, NO]),
    kind("target", Sign::Beside("Cargo.toml"), [YES, NO, NO]),
    kind("target", CACHE_TAG, [YES, YES, NO]),
    kind("build", CACHE_TAG, [YES, YES, NO]),
    kind(".git", Sign::Name, [YES, YES, NO]),
    kind(".hg", Sign::Name, [YES, YES, NO]),
    kind(".svn", Sign::Name, [YES, YES, NO]),
    kind(".jj", Sign::Name, [YES, YES, NO]),
    kind(".bzr", Sign::Name, [YES, YES, NO]),
    // Referee's own directory: which of its files are no inputs is decided with the files of a run.
    kind(".referee", Sign::Name, [NO, YES, NO]),
];

/// Returns whether nothing in an untracked directory of this name is an input. `is_there` is asked for a sign
/// when the name alone does not decide.
pub(crate) fn is_no_input(name: &[u8], is_there: impl Fn(Sign) -> bool) -> bool {
    of(name).any(|kind| kind.no_input && (kind.sign == Sign::Name || is_there(kind.sign)))
}

/// Returns whether a directory of this name is not searched for protected files.
pub(crate) fn is_unprotected(name: &[u8], is_there: impl Fn(Sign) -> bool) -> bool {
    of(name).any(|kind| kind.unprotected && (kind.sign == Sign::Name || is_there(kind.sign)))
}

/// Returns whether dependencies are installed into a directory of this name.
pub(crate) fn is_installed(name: &str) -> bool {
    of(name.as_bytes()).any(|kind| kind.installed)
}

fn of(name: &[u8]) -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(move |kind| kind.name.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_told_by_its_name_or_by_its_sign() {
        let tag = |sign| sign == Sign::Inside("CACHEDIR.TAG");
        for (name, no_input, unprotected, installed) in [
            ("node_modules", true, false, true),
            ("venv", false, true, true),
            ("vendor", false, false, true),
            (".referee", false, true, false),
            ("target", false, false, false),
            ("src", false, false, false),
        ] {
            let told = (is_no_input(name.as_bytes(), |_| false), is_unprotected(name.as_bytes(), |_| false));
            assert_eq!((told, is_installed(name)), ((no_input, unprotected), installed), "{name}");
        }
        assert!(is_no_input(b"target", tag) && is_unprotected(b"target", tag) && is_unprotected(b"build", tag));
        assert!(is_unprotected(b"node_modules", |sign| sign == Sign::Beside("package.json")));
        assert!(is_no_input(b"target", |sign| sign == Sign::Beside("Cargo.toml")));
        assert!(!is_unprotected(b"target", |sign| sign == Sign::Beside("Cargo.toml")));
    }
}
