//! Receipts of orders: the signed result of the latest run of an order, by the digest of the order. Nothing here verifies a
//! signature; whoever asks does, and looks at the time that was signed.

use std::collections::BTreeMap;

use referee_ledger::attestation::envelope::Envelope;
use referee_model::depot::DepotFailureKind;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::order_protocol::OrderResult;
use referee_model::time::Timestamp;
use referee_model::tree_manifest::ContentLink;

use crate::chain;
use crate::depot::{Depot, Version};
use crate::document;
use crate::error::DepotError;
use crate::generation::Removal;
use crate::layout;

/// How often a receipt is put again because another worker put one.
const ATTEMPTS: usize = 5;

/// How much later than this one a run may have ended to count as the later one, in milliseconds. Workers that perform an order
/// at once are apart by less; what says more is no time of a run, and would keep all receipts away.
const AHEAD_MS: u64 = 3_600_000;

/// A receipt as it is stored.
enum StoredReceipt {
    /// What claims to be the result of this order.
    Result { result: OrderResult, version: Version },
    /// Something else, of a size that can be replaced.
    Junk(Version),
    /// Something that is too large to be read.
    TooLarge,
}

/// Keeps a result as the receipt of its order, unless the depot has that of a later run.
pub(crate) async fn put(depot: &Depot, order: Digest, envelope: &str) -> Result<(), DepotError> {
    let name = layout::receipt(order);
    let own = claimed(envelope.as_bytes(), order).map_err(DepotError::local)?;
    if envelope.len() as u64 > limit::SHARED_RECEIPT_BYTES {
        return Err(DepotError::local("the signed result is too large for a receipt"));
    }
    for _ in 0..ATTEMPTS {
        let version = match look(depot, &name, order).await? {
            Some(StoredReceipt::Result { result, .. }) if is_later(&result, &own) => return Ok(()),
            Some(StoredReceipt::Result { version, .. } | StoredReceipt::Junk(version)) => Some(version),
            Some(StoredReceipt::TooLarge) => {
                depot.remove(&name).await?;
                None
            }
            None => None,
        };
        if depot.move_head(&name, version.as_ref(), envelope.as_bytes()).await? {
            return Ok(());
        }
    }
    Err(DepotError::new(DepotFailureKind::Busy, format!("`{name}` changes again and again")))
}

/// Returns the receipt of an order. None: there is none.
pub(crate) async fn find(depot: &Depot, order: Digest) -> Result<Option<String>, DepotError> {
    document::read_text(depot, &layout::receipt(order), ("receipt", limit::SHARED_RECEIPT_BYTES)).await
}

/// Removes the receipts by which nothing can answer any more, of all projects: the run's files are gone, it is too long ago,
/// or they are none. `stored` is the content that is left. Returns their number.
pub(crate) async fn discard(
    depot: &Depot,
    stored: &BTreeMap<String, u64>,
    now: Timestamp,
    removal: &Removal<'_>,
) -> Result<u64, DepotError> {
    let mut removed = 0;
    for object in depot.list(layout::RECEIPTS).await? {
        if object.bytes <= limit::SHARED_RECEIPT_BYTES && answers(depot, &object.name, stored, now).await? {
            continue;
        }
        removal.remove(&object.name).await?;
        removed += 1;
    }
    Ok(removed)
}

/// Returns whether a run can answer by a receipt: everything that its seal names is there.
async fn answers(
    depot: &Depot,
    name: &str,
    stored: &BTreeMap<String, u64>,
    now: Timestamp,
) -> Result<bool, DepotError> {
    let Some((bytes, _)) = depot.read(name).await? else { return Ok(true) };
    let Ok(result) = payload(&bytes) else { return Ok(false) };
    let is_old = now.milliseconds_since(result.ended()) > limit::SHARED_RECEIPT_AGE_MS;
    if is_old || layout::receipt(result.order()) != name {
        return Ok(false);
    }
    let is_stored = |link: &ContentLink| stored.get(&layout::blob(link.sha256)) == Some(&link.bytes);
    let result = match result {
        OrderResult::Run(result) => result,
        OrderResult::Turn(result) => return Ok(is_stored(&result.tree) && is_stored(&result.output)),
    };
    let seal = result.seal.sha256;
    if !is_stored(&result.seal)
        || depot.size(&layout::tombstone(seal)).await?.is_some()
        || depot.size(&layout::statements(seal)).await?.is_none()
    {
        return Ok(false);
    }
    match chain::read(depot, (&result.seal).into()).await {
        Ok(link) => {
            let is_stored = |file: &referee_model::seal::SealedFile| {
                stored.get(&layout::blob(file.sha256)).is_some_and(|bytes| *bytes == file.bytes)
            };
            Ok(link.seal.files.iter().all(is_stored))
        }
        Err(error) if matches!(error.kind, DepotFailureKind::Missing | DepotFailureKind::Corrupt) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reads what is stored in the place of a receipt. None: nothing is.
async fn look(depot: &Depot, name: &str, order: Digest) -> Result<Option<StoredReceipt>, DepotError> {
    let Some(bytes) = depot.size(name).await? else { return Ok(None) };
    if bytes > limit::SHARED_RECEIPT_BYTES {
        return Ok(Some(StoredReceipt::TooLarge));
    }
    let Some((bytes, version)) = depot.read(name).await? else { return Ok(None) };
    Ok(Some(match claimed(&bytes, order) {
        Ok(result) => StoredReceipt::Result { result, version },
        Err(_) => StoredReceipt::Junk(version),
    }))
}

/// Whether one run ended after another one, as both claim.
fn is_later(one: &OrderResult, other: &OrderResult) -> bool {
    let (one, other) = (one.ended(), other.ended());
    one > other && one.milliseconds_since(other) <= AHEAD_MS
}

/// Returns the result of this order that an envelope claims to hold.
fn claimed(envelope: &[u8], order: Digest) -> Result<OrderResult, String> {
    let result = payload(envelope)?;
    if result.order() == order {
        Ok(result)
    } else {
        Err(format!("it is the result of the order {}, not of {order}", result.order()))
    }
}

/// Returns the result that an envelope claims to hold.
fn payload(envelope: &[u8]) -> Result<OrderResult, String> {
    let envelope = Envelope::read(envelope).map_err(|error| error.to_string())?;
    OrderResult::decode(&envelope.payload_type, &envelope.payload)
}

#[cfg(test)]
mod tests {
    use referee_ledger::attestation::envelope::Signature;
    use referee_ledger::file_depot::FileDepot;
    use referee_model::id::ExecutionId;
    use referee_model::run_order::{RESULT_TYPE, RunOrderResult};
    use referee_model::time::Timestamp;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn envelope(payload_type: &str, payload: Vec<u8>) -> String {
        let signatures = vec![Signature { key_hint: None, bytes: vec![1; 64] }];
        String::from_utf8(Envelope { payload_type: payload_type.to_owned(), payload, signatures }.line()).unwrap()
    }

    /// What a worker signs about a run that ended at a time.
    fn result(order: &str, ended: i64) -> String {
        let result = RunOrderResult {
            order: Digest::of(order),
            attempt: 1,
            execution: ExecutionId::parse("exec-1-worker").unwrap(),
            seal: ContentLink { sha256: Digest::of("seal"), bytes: 4 },
            ended: Timestamp::from_millisecond(ended),
        };
        envelope(RESULT_TYPE, result.encode().unwrap())
    }

    #[test]
    fn the_receipt_of_the_later_run_stays_and_what_is_none_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let depot = Depot::Files(FileDepot::open(directory.path()).unwrap());
        let order = Digest::of("order");
        let name = layout::receipt(order);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let own = result("order", HOUR);
        let (earlier, later) = (result("order", 0), result("order", 2 * HOUR));
        let of_no_time = result("order", 2 * HOUR + 1);
        let (of_another, of_another_type) = (result("other", 2 * HOUR), envelope("text/plain", b"{}".to_vec()));
        let huge = "x".repeat(usize::try_from(limit::SHARED_RECEIPT_BYTES).unwrap() + 1);
        for (before, is_replaced) in [
            (None, true),
            (Some(earlier.as_str()), true),
            (Some(&later), false),
            (Some(&of_no_time), true),
            (Some(&of_another), true),
            (Some(&of_another_type), true),
            (Some("junk"), true),
            (Some(""), true),
            (Some(&huge), true),
        ] {
            runtime.block_on(async {
                depot.remove(&name).await.unwrap();
                if let Some(before) = before {
                    assert!(depot.create(&name, before.as_bytes()).await.unwrap());
                }
                put(&depot, order, &own).await.unwrap();
                let now = find(&depot, order).await.unwrap().unwrap();
                let short: Option<String> = before.map(|before| before.chars().take(80).collect());
                assert_eq!(now == own, is_replaced, "{short:?}");
                put(&depot, order, &own).await.unwrap();
            });
        }
    }

    #[test]
    fn what_is_no_result_of_the_order_is_not_put_and_what_is_too_large_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let depot = Depot::Files(FileDepot::open(directory.path()).unwrap());
        let order = Digest::of("order");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for envelope in ["", "junk", "{}", &result("other", 0), &envelope(RESULT_TYPE, b"{}".to_vec())] {
                let refused = put(&depot, order, envelope).await.unwrap_err();
                assert_eq!(refused.kind, DepotFailureKind::Local, "{envelope}");
            }
            assert_eq!(find(&depot, order).await.unwrap(), None);
            let name = layout::receipt(order);
            depot.create(&name, &vec![b'x'; usize::try_from(limit::SHARED_RECEIPT_BYTES).unwrap() + 1]).await.unwrap();
            assert_eq!(find(&depot, order).await.unwrap_err().kind, DepotFailureKind::TooLarge);
            depot.remove(&name).await.unwrap();
            depot.create(&name, b"\xff").await.unwrap();
            assert_eq!(find(&depot, order).await.unwrap_err().kind, DepotFailureKind::Corrupt);
        });
    }
}
