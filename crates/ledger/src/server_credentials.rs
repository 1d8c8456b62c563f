//! Files of `referee serve`: the access token, certificate and key, and the Unix socket that it listens on.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use referee_syntax::hex;
use rustix::fs::{AtFlags, CWD, OFlags};

use crate::chance::chance;
use crate::directory::{Directory, FileId, PRIVATE, open_file, read_bounded};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::state::{Area, State};

/// File name of the token in the state directory.
const TOKEN: &str = "token";
const LOCK: &str = "token.lock";
/// Number of random bytes in a token.
const CHANCE: usize = 32;
/// Minimum length of a token, in characters: shorter ones can be guessed.
const LEAST: usize = 16;
/// Maximum size of a file with a token or another secret, in bytes.
const MOST: u64 = 4096;
/// Maximum size of a file with a private key, in bytes.
const KEY_MOST: u64 = 64 * 1024;
/// Maximum size of a file with certificates, in bytes.
const CERTIFICATES_MOST: u64 = 1024 * 1024;

/// An access token, and the path of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub file: PathBuf,
}

/// Returns the token of this user. Creates one if there is none yet.
///
/// # Errors
/// Fails if it cannot be stored, if others can read it, and if the system provides no random numbers.
pub fn token(state: &State) -> Result<Token, LedgerError> {
    let directory = state.open_area(Area::Doors)?;
    // Servers that start concurrently share one token.
    let _lock = lock::of_file(&directory, LOCK)?;
    let file = directory.path().join(TOKEN);
    if directory.kind(TOKEN)?.is_none() {
        let chance = chance::<CHANCE>(&file)?;
        let text = hex::encode(&chance);
        directory.replace_as(TOKEN, format!("{text}\n").as_bytes(), Some(PRIVATE))?;
    }
    read_token(&file)
}

/// Reads a token from a file that only this user can read.
///
/// # Errors
/// Fails if the file is missing, a link, or readable by others, and for a token that is too short or not a
/// valid header value.
pub fn read_token(file: &Path) -> Result<Token, LedgerError> {
    let unusable = |reason: &str| LedgerError::Unusable { path: file.to_path_buf(), reason: reason.to_owned() };
    let bytes = read_private(file, MOST)?;
    let text = String::from_utf8(bytes).map_err(|_| unusable("it is not text"))?.trim().to_owned();
    match check_token(&text) {
        Ok(()) => Ok(Token { text, file: file.to_path_buf() }),
        Err(reason) => Err(unusable(reason)),
    }
}

/// Reads a secret that this server shares with another one, from a file that only this user can read.
///
/// # Errors
/// Fails if the file is missing, a link, empty, no text of one line, or readable by others.
pub fn read_secret(file: &Path) -> Result<String, LedgerError> {
    let unusable = |reason: &str| LedgerError::Unusable { path: file.to_path_buf(), reason: reason.to_owned() };
    let text = String::from_utf8(read_private(file, MOST)?).map_err(|_| unusable("it is not text"))?;
    let secret = text.trim();
    if secret.is_empty() || secret.chars().any(char::is_control) {
        return Err(unusable("it holds no secret in one line"));
    }
    Ok(secret.to_owned())
}

/// Reads a key of a server from a file that only this user can read.
///
/// # Errors
/// Fails if the file is missing, a link, too large, or readable by others.
pub fn read_key(file: &Path) -> Result<Vec<u8>, LedgerError> {
    read_private(file, KEY_MOST)
}

/// Reads the certificates of a server, as PEM. Links to them are followed: they are no secret.
///
/// # Errors
/// Fails if the file is missing, no regular file, or too large.
pub fn read_certificates(file: &Path) -> Result<Vec<u8>, LedgerError> {
    let found = std::fs::canonicalize(file).map_err(LedgerError::io("find", file))?;
    let handle = open_file(CWD, &found, &found, OFlags::RDONLY, 0)?;
    read_bounded(&handle, file, CERTIFICATES_MOST)
}

/// Reads a file that only this user can read. Links are not followed.
fn read_private(file: &Path, limit_bytes: u64) -> Result<Vec<u8>, LedgerError> {
    let handle = open_file(CWD, file, file, OFlags::RDONLY, 0)?;
    let facts = handle.metadata().map_err(LedgerError::io("look at", file))?;
    if facts.mode() & 0o077 != 0 || facts.uid() != rustix::process::geteuid().as_raw() {
        let reason = "others may read it, or it is another user's: `chmod 600` it, and make it yours".to_owned();
        return Err(LedgerError::Unusable { path: file.to_path_buf(), reason });
    }
    read_bounded(&handle, file, limit_bytes)
}

/// Checks that a text is a valid token.
///
/// # Errors
/// Fails if the text is too short, or not a valid header value.
pub fn check_token(text: &str) -> Result<(), &'static str> {
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("a token is one word of letters, digits and signs");
    }
    if text.len() < LEAST {
        return Err("a token has 16 characters at least: make one with `openssl rand -hex 32`");
    }
    Ok(())
}

/// A path for a Unix socket, locked until the socket is created.
#[derive(Debug)]
pub struct SocketPlace {
    directory: FileLock<Directory>,
    name: String,
}

#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    identity: Option<FileId>,
}

impl SocketPlace {
    /// Takes a path. The socket of a killed server is removed; one that is in use is not.
    ///
    /// # Errors
    /// Fails if the directory is missing, if something other than a socket is at the path, and if a server listens
    /// on it.
    pub fn take(path: &Path, is_answered: impl FnOnce(&Path) -> bool) -> Result<Self, LedgerError> {
        let unusable = |reason: &str| LedgerError::Unusable { path: path.to_path_buf(), reason: reason.to_owned() };
        let name =
            path.file_name().and_then(|name| name.to_str()).ok_or_else(|| unusable("no socket can have that name"))?;
        let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let directory = lock::of_directory(&Directory::open(above)?)?;
        match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(LedgerError::io("look at", path)(error)),
            Ok(facts) if !facts.file_type().is_socket() => {
                return Err(unusable(
                    "something else than a socket stands there: move it away, or choose another place",
                ));
            }
            Ok(_) if is_answered(path) => return Err(unusable("another process listens there already")),
            Ok(_) => directory.discard(name)?,
        }
        Ok(Self { name: name.to_owned(), directory })
    }

    /// Restricts the created socket to this user, and releases the path.
    ///
    /// # Errors
    /// Fails if there is no socket, and on an I/O error.
    pub fn settle(self) -> Result<Socket, LedgerError> {
        let path = self.directory.path().join(&self.name);
        let flags = AtFlags::empty();
        rustix::fs::chmodat(&*self.directory, &self.name, PRIVATE, flags)
            .map_err(LedgerError::io("close to others", &path))?;
        Ok(Socket { identity: FileId::at(&path), path })
    }
}

impl Socket {
    /// Removes the socket, if it still is the one that was created.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn clear(self) -> Result<(), LedgerError> {
        if self.identity.is_none() || FileId::at(&self.path) != self.identity {
            return Ok(());
        }
        std::fs::remove_file(&self.path).map_err(LedgerError::io("remove", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_for_its_user_alone() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let first = token(&state).unwrap();
        assert_eq!(first.text.len(), CHANCE * 2);
        assert_eq!(first.file.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(token(&state).unwrap(), first);
        std::fs::set_permissions(&first.file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(token(&state).is_err());
    }

    #[test]
    fn a_token_that_can_be_guessed_or_is_elsewhere_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        let file = outside.path().join("token");
        let with = |text: &str, mode: u32| {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            read_token(&file)
        };
        assert_eq!(with("0123456789abcdef\n", 0o600).unwrap().text, "0123456789abcdef");
        for (text, mode) in [("", 0o600), ("short", 0o600), ("0123456789 abcdef", 0o600), ("0123456789abcdef", 0o640)] {
            assert!(with(text, mode).is_err(), "{text:?} {mode:o}");
        }
        let link = outside.path().join("link");
        symlink(&file, &link).unwrap();
        assert!(read_token(&link).is_err());
        assert!(read_token(outside.path()).is_err());
        assert!(read_token(&outside.path().join("none")).is_err());
    }

    #[test]
    fn a_key_is_read_for_its_user_alone_and_certificates_wherever_they_are() {
        let outside = tempfile::tempdir().unwrap();
        let (file, link) = (outside.path().join("pem"), outside.path().join("link"));
        std::fs::write(&file, "PEM").unwrap();
        symlink(&file, &link).unwrap();
        let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o644);
        assert_eq!(read_certificates(&link).unwrap(), b"PEM");
        assert!(read_key(&file).is_err());
        mode(0o600);
        assert_eq!(read_key(&file).unwrap(), b"PEM");
        assert_eq!(read_secret(&file).unwrap(), "PEM");
        assert!(read_secret(&link).is_err());
        for bad in ["", " \n", "two\nlines"] {
            std::fs::write(&file, bad).unwrap();
            assert!(read_secret(&file).is_err(), "{bad:?}");
        }
        assert!(read_key(&link).is_err() && read_key(outside.path()).is_err());
        assert!(read_certificates(outside.path()).is_err() && read_certificates(&outside.path().join("no")).is_err());
        std::fs::write(&file, vec![b'x'; 1024 * 1024 + 1]).unwrap();
        assert!(read_key(&file).is_err() && read_certificates(&file).is_err());
    }

    #[test]
    fn a_socket_stands_for_its_user_alone_and_is_cleared_away_unless_another_took_its_place() {
        let outside = tempfile::tempdir().unwrap();
        let path = outside.path().join("s");
        let place = SocketPlace::take(&path, |_| panic!("nothing is there to ask")).unwrap();
        let listener = UnixListener::bind(&path).unwrap();
        let socket = place.settle().unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert!(SocketPlace::take(&path, |_| true).is_err());
        drop(listener);
        // The socket of a killed server is replaced, and the old holder no longer removes anything.
        let place = SocketPlace::take(&path, |_| false).unwrap();
        let _other = UnixListener::bind(outside.path().join("t")).unwrap();
        let _listener = UnixListener::bind(&path).unwrap();
        let second = place.settle().unwrap();
        if second.identity != socket.identity {
            socket.clear().unwrap();
            assert!(path.exists());
        }
        second.clear().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_is_no_socket_is_left_where_it_is() {
        let outside = tempfile::tempdir().unwrap();
        let path = outside.path().join("s");
        std::fs::write(&path, "precious").unwrap();
        assert!(SocketPlace::take(&path, |_| false).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        assert!(SocketPlace::take(&outside.path().join("no/s"), |_| false).is_err());
    }
}
