//! The programs that people use for the same, where they are on the machine or can be installed into a directory of the bench.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::measurement::{Fallible, output};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    Bats,
    Errorformat,
    GotestSum,
    Hurl,
    Hyperfine,
    Just,
    Make,
    Parallel,
}

/// How a peer is installed without rights over the machine.
enum Source {
    Cargo(&'static str),
    Go(&'static str),
    Npm(&'static str),
    /// By the machine's own packages alone.
    System,
}

impl Peer {
    const ALL: [Self; 8] = [
        Self::Bats,
        Self::Errorformat,
        Self::GotestSum,
        Self::Hurl,
        Self::Hyperfine,
        Self::Just,
        Self::Make,
        Self::Parallel,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bats => "bats",
            Self::Errorformat => "errorformat",
            Self::GotestSum => "gotestsum",
            Self::Hurl => "hurl",
            Self::Hyperfine => "hyperfine",
            Self::Just => "just",
            Self::Make => "make",
            Self::Parallel => "parallel",
        }
    }

    fn source(self) -> Source {
        match self {
            Self::Bats => Source::Npm("bats"),
            Self::Errorformat => Source::Go("github.com/reviewdog/errorformat/cmd/errorformat@latest"),
            Self::GotestSum => Source::Go("gotest.tools/gotestsum@latest"),
            Self::Hurl => Source::Cargo("hurl@8.0.1"),
            Self::Hyperfine => Source::Cargo("hyperfine@1.20.0"),
            Self::Just => Source::Cargo("just"),
            Self::Make | Self::Parallel => Source::System,
        }
    }

    fn install(self, into: &Path) -> Fallible<()> {
        let mut command = match self.source() {
            Source::Cargo(package) => {
                let mut cargo = Command::new("cargo");
                cargo.args(["install", "--quiet", "--locked", "--root"]).arg(into).arg(package);
                cargo
            }
            Source::Go(package) => {
                let mut go = Command::new("go");
                go.args(["install", package]).env("GOBIN", into.join("bin"));
                go
            }
            Source::Npm(package) => {
                let mut npm = Command::new("npm");
                npm.args(["install", "--loglevel", "error", "--global", "--prefix"]).arg(into).arg(package);
                npm
            }
            Source::System => return Err("comes with the packages of the system".into()),
        };
        output(&mut command).map(drop)
    }
}

/// Where peers are looked for: what was installed here before, and the machine's `PATH`.
pub(crate) struct Peers {
    cache: PathBuf,
}

impl Peers {
    pub(crate) fn new(cache: PathBuf) -> Self {
        Self { cache }
    }

    /// Installs what is missing, and tells what cannot be installed.
    pub(crate) fn install(&self) {
        for peer in Peer::ALL.into_iter().filter(|peer| self.find(*peer).is_none()) {
            match peer.install(&self.cache) {
                Ok(()) => println!("installed {}", peer.name()),
                Err(error) => println!("cannot install {}: {error}", peer.name()),
            }
        }
    }

    pub(crate) fn find(&self, peer: Peer) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut directories = vec![self.cache.join("bin"), self.cache.join("lib/node_modules/bats/bin")];
        directories.extend(std::env::split_paths(&path));
        directories.into_iter().map(|directory| directory.join(peer.name())).find(|program| program.is_file())
    }

    /// A command of a peer, or why there is none.
    pub(crate) fn command(&self, peer: Peer) -> Result<Command, &'static str> {
        self.find(peer).map(Command::new).ok_or("not installed (--install-peers)")
    }
}
