//! The database itself: how it is opened, and what is in it.

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_model::id::Digest;
use rusqlite::{Connection, TransactionBehavior};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::IndexError;
use crate::error::LedgerError;
use crate::incidents::ground::Ground;
use crate::lock::{self, FileLock, Hold};

/// Number of the layout below. A database of another one is emptied.
const LAYOUT: i64 = 1;

/// How long another process may write before the folders are read instead.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait for a database that is being made anew.
const MAKING: Duration = Duration::from_secs(1);

const TABLES: &str = "
    DROP TABLE IF EXISTS standing;
    DROP TABLE IF EXISTS shelf;
    DROP TABLE IF EXISTS fault;
    DROP TABLE IF EXISTS incident;
    CREATE TABLE standing (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        sequence INTEGER NOT NULL,
        events_inode INTEGER NOT NULL,
        events_bytes INTEGER NOT NULL
    );
    CREATE TABLE shelf (
        lies INTEGER PRIMARY KEY,
        stamp INTEGER,
        folders INTEGER NOT NULL,
        names INTEGER NOT NULL
    );
    CREATE TABLE incident (
        name TEXT NOT NULL,
        lies INTEGER NOT NULL,
        shelf INTEGER NOT NULL,
        stamp INTEGER,
        updated INTEGER NOT NULL,
        created INTEGER NOT NULL,
        status TEXT NOT NULL,
        class TEXT NOT NULL,
        step TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        run TEXT NOT NULL,
        ym TEXT NOT NULL,
        occurrences INTEGER NOT NULL,
        words TEXT NOT NULL,
        message TEXT NOT NULL
    );
    CREATE TABLE fault (
        name TEXT NOT NULL,
        lies INTEGER NOT NULL,
        stamp INTEGER,
        reason TEXT NOT NULL,
        PRIMARY KEY (name, lies)
    );
    CREATE UNIQUE INDEX by_name ON incident (name, lies);
    CREATE INDEX by_time ON incident (updated, name, lies);
    CREATE INDEX by_shelf ON incident (shelf, updated, name, lies);
    CREATE INDEX by_status ON incident (status, updated, name, lies, shelf);
    CREATE INDEX by_class ON incident (class, updated, name, lies, step, status, shelf);
    CREATE INDEX by_step ON incident (step, updated, name, lies, class, status, shelf);
    CREATE INDEX by_fingerprint ON incident (fingerprint, updated, name, lies);
";

/// An open database.
#[derive(Debug)]
pub(super) struct Catalogue {
    pub(super) database: Connection,
    path: PathBuf,
    /// Held beside others while it is open, and alone by whoever makes it anew.
    pub(super) lock: FileLock,
}

impl Catalogue {
    /// Opens the database of a root, and makes it where it is missing or junk.
    pub(super) fn open(area: &Path, ground: &Ground) -> Result<Self, IndexError> {
        let root = std::fs::canonicalize(ground.root()).map_err(LedgerError::io("find", ground.root()))?;
        let name = Digest::from_bytes(Sha256::digest(root.as_os_str().as_bytes()).into()).to_string();
        let path = area.join(format!("{name}.sqlite"));
        let lock = open_lock(&area.join(format!("{name}.lock")))?;
        match connect(&path) {
            Ok(database) => Ok(Self { database, path, lock }),
            Err(error) if error.is_junk() => make_anew(path, lock),
            Err(error) => Err(error),
        }
    }

    /// Makes the database anew.
    pub(super) fn anew(self) -> Result<Self, IndexError> {
        let Self { database, path, lock } = self;
        drop(database);
        make_anew(path, lock)
    }
}

/// What the file system takes for the time now, in nanoseconds: what is changed from now on is not older. Coarse where the file
/// system is. None: it does not say.
pub(super) fn moment(lock: &File) -> Option<i128> {
    let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
    rustix::fs::futimens(lock, &rustix::fs::Timestamps { last_access: now, last_modification: now }).ok()?;
    let found = rustix::fs::fstat(lock).ok()?;
    Some(i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec))
}

fn open_lock(path: &Path) -> Result<FileLock, LedgerError> {
    let taken = FileLock::take(lock::open_at(path)?, Hold::Shared, MAKING).transpose();
    taken.unwrap_or(Err(Errno::WOULDBLOCK)).map_err(LedgerError::io("lock", path))
}

fn hold(lock: &FileLock, hold: Hold, path: &Path) -> Result<(), LedgerError> {
    let is_held = lock.change(hold, MAKING).map_err(LedgerError::io("lock", path))?;
    if is_held { Ok(()) } else { Err(LedgerError::io("lock", path)(Errno::WOULDBLOCK)) }
}

/// Removes a database that nobody else uses, and opens an empty one.
fn make_anew(path: PathBuf, lock: FileLock) -> Result<Catalogue, IndexError> {
    hold(&lock, Hold::Exclusive, &path)?;
    // Somebody else may have made it anew while this one waited.
    let database = match connect(&path) {
        Ok(database) if is_sound(&database) => database,
        Err(error) if !error.is_junk() => return Err(error),
        Ok(_) | Err(_) => {
            for suffix in ["", "-wal", "-shm"] {
                let mut file = path.clone().into_os_string();
                file.push(suffix);
                match std::fs::remove_file(&file) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(LedgerError::io("remove", Path::new(&file))(error).into());
                    }
                    _ => {}
                }
            }
            connect(&path)?
        }
    };
    hold(&lock, Hold::Shared, &path)?;
    Ok(Catalogue { database, path, lock })
}

fn is_sound(database: &Connection) -> bool {
    database.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)).is_ok_and(|word| word == "ok")
}

fn connect(path: &Path) -> Result<Connection, IndexError> {
    let mut database = Connection::open(path)?;
    database.busy_timeout(PATIENCE)?;
    // Nothing is lost with it, so that the disk need not be waited for.
    database.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000;
         PRAGMA mmap_size = 268435456;",
    )?;
    if layout(&database)? != LAYOUT {
        let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if layout(&transaction)? != LAYOUT {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", LAYOUT)?;
        }
        transaction.commit()?;
    }
    Ok(database)
}

fn layout(database: &Connection) -> Result<i64, rusqlite::Error> {
    database.pragma_query_value(None, "user_version", |row| row.get(0))
}
