//! `referee evidence`: shows and verifies recorded evidence.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_engine::verification::{self, AxisState, Verifier, VerifyRequest};
use referee_ledger::State;
use referee_ledger::key::PublicKey;
use referee_ledger::trust::TrustStore;
use referee_model::verification_policy::{self, VerificationPolicy};
use referee_report::human::verification as shown;

use crate::args::{PlainFormat, Verify};
use crate::output;
use crate::resolve;

pub(super) mod depot;
pub(super) mod evidence_list;
pub(super) mod prune;

/// Verifies an evidence directory, each axis separately.
pub(super) fn verify(context: &Context, arguments: &Verify) -> Result<u8, EngineError> {
    let directory = resolve::evidence_directory(context, &arguments.evidence)?;
    let policy = arguments.policy.as_deref().map(|file| policy(context, file)).transpose()?;
    let replay = arguments.replay || policy.as_ref().is_some_and(|policy| policy.replayed);
    let state = context.state_if_any()?;
    let keys = arguments.keys.iter().map(|key| keys::public(context, key)).collect::<Result<_, _>>()?;
    let verifier = verifier(keys, state.as_ref());
    let request = VerifyRequest { directory: &directory, replay, state: state.as_ref(), verifier: &verifier };
    let mut verification = verification::verify(&request)?;
    if arguments.fresh || policy.as_ref().is_some_and(|policy| policy.fresh) {
        verification.axes.push(freshness(context, &directory, arguments, state.as_ref())?);
    }
    if let Some(policy) = &policy {
        verification.hold_to(policy, &directory, resolve::now());
    }
    let standing = verification.standing();
    let text = match arguments.format {
        PlainFormat::Json => referee_model::document::to_bytes(&verification.document())?,
        PlainFormat::Human => {
            let mut text = Vec::new();
            let axes: Vec<_> = verification.axes.iter().map(axis).collect();
            shown::write(&axes, &context.terminal.stdout, &mut text)?;
            text.extend(format!("{}: {}\n", arguments.evidence.display(), standing.as_str()).into_bytes());
            text
        }
    };
    output::answer(&text)?;
    Ok(standing.exit_code())
}

/// Compares with the workspace in which the run was made, or with the given one.
fn freshness(
    context: &Context,
    directory: &Path,
    arguments: &Verify,
    state: Option<&State>,
) -> Result<verification::Axis, EngineError> {
    let workspace = arguments.workspace.as_ref().map(|workspace| context.directory.join(workspace));
    if let Some(workspace) = workspace.as_deref().filter(|workspace| !workspace.is_dir()) {
        return Err(EngineError::usage(format!("--workspace: {} is not a directory", workspace.display())));
    }
    Ok(verification::freshness(directory, workspace.as_deref(), state))
}

/// Returns the verifier. An unreadable trust store does not prevent the checks of other axes.
fn verifier(keys: Vec<PublicKey>, state: Option<&State>) -> Verifier {
    let trust = state
        .map_or_else(|| Ok(TrustStore::default()), |state| TrustStore::read(state).map_err(|error| error.to_string()));
    Verifier { keys, trust, now: resolve::now() }
}

/// Reads the verification policy. If it cannot be read, nothing is verified.
fn policy(context: &Context, file: &Path) -> Result<VerificationPolicy, EngineError> {
    let refused = |error: &dyn std::fmt::Display| EngineError::usage(format!("--policy {}: {error}", file.display()));
    let bytes = std::fs::read(context.directory.join(file)).map_err(|error| refused(&error))?;
    verification_policy::read(&bytes).map_err(|error| refused(&error))
}

fn axis(axis: &verification::Axis) -> shown::Axis {
    shown::Axis {
        name: axis.name.to_owned(),
        state: match axis.state {
            AxisState::Holds => shown::State::Good,
            AxisState::Unknown => shown::State::Unknown,
            AxisState::Unverifiable | AxisState::Broken => shown::State::Bad,
        },
        reason: axis.reasons.join("\n"),
    }
}
