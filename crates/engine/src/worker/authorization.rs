//! Whether a worker performs an order: by who signed it.

use referee_ledger::attest;
use referee_ledger::trust::{Role, TrustStore};
use referee_model::run_order::{AUTHORIZATION_TYPE, Order, OrderAuthorization, PerformRequest};

use super::OrderWork;
use crate::error::EngineError;

/// Returns why the order is refused. `None`: it is not. A turn of an agent, which gets the worker's own variables, is performed
/// only for somebody whom the worker trusts.
pub(super) fn refusal(work: OrderWork<'_>, request: &PerformRequest) -> Result<Option<String>, EngineError> {
    let is_turn = matches!(request.order, Order::Turn(_));
    if is_turn && !work.runs_agents {
        return Ok(Some("the worker runs no agents: start one with `referee worker --agents`".to_owned()));
    }
    if !is_turn && !work.signed_only {
        return Ok(None);
    }
    let what = if is_turn { "runs agents for signed orders alone" } else { "performs signed orders alone" };
    let Some(envelope) = &request.authorization else {
        return Ok(Some(format!(
            "the order is not signed, and the worker {what}: name a key with --key or REFEREE_KEY"
        )));
    };
    let state = super::state(work.context)?;
    let keys = TrustStore::read(&state)?.believed(Role::Runner, work.context.now());
    let refused = |why: String| Ok(Some(format!("the worker {what}, and does not trust who signed this one: {why}")));
    let opened = match attest::open(envelope.as_bytes(), AUTHORIZATION_TYPE, &keys) {
        Ok(opened) => opened,
        Err(error) => {
            return refused(format!(
                "{error}. On the worker, `referee key trust KEY.pub.pem --name NAME --as runner` trusts a key"
            ));
        }
    };
    match OrderAuthorization::decode(&opened.payload) {
        Ok(authorization) if authorization.order != request.order.digest()? => {
            refused("another order was signed".to_owned())
        }
        Ok(authorization) if authorization.depot != request.depot => {
            refused("it was signed for another depot".to_owned())
        }
        Ok(_) => Ok(None),
        Err(error) => refused(error.to_string()),
    }
}
