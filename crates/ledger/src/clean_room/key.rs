//! The cache key of installed dependencies: if it is unchanged, they are not installed again.

use std::collections::BTreeMap;
use std::io::Read;

use referee_model::id::{Digest, WorkspacePath};
use referee_model::record::Executable;
use sha2::{Digest as _, Sha256};

use super::copy;
use super::error::RoomError;
use super::local_code::{self, Manifest};
use super::room::Room;
use crate::content_check;
use crate::directory::Directory;
use crate::excluded_dirs;

/// Version of the key's input: keys of different versions never match.
const VERSION: &str = "referee dependencies 1";

/// Largest manifest that is examined, in bytes; a larger one counts as one that runs code.
const MANIFEST_BYTES: u64 = 16 * 1024 * 1024;

/// Files that pin the exact versions that are installed.
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "Cargo.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "gradle.lockfile",
    "packages.lock.json",
    "mix.lock",
    "pubspec.lock",
];

/// Other files that determine which dependencies are installed, and how.
const MANIFESTS: &[&str] = &[
    "package.json",
    ".npmrc",
    ".nvmrc",
    ".node-version",
    ".tool-versions",
    "pnpm-workspace.yaml",
    ".pnpmfile.cjs",
    "binding.gyp",
    "Cargo.toml",
    "config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Inputs of a set-up other than files.
#[derive(Debug, Clone, Copy)]
pub struct Circumstance<'run> {
    pub command: &'run str,
    /// Environment variables that the specification declares for the command.
    pub environment: &'run BTreeMap<String, String>,
    /// Programs that the command names.
    pub executables: &'run [Executable],
    pub platform: &'run str,
    pub architecture: &'run str,
}

/// Returns the cache key of a room's dependencies. None: there is no lock file, so another installation may
/// differ.
///
/// The key covers the circumstance, the path of the room (installed files may contain it), and, with names,
/// modes and contents, lock files and manifests; if the command may run code of the candidate, all files of the
/// room.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn key(room: &Room, circumstance: &Circumstance<'_>) -> Result<Option<Digest>, RoomError> {
    let paths: Vec<&WorkspacePath> = room.inputs().keys().collect();
    if !paths.iter().any(|path| is_lock_file(path)) {
        return Ok(None);
    }
    let tree = Directory::open(room.tree())?;
    let asked = paths.iter().filter(|path| local_code::is_asked_for(name(path)) && !is_installed(path));
    let manifests: Vec<Manifest> = asked.map(|path| manifest(&tree, path)).collect::<Result<_, _>>()?;
    let is_narrow = local_code::follows_from_lock_files(circumstance.command, &manifests);
    let covered = |path: &&&WorkspacePath| !is_narrow || is_lock_file(path) || is_manifest(path);

    let mut parts = Parts(Sha256::new());
    parts.text(VERSION).text(circumstance.command).text(circumstance.platform).text(circumstance.architecture);
    parts.text(&room.tree().to_string_lossy());
    parts.count(circumstance.environment.len());
    for (name, value) in circumstance.environment {
        parts.text(name).text(value);
    }
    parts.count(circumstance.executables.len());
    for executable in circumstance.executables {
        let digest = executable.sha256.map(|digest| digest.to_string());
        parts.text(&executable.name).text(&executable.path).text(digest.as_deref().unwrap_or("unreadable"));
    }
    parts.text(if is_narrow { "lock files" } else { "all files" });
    for path in paths.iter().filter(covered) {
        parts.text(path.as_str()).text(&content(room, &tree, path)?);
    }
    Ok(Some(Digest::from_bytes(parts.0.finalize().into())))
}

/// Hashes parts with their lengths, so that different lists of parts never hash the same text.
struct Parts(Sha256);

impl Parts {
    fn text(&mut self, text: &str) -> &mut Self {
        self.count(text.len());
        self.0.update(text.as_bytes());
        self
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_be_bytes());
    }
}

/// Describes a file's mode and content, or a link's target.
fn content(room: &Room, tree: &Directory, path: &WorkspacePath) -> Result<String, RoomError> {
    use std::os::unix::fs::PermissionsExt;

    let failed = |source| RoomError::Copy { path: path.clone(), source };
    let at = room.tree().join(path.as_str());
    let facts = at.symlink_metadata().map_err(failed)?;
    if facts.is_symlink() {
        return Ok(format!("link {}", std::fs::read_link(&at).map_err(failed)?.to_string_lossy()));
    }
    let digest = copy::open_below(tree, path.as_str()).and_then(content_check::hash).map_err(failed)?.sha256;
    Ok(format!("file {:o} {digest}", facts.permissions().mode() & 0o777))
}

fn manifest(tree: &Directory, path: &WorkspacePath) -> Result<Manifest, RoomError> {
    // An entry that is not a regular file, or is too large, counts as a manifest with invalid content.
    let mut bytes = Vec::new();
    if let Ok(file) = copy::open_below(tree, path.as_str()) {
        let read = file.take(MANIFEST_BYTES).read_to_end(&mut bytes);
        read.map_err(|source| RoomError::Copy { path: path.clone(), source })?;
    }
    Ok(Manifest { name: name(path).to_owned(), bytes })
}

fn name(path: &WorkspacePath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

fn is_lock_file(path: &WorkspacePath) -> bool {
    let name = name(path);
    let is_requirements = name.starts_with("requirements") && Some("txt") == name.rsplit_once('.').map(|(_, end)| end);
    (LOCK_FILES.contains(&name) || is_requirements) && !is_installed(path)
}

fn is_manifest(path: &WorkspacePath) -> bool {
    MANIFESTS.contains(&name(path)) && !is_installed(path)
}

/// Returns whether a path is in a directory of installed dependencies, whose files say nothing about what this
/// project requires.
fn is_installed(path: &WorkspacePath) -> bool {
    path.as_str().split('/').any(excluded_dirs::is_installed)
}
