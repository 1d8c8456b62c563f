//! A real S3 server: versitygw over a directory, as `.ci/run` installs it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::port::{free_ports, wait_for_listener};

/// Name of the bucket.
pub const BUCKET: &str = "evidence";

/// Credentials, which nobody else reaches.
pub const ACCESS_KEY: &str = "referee-tests";
pub const SECRET_KEY: &str = "a-secret-of-tests";

/// A running server with one bucket. It is killed when this is dropped.
#[derive(Debug)]
pub struct ObjectStorage {
    server: Child,
    program: PathBuf,
    directory: PathBuf,
    options: Vec<String>,
    /// The port that it listens at.
    pub port: u16,
}

impl ObjectStorage {
    /// Finds the program on the search path, and where `.ci/run` installs it.
    pub fn program() -> Option<PathBuf> {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        let search = std::env::var_os("PATH").unwrap_or_default();
        let directories = std::env::split_paths(&search).chain(cache.map(|cache| cache.join("referee-ci/bin")));
        directories.map(|directory| directory.join("versitygw")).find(|program| program.is_file())
    }

    /// Starts the program over a directory, with further options.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn start(program: PathBuf, directory: &Path, options: &[&str]) -> io::Result<Self> {
        for below in [&format!("data/{BUCKET}"), "meta"] {
            fs::create_dir_all(directory.join(below))?;
        }
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        let port = free_ports()?;
        let server = serve(&program, directory, &options, port)?;
        Ok(Self { server, program, directory: directory.to_owned(), options, port })
    }

    /// Kills the server (SIGKILL).
    ///
    /// # Errors
    /// Fails if the system does not tell that it ended.
    pub fn kill(&mut self) -> io::Result<()> {
        // It may have been killed before.
        drop(self.server.kill());
        self.server.wait().map(drop)
    }

    /// Starts the server again, on the same port.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        self.server = serve(&self.program, &self.directory, &self.options, self.port)?;
        Ok(())
    }

    /// Returns its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the file behind an object.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join("data").join(BUCKET).join(name)
    }

    /// Removes an object, with what the server knows of it.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.file(name))?;
        fs::remove_dir_all(self.directory.join("meta").join(BUCKET).join(name))
    }
}

impl Drop for ObjectStorage {
    fn drop(&mut self) {
        drop(self.kill());
    }
}

fn serve(program: &Path, directory: &Path, options: &[String], port: u16) -> io::Result<Child> {
    let server = Command::new(program)
        .args(["--port", &format!("127.0.0.1:{port}"), "--access", ACCESS_KEY, "--secret", SECRET_KEY])
        .args(options)
        .args(["posix", "--sidecar"])
        .args([directory.join("meta"), directory.join("data")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    wait_for_listener(port)?;
    Ok(server)
}
