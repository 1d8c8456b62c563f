//! The OpenAPI 3.1 description of the API, generated from its routes.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use referee_model::access::Role;

use crate::api::ProblemDocument;
use crate::role::{self, Need};
use crate::route::{Answer, Method, Route};

/// Error statuses of every route.
const ALWAYS: [u16; 9] = [400, 401, 403, 405, 421, 431, 500, 503, 504];
/// Further error statuses of routes with a body.
const WHERE_SENT: [u16; 3] = [408, 413, 415];

/// Returns the OpenAPI description of the API.
pub fn openapi() -> Value {
    document(&crate::http::routes())
}

/// Returns the OpenAPI description of these routes.
pub(crate) fn document(routes: &[Route]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let problem = generator.subschema_for::<ProblemDocument>().to_value();
    let mut paths = Map::new();
    for route in routes {
        let operation = operation(route, &problem, &mut generator);
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[method(route)] = operation;
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Referee",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Incidents, runs and evidence of one project. Errors say what is wrong and what to do about it.",
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {
                    "type": "http", "scheme": "bearer",
                    "description": "A token of the server. A `viewer` reads; an `operator` does all that is described here.",
                },
                "approver": {
                    "type": "apiKey", "in": "header", "name": "X-Referee-Approver",
                    "description": "An approver's private key, beside the token: the line between the first and the last of its \
                                    PEM. An approval that was signed elsewhere is sent as `envelope` instead.",
                },
            },
        },
    })
}

fn method(route: &Route) -> &'static str {
    match route.method {
        Method::Get => "get",
        Method::Post => "post",
    }
}

fn operation(route: &Route, problem: &Value, generator: &mut SchemaGenerator) -> Value {
    let mut parameters: Vec<Value> = parts(route.path).map(in_path).collect();
    parameters.extend(route.query.iter().map(|parameter| {
        let schema = (parameter.schema.0)(generator).to_value();
        json!({ "name": parameter.name, "in": "query", "description": parameter.meaning, "schema": schema })
    }));
    let mut responses = Map::new();
    let codes = ALWAYS.iter().chain(route.refusals).chain(route.body.iter().flat_map(|_| &WHERE_SENT));
    for code in codes {
        let content = json!({ "application/json": { "schema": problem } });
        responses.insert(code.to_string(), json!({ "description": reason(*code), "content": content }));
    }
    let answers = std::iter::once(&route.answer).chain(&route.also);
    for (code, answer) in answers {
        let told = json!({ "description": reason(*code), "content": content(answer, generator) });
        responses.insert(code.to_string(), told);
    }
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = route.body {
        let schema = (body.0)(generator).to_value();
        let required = demands(&schema, generator);
        operation["requestBody"] =
            json!({ "required": required, "content": { "application/json": { "schema": schema } } });
    }
    operation["security"] = security(route);
    operation
}

/// Returns what credentials an operation takes, with the role that they need to have.
fn security(route: &Route) -> Value {
    let role = match role::of_route(route.method, route.path) {
        Some(Need::Nothing) => return json!([]),
        Some(Need::Role(role)) => role.as_str(),
        None => Role::Operator.as_str(),
    };
    let token = json!({ "token": [role] });
    if route.needs_approver { json!([{ "token": [role], "approver": [] }, token]) } else { json!([token]) }
}

/// Returns whether a body is required: an empty one counts as `{}`, which lacks required keys.
fn demands(schema: &Value, generator: &SchemaGenerator) -> bool {
    let named = schema["$ref"].as_str().and_then(|place| place.rsplit('/').next());
    let meant = named.and_then(|name| generator.definitions().get(name)).unwrap_or(schema);
    ["required", "anyOf"].iter().any(|key| meant.get(key).is_some())
}

/// Returns the names of the parameters in a path.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn in_path(name: &str) -> Value {
    let form = match name {
        "id" => "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
        "task" => "^T[0-9]{3,31}$",
        "execution" => "^(latest|exec-[A-Za-z0-9-]{1,59})$",
        "action" => r"^[A-Z][A-Z0-9_]{0,31}\.[0-9]{1,31}$",
        "order" => "^[0-9a-f]{64}$",
        "debt" => "^DEBT-T[0-9]{3,31}-[0-9]{3,9}$",
        _ => "^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$",
    };
    let schema = json!({ "type": "string", "pattern": form });
    json!({ "name": name, "in": "path", "required": true, "schema": schema })
}

fn content(answer: &Answer, generator: &mut SchemaGenerator) -> Value {
    match answer {
        Answer::Json(schema) => json!({ "application/json": { "schema": (schema.0)(generator).to_value() } }),
        Answer::Document => json!({ "application/json": { "schema": {} } }),
        Answer::Bytes(media_type) => json!({ *media_type: { "schema": { "type": "string" } } }),
        Answer::Events => json!({ "text/event-stream": { "schema": { "type": "string" } } }),
    }
}

fn reason(code: u16) -> &'static str {
    match code {
        200 => "Success.",
        201 => "Created.",
        202 => "Accepted; the work goes on in the background.",
        206 => "Partial content.",
        400 => "The request is invalid.",
        401 => "A token is required.",
        403 => "The caller is not allowed to do this.",
        404 => "Not found.",
        405 => "The method is not allowed here.",
        408 => "The body was not received in time.",
        409 => "The request conflicts with the current state.",
        413 => "The body is too large.",
        415 => "The body is not JSON.",
        416 => "The range is not satisfiable.",
        421 => "The host name is not one of this server's.",
        431 => "The request headers are too large.",
        500 => "Internal error.",
        503 => "The store failed, or the server is overloaded.",
        504 => "The request timed out.",
        _ => "Other status.",
    }
}
