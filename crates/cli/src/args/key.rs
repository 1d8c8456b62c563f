//! What is typed about keys: to make and believe them, and to sign runs by them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_engine::keys::SigningOptions;

use super::PlainFormat;

/// Signing.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Execution Options")]
pub(crate) struct Signing {
    /// Sign the evidence with this private key: a file outside of the workspace (Ed25519, PKCS#8 PEM), or `agent:NAME` for
    /// a key of the SSH agent [env: REFEREE_KEY].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, conflicts_with = "key_fd")]
    pub(crate) key: Option<PathBuf>,
    /// Read the private key from this file descriptor.
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
    /// Generate a signing key.
    New(New),
    /// Print a public key and its id.
    Show(Show),
    /// Trust a public key to sign runs or approvals.
    Trust(Trust),
    /// List trusted keys.
    List(List),
    /// Remove a trusted key.
    Distrust(Distrust),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee key new                                  write key.pem to the configuration directory
  referee key new --name ci                        write ci.pem there
  referee key new --out /secure/referee.pem        write the key to another location
  openssl genpkey -algorithm ed25519 -out key.pem  generate the same kind of key")]
pub(crate) struct New {
    /// Write the key to FILE [default: NAME.pem in the configuration directory].
    #[arg(long, value_name = "PATH", conflicts_with = "name")]
    pub(crate) out: Option<PathBuf>,
    /// Name of the key file: letters, digits, `.`, `_` and `-`.
    #[arg(long, value_name = "NAME", default_value = "key", value_parser = file_stem)]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee key show                          print the default public key
  referee key show ci.pub.pem               print the id of a public key
  referee key show agent:                   print the only Ed25519 key of the SSH agent
  referee key show > ci.pub.pem             save the public key for verifiers")]
pub(crate) struct Show {
    /// Private or public key, or `agent:NAME` [default: key.pem in the configuration directory].
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee key trust ci.pub.pem --name \"our CI\" --as runner
  referee key trust ada.pub.pem --name Ada --as approver --until 2027-06-30
  referee key trust gpu-1.pub.pem --name \"gpu 1\" --as worker
  referee key trust ben.pub.pem --name Ben --as approver --by-key ~/ada.pem

Approvers are added at a terminal, or with the key of a trusted approver; never in an agent's shell.")]
pub(crate) struct Trust {
    /// Public key, Ed25519 in SPKI PEM.
    #[arg(value_name = "PUBLIC.pem")]
    pub(crate) key: PathBuf,
    /// Name of the owner.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// What the key is trusted for.
    #[arg(long = "as", value_enum, value_name = "ROLE")]
    pub(crate) role: Role,
    /// Expiry: a date, or a time such as 2027-06-30T12:00:00Z.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Authorize a new approver with the key of a trusted one: a file, or `agent:NAME`.
    #[arg(long, value_name = "KEY")]
    pub(crate) by_key: Option<PathBuf>,
}

/// What a key is trusted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Sign runs.
    Runner,
    /// Sign decisions of a person: approvals, waivers and locks.
    Approver,
    /// Sign runs that a worker performed for this machine.
    Worker,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Distrust {
    /// Id of the key, or at least its first 8 digits.
    #[arg(value_name = "KEYID")]
    pub(crate) key: String,
}

fn file_stem(text: &str) -> Result<String, String> {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let is_name = !text.is_empty() && text.len() <= 64 && !text.starts_with('.') && text.chars().all(allowed);
    if is_name { Ok(text.to_owned()) } else { Err("expected letters, digits, `.`, `_` and `-`".to_owned()) }
}
