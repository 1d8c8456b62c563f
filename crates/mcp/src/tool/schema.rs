//! `referee_schema`: the published JSON Schemas.

use referee_schema::published;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answer, Refusal, arguments};
use crate::project::Project;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: Option<String>,
}

pub(super) fn schema(_: &Project, given: Value) -> Answer {
    let names: Vec<&str> = published::names().collect();
    let Some(name) = arguments::<Arguments>(given)?.name else { return Ok(json!({ "names": names })) };
    let unknown = || Refusal::new(format!("unknown schema `{name}`: expected one of {}", names.join(", ")));
    let schema = published::schema(&name).ok_or_else(unknown)?;
    Ok(json!({ "names": names, "name": name, "schema": schema }))
}
