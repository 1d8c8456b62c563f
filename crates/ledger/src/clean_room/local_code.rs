//! Decides whether the result of a set-up depends on lock files and manifests alone.
//!
//! Dependencies that one run caches are given to later runs. If a set-up runs code of the candidate, a change
//! to that code could leave files behind that a later, honest candidate with the same lock file would be given.
//! So only set-ups that are known to run no such code are keyed by lock files and manifests; all others are
//! keyed by all files of the candidate. In doubt a set-up counts as running code.

use serde_json::Value;

/// Commands that install from a lock file, and the arguments that may follow them.
const INSTALLERS: &[(&[&str], &[&str])] = &[
    (
        &["npm", "ci"],
        &[
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-progress",
            "--offline",
            "--prefer-offline",
            "--silent",
            "--omit=dev",
            "--include=dev",
            "--legacy-peer-deps",
        ],
    ),
    (
        &["pnpm", "install", "--frozen-lockfile"],
        &["--ignore-scripts", "--offline", "--prefer-offline", "--silent", "--prod"],
    ),
    (&["cargo", "fetch"], &["--locked", "--frozen", "--offline", "--quiet", "-q"]),
    (&["cargo", "vendor"], &["--locked", "--frozen", "--offline", "--quiet", "-q"]),
];

/// Scripts that npm and pnpm run for a package that they install dependencies for (npm 11, "Life Cycle
/// Scripts").
const LIFE_CYCLE: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "dependencies",
    "pnpm:devPreinstall",
];

/// Keys under which a package lists its dependencies.
const DEPENDENCIES: &[&str] = &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Keys of `.npmrc` that configure where packages come from and how they are laid out, and name nothing that is
/// executed.
const HARMLESS_SETTINGS: &[&str] = &[
    "registry",
    "audit",
    "fund",
    "save-exact",
    "save-prefix",
    "engine-strict",
    "legacy-peer-deps",
    "strict-peer-dependencies",
    "auto-install-peers",
    "strict-ssl",
    "always-auth",
    "package-lock",
    "lockfile-version",
    "loglevel",
    "progress",
    "update-notifier",
    "ignore-scripts",
    "node-linker",
    "shamefully-hoist",
    "public-hoist-pattern[]",
    "hoist",
    "fetch-retries",
    "fetch-timeout",
];

/// A file of the candidate that controls how dependencies are installed.
#[derive(Debug)]
pub(super) struct Manifest {
    /// File name, without the directory.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Returns whether files of this name are examined here.
pub(super) fn is_asked_for(name: &str) -> bool {
    matches!(name, "package.json" | ".npmrc" | "pnpm-workspace.yaml" | ".pnpmfile.cjs" | "binding.gyp")
}

/// Returns whether the result of this command depends on lock files and manifests alone, judging by these
/// manifests.
pub(super) fn follows_from_lock_files(command: &str, manifests: &[Manifest]) -> bool {
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    let Some((installer, _)) = INSTALLERS.iter().find(|(installer, options)| {
        words.starts_with(installer) && words[installer.len()..].iter().all(|word| options.contains(word))
    }) else {
        return false;
    };
    match installer[0] {
        "cargo" => true,
        _ => manifests.iter().all(|manifest| is_harmless(manifest, words.contains(&"--ignore-scripts"))),
    }
}

fn is_harmless(manifest: &Manifest, without_scripts: bool) -> bool {
    match manifest.name.as_str() {
        "package.json" => package_is_harmless(&manifest.bytes, without_scripts),
        ".npmrc" => std::str::from_utf8(&manifest.bytes).is_ok_and(settings_are_harmless),
        "pnpm-workspace.yaml" => std::str::from_utf8(&manifest.bytes).is_ok_and(|text| {
            let runs =
                ["patchedDependencies", "configDependencies", "pnpmfile", "overrides", "scriptShell", "{", "&", "*:"];
            !runs.iter().any(|word| text.contains(word))
        }),
        _ => false,
    }
}

fn package_is_harmless(bytes: &[u8], without_scripts: bool) -> bool {
    let Ok(Value::Object(package)) = serde_json::from_slice(bytes) else { return false };
    let runs_scripts = match package.get("scripts") {
        None => false,
        Some(Value::Object(scripts)) => LIFE_CYCLE.iter().any(|script| scripts.contains_key(*script)),
        Some(_) => true,
    };
    let is_elsewhere = |value: &Value| {
        let local = ["file:", "link:", "portal:", "patch:", "exec:", ".", "/", "~/"];
        value.as_str().is_some_and(|version| !local.iter().any(|prefix| version.starts_with(prefix)))
    };
    let are_elsewhere = |key: &str| match package.get(key) {
        None => true,
        Some(Value::Object(versions)) => versions.values().all(is_elsewhere),
        Some(_) => false,
    };
    (without_scripts || !runs_scripts)
        && DEPENDENCIES.iter().all(|key| are_elsewhere(key))
        && ["pnpm", "overrides", "resolutions", "gypfile"].iter().all(|key| !package.contains_key(*key))
}

fn settings_are_harmless(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    lines.map(|line| line.split('=').next().unwrap_or_default().trim()).all(|key| {
        HARMLESS_SETTINGS.contains(&key)
            || (key.starts_with('@') && key.ends_with(":registry"))
            || (key.starts_with("//") && (key.ends_with(":_authToken") || key.ends_with(":_auth")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifests(files: &[(&str, &str)]) -> Vec<Manifest> {
        let file = |(name, text): &(&str, &str)| Manifest { name: (*name).to_owned(), bytes: text.as_bytes().to_vec() };
        files.iter().map(file).collect()
    }

    #[test]
    fn only_what_is_known_to_run_no_code_of_the_candidate_follows_from_lock_files() {
        for (command, follows) in [
            ("npm ci", true),
            ("npm  ci --no-audit --ignore-scripts", true),
            ("pnpm install --frozen-lockfile --offline", true),
            ("cargo vendor --locked", true),
            ("npm ci && node evil.js", false),
            ("npm ci;./evil", false),
            ("npm ci\n./evil", false),
            ("npm ci --script-shell=./evil", false),
            ("npm install", false),
            ("pnpm install", false),
            ("yarn install --immutable", false),
            ("pip install -r requirements.txt", false),
            ("go mod vendor", false),
            ("make deps", false),
            ("", false),
        ] {
            assert_eq!(follows_from_lock_files(command, &[]), follows, "{command}");
        }
    }

    #[test]
    fn manifests_that_have_code_run_are_found() {
        let plain =
            r#"{"scripts": {"test": "jest"}, "dependencies": {"a": "^1.0.0", "b": "npm:c@1", "d": "workspace:*"}}"#;
        for (file, text, follows) in [
            ("package.json", plain, true),
            ("package.json", "{}", true),
            ("package.json", "", false),
            ("package.json", "[]", false),
            ("package.json", r#"{"scripts": {"postinstall": "node x.js"}}"#, false),
            ("package.json", r#"{"scripts": {"prepare": "husky"}}"#, false),
            ("package.json", r#"{"scripts": "junk"}"#, false),
            ("package.json", r#"{"devDependencies": {"a": "file:../a"}}"#, false),
            ("package.json", r#"{"dependencies": {"a": "./a"}}"#, false),
            ("package.json", r#"{"dependencies": {"a": 1}}"#, false),
            ("package.json", r#"{"dependencies": ["a"]}"#, false),
            ("package.json", r#"{"pnpm": {"patchedDependencies": {}}}"#, false),
            (".npmrc", "# a note\nregistry=https://r\n@us:registry = https://r\n//r/:_authToken=${T}\n", true),
            (".npmrc", "script-shell=./evil", false),
            (".npmrc", "node-options=--require ./evil.js", false),
            ("pnpm-workspace.yaml", "packages:\n  - web\n", true),
            ("pnpm-workspace.yaml", "patchedDependencies:\n  a: patches/a.patch\n", false),
            (".pnpmfile.cjs", "", false),
            ("binding.gyp", "{}", false),
        ] {
            assert_eq!(follows_from_lock_files("npm ci", &manifests(&[(file, text)])), follows, "{file}: {text}");
        }
        let scripts = manifests(&[("package.json", r#"{"scripts": {"postinstall": "node x.js"}}"#)]);
        assert!(follows_from_lock_files("npm ci --ignore-scripts", &scripts));
        assert!(follows_from_lock_files("cargo fetch", &scripts));
    }
}
