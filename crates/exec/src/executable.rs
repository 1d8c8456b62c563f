//! Identifies the programs that ran by the hashes of their files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use referee_model::id::Digest;
use referee_model::record::Executable;
use sha2::{Digest as _, Sha256};

/// The programs of one run. A file is hashed again only when it has changed; a caller that needs a file being
/// hashed waits for that file only.
#[derive(Debug, Default)]
pub(crate) struct Executables {
    /// Whether files are only located, and not read.
    unread: bool,
    known: Mutex<HashMap<Identity, Arc<OnceLock<Known>>>>,
}

/// Known facts about a program's file.
#[derive(Debug, Clone, Default)]
struct Known {
    sha256: Option<Digest>,
    version: Option<String>,
}

/// Identity of a file in one state; any change of the file yields another one.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Identity {
    path: PathBuf,
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Executables {
    /// Creates a store that only locates programs.
    pub(crate) fn unread() -> Self {
        Self { unread: true, ..Self::default() }
    }

    /// Returns the facts about the program that was requested as `name` and found at `path`.
    pub(crate) fn identify(&self, name: &str, path: &Path) -> Executable {
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let shown = real.to_string_lossy().into_owned();
        let metadata = if self.unread { None } else { real.metadata().ok() };
        let known = metadata.map(|metadata| {
            let identity = Identity {
                path: real.clone(),
                device: metadata.dev(),
                inode: metadata.ino(),
                bytes: metadata.size(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
            };
            let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let known = Arc::clone(all.entry(identity).or_default());
            drop(all);
            known.get_or_init(|| Known { sha256: hash(&real).ok(), version: version(&real) }).clone()
        });
        let Known { sha256, version } = known.unwrap_or_default();
        Executable { name: name.to_owned(), path: shown, sha256, version }
    }
}

/// Directory of packages in the layout of npm and similar tools.
const PACKAGES: &str = "node_modules";

/// Maximum size of a package's description in bytes, and maximum length of a version in characters.
const DESCRIPTION_BYTES: u64 = 1 << 20;
const VERSION_CHARACTERS: usize = 64;

/// Returns the version that a program's package states.
fn version(program: &Path) -> Option<String> {
    let package = program.ancestors().skip(1).find(|directory| {
        let outer = directory.parent();
        let is_scope = outer.and_then(Path::file_name).is_some_and(|name| name.as_encoded_bytes().starts_with(b"@"));
        let outer = if is_scope { outer.and_then(Path::parent) } else { outer };
        outer.and_then(Path::file_name).is_some_and(|name| name == PACKAGES)
    })?;
    let mut text = Vec::new();
    File::open(package.join("package.json")).ok()?.take(DESCRIPTION_BYTES).read_to_end(&mut text).ok()?;
    let description: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let version = description.get("version")?.as_str()?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".-+".contains(letter);
    let fits = !version.is_empty() && version.len() <= VERSION_CHARACTERS && version.chars().all(is_plain);
    fits.then(|| version.to_owned())
}

fn hash(path: &Path) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(Digest::from_bytes(hasher.finalize().into())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are looked at")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_hashed_once_and_again_when_it_changed() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        let link = directory.path().join("link");
        fs::write(&program, "abc").unwrap();
        std::os::unix::fs::symlink(&program, &link).unwrap();

        let executables = Executables::default();
        let first = executables.identify("link", &link);
        assert_eq!(first.path, program.canonicalize().unwrap().to_str().unwrap());
        assert_eq!(
            first.sha256.unwrap().to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(executables.identify("link", &link), first);
        assert_eq!(executables.known.lock().unwrap().len(), 1);

        fs::write(&program, "abcd").unwrap();
        assert_ne!(executables.identify("link", &link).sha256, first.sha256);
        assert_eq!(executables.known.lock().unwrap().len(), 2);
    }

    #[test]
    fn a_program_has_the_version_of_its_package() {
        let directory = tempfile::tempdir().unwrap();
        for (package, text, expected) in [
            ("jest", r#"{"name": "jest", "version": "30.1.3"}"#, Some("30.1.3")),
            ("@scope/tool", r#"{"version": "1.0.0-rc.1"}"#, Some("1.0.0-rc.1")),
            ("odd", r#"{"version": "1 or 2"}"#, None),
            ("junk", "{", None),
        ] {
            let package = directory.path().join("node_modules").join(package);
            fs::create_dir_all(package.join("bin")).unwrap();
            fs::write(package.join("package.json"), text).unwrap();
            fs::write(package.join("bin/tool.js"), "").unwrap();
            let found = Executables::default().identify("tool", &package.join("bin/tool.js"));
            assert_eq!(found.version.as_deref(), expected, "{}", package.display());
        }
        let program = directory.path().join("tool");
        fs::write(&program, "").unwrap();
        assert_eq!(Executables::default().identify("tool", &program).version, None);
    }

    #[test]
    fn a_program_that_is_gone_has_no_hash() {
        let gone = Executables::default().identify("gone", Path::new("/nowhere/gone"));
        assert_eq!(gone, Executable { name: "gone".into(), path: "/nowhere/gone".into(), sha256: None, version: None });
    }
}
