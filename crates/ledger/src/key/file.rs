//! Keys in files, and from a pipe that the program inherited.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use ed25519_dalek::pkcs8::spki::der::zeroize::Zeroizing;
use referee_model::limit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use super::{KeyError, PrivateKey, PublicKey};

/// Mode of a private key's file: accessible to its owner only.
const PRIVATE_MODE: u32 = 0o600;

/// Seconds that a key may take to arrive through a pipe.
const PIPE_SECONDS: i64 = 30;

/// Reads a private key from its file. Fails if the file is in a workspace or accessible to others: anyone who
/// can read it can sign, and the signature would prove nothing.
pub fn read(path: &Path, workspaces: &[&Path]) -> Result<PrivateKey, KeyError> {
    let whole = std::fs::canonicalize(path).map_err(KeyError::io("found", path))?;
    let named = without_parents(path);
    for workspace in workspaces {
        let resolved = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        // A link in the workspace is within reach too: changing it selects another key.
        if whole.starts_with(&resolved) || named.starts_with(&resolved) || named.starts_with(workspace) {
            return Err(KeyError::InReach { path: path.to_path_buf(), workspace: resolved });
        }
    }
    let file = open(&whole)?;
    let facts = file.metadata().map_err(KeyError::io("looked at", &whole))?;
    let key = PrivateKey::from_pem(&text(file, &whole)?).map_err(|error| error.at(path))?;
    let open = |problem| KeyError::Open { path: whole.clone(), problem };
    if facts.mode() & 0o077 != 0 {
        return Err(open("can be used by others than its owner"));
    }
    if facts.uid() != rustix::process::geteuid().as_raw() && facts.uid() != 0 {
        return Err(open("belongs to another user"));
    }
    Ok(key)
}

/// Returns a path made absolute, without `..` components and without resolving links.
fn without_parents(path: &Path) -> PathBuf {
    let mut named = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).components() {
        match component {
            Component::ParentDir => {
                named.pop();
            }
            component => named.push(component),
        }
    }
    named
}

/// Reads a private key from an inherited pipe, given by its descriptor number, to its end.
///
/// Fails if the descriptor is a file: commands inherit it too, and could read the key again. The content of a
/// pipe is gone once it is read.
pub fn read_descriptor(number: u32) -> Result<PrivateKey, KeyError> {
    let path = PathBuf::from(format!("/dev/fd/{number}"));
    let facts = std::fs::metadata(&path).map_err(KeyError::io("found", &path))?;
    if !facts.file_type().is_fifo() {
        return Err(KeyError::NotAFile {
            path,
            problem: "is not a pipe, and commands could read it again: give the file by `--key PATH`, or a pipe, as in \
                      `--key-fd 3 3< <(cat key.pem)`",
        });
    }
    let file = without_waiting().open(&path).map_err(KeyError::io("opened", &path))?;
    PrivateKey::from_pem(&from_pipe(file, &path)?).map_err(|error| error.at(&path))
}

/// Reads a public key from its file, which may be anywhere.
pub fn read_public(path: &Path) -> Result<PublicKey, KeyError> {
    PublicKey::from_pem(&text(open(path)?, path)?).map_err(|error| error.at(path))
}

/// Writes a new key: the private key to `path`, accessible to its owner only, the public key beside it. Returns
/// the path of the public key. Existing files are not overwritten.
pub fn write_new(path: &Path, key: &PrivateKey) -> Result<PathBuf, KeyError> {
    let public = path.with_extension("pub.pem");
    let exists = |path: &Path| path.symlink_metadata().is_ok().then(|| KeyError::Exists { path: path.to_path_buf() });
    if let Some(error) = exists(path).or_else(|| exists(&public)) {
        return Err(error);
    }
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(directory).map_err(KeyError::io("written", directory))?;
    }
    write(path, key.to_pem().as_bytes(), PRIVATE_MODE)?;
    write(&public, key.public().to_pem().as_bytes(), 0o644)?;
    Ok(public)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), KeyError> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(mode).open(path).map_err(KeyError::io("written", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(KeyError::io("written", path))
}

/// Options for opening files without blocking: a plain open of a FIFO would wait forever.
fn without_waiting() -> OpenOptions {
    let flags = OFlags::NONBLOCK.union(OFlags::CLOEXEC);
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    options
}

fn open(path: &Path) -> Result<File, KeyError> {
    let file = without_waiting().open(path).map_err(KeyError::io("opened", path))?;
    let is_file = file.metadata().map_err(KeyError::io("looked at", path))?.is_file();
    if is_file { Ok(file) } else { Err(KeyError::NotAFile { path: path.to_path_buf(), problem: "is not a file" }) }
}

/// Reads a text of bounded size into memory that is wiped.
fn text(mut file: File, path: &Path) -> Result<Zeroizing<String>, KeyError> {
    let mut bytes = Bounded::new();
    while bytes.take(&mut file, path)? {}
    bytes.text(path)
}

fn from_pipe(mut file: File, path: &Path) -> Result<Zeroizing<String>, KeyError> {
    let mut bytes = Bounded::new();
    loop {
        match bytes.take(&mut file, path) {
            Ok(true) => {}
            Ok(false) => return bytes.text(path),
            Err(KeyError::Io { source, .. }) if source.kind() == ErrorKind::WouldBlock => wait_for_more(&file, path)?,
            Err(error) => return Err(error),
        }
    }
}

fn wait_for_more(file: &File, path: &Path) -> Result<(), KeyError> {
    let patience = Timespec { tv_sec: PIPE_SECONDS, tv_nsec: 0 };
    let ready = poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&patience)).map_err(KeyError::io("read", path))?;
    if ready > 0 {
        return Ok(());
    }
    let problem = "is a pipe that nobody closes: end what writes to it after the key";
    Err(KeyError::NotAFile { path: path.to_path_buf(), problem })
}

/// Content of a key file, in memory that is never reallocated, and is wiped.
struct Bounded {
    bytes: Zeroizing<Vec<u8>>,
    length: usize,
}

impl Bounded {
    fn new() -> Self {
        let size = usize::try_from(limit::KEY_BYTES).unwrap_or_default();
        Self { bytes: Zeroizing::new(vec![0; size + 1]), length: 0 }
    }

    /// Reads more bytes. Returns false at the end.
    fn take(&mut self, file: &mut File, path: &Path) -> Result<bool, KeyError> {
        let free = self.bytes.get_mut(self.length..).unwrap_or_default();
        if free.is_empty() {
            let problem = "is larger than any key";
            return Err(KeyError::NotAFile { path: path.to_path_buf(), problem });
        }
        let read = file.read(free).map_err(KeyError::io("read", path))?;
        self.length += read;
        Ok(read > 0)
    }

    fn text(&self, path: &Path) -> Result<Zeroizing<String>, KeyError> {
        let read = self.bytes.get(..self.length).unwrap_or_default();
        let text = std::str::from_utf8(read)
            .map_err(|_| KeyError::NotAFile { path: path.to_path_buf(), problem: "is not text, so no key in PEM" })?;
        Ok(Zeroizing::new(text.to_owned()))
    }
}
