//! The published JSON Schema (draft 2020-12), derived from the declared shape.

use std::collections::BTreeMap;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::full::FULL_FORM;
use super::shape::{
    Case, DURATION, FREE_PREFIX, Field, Kind, Map, Object, Others, Shape, Tagged, Text, Value, Variants, Ways,
};
use super::short::SHORT_FORM;

/// URL of the published schema of the short form.
pub const ID: &str = "https://referee.dev/schema/specification/1.json";

/// URL of the published schema of the full form.
pub const FULL_ID: &str = "https://referee.dev/schema/specification-2.0.0/1.json";

/// Returns the JSON Schema of the short form.
pub fn schema() -> Json {
    document(&SHORT_FORM, ID, "Referee specification, short form")
}

/// Returns the JSON Schema of the full form, `schemaVersion` 2.0.0.
pub fn full_schema() -> Json {
    document(&FULL_FORM, FULL_ID, "Referee specification, full form 2.0.0")
}

/// Returns the JSON Schema of a document that has this shape.
pub fn document(form: &Object, id: &str, title: &str) -> Json {
    let mut definitions = Definitions::default();
    let mut schema = definitions.object(form);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        schema.insert("$id".to_owned(), json!(id));
        schema.insert("title".to_owned(), json!(title));
        schema.insert("$defs".to_owned(), definitions.0.into_iter().collect());
    }
    schema
}

/// Schemas of named shapes, by name. A name maps to null while its schema is being created.
#[derive(Default)]
struct Definitions(BTreeMap<String, Json>);

impl Definitions {
    fn shape(&mut self, shape: &Shape) -> Json {
        match shape {
            Shape::Any => json!({}),
            Shape::Null => json!({ "type": "null" }),
            Shape::Boolean => json!({ "type": "boolean" }),
            Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
            Shape::Number { min: f64::MIN, max: f64::MAX } => json!({ "type": "number" }),
            Shape::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
            Shape::Text(text) => text_schema(*text),
            Shape::Keyword { words, also } => {
                let all: Vec<&str> = words.iter().chain(*also).copied().collect();
                json!({ "enum": all })
            }
            Shape::Duration { min_ms, max_ms } => json!({ "anyOf": [
                { "type": "integer", "minimum": min_ms, "maximum": max_ms, "description": "Milliseconds." },
                text_schema(DURATION),
            ] }),
            Shape::List { item, min } => json!({ "type": "array", "items": self.shape(item), "minItems": min }),
            Shape::Map(map) => self.map(map),
            Shape::Object(object) => self.named(object.name, |definitions| definitions.object(object)),
            Shape::Variants(variants) => self.named(variants.name, |definitions| definitions.variants(variants)),
            Shape::Tagged(tagged) => self.named(tagged.name, |definitions| definitions.tagged(tagged)),
            Shape::Ways(ways) => self.named(ways.object.name, |definitions| definitions.ways(ways)),
            Shape::Either(shapes) => {
                let schemas: Vec<Json> = shapes.iter().map(|shape| self.shape(shape)).collect();
                json!({ "anyOf": schemas })
            }
        }
    }

    /// Adds a definition once, and returns a reference to it.
    fn named(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Json) -> Json {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), Json::Null);
            let schema = make(self);
            self.0.insert(name.to_owned(), schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn map(&mut self, map: &Map) -> Json {
        json!({
            "type": "object",
            "propertyNames": text_schema(map.key),
            "additionalProperties": self.shape(&map.value),
            "minProperties": map.min,
        })
    }

    fn object(&mut self, object: &Object) -> Json {
        let mut schema = self.fields(object.fields.iter());
        schema.insert("description".to_owned(), json!(object.doc));
        match object.others {
            Others::Refused => {
                schema.insert("additionalProperties".to_owned(), json!(false));
            }
            Others::Warned | Others::WarnedUnlessNear => {}
            Others::Named(map) => {
                // Known and free keys have forms of their own; the form of names applies only to the others.
                let known: Vec<&str> = object.fields.iter().map(|field| field.name).collect();
                let free = json!({ "pattern": free_pattern() });
                schema.insert(
                    "propertyNames".to_owned(),
                    json!({ "anyOf": [{ "enum": known }, free, text_schema(map.key)] }),
                );
                schema.insert("additionalProperties".to_owned(), self.shape(&map.value));
            }
        }
        Json::Object(schema)
    }

    fn ways(&mut self, ways: &Ways) -> Json {
        let mut schema = self.object(ways.object);
        if let Some(schema) = schema.as_object_mut() {
            let each: Vec<Json> = ways.ways.iter().map(|keys| json!({ "required": keys })).collect();
            schema.insert("oneOf".to_owned(), Json::Array(each));
        }
        schema
    }

    fn variants(&mut self, variants: &Variants) -> Json {
        let kinds: Vec<Json> = variants.kinds.iter().map(|kind| self.kind(kind, variants.shared)).collect();
        json!({ "description": variants.doc, "oneOf": kinds })
    }

    fn tagged(&mut self, tagged: &'static Tagged) -> Json {
        let words: Vec<&str> = tagged.cases.iter().map(|case| case.word).collect();
        let mut schema = self.fields(tagged.fields.iter());
        if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
            properties.insert(tagged.tag.to_owned(), json!({ "enum": words, "description": tagged.tag_doc }));
            for field in tagged.cases.iter().flat_map(|case| case.fields) {
                properties.insert(field.name.to_owned(), json!({ "description": field.doc }));
            }
        }
        let mut required = vec![json!(tagged.tag)];
        required.extend(schema.get("required").and_then(Json::as_array).into_iter().flatten().cloned());
        schema.insert("required".to_owned(), Json::Array(required));
        let cases: Vec<Json> = tagged.cases.iter().map(|case| self.case(tagged.tag, case)).collect();
        schema.insert("allOf".to_owned(), Json::Array(cases));
        schema.insert("description".to_owned(), json!(tagged.doc));
        schema.insert("additionalProperties".to_owned(), json!(false));
        Json::Object(schema)
    }

    fn case(&mut self, tag: &str, case: &'static Case) -> Json {
        let fields = case.fields.iter().map(|field| match &field.value {
            Value::Shaped(shape) => (field.name.to_owned(), self.shape(shape)),
            Value::NotSupported => (field.name.to_owned(), json!({ "not": {} })),
        });
        let properties: JsonMap<String, Json> = fields.collect();
        let required: Vec<&str> = case.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        json!({
            "if": { "properties": { tag: { "const": case.word } }, "required": [tag] },
            "then": { "properties": properties, "required": required },
        })
    }

    fn kind(&mut self, kind: &'static Kind, shared: &'static [Field]) -> Json {
        let mut schema = self.fields(std::iter::once(&kind.tag).chain(kind.own_fields()).chain(shared));
        schema.insert("required".to_owned(), json!([kind.tag.name]));
        schema.insert("additionalProperties".to_owned(), json!(false));
        Json::Object(schema)
    }

    /// Returns the properties that all mappings with known keys share.
    fn fields(&mut self, fields: impl Iterator<Item = &'static Field>) -> JsonMap<String, Json> {
        let mut properties = JsonMap::new();
        let mut required = Vec::new();
        for field in fields {
            let (mut schema, doc) = match &field.value {
                Value::Shaped(shape) => (self.shape(shape), field.doc.to_owned()),
                Value::NotSupported => (json!({ "not": {} }), format!("{} Not supported by this version.", field.doc)),
            };
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), json!(doc));
            }
            properties.insert(field.name.to_owned(), schema);
            if field.required {
                required.push(json!(field.name));
            }
        }
        let mut schema = JsonMap::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Json::Object(properties));
        schema.insert("patternProperties".to_owned(), json!({ free_pattern(): true }));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Json::Array(required));
        }
        schema
    }
}

fn free_pattern() -> String {
    format!("^{FREE_PREFIX}")
}

fn text_schema(text: Text) -> Json {
    match text.pattern {
        Some(pattern) => json!({ "type": "string", "pattern": pattern, "description": text.what }),
        None => json!({ "type": "string", "description": text.what }),
    }
}
