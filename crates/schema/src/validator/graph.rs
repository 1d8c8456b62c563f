//! Graph of the subschemas that apply to a value: the targets of references, and the cost of validation.

use std::collections::HashMap;

use jsonschema::Draft;
use referee_syntax::{percent, pointer};
use serde_json::{Map, Value};

use super::ValidatorError;

/// Keywords that apply another schema to the same value.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that visit a value again to find the parts that no other keyword has evaluated.
const AGAIN: [&str; 2] = ["unevaluatedItems", "unevaluatedProperties"];

/// Addresses of the published drafts, which are known without being fetched.
const DRAFTS: [&str; 2] = ["https://json-schema.org/draft", "http://json-schema.org/draft"];

/// The subschemas of a schema, and which parts of a value each passes on to which other.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    /// For each subschema the parts passed on, with the index of the target. The first one is the schema itself.
    edges: Vec<Vec<(Part, usize)>>,
}

/// The part of a value that a schema passes on to another one.
#[derive(Debug, Clone)]
enum Part {
    /// The value itself.
    Whole,
    /// A member of an object.
    Member(String),
    /// Any member of an object or element of a list, without distinction.
    Each,
    /// Nothing: the target is only there to be referred to.
    Nothing,
}

/// Cost of validating a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// At most this number of schema applications.
    Steps(usize),
    /// More schema applications than allowed.
    TooMuch,
    /// More nested schema applications than allowed.
    TooDeep,
}

impl Graph {
    /// Builds the graph of a schema.
    ///
    /// # Errors
    /// Fails for a reference that leads outside the schema or nowhere, and for a cycle that applies schemas to
    /// the same value endlessly: no value could ever violate such a schema.
    pub(super) fn new(schema: &Value, draft: Draft) -> Result<Self, ValidatorError> {
        let places = Places::new(schema, draft.id_keyword());
        let mut found = NodeIndex { nodes: Vec::new(), edges: Vec::new(), known: HashMap::new() };
        found.node(schema);
        let mut next = 0;
        while let Some(&at) = found.nodes.get(next) {
            found.follow(next, at, &places)?;
            next += 1;
        }
        let graph = Self { edges: found.edges };
        match graph.endless() {
            None => Ok(graph),
            Some(node) => {
                let problem = "it holds a value against itself without end, so nothing could ever break it";
                Err(ValidatorError::new(places.pointer(found.nodes[node]), problem))
            }
        }
    }

    /// Returns a subschema that passes a whole value on until it returns to itself, if any. Not recursive, since
    /// paths may be long.
    fn endless(&self) -> Option<usize> {
        let mut left = vec![false; self.edges.len()];
        let mut entered = vec![false; self.edges.len()];
        for start in 0..self.edges.len() {
            let mut way = vec![(start, 0)];
            while let Some((node, edge)) = way.pop() {
                if left[node] {
                    continue;
                }
                entered[node] = true;
                match self.edges[node].get(edge) {
                    None => left[node] = true,
                    Some(&(Part::Whole, target)) if !left[target] => {
                        if entered[target] {
                            return Some(target);
                        }
                        way.extend([(node, edge + 1), (target, 0)]);
                    }
                    Some(_) => way.push((node, edge + 1)),
                }
            }
        }
        None
    }

    /// Computes the cost of validating a document, up to `most` schema applications nested up to `deepest`.
    pub(super) fn effort(&self, document: &Value, most: usize, deepest: usize) -> Effort {
        let mut steps = 0;
        let mut waiting = vec![(0, document, 1)];
        while let Some((node, value, depth)) = waiting.pop() {
            steps += 1;
            if depth > deepest {
                return Effort::TooDeep;
            }
            if steps > most {
                return Effort::TooMuch;
            }
            for (part, target) in &self.edges[node] {
                match (part, value) {
                    (Part::Whole, whole) => waiting.push((*target, whole, depth + 1)),
                    (Part::Member(key), Value::Object(members)) => {
                        waiting.extend(members.get(key).map(|member| (*target, member, depth + 1)));
                    }
                    (Part::Each, Value::Object(members)) => {
                        waiting.extend(members.values().map(|member| (*target, member, depth + 1)));
                    }
                    (Part::Each, Value::Array(items)) => {
                        waiting.extend(items.iter().map(|item| (*target, item, depth + 1)));
                    }
                    _ => {}
                }
            }
        }
        Effort::Steps(steps)
    }
}

/// The identity of a value: its address in memory.
type Identity = *const Value;

/// Lookup tables for the whole schema document.
struct Places<'s> {
    root: &'s Value,
    /// For every value its JSON pointer, and the schema resource that its references without a name are relative to.
    of: HashMap<Identity, (String, &'s Value)>,
    /// Schemas with an identifier of their own.
    identified: Vec<(&'s str, &'s Value)>,
    /// Schemas by anchor.
    anchored: HashMap<&'s str, Vec<&'s Value>>,
}

impl<'s> Places<'s> {
    fn new(root: &'s Value, id_keyword: &str) -> Self {
        let mut places = Self { root, of: HashMap::new(), identified: Vec::new(), anchored: HashMap::new() };
        let mut waiting = vec![(root, String::new(), root)];
        while let Some((value, pointer, around)) = waiting.pop() {
            let resource = value.as_object().and_then(|members| places.named(value, members, id_keyword));
            let resource = resource.unwrap_or(around);
            match value {
                Value::Object(members) => waiting.extend(
                    members.iter().map(|(key, member)| (member, format!("{pointer}{}", pointer::step(key)), resource)),
                ),
                Value::Array(items) => waiting.extend(
                    items.iter().enumerate().map(|(index, item)| (item, format!("{pointer}/{index}"), resource)),
                ),
                _ => {}
            }
            places.of.insert(value, (pointer, resource));
        }
        places
    }

    /// Registers the identifiers of a schema. Returns the schema if it starts a resource of its own.
    fn named(&mut self, value: &'s Value, members: &'s Map<String, Value>, id_keyword: &str) -> Option<&'s Value> {
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                self.anchored.entry(name).or_default().push(value);
            }
        }
        let id = members.get(id_keyword)?.as_str()?;
        let (name, fragment) = id.split_once('#').unwrap_or((id, ""));
        if !fragment.is_empty() {
            self.anchored.entry(fragment).or_default().push(value);
        }
        if name.is_empty() {
            return None;
        }
        self.identified.push((name, value));
        Some(value)
    }

    fn pointer(&self, value: &Value) -> &str {
        self.of.get(&std::ptr::from_ref(value)).map_or("", |(pointer, _)| pointer)
    }

    fn resource(&self, value: &Value) -> &'s Value {
        self.of.get(&std::ptr::from_ref(value)).map_or(self.root, |(_, resource)| resource)
    }

    /// Returns the possible targets of a reference: several if identifiers have the same ending, none if it
    /// refers to a draft.
    fn targets(&self, from: &Value, reference: &str) -> Result<Vec<&'s Value>, &'static str> {
        let (name, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resources: Vec<&Value> = if name.is_empty() {
            vec![self.resource(from)]
        } else {
            let called = |(id, _): &&(&str, &Value)| same_name(id, name);
            self.identified.iter().filter(called).map(|(_, resource)| *resource).collect()
        };
        if resources.is_empty() {
            let of_draft = DRAFTS.iter().any(|draft| name.starts_with(draft));
            return if of_draft { Ok(resources) } else { Err("leads outside the schema, and nothing is fetched") };
        }
        let found: Vec<&Value> = if fragment.is_empty() {
            resources
        } else if fragment.starts_with('/') {
            let pointer = String::from_utf8(percent::decode(fragment)).map_err(|_| "is not a JSON pointer")?;
            resources.iter().filter_map(|resource| resource.pointer(&pointer)).collect()
        } else {
            self.anchored.get(fragment).cloned().unwrap_or_default()
        };
        if found.is_empty() { Err("leads nowhere") } else { Ok(found) }
    }
}

/// Returns whether a reference can mean this identifier. Both may be relative, so they match if one is a suffix
/// of the other.
fn same_name(id: &str, name: &str) -> bool {
    let ends_like = |long: &str, short: &str| {
        let short = short.trim_start_matches("./").trim_start_matches("../");
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
    };
    ends_like(id, name) || ends_like(name, id)
}

/// The subschemas found so far.
struct NodeIndex<'s> {
    nodes: Vec<&'s Value>,
    edges: Vec<Vec<(Part, usize)>>,
    known: HashMap<Identity, usize>,
}

impl<'s> NodeIndex<'s> {
    fn node(&mut self, schema: &'s Value) -> usize {
        *self.known.entry(schema).or_insert_with(|| {
            self.nodes.push(schema);
            self.edges.push(Vec::new());
            self.nodes.len() - 1
        })
    }

    /// Adds the subschemas of a schema, and those that it refers to.
    fn follow(&mut self, node: usize, schema: &'s Value, places: &Places<'s>) -> Result<(), ValidatorError> {
        let Value::Object(members) = schema else { return Ok(()) };
        if members.contains_key("$schema") {
            super::draft(schema, places.pointer(schema))?;
        }
        for (keyword, value) in members {
            if let (true, Value::String(reference)) = (REFERENCES.contains(&keyword.as_str()), value) {
                let targets = places.targets(schema, reference).map_err(|problem| {
                    ValidatorError::new(places.pointer(value), format!("the reference `{reference}` {problem}"))
                })?;
                for target in targets {
                    let target = self.node(target);
                    self.edges[node].push((Part::Whole, target));
                }
            }
            for (part, inner) in handed_on(keyword, value) {
                let inner = self.node(inner);
                self.edges[node].push((part, inner));
            }
        }
        if AGAIN.iter().any(|keyword| members.contains_key(*keyword)) {
            let again: Vec<_> =
                self.edges[node].iter().filter(|(part, _)| matches!(part, Part::Whole)).cloned().collect();
            self.edges[node].extend(again);
        }
        Ok(())
    }
}

/// Returns the subschemas of a keyword, with the part of the value passed on to each.
fn handed_on<'s>(keyword: &str, value: &'s Value) -> Vec<(Part, &'s Value)> {
    let by_name = |part: fn(&String) -> Part| {
        let members = value.as_object().into_iter().flatten();
        members.map(|(key, schema)| (part(key), schema)).collect()
    };
    let listed_or_one = |part: Part| match value {
        Value::Array(items) => items.iter().map(|schema| (part.clone(), schema)).collect(),
        one => vec![(part, one)],
    };
    match keyword {
        "not" | "if" | "then" | "else" | "allOf" | "anyOf" | "oneOf" => listed_or_one(Part::Whole),
        "dependentSchemas" | "dependencies" => by_name(|_| Part::Whole),
        "properties" => by_name(|key| Part::Member(key.clone())),
        "patternProperties" => by_name(|_| Part::Each),
        "items"
        | "additionalItems"
        | "prefixItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties" => listed_or_one(Part::Each),
        "propertyNames" | "contentSchema" => listed_or_one(Part::Nothing),
        "$defs" | "definitions" => by_name(|_| Part::Nothing),
        _ => Vec::new(),
    }
}
