//! `run.json`: the facts of a run that belong to no single action.

use std::collections::BTreeSet;

use crate::record::{RunRecord, ServiceRecord};
use serde_json::json;

use crate::document::{Distinct, DocumentError, Kind};
use crate::record::attempt_record::check_log;

/// The document that holds a [`RunRecord`].
pub const KIND: Kind = Kind { name: "run.json", key: "runVersion", version: "2.0.0" };

/// Reads the header of a run.
pub fn read(bytes: &[u8]) -> Result<RunRecord, DocumentError> {
    let Distinct(value) = KIND.read(bytes)?;
    let run: RunRecord = KIND.decode(bytes)?;
    check(&run.services).map_err(|problem| KIND.content(problem))?;
    let read = json!({ "services": value["services"], "skipped": value["skipped"] });
    KIND.compare(&read, &json!({ "services": run.services, "skipped": run.skipped }))?;
    Ok(run)
}

/// Checks that each service ended once, in an attempt numbered from 1, and that its log is valid.
fn check(services: &[ServiceRecord]) -> Result<(), String> {
    let mut ended = BTreeSet::new();
    for service in services {
        if service.attempt == 0 {
            return Err("`attempt` is 0, and the first is 1".to_owned());
        }
        service.log.as_ref().map_or(Ok(()), check_log)?;
        if !ended.insert((&service.action, service.attempt)) {
            return Err(format!("the service of {} ended twice", service.action));
        }
    }
    Ok(())
}
