//! Whether a worker performs an order: by who signed it.

use referee_ledger::attest;
use referee_ledger::key::PublicKey;
use referee_ledger::trust::{Role, TrustStore};
use referee_model::order_protocol::{PerformRequest, WorkerOrder};
use referee_model::run_order::{AUTHORIZATION_TYPE, OrderAuthorization};

use super::OrderWork;
use crate::error::EngineError;

/// Returns why the order is refused. `None`: it is not. A turn of an agent, which gets the worker's own variables, is performed
/// only for somebody whom the worker trusts.
pub(super) fn refusal(work: OrderWork<'_>, request: &PerformRequest) -> Result<Option<String>, EngineError> {
    let is_turn = matches!(request.order, WorkerOrder::Turn(_));
    if is_turn && !work.runs_agents {
        return Ok(Some("the worker runs no agents: start one with `referee worker --agents`".to_owned()));
    }
    if !is_turn && !work.signed_only {
        return Ok(None);
    }
    let state = super::state(work.context)?;
    let keys = TrustStore::read(&state)?.believed(Role::Runner, work.context.now());
    let what = if is_turn { "runs agents for signed orders alone" } else { "performs signed orders alone" };
    Ok(unauthorized(request, &keys)?.map(|why| format!("the worker {what}, and {why}")))
}

/// Returns why no trusted key has signed the request.
fn unauthorized(request: &PerformRequest, keys: &[PublicKey]) -> Result<Option<String>, EngineError> {
    let Some(envelope) = &request.authorization else {
        return Ok(Some("this one is not signed: name a key with --key or REFEREE_KEY".to_owned()));
    };
    let authorization = match attest::open(envelope.as_bytes(), AUTHORIZATION_TYPE, keys) {
        Ok(opened) => OrderAuthorization::decode(&opened.payload),
        Err(error) => {
            return Ok(Some(format!(
                "does not trust who signed this one: {error}. On the worker, `referee key trust KEY.pub.pem --name NAME --as \
                 runner` trusts a key"
            )));
        }
    };
    Ok(match authorization {
        Err(error) => Some(format!("what was signed cannot be read: {error}")),
        Ok(signed) if signed.order != request.order.digest()? => Some("another order was signed".to_owned()),
        Ok(signed) if signed.depot != request.depot => Some("this one was signed for another depot".to_owned()),
        Ok(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_ledger::attest::Signer;
    use referee_ledger::key::PrivateKey;
    use referee_model::depot::DepotAddress;
    use referee_model::id::{Digest, ExecutionId, ProjectName};
    use referee_model::tree_manifest::ContentLink;
    use referee_model::turn_order::TurnOrder;

    use super::*;

    fn order(turn: u32) -> WorkerOrder {
        let link = ContentLink { sha256: Digest::of("x"), bytes: 1 };
        WorkerOrder::Turn(TurnOrder {
            project: ProjectName::parse("p").unwrap(),
            tree: link,
            handed: link,
            run: ExecutionId::parse("exec-run-1").unwrap(),
            turn,
            timeout_ms: 1,
            engine_version: "1.0.0".to_owned(),
            labels: BTreeSet::new(),
        })
    }

    fn depot(path: &str) -> DepotAddress {
        DepotAddress::parse(path).unwrap()
    }

    #[test]
    fn only_a_trusted_key_that_signed_this_order_for_this_depot_authorizes_it() {
        let key: Signer = PrivateKey::generate().unwrap().into();
        let stranger: Signer = PrivateKey::generate().unwrap().into();
        let keys = [key.public().clone()];
        let signed = |signer: &Signer, kind: &str, turn, path: &str| {
            let payload = OrderAuthorization { order: order(turn).digest().unwrap(), depot: depot(path) };
            String::from_utf8(attest::sign(kind, &payload.encode().unwrap(), signer).unwrap()).unwrap()
        };
        let junk = String::from_utf8(attest::sign(AUTHORIZATION_TYPE, b"{}", &key).unwrap()).unwrap();
        let own = signed(&key, AUTHORIZATION_TYPE, 1, "/depot");
        for (authorization, refusal) in [
            (Some(own.clone()), None),
            (None, Some("not signed")),
            (Some(String::new()), Some("does not trust who signed")),
            (Some(own[..own.len() / 2].to_owned()), Some("does not trust who signed")),
            (Some(signed(&stranger, AUTHORIZATION_TYPE, 1, "/depot")), Some("does not trust who signed")),
            (Some(signed(&key, "application/vnd.referee.run-order-result+json", 1, "/depot")), Some("does not trust")),
            (Some(junk), Some("cannot be read")),
            (Some(signed(&key, AUTHORIZATION_TYPE, 2, "/depot")), Some("another order")),
            (Some(signed(&key, AUTHORIZATION_TYPE, 1, "/other")), Some("another depot")),
        ] {
            let request = PerformRequest { order: order(1), depot: depot("/depot"), authorization, attempt: 1 };
            let why = unauthorized(&request, &keys).unwrap();
            assert_eq!(why.is_some(), refusal.is_some(), "{why:?}");
            assert!(why.unwrap_or_default().contains(refusal.unwrap_or_default()), "{refusal:?}");
        }
    }
}
