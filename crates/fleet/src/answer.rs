//! Answers to requests.

use referee_model::depot::{DepotAnswer, DepotFailureKind, DepotLink, DepotOperation, DepotRequest};
use referee_model::id::ProjectName;

use crate::access::Access;
use crate::audit;
use crate::checkpoint;
use crate::depot::Depot;
use crate::document;
use crate::error::DepotError;
use crate::layout;
use crate::prune;
use crate::pull::{self, Pull};
use crate::push;
use crate::receipt;
use crate::tree;

/// Performs the operation of a request.
pub fn answer(request: &DepotRequest, access: &Access) -> DepotAnswer {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let answered = match runtime {
        Ok(runtime) => runtime.block_on(perform(request, access)),
        Err(error) => Err(DepotError::local(format!("the system refused what a connection needs: {error}"))),
    };
    answered.unwrap_or_else(|error| DepotAnswer::Failed { error: error.failure() })
}

async fn perform(request: &DepotRequest, access: &Access) -> Result<DepotAnswer, DepotError> {
    let DepotRequest { depot: address, project, operation } = request;
    let depot = Depot::open(address, access)?;
    let writes = matches!(
        operation,
        DepotOperation::Push { .. }
            | DepotOperation::PutTree { .. }
            | DepotOperation::PutReceipt { .. }
            | DepotOperation::PutCheckpoint { .. }
            | DepotOperation::PutAudit { .. }
    );
    if !writes && !document::has_layout(&depot).await? {
        let message =
            format!("{address} is no depot, or the bucket does not exist: `referee evidence push` begins one");
        return Err(DepotError::new(DepotFailureKind::Unknown, message));
    }
    match operation {
        DepotOperation::Push { runs } => {
            document::prepare(&depot).await?;
            let mut pushed = Vec::new();
            for run in runs {
                pushed.push(push::push(&depot, project, run).await?);
            }
            Ok(DepotAnswer::Pushed { runs: pushed })
        }
        DepotOperation::Pull { task, execution, known, into, max_bytes } => {
            let execution = execution.as_ref();
            let request = Pull { project, task, execution, known: *known, into, max_bytes: *max_bytes };
            pull::pull(&depot, &request).await.map(DepotAnswer::Pulled)
        }
        DepotOperation::PutTree { directory, manifest, now } => {
            document::prepare(&depot).await?;
            let (tree, stored) = tree::put(&depot, directory, manifest, *now).await?;
            Ok(DepotAnswer::TreePut { tree, files: stored.files, bytes: stored.bytes })
        }
        DepotOperation::FetchTree { tree, into, max_bytes } => {
            let manifest = tree::fetch(&depot, tree, into, *max_bytes).await?;
            Ok(DepotAnswer::TreeFetched { manifest })
        }
        DepotOperation::FetchRun { seal, into, max_bytes } => {
            pull::fetch_run(&depot, seal, into, *max_bytes).await.map(DepotAnswer::Pulled)
        }
        DepotOperation::PutReceipt { order, result } => {
            document::prepare(&depot).await?;
            receipt::put(&depot, *order, result).await.map(|()| DepotAnswer::ReceiptPut)
        }
        DepotOperation::FindReceipt { order } => {
            Ok(DepotAnswer::Receipt { result: receipt::find(&depot, *order).await? })
        }
        DepotOperation::PutAudit { server, number, entry } => {
            document::prepare(&depot).await?;
            audit::put(&depot, server, *number, entry).await.map(|()| DepotAnswer::AuditPut)
        }
        DepotOperation::AuditServers => Ok(DepotAnswer::AuditServers { servers: audit::servers(&depot).await? }),
        DepotOperation::ReadAudit { server } => Ok(DepotAnswer::Audit { entries: audit::read(&depot, server).await? }),
        DepotOperation::PutCheckpoint { run, previous, checkpoint } => {
            document::prepare(&depot).await?;
            let is_put = checkpoint::put(&depot, (project, run), *previous, checkpoint).await?;
            Ok(DepotAnswer::CheckpointPut { is_put })
        }
        DepotOperation::FindCheckpoint { run } => {
            Ok(DepotAnswer::Checkpoint { checkpoint: checkpoint::find(&depot, project, run).await? })
        }
        DepotOperation::Checkpoints => {
            Ok(DepotAnswer::Checkpoints { checkpoints: checkpoint::list(&depot, project).await? })
        }
        DepotOperation::Heads => Ok(DepotAnswer::Heads { heads: heads(&depot, project).await? }),
        DepotOperation::Prune(request) => prune::prune(&depot, project, request).await.map(DepotAnswer::Pruned),
    }
}

/// Lists the heads of a project.
async fn heads(depot: &Depot, project: &ProjectName) -> Result<Vec<DepotLink>, DepotError> {
    let mut heads = Vec::new();
    for object in depot.list(&format!("{}/{project}", layout::HEADS)).await? {
        if let Some((head, _)) = document::read_head(depot, &object.name).await? {
            heads.push(head.run);
        }
    }
    Ok(heads)
}
