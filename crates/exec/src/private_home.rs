//! A private home directory for a run: user configuration (`~/.npmrc`, `usercustomize`, `~/.gitconfig`, …) does not
//! affect checks, and files that they leave there are removed with the run.
//!
//! It contains links to caches and toolchains, by an allow-list. Where a tool reads a variable, the variable still
//! names the cache itself, because compilers store paths of the cache.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::sandbox::places::BELOW_HOME;

/// Directories of toolchains and programs below the home directory; programs are found there, and nothing there is
/// configuration.
const TOOLCHAINS: [&str; 28] = [
    ".rustup",
    ".nvm",
    ".volta",
    ".fnm",
    ".nodenv",
    ".pyenv",
    ".rbenv",
    ".rvm",
    ".goenv",
    ".jenv",
    ".asdf",
    ".tool-versions",
    ".sdkman",
    ".deno",
    ".bun/bin",
    ".ghcup",
    ".opam",
    ".elan",
    ".juliaup",
    ".mix",
    ".cargo/bin",
    "go/bin",
    ".local/bin",
    ".local/pipx",
    ".local/share/pipx",
    ".local/share/uv",
    ".local/share/fnm",
    ".local/share/mise",
];

/// Variables that name a directory with a user's configuration beside caches, and the directory of the home that
/// each replaces.
const MOVED: [(&str, &str); 7] = [
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_DATA_HOME", ".local/share"),
    ("CARGO_HOME", ".cargo"),
    ("GRADLE_USER_HOME", ".gradle"),
    ("COMPOSER_HOME", ".composer"),
    ("BUN_INSTALL", ".bun"),
    ("DOTNET_CLI_HOME", ""),
];

/// Base directories of the private home.
const BASES: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// Caches whose variables still name the original location: the variable, and the directory in the home.
const NAMED: [(&str, &str); 3] =
    [("GOMODCACHE", "go/pkg/mod"), ("GOCACHE", ".cache/go-build"), ("RUSTUP_HOME", ".rustup")];

/// Files of Cargo's user configuration.
const OF_CARGO: [&str; 4] = ["config.toml", "config", "credentials.toml", "credentials"];

/// The caller's home directory, as the source of a private one.
#[derive(Debug)]
pub struct CallerHome<'caller> {
    environment: &'caller [(OsString, OsString)],
    home: Option<PathBuf>,
}

impl<'caller> CallerHome<'caller> {
    /// Determines the home directory from a caller's environment.
    pub fn of(environment: &'caller [(OsString, OsString)]) -> Self {
        let mut found = Self { environment, home: None };
        found.home = found.directory("HOME");
        found
    }

    /// Returns the links of a private home: the path in it, and the target, which exists.
    pub fn links(&self) -> Vec<(&'static str, PathBuf)> {
        let all = BELOW_HOME.into_iter().chain(TOOLCHAINS);
        let there = all.filter_map(|path| Some((path, self.real(path)?)));
        there.filter(|(_, real)| real.exists()).collect()
    }

    /// Returns the caller's environment for commands with `private` as their home.
    pub fn moved(&self, private: &Path) -> Vec<(OsString, OsString)> {
        let is_moved =
            |name: &OsStr| name == "HOME" || MOVED.iter().chain(&BASES).any(|(moved, _)| name == OsStr::new(moved));
        let mut environment: Vec<_> = self.environment.iter().filter(|(name, _)| !is_moved(name)).cloned().collect();
        let mut set = |name: &str, value: PathBuf| environment.push((name.into(), value.into()));
        set("HOME", private.to_path_buf());
        for (name, below) in BASES {
            set(name, private.join(below));
        }
        for (name, below) in NAMED {
            if let (None, Some(real)) = (self.value(name), self.real(below).filter(|real| real.is_dir())) {
                set(name, real);
            }
        }
        let cargo = self.real(".cargo").filter(|real| real.is_dir());
        if let Some(cargo) = cargo.filter(|cargo| !OF_CARGO.iter().any(|file| cargo.join(file).exists())) {
            // Cargo rebuilds everything when its home changes.
            set("CARGO_HOME", cargo);
        }
        environment
    }

    /// Returns the real location of a path in the home, which may be in a directory that a variable names.
    fn real(&self, path: &str) -> Option<PathBuf> {
        let by_variable = MOVED.iter().find_map(|(name, stands_for)| {
            let directory = self.directory(name)?;
            Some(directory.join(Path::new(path).strip_prefix(stands_for).ok()?)).filter(|_| !stands_for.is_empty())
        });
        by_variable.or_else(|| Some(self.home.as_ref()?.join(path)))
    }

    fn value(&self, name: &str) -> Option<&OsString> {
        self.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn directory(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from).filter(|directory| directory.is_absolute())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test makes the directories that it looks at")]
    fn make(path: &Path) {
        std::fs::create_dir_all(path).unwrap();
    }

    #[test]
    fn caches_and_toolchains_are_linked_and_configuration_stays_behind() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        for made in [".npm", ".cargo/registry", ".config/git", ".gradle/caches", ".gradle/init.d", ".nvm", "go/pkg/mod"]
        {
            make(&home.join(made));
        }
        make(&directory.path().join("gradle/wrapper"));
        let environment = |more: &[(&str, PathBuf)]| -> Vec<(OsString, OsString)> {
            let own = [("HOME", home.clone()), ("XDG_CONFIG_HOME", home.join(".config"))];
            own.iter().chain(more).map(|(name, value)| ((*name).into(), value.clone().into())).collect()
        };
        let plain = environment(&[]);
        let caller = CallerHome::of(&plain);
        let linked: Vec<_> = caller.links().into_iter().map(|(path, _)| path).collect();
        assert_eq!(linked, [".npm", ".cargo/registry", "go/pkg", ".gradle/caches", ".nvm"]);
        let value = |environment: &[(OsString, OsString)], name: &str| {
            let mut found = environment.iter().filter(|(key, _)| key == name).map(|(_, value)| PathBuf::from(value));
            let first = found.next();
            assert_eq!(found.next(), None, "{name} stands once");
            first
        };
        let private = Path::new("/p");
        let moved = caller.moved(private);
        assert_eq!(value(&moved, "HOME").unwrap(), private);
        assert_eq!(value(&moved, "XDG_CONFIG_HOME").unwrap(), Path::new("/p/.config"));
        assert_eq!(value(&moved, "GOMODCACHE").unwrap(), home.join("go/pkg/mod"));
        assert_eq!(value(&moved, "GOCACHE"), None, "there is none");
        assert_eq!(value(&moved, "CARGO_HOME").unwrap(), home.join(".cargo"), "it configures nothing");

        make(&home.join(".cargo/config.toml"));
        let elsewhere = environment(&[("GRADLE_USER_HOME", directory.path().join("gradle"))]);
        let caller = CallerHome::of(&elsewhere);
        let gradle = caller.links().into_iter().find(|(path, _)| path.starts_with(".gradle")).unwrap();
        assert_eq!(gradle, (".gradle/wrapper", directory.path().join("gradle/wrapper")));
        let moved = caller.moved(private);
        assert_eq!((value(&moved, "CARGO_HOME"), value(&moved, "GRADLE_USER_HOME")), (None, None));
        assert_eq!(CallerHome::of(&[]).links(), []);
    }
}
