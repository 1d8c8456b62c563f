//! Evidence in depots. The program beside this one that speaks with depots stores and fetches; what it fetched is
//! verified here, as any evidence from elsewhere, before it is published or shown.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_exec::program::Call;
use referee_model::depot::{
    CheckpointVersion, DepotAddress, DepotAnswer, DepotFailure, DepotFailureKind, DepotLink, DepotOperation,
    DepotPrune, DepotRequest, PrunedDepot, PulledRun, PushRun, PushedRun,
};
use referee_model::document::{DocumentError, from_bytes};
use referee_model::id::{Digest, ExecutionId, ProjectName};
use referee_model::time::Timestamp;
use referee_model::tree_manifest::{ContentLink, TreeManifest};

use crate::context::Context;
use crate::error::{EngineError, ErrorKind};

mod audit;
mod pull;
mod selection;

pub use self::pull::{PullRequest, pull, pull_copy};
pub use self::selection::{newest_runs, run_at};

/// Name of the program.
pub(crate) const PROGRAM: &str = "referee-fleet";

/// Variables that the program gets to speak with a depot, by name; no other document or message holds their values.
pub(crate) const VARIABLES: [&str; 8] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ALLOW_HTTP",
];

/// Variables that it gets to speak with anybody.
pub(crate) const NETWORK_VARIABLES: [&str; 6] =
    ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Time limit for one operation.
const BOUND: Duration = Duration::from_hours(1);

/// Maximum size of an answer, in bytes.
const OUTPUT_BYTES: u64 = 64 * 1024 * 1024;

/// A project in a depot.
#[derive(Debug, Clone)]
pub struct DepotClient {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    address: DepotAddress,
    project: ProjectName,
    clock: fn() -> Timestamp,
}

impl DepotClient {
    /// Finds the program. The project is named after the directory that holds the evidence, unless it is given.
    ///
    /// # Errors
    /// Fails if the program is missing, and if the name cannot be used.
    pub fn new(
        context: &Context,
        address: DepotAddress,
        project: Option<&ProjectName>,
        evidence_root: &Path,
    ) -> Result<Self, EngineError> {
        let project = match project {
            Some(project) => project.clone(),
            None => project_of(evidence_root)?,
        };
        Self::at(context, address, project)
    }

    /// Finds the program, for a project in a depot.
    ///
    /// # Errors
    /// Fails if the program is missing.
    pub(crate) fn at(context: &Context, address: DepotAddress, project: ProjectName) -> Result<Self, EngineError> {
        let environment = variables(context, &[VARIABLES.as_slice(), &NETWORK_VARIABLES].concat());
        Ok(Self { program: program(context)?, environment, address, project, clock: context.clock })
    }

    /// Returns the address of the depot, for messages.
    pub fn address(&self) -> &DepotAddress {
        &self.address
    }

    /// Returns the name of the project.
    pub fn project(&self) -> &ProjectName {
        &self.project
    }

    /// Stores sealed runs, and moves the heads of their tasks.
    ///
    /// # Errors
    /// Fails if one of them could not be stored; those before it are.
    pub fn push(&self, runs: Vec<PushRun>) -> Result<Vec<PushedRun>, EngineError> {
        match self.ask(DepotOperation::Push { runs })? {
            DepotAnswer::Pushed { runs } => Ok(runs),
            _ => Err(misunderstood()),
        }
    }

    /// Lists the heads of the project.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub fn heads(&self) -> Result<Vec<DepotLink>, EngineError> {
        match self.ask(DepotOperation::Heads)? {
            DepotAnswer::Heads { heads } => Ok(heads),
            _ => Err(misunderstood()),
        }
    }

    /// Removes files of old runs, what orders left long ago, and receipts by which nothing can answer any more.
    ///
    /// # Errors
    /// Fails if the depot does not answer, or if a chain in it cannot be read.
    pub fn prune(&self, prune: DepotPrune) -> Result<PrunedDepot, EngineError> {
        match self.ask(DepotOperation::Prune(prune))? {
            DepotAnswer::Pruned(pruned) => Ok(pruned),
            _ => Err(misunderstood()),
        }
    }

    /// Stores a tree, and returns its manifest.
    pub(crate) fn put_tree(&self, directory: &Path, manifest: TreeManifest) -> Result<ContentLink, EngineError> {
        match self.ask(DepotOperation::PutTree { directory: directory.to_path_buf(), manifest, now: (self.clock)() })? {
            DepotAnswer::TreePut { tree, .. } => Ok(tree),
            _ => Err(misunderstood()),
        }
    }

    /// Fetches a tree to an empty directory, and returns its manifest. The answer is the failure, as the depot tells it.
    pub(crate) fn fetch_tree(
        &self,
        tree: ContentLink,
        into: &Path,
        max_bytes: u64,
    ) -> Result<Result<TreeManifest, DepotFailure>, EngineError> {
        match self.answer(DepotOperation::FetchTree { tree, into: into.to_path_buf(), max_bytes })? {
            DepotAnswer::TreeFetched { manifest } if Digest::of(manifest.encode()?) == tree.sha256 => Ok(Ok(manifest)),
            DepotAnswer::Failed { error } => Ok(Err(error)),
            _ => Err(misunderstood()),
        }
    }

    /// Keeps a signed result as the receipt of its order.
    pub(crate) fn put_receipt(&self, order: Digest, result: String) -> Result<(), EngineError> {
        match self.ask(DepotOperation::PutReceipt { order, result })? {
            DepotAnswer::ReceiptPut => Ok(()),
            _ => Err(misunderstood()),
        }
    }

    /// Reads the receipt of an order. It is not verified. The answer is the failure, as the depot tells it.
    pub(crate) fn find_receipt(&self, order: Digest) -> Result<Result<Option<String>, DepotFailure>, EngineError> {
        match self.answer(DepotOperation::FindReceipt { order })? {
            DepotAnswer::Receipt { result } => Ok(Ok(result)),
            DepotAnswer::Failed { error } => Ok(Err(error)),
            _ => Err(misunderstood()),
        }
    }

    /// Puts a checkpoint of an agent run in the place of the one with this digest. Returns false if another one is there.
    pub(crate) fn put_checkpoint(
        &self,
        run: &ExecutionId,
        previous: Option<Digest>,
        checkpoint: String,
    ) -> Result<bool, EngineError> {
        match self.ask(DepotOperation::PutCheckpoint { run: run.clone(), previous, checkpoint })? {
            DepotAnswer::CheckpointPut { is_put } => Ok(is_put),
            _ => Err(misunderstood()),
        }
    }

    /// Reads the last checkpoint of a loop. It is not verified. The answer is the failure if the depot has something else in its
    /// place.
    pub(crate) fn find_checkpoint(
        &self,
        run: &ExecutionId,
    ) -> Result<Result<Option<String>, DepotFailure>, EngineError> {
        match self.answer(DepotOperation::FindCheckpoint { run: run.clone() })? {
            DepotAnswer::Checkpoint { checkpoint } => Ok(Ok(checkpoint)),
            DepotAnswer::Failed { error }
                if matches!(error.kind, DepotFailureKind::Corrupt | DepotFailureKind::TooLarge) =>
            {
                Ok(Err(error))
            }
            DepotAnswer::Failed { error } => Err(self.error(&error)),
            _ => Err(misunderstood()),
        }
    }

    /// Lists the last checkpoints of all loops.
    pub(crate) fn checkpoints(&self) -> Result<Vec<CheckpointVersion>, EngineError> {
        match self.ask(DepotOperation::Checkpoints)? {
            DepotAnswer::Checkpoints { checkpoints } => Ok(checkpoints),
            _ => Err(misunderstood()),
        }
    }

    /// Fetches a run by its seal. It is not verified. The answer is the failure, as the depot tells it.
    pub(crate) fn fetch_run(
        &self,
        seal: ContentLink,
        into: &Path,
        max_bytes: u64,
    ) -> Result<Result<(), DepotFailure>, EngineError> {
        match self.answer(DepotOperation::FetchRun { seal, into: into.to_path_buf(), max_bytes })? {
            DepotAnswer::Pulled(_) => Ok(Ok(())),
            DepotAnswer::Failed { error } => Ok(Err(error)),
            _ => Err(misunderstood()),
        }
    }

    /// Fetches a run. It is not verified.
    fn fetch(&self, operation: DepotOperation) -> Result<PulledRun, EngineError> {
        match self.ask(operation)? {
            DepotAnswer::Pulled(run) => Ok(run),
            _ => Err(misunderstood()),
        }
    }

    fn ask(&self, operation: DepotOperation) -> Result<DepotAnswer, EngineError> {
        match self.answer(operation)? {
            DepotAnswer::Failed { error } => Err(self.error(&error)),
            answer => Ok(answer),
        }
    }

    fn answer(&self, operation: DepotOperation) -> Result<DepotAnswer, EngineError> {
        let request = DepotRequest { depot: self.address.clone(), project: self.project.clone(), operation };
        let call = Call {
            program: self.program.clone(),
            arguments: Vec::new(),
            directory: PathBuf::from("/"),
            environment: self.environment.clone(),
            input: serde_json::to_vec(&request)?,
            bound: BOUND,
            output_bytes: OUTPUT_BYTES,
        };
        from_bytes("the answer of referee-fleet", &output(&call)?).map_err(|error| no_answer(&error))
    }

    /// Returns the error of an operation that failed.
    pub(crate) fn error(&self, failure: &DepotFailure) -> EngineError {
        let kind = match failure.kind {
            DepotFailureKind::Address => ErrorKind::Usage,
            DepotFailureKind::Unavailable
            | DepotFailureKind::Denied
            | DepotFailureKind::Missing
            | DepotFailureKind::Corrupt
            | DepotFailureKind::Busy
            | DepotFailureKind::Local => ErrorKind::Evidence,
            DepotFailureKind::Unknown
            | DepotFailureKind::Removed
            | DepotFailureKind::TooLarge
            | DepotFailureKind::Diverged => ErrorKind::Refused,
        };
        EngineError::new(kind, format!("depot {}: {}", self.address, failure.message))
    }
}

/// Runs the program that speaks with depots and with the queue of orders, and returns what it printed.
///
/// # Errors
/// Fails if it cannot be run, does not end in its time, or ends with a failure.
pub(crate) fn output(call: &Call) -> Result<Vec<u8>, EngineError> {
    let called = call.run().map_err(|error| failed(&format!("cannot be run: {error}")))?;
    if called.was_stopped {
        return Err(failed(&format!("took longer than {} s", call.bound.as_secs())));
    }
    if called.exit != Some(0) {
        return Err(failed(&format!("failed: {}", called.complaint())));
    }
    Ok(called.stdout)
}

/// Returns the error for something that the program printed and that is no answer.
pub(crate) fn no_answer(error: &DocumentError) -> EngineError {
    failed(&format!("gave no answer: {error}"))
}

fn failed(what: &str) -> EngineError {
    EngineError::new(ErrorKind::Evidence, format!("{PROGRAM} {what}"))
}

/// Reads the address of a depot; a path is below the directory that the command runs in.
///
/// # Errors
/// Fails if it is no address.
pub fn address(context: &Context, text: &str) -> Result<DepotAddress, EngineError> {
    let unusable = |error| EngineError::usage(format!("the depot cannot be used: {error}"));
    Ok(DepotAddress::parse(text).map_err(unusable)?.below(&context.directory))
}

/// Finds the program that speaks with depots and with the queue of orders.
pub(crate) fn program(context: &Context) -> Result<PathBuf, EngineError> {
    let program = context.for_exec()?.shim.with_file_name(PROGRAM);
    if program.is_file() {
        return Ok(program);
    }
    Err(EngineError::usage(format!("{} is missing: install it beside referee", program.display())))
}

/// Returns the values of variables that are set.
pub(crate) fn variables(context: &Context, names: &[&str]) -> Vec<(OsString, OsString)> {
    names.iter().filter_map(|name| Some(((*name).into(), context.variable(name)?.to_owned()))).collect()
}

pub(crate) fn misunderstood() -> EngineError {
    EngineError::new(
        ErrorKind::Evidence,
        format!("{PROGRAM} answered another question: install the one of this version"),
    )
}

/// Returns the name of the directory that holds the evidence.
fn project_of(evidence_root: &Path) -> Result<ProjectName, EngineError> {
    let name = evidence_root.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    ProjectName::parse(name).map_err(|error| {
        EngineError::usage(format!("the project has no name for a depot ({error}): give one with --project"))
    })
}
