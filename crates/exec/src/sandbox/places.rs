//! The cache directories that confined commands may write to.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Caches that tools need, below the home directory. Only existing ones are granted: a tool without a cache
/// works without one, or names one by its variable. Configuration of tools is not included: a private home
/// contains these caches alone.
pub(crate) const BELOW_HOME: [&str; 34] = [
    ".cache",
    ".npm",
    ".bun/install/cache",
    ".yarn",
    ".local/share/pnpm/store",
    ".node-gyp",
    ".cargo/registry",
    ".cargo/git",
    // Cargo's locks and usage record, which are files.
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    "go/pkg",
    ".gradle/caches",
    ".gradle/wrapper",
    ".gradle/native",
    ".gradle/jdks",
    ".m2/repository",
    ".m2/wrapper",
    ".ivy2/cache",
    ".ivy2/local",
    ".sbt/boot",
    ".sbt/launchers",
    ".konan",
    ".nuget/packages",
    ".dotnet",
    ".pub-cache",
    ".composer/cache",
    ".bundle/cache",
    ".gem/ruby",
    ".cpan/sources",
    ".hex/packages",
    ".cabal/packages",
    ".cabal/store",
    ".julia/packages",
];

/// Variables that name a cache, and the subdirectories of the named directory that are caches.
const BY_VARIABLE: [(&str, &[&str]); 15] = [
    ("XDG_CACHE_HOME", &[""]),
    ("CARGO_HOME", &["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"]),
    ("CARGO_TARGET_DIR", &[""]),
    ("GOCACHE", &[""]),
    ("GOMODCACHE", &[""]),
    ("GOPATH", &["pkg"]),
    ("GRADLE_USER_HOME", &["caches", "wrapper", "native", "jdks"]),
    ("NUGET_PACKAGES", &[""]),
    ("npm_config_cache", &[""]),
    ("NPM_CONFIG_CACHE", &[""]),
    ("COREPACK_HOME", &[""]),
    ("DENO_DIR", &[""]),
    ("PLAYWRIGHT_BROWSERS_PATH", &[""]),
    ("BUN_INSTALL", &["install/cache"]),
    ("COMPOSER_HOME", &["cache"]),
];

/// Returns the caches that a caller's environment names, or that are in its home directory; canonical, sorted,
/// without duplicates.
///
/// A directory that contains one of the `kept` directories (home, the workspace, the state directory, …) is not
/// granted: a variable that names `/` grants nothing. Neither is a directory directly below the root, nor one
/// inside a kept directory other than home.
pub fn writable(environment: &[(OsString, OsString)], kept: &[&Path]) -> Vec<PathBuf> {
    let value = |name: &str| environment.iter().find(|(key, _)| key == name).map(|(_, value)| PathBuf::from(value));
    let home = value("HOME").filter(|home| home.is_absolute());
    let below_home = home.iter().flat_map(|home| BELOW_HOME.map(|cache| home.join(cache)));
    let named = BY_VARIABLE.iter().flat_map(|(name, parts)| {
        let directory = value(name).filter(|directory| directory.is_absolute());
        directory.into_iter().flat_map(|directory| parts.iter().map(move |part| directory.join(part)))
    });
    let real_home = home.as_ref().and_then(|home| std::fs::canonicalize(home).ok());
    let found: BTreeSet<PathBuf> =
        below_home.chain(named).filter_map(|path| std::fs::canonicalize(path).ok()).collect();
    found
        .into_iter()
        .filter(|path| path.components().count() > 2)
        .filter(|path| real_home.as_ref().is_none_or(|home| !home.starts_with(path)))
        .filter(|path| kept.iter().all(|kept| !kept.starts_with(path) && !path.starts_with(kept)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test makes the directories that it looks at")]
    fn make_directory(path: &Path) {
        std::fs::create_dir_all(path).unwrap();
    }

    #[test]
    fn caches_are_granted_where_they_are_and_what_holds_more_than_a_cache_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let home = root.join("home");
        for made in [".npm", ".cargo/registry", ".cargo/bin", ".ssh", "real-cache", "state/referee", "go-mod"] {
            make_directory(&home.join(made));
        }
        symlink(home.join("real-cache"), home.join(".cache")).unwrap();
        let state = home.join("state/referee");
        let granted = |variables: &[(&str, &Path)]| {
            let mut environment: Vec<(OsString, OsString)> = vec![("HOME".into(), home.clone().into())];
            environment.extend(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
            writable(&environment, &[&state])
        };
        let usual = [home.join(".cargo/registry"), home.join(".npm"), home.join("real-cache")];
        assert_eq!(granted(&[]), usual);
        let mut with_modules = usual.to_vec();
        with_modules.insert(2, home.join("go-mod"));
        assert_eq!(granted(&[("GOMODCACHE", &home.join("go-mod"))]), with_modules);
        for everything in [Path::new("/"), Path::new("/usr"), &home, &root, &home.join("state"), &state, Path::new(".")]
        {
            assert_eq!(granted(&[("XDG_CACHE_HOME", everything)]), usual, "{}", everything.display());
        }
    }
}
