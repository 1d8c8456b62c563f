//! What is typed about keys: to make and believe them, and to sign runs by them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_engine::keys::SigningOptions;

use super::PlainFormat;

/// By which key a run is signed.
#[derive(Debug, Clone, Args)]
pub(crate) struct Signing {
    /// Sign the run by this key: a file outside the workspace (Ed25519, PKCS#8 PEM, readable by you alone), or `agent:NAME`
    /// for a key of the SSH agent, by fingerprint, comment or id. [env: REFEREE_KEY]
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, conflicts_with = "key_fd")]
    pub(crate) key: Option<PathBuf>,
    /// Sign the run by the key that comes through this pipe, by the number of its file descriptor.
    #[arg(long, value_name = "N")]
    pub(crate) key_fd: Option<u32>,
}

impl Signing {
    /// Returns what the engine is told of it.
    pub(crate) fn options(&self) -> SigningOptions {
        SigningOptions { key: self.key.clone(), key_fd: self.key_fd }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make a new key to sign runs by.
    New(New),
    /// Print the public half of a key, and its id.
    Show(Show),
    /// Believe a public key: in the runs that it signs, or in what its owner approves.
    Trust(Trust),
    /// List the keys that you believe.
    List(List),
    /// Believe a key no more.
    Distrust(Distrust),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee key new                                  in your configuration folder
  referee key new --name ci                        another one beside it
  referee key new --out /secure/referee.pem        at another place, outside every project
  openssl genpkey -algorithm ed25519 -out key.pem  makes the same kind of key")]
pub(crate) struct New {
    /// Write it to this file. Default: NAME.pem in your configuration folder (XDG_CONFIG_HOME, or ~/.config/referee).
    #[arg(long, value_name = "PATH", conflicts_with = "name")]
    pub(crate) out: Option<PathBuf>,
    /// What the file is called: letters, digits, `.`, `_` and `-`.
    #[arg(long, value_name = "NAME", default_value = "key", value_parser = file_stem)]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee key show                          that of your configuration folder
  referee key show ci.pub.pem               id of a public key
  referee key show agent:                   the only Ed25519 key of the SSH agent
  referee key show > ci.pub.pem             for whoever is to verify what it signs")]
pub(crate) struct Show {
    /// A private or public key, or `agent:NAME`. Default: key.pem in your configuration folder.
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// How to print it. For people the public key goes to standard output and the id to standard error.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee key trust ci.pub.pem --name \"our CI\" --as runner
  referee key trust ada.pub.pem --name Ada --as approver --until 2027-06-30
  referee key trust ben.pub.pem --name Ben --as approver --by-key ~/ada.pem

An approver is added at a terminal, or by the key of one who is trusted already; by nobody in an agent's shell.")]
pub(crate) struct Trust {
    /// The public key: Ed25519, SPKI PEM.
    #[arg(value_name = "PUBLIC.pem")]
    pub(crate) key: PathBuf,
    /// Whose it is.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// What it is believed for: the runs that it signs, or what a person approves by it (waivers, locks).
    #[arg(long = "as", value_enum, value_name = "ROLE")]
    pub(crate) role: Role,
    /// Until when: a day, or a time such as 2027-06-30T12:00:00Z. Default: until it is distrusted.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Add an approver without a terminal, by the key of one who is trusted already: a file, or `agent:NAME`.
    #[arg(long, value_name = "KEY")]
    pub(crate) by_key: Option<PathBuf>,
}

/// What a key is believed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// It signs runs.
    Runner,
    /// It signs what a person decides.
    Approver,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How to print them.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Distrust {
    /// Its id, or eight or more of its first digits.
    #[arg(value_name = "KEYID")]
    pub(crate) key: String,
}

fn file_stem(text: &str) -> Result<String, String> {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let is_name = !text.is_empty() && text.len() <= 64 && !text.starts_with('.') && text.chars().all(allowed);
    if is_name { Ok(text.to_owned()) } else { Err("expected letters, digits, `.`, `_` and `-`".to_owned()) }
}
