//! The package manager of a project (seed 4, PM-01).

use super::super::manifest_document;
use super::super::{ProjectDirectory, under};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Npm,
    Yarn,
    /// Yarn from version 2 on.
    Berry,
    Pnpm,
    Bun,
}

/// A package manager, and how it was detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manager {
    kind: Kind,
    has_lock: bool,
    pub(super) because: String,
}

const LOCKS: &[(&str, Kind)] = &[
    ("pnpm-lock.yaml", Kind::Pnpm),
    ("bun.lock", Kind::Bun),
    ("bun.lockb", Kind::Bun),
    ("yarn.lock", Kind::Yarn),
    ("package-lock.json", Kind::Npm),
    ("npm-shrinkwrap.json", Kind::Npm),
];

impl Manager {
    /// Detects the package manager: by `packageManager`, else by the nearest lock file, else npm.
    pub(super) fn told(place: &ProjectDirectory<'_>, package: &str) -> Self {
        let package = manifest_document::json(package);
        let declared =
            package.as_ref().and_then(|package| package.get("packageManager")).and_then(|name| name.as_str());
        let lock = lock(place);
        let berry = place.has(".yarnrc.yml") || place.tree.has_file(".yarnrc.yml");
        let kind = declared.and_then(|declared| match declared.split('@').next() {
            Some("npm") => Some(Kind::Npm),
            Some("pnpm") => Some(Kind::Pnpm),
            Some("bun") => Some(Kind::Bun),
            Some("yarn") => Some(if declared.starts_with("yarn@1") { Kind::Yarn } else { Kind::Berry }),
            _ => None,
        });
        let (kind, because) = match (kind, lock) {
            (Some(kind), _) => (kind, "by `packageManager` of package.json".to_owned()),
            (None, Some((name, Kind::Yarn))) if berry => (Kind::Berry, format!("by {name} and .yarnrc.yml")),
            (None, Some((name, kind))) => (kind, format!("by {name}")),
            (None, None) => (Kind::Npm, "as there is no lock file".to_owned()),
        };
        Self { kind, has_lock: lock.is_some(), because: format!("{} {because}", kind.name()) }
    }

    /// Returns the line that installs the locked dependencies.
    pub(super) fn install(&self) -> &'static str {
        match (self.kind, self.has_lock) {
            (Kind::Npm, true) => "npm ci",
            (Kind::Npm, false) => "npm install",
            (Kind::Yarn, true) => "yarn install --frozen-lockfile",
            (Kind::Berry, true) => "yarn install --immutable",
            (Kind::Yarn | Kind::Berry, false) => "yarn install",
            (Kind::Pnpm, true) => "pnpm install --frozen-lockfile",
            (Kind::Pnpm, false) => "pnpm install",
            (Kind::Bun, true) => "bun install --frozen-lockfile",
            (Kind::Bun, false) => "bun install",
        }
    }

    /// Returns the line that runs a script.
    pub(super) fn run(&self, script: &str) -> String {
        let script = word(script);
        match self.kind {
            Kind::Npm if script == "test" => "npm test".to_owned(),
            kind => format!("{} run {script}", kind.name()),
        }
    }

    /// Returns the line that runs a script with further arguments.
    pub(super) fn run_with(&self, script: &str, arguments: &str) -> String {
        let separator = if self.kind == Kind::Npm { "-- " } else { "" };
        format!("{} {separator}{arguments}", self.run(script))
    }

    /// Returns the line that runs a script in all packages of a workspace that have it.
    pub(super) fn run_in_members(&self, script: &str) -> Option<String> {
        match self.kind {
            Kind::Npm => Some(format!("npm run {} --workspaces --if-present", word(script))),
            Kind::Pnpm => Some(format!("pnpm -r --if-present run {}", word(script))),
            Kind::Bun => Some(format!("bun run --filter '*' {}", word(script))),
            Kind::Berry => Some(format!("yarn workspaces foreach -A run {}", word(script))),
            Kind::Yarn => None,
        }
    }

    /// Returns the line that runs an installed tool.
    pub(super) fn execute(&self, line: &str) -> String {
        match self.kind {
            Kind::Npm | Kind::Yarn => format!("npx {line}"),
            Kind::Berry => format!("yarn run {line}"),
            Kind::Pnpm => format!("pnpm exec {line}"),
            Kind::Bun => format!("bunx {line}"),
        }
    }

    /// Returns whether it runs `prex` and `postx` around a script `x`.
    pub(super) fn runs_hooks(&self) -> bool {
        self.kind != Kind::Berry
    }

    /// Returns whether it is bun, which can run tests itself.
    pub(super) fn is_bun(&self) -> bool {
        self.kind == Kind::Bun
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Yarn | Self::Berry => "yarn",
            Self::Pnpm => "pnpm",
            Self::Bun => "bun",
        }
    }
}

/// Returns the lock file of this directory, or of the nearest one above.
fn lock(place: &ProjectDirectory<'_>) -> Option<(&'static str, Kind)> {
    let mut directory = place.directory;
    loop {
        if let Some(found) = LOCKS.iter().find(|(name, _)| place.tree.has_file(&under(directory, name))) {
            return Some(*found);
        }
        if directory.is_empty() {
            return None;
        }
        directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// Returns the name of a script as one shell word.
fn word(name: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_:./@".contains(character);
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}
