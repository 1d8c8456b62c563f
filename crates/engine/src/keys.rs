//! Signing keys, as named on the command line or in the environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_ledger::attest::Signer;
use referee_ledger::key::agent::{AgentKey, Exchange};
use referee_ledger::key::{KeyError, PublicKey, file};
use referee_model::suite::Suite;

use crate::context::Context;
use crate::error::EngineError;

/// Prefix of the name of a key in the SSH agent.
const AGENT: &str = "agent:";

/// Environment variable that names the key. Commands never receive it.
pub(crate) const KEY_VARIABLE: &str = "REFEREE_KEY";

/// Which key signs runs.
#[derive(Debug, Clone, Default)]
pub struct SigningOptions {
    /// Path of a key file, or `agent:NAME`. `None`: the key that the environment names.
    pub key: Option<PathBuf>,
    /// Number of the file descriptor to read the key from.
    pub key_fd: Option<u32>,
}

impl SigningOptions {
    /// Returns the signer for the runs of these suites. `None`: no key is named.
    ///
    /// # Errors
    /// Fails, before anything runs, if the named key cannot be used.
    pub fn signer(&self, context: &Context, suites: &[Suite]) -> Result<Option<Arc<Signer>>, EngineError> {
        if let Some(number) = self.key_fd {
            return Ok(Some(Arc::new(file::read_descriptor(number)?.into())));
        }
        let Some(key) = self.named(context) else { return Ok(None) };
        let plans = suites.iter().flat_map(|suite| &suite.tasks);
        let in_reach: Vec<&Path> =
            plans.flat_map(|plan| [plan.workspace.as_path(), plan.evidence_root.as_path()]).collect();
        named(context, &key, &in_reach).map(|signer| Some(Arc::new(signer)))
    }

    /// Returns the name of the key: the one given, otherwise that of the environment.
    pub fn named(&self, context: &Context) -> Option<PathBuf> {
        self.key.clone().or_else(|| context.variable(KEY_VARIABLE).map(PathBuf::from))
    }
}

/// Returns whether a name refers to a key in the SSH agent.
pub fn is_of_agent(named: &Path) -> bool {
    named.to_string_lossy().starts_with(AGENT)
}

/// Returns the named key: from a file that lies in none of the directories `in_reach`, or from the SSH agent.
///
/// # Errors
/// Fails if the key cannot be used.
pub fn named(context: &Context, named: &Path, in_reach: &[&Path]) -> Result<Signer, EngineError> {
    let text = named.to_string_lossy();
    if text.contains("-----BEGIN") {
        return Err(EngineError::usage(format!(
            "a key itself was given where its file is to be named: whoever sees this program's arguments or environment has \
             seen it, so make another one, and name its file, or give it through a pipe (`--key-fd`, not {KEY_VARIABLE})"
        )));
    }
    if let Some(name) = text.strip_prefix(AGENT) {
        return Ok(in_agent(context, name)?.into());
    }
    Ok(file::read(&context.directory.join(named), in_reach)?.into())
}

/// Returns a public key: from a file with either half of the pair, or from the SSH agent.
pub fn public(context: &Context, named: &Path) -> Result<PublicKey, EngineError> {
    if let Some(name) = named.to_str().and_then(|text| text.strip_prefix(AGENT)) {
        return Ok(in_agent(context, name)?.public().clone());
    }
    let path = context.directory.join(named);
    match file::read_public(&path) {
        Err(KeyError::Form { found: "a private key", .. }) => Ok(file::read(&path, &[])?.public().clone()),
        read => Ok(read?),
    }
}

/// Finds a key in the SSH agent.
fn in_agent(context: &Context, name: &str) -> Result<AgentKey, EngineError> {
    let socket = context.variable("SSH_AUTH_SOCK").map(PathBuf::from).ok_or_else(|| {
        EngineError::usage(
            "there is no SSH agent: SSH_AUTH_SOCK is not set; start one by `eval $(ssh-agent)`".to_owned(),
        )
    })?;
    let exchange: Exchange = Arc::new(move |request: &[u8]| referee_exec::agent::ask(&socket, request));
    Ok(AgentKey::find(name, &exchange)?)
}

/// Returns the directory for the user's own keys. `None`: the environment names no home directory.
pub fn configuration_directory(context: &Context) -> Option<PathBuf> {
    let absolute = |name| context.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    base.map(|base| base.join("referee"))
}
