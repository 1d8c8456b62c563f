//! Data of probes, in the state directory, where changes of the workspace cannot reach it: the evidence of their runs,
//! and the defects that the checks of a task are known to report.
//!
//! ```text
//! <state>/probes/<workspace>/                                     evidence of runs at the gate
//! <state>/probes/<workspace>-learned/                             evidence of the runs by which a set was learned
//! <state>/probe-sets/<sha256 of the workspace and the task>.json  a set
//! ```
//!
//! A set that was learned with a key is the payload of a signed envelope (DSSE 1.0.2).

use std::path::{Path, PathBuf};

use referee_model::id::{Digest, TaskId};
use referee_model::probe_set::{KIND, ProbeSet};

use crate::attest::{self, Signer};
use crate::attestation::envelope::Envelope;
use crate::error::LedgerError;
use crate::key::PublicKey;
use crate::state::{Area, State, make_private, place_name};
use crate::state_record::Key;

/// The payload type of a signed set.
const PAYLOAD_TYPE: &str = "application/vnd.referee.probe-set+json";

/// Kind of probe runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeEvidence {
    Gate,
    Learned,
}

/// Returns the directory with the evidence of a workspace's probes. Only this user can access it.
///
/// # Errors
/// Fails if it cannot be created, or if a link or a file is in its place.
pub fn evidence_root(state: &State, workspace: &Path, evidence: ProbeEvidence) -> Result<PathBuf, LedgerError> {
    let end = match evidence {
        ProbeEvidence::Gate => "",
        ProbeEvidence::Learned => "-learned",
    };
    let directory = state.area(Area::Probes)?.join(place_name(workspace) + end);
    make_private(&directory)?;
    Ok(directory)
}

/// Reads the set of a task, with the digest of its file. If keys are given, one of them must have signed it.
/// Returns `None` if none was learned.
///
/// # Errors
/// Fails if the set exists and cannot be read, and if none of the keys has signed it.
pub fn set(
    state: &State,
    workspace: &Path,
    task: &TaskId,
    keys: &[PublicKey],
) -> Result<Option<(ProbeSet, Digest)>, LedgerError> {
    let read = |bytes: &[u8]| -> Result<(ProbeSet, Digest), String> {
        let payload = if keys.is_empty() {
            Envelope::read(bytes).map_or_else(|_| bytes.to_vec(), |envelope| envelope.payload)
        } else {
            let opened = attest::open(bytes, PAYLOAD_TYPE, keys);
            opened.map_err(|error| format!("{error}; run `referee probe learn` with a trusted key"))?.payload
        };
        let set = KIND.decode::<ProbeSet>(&payload).map_err(|error| error.to_string())?;
        Ok((set, Digest::of(bytes)))
    };
    key(workspace, task).read(state, read, |(set, _)| set.task.as_str())
}

/// Writes a set, replacing the previous one. It is signed if there is a signer.
///
/// # Errors
/// Fails if the set cannot be signed or written.
pub fn keep(state: &State, workspace: &Path, set: &ProbeSet, signer: Option<&Signer>) -> Result<(), LedgerError> {
    let document = KIND.encode(set);
    let document = match (document, signer) {
        (Ok(document), Some(signer)) => Ok(attest::sign(PAYLOAD_TYPE, &document, signer)?),
        (document, _) => document,
    };
    key(workspace, &set.task).write(state, document)
}

fn key<'a>(workspace: &'a Path, task: &'a TaskId) -> Key<'a> {
    Key { area: Area::ProbeSets, root: workspace, id: task.as_str() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use referee_model::time::Timestamp;

    use super::*;
    use crate::key::PrivateKey;

    #[test]
    fn a_set_is_read_where_a_known_key_signed_it_and_an_unsigned_one_only_where_none_is_known() {
        let root = tempfile::tempdir().unwrap();
        let (state, workspace) = (State::open(&root.path().join("state")).unwrap(), root.path().join("project"));
        let task = TaskId::parse("T001").unwrap();
        let learned = ProbeSet {
            task: task.clone(),
            learned: Timestamp::from_millisecond(0),
            commit: None,
            files: BTreeMap::new(),
            checks: Vec::new(),
            refused: BTreeMap::new(),
        };
        let (own, other): (Signer, Signer) =
            (PrivateKey::generate().unwrap().into(), PrivateKey::generate().unwrap().into());
        let read = |keys: &[&Signer]| {
            let keys: Vec<PublicKey> = keys.iter().map(|signer| signer.public().clone()).collect();
            set(&state, &workspace, &task, &keys).map(|found| found.map(|(set, _)| set))
        };
        assert_eq!(read(&[&own]).unwrap(), None);
        for (signer, keys, is_read) in [
            (None, &[][..], true),
            (None, &[&own][..], false),
            (Some(&own), &[][..], true),
            (Some(&own), &[&other, &own][..], true),
            (Some(&own), &[&other][..], false),
        ] {
            keep(&state, &workspace, &learned, signer).unwrap();
            assert_eq!(read(keys).ok().flatten().as_ref(), Some(&learned).filter(|_| is_read));
        }
        // A set that was changed after it was signed.
        let file = std::fs::read_dir(root.path().join("state/probe-sets")).unwrap().next().unwrap().unwrap().path();
        let signed = std::fs::read_to_string(&file).unwrap();
        let at = signed.find("\"payload\"").unwrap() + 20;
        let letter = if &signed[at..=at] == "A" { "B" } else { "A" };
        std::fs::write(&file, format!("{}{letter}{}", &signed[..at], &signed[at + 1..])).unwrap();
        assert!(read(&[&own]).is_err());
    }
}
