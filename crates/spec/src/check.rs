//! Checks a tree against the shape of its [`form`](crate::form). The published schema is derived from the same
//! declaration, so every complaint can name the rule of the schema that is broken.

use crate::form::shape::{
    DURATION, FREE_PREFIX, Field, Kind, Map, Object, Others, Shape, Tagged, Text, Value, Variants, Ways,
};
use referee_syntax::distance::{misspelt, nearest};
use referee_syntax::span::Span;
use referee_syntax::tree::{self, Entry, Node};

use crate::complaint::{Code, Finding, Findings, SchemaRule};
use crate::source::quote;

mod pattern;

/// Adds a complaint for every difference between a document and its declared shape.
pub fn check(root: &Node, shape: &'static Object, findings: &mut Findings) {
    let mut checker = Checker { findings, path: "#".to_owned() };
    match &root.kind {
        tree::Kind::Map(_) => checker.object(root, Span::BEGINNING, shape),
        _ => checker.wrong_type(root, &Shape::Object(shape).expectation(), "type"),
    }
}

/// JSON Schema keyword for a mapping that allows no other keys.
const CLOSED: &str = "additionalProperties";

struct Checker<'a> {
    findings: &'a mut Findings,
    /// JSON pointer into the schema, to the declaration of the current value.
    path: String,
}

impl Checker<'_> {
    /// Adds a complaint about a broken rule of the schema, given by its keyword.
    fn push(&mut self, keyword: &str, finding: Finding) {
        self.push_allowed(keyword, Vec::new(), finding);
    }

    /// Adds a complaint about a value that is not among the allowed ones.
    fn push_allowed(&mut self, keyword: &str, allowed: Vec<String>, finding: Finding) {
        let rule = SchemaRule { path: format!("{}/{keyword}", self.path), allowed };
        self.findings.push(finding.breaks(rule));
    }

    /// Continues at another location of the schema.
    fn at(&mut self, path: String, go_on: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.path, path);
        go_on(self);
        self.path = outer;
    }

    fn below(&mut self, step: &str, go_on: impl FnOnce(&mut Self)) {
        self.at(format!("{}/{step}", self.path), go_on);
    }

    fn named(&mut self, name: &str, go_on: impl FnOnce(&mut Self)) {
        self.at(format!("#/$defs/{name}"), go_on);
    }

    /// Checks a value. `place` is the position for complaints about something missing in the value: its key, if
    /// it has one.
    fn shape(&mut self, node: &Node, place: Span, shape: &'static Shape) {
        match shape {
            Shape::Any => {}
            Shape::Null if node.kind == tree::Kind::Null => {}
            Shape::Boolean if node.boolean().is_some() => {}
            Shape::Integer { min, max } => match node.integer() {
                Some(value) if (*min..=*max).contains(&value) => {}
                Some(value) => self.out_of_range(node, shape, value < *min),
                None => self.wrong_type(node, &shape.expectation(), "type"),
            },
            Shape::Number { min, max } => match node.number() {
                Some(value) if (*min..=*max).contains(&value) => {}
                Some(value) => self.out_of_range(node, shape, value < *min),
                None => self.wrong_type(node, &shape.expectation(), "type"),
            },
            Shape::Duration { min_ms, max_ms } => self.duration(node, shape, *min_ms..=*max_ms),
            Shape::Text(text) => match node.text() {
                Some(found) => self.text(found, node.span, *text, Code::WrongText, "pattern"),
                None => self.wrong_type(node, text.what, "type"),
            },
            Shape::Keyword { words, also } => self.keyword(node, words, also),
            Shape::List { item, min } => self.list(node, place, item, *min),
            Shape::Map(map) => self.map(node, place, map),
            Shape::Object(object) if is_map(node) => {
                self.named(object.name, |checker| checker.object(node, place, object));
            }
            Shape::Variants(variants) if is_map(node) => {
                self.named(variants.name, |checker| checker.variants(node, place, variants));
            }
            Shape::Tagged(tagged) if is_map(node) => {
                self.named(tagged.name, |checker| checker.tagged(node, place, tagged));
            }
            Shape::Ways(ways) if is_map(node) => {
                self.named(ways.object.name, |checker| checker.ways(node, place, ways));
            }
            Shape::Either(shapes) => match shapes.iter().position(|shape| takes(shape, node)) {
                Some(index) => {
                    self.below(&format!("anyOf/{index}"), |checker| checker.shape(node, place, &shapes[index]));
                }
                None => self.wrong_type(node, &shape.expectation(), "anyOf"),
            },
            Shape::Boolean => self.not_boolean(node, shape),
            Shape::Null => self.wrong_type(node, &shape.expectation(), "type"),
            // The referenced definition describes what the value must be.
            Shape::Object(_) | Shape::Variants(_) | Shape::Tagged(_) | Shape::Ways(_) => {
                self.wrong_type(node, &shape.expectation(), "$ref");
            }
        }
    }

    fn not_boolean(&mut self, node: &Node, shape: &Shape) {
        let message = format!("expected {}, found {}", shape.expectation(), found(node));
        let finding = Finding::error(Code::WrongType, node.span, message);
        // YAML 1.1 parsed these as booleans; YAML 1.2 does not.
        let meant = match node.text().map(str::to_ascii_lowercase).as_deref() {
            Some("yes" | "on" | "y" | "true") => Some("true"),
            Some("no" | "off" | "n" | "false") => Some("false"),
            _ => None,
        };
        self.push("type", finding.meant(meant));
    }

    fn duration(&mut self, node: &Node, shape: &Shape, bounds: std::ops::RangeInclusive<i64>) {
        match (node.text(), node.integer()) {
            (Some(found), _) => self.text(found, node.span, DURATION, Code::WrongText, "anyOf/1/pattern"),
            (_, Some(value)) if bounds.contains(&value) => {}
            (_, Some(value)) => {
                let (min, max) = bounds.into_inner();
                let message = format!("expected {min} to {max} milliseconds, found {value}");
                let keyword = if value < min { "anyOf/0/minimum" } else { "anyOf/0/maximum" };
                self.push(keyword, Finding::error(Code::OutOfRange, node.span, message));
            }
            _ => self.wrong_type(node, &shape.expectation(), "anyOf"),
        }
    }

    fn keyword(&mut self, node: &Node, words: &[&str], also: &[&str]) {
        let expected = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let finding = match node.text() {
            Some(word) if words.contains(&word) || also.contains(&word) => return,
            Some(word) => {
                let message = format!("expected one of {expected}, found {}", quote(word));
                let finding = Finding::error(Code::UnknownWord, node.span, message);
                finding.meant(nearest(word, words.iter().copied()))
            }
            None => {
                let message = format!("expected one of {expected}, found {}", found(node));
                Finding::error(Code::WrongType, node.span, message)
            }
        };
        self.push_allowed("enum", words.iter().map(|word| (*word).to_owned()).collect(), finding);
    }

    fn list(&mut self, node: &Node, place: Span, item: &'static Shape, min: usize) {
        let tree::Kind::List(elements) = &node.kind else { return self.wrong_type(node, "a list", "type") };
        if elements.len() < min {
            self.too_few(min, elements.len(), ["element", "elements"], place, "minItems");
        }
        self.below("items", |checker| {
            for element in elements {
                checker.shape(element, element.span, item);
            }
        });
    }

    fn map(&mut self, node: &Node, place: Span, map: &'static Map) {
        let tree::Kind::Map(entries) = &node.kind else { return self.wrong_type(node, map.what, "type") };
        if entries.len() < map.min {
            self.too_few(map.min, entries.len(), ["entry", "entries"], place, "minProperties");
        }
        for entry in entries {
            self.named_by_author(entry, map);
        }
    }

    fn named_by_author(&mut self, entry: &Entry, map: &'static Map) {
        self.text(&entry.key, entry.key_span, map.key, Code::WrongName, "propertyNames");
        self.below(CLOSED, |checker| checker.shape(&entry.value, entry.key_span, &map.value));
    }

    fn object(&mut self, node: &Node, place: Span, object: &'static Object) {
        for entry in node.entries() {
            if let Some(field) = object.fields.iter().find(|field| field.name == entry.key) {
                self.field(entry, field);
                continue;
            }
            if entry.key.starts_with(FREE_PREFIX) {
                continue;
            }
            match &object.others {
                Others::Named(map) => self.named_by_author(entry, map),
                Others::Refused => self.unknown_key(entry, object.what, object.fields.iter(), Finding::error, CLOSED),
                Others::Warned => self.unknown_key(entry, object.what, object.fields.iter(), Finding::warning, CLOSED),
                Others::WarnedUnlessNear => self.foreign_key(entry, object),
            }
        }
        self.missing(node, place, object.fields, "required");
    }

    fn missing(&mut self, node: &Node, place: Span, fields: &[Field], keyword: &str) {
        for field in fields.iter().filter(|field| field.required) {
            self.missing_key(node, place, field.name, keyword);
        }
    }

    fn missing_key(&mut self, node: &Node, place: Span, name: &str, keyword: &str) {
        if node.entry(name).is_none() {
            let message = format!("missing key `{name}`");
            self.push(keyword, Finding::error(Code::MissingKey, place, message));
        }
    }

    fn ways(&mut self, node: &Node, place: Span, ways: &'static Ways) {
        self.object(node, place, ways.object);
        let taken = ways.ways.iter().filter(|keys| keys.iter().all(|key| node.entry(key).is_some())).count();
        let all: Vec<String> = ways.ways.iter().map(|keys| quoted(keys)).collect();
        let (all, what) = (all.join(", or "), ways.object.what);
        let (code, message) = match taken {
            1 => return,
            0 => (Code::MissingKey, format!("{what} needs {all}")),
            _ => (Code::SeveralActions, format!("{what} has either {all}, and not more than one of these")),
        };
        self.push("oneOf", Finding::error(code, place, message));
    }

    fn tagged(&mut self, node: &Node, place: Span, tagged: &'static Tagged) {
        let word = node.get(tagged.tag).and_then(Node::text);
        let index = tagged.cases.iter().position(|case| Some(case.word) == word);
        let own: &'static [Field] = index.map(|index| tagged.cases[index].fields).unwrap_or_default();
        let case = index.map_or(String::new(), |index| format!("allOf/{index}/then"));
        for entry in node.entries() {
            let named = |field: &&'static Field| field.name == entry.key;
            if entry.key == tagged.tag {
                let words: Vec<&str> = tagged.cases.iter().map(|case| case.word).collect();
                self.below(&format!("properties/{}", tagged.tag), |checker| {
                    checker.keyword(&entry.value, &words, &[]);
                });
            } else if let Some(field) = own.iter().find(named) {
                self.below(&case, |checker| checker.field(entry, field));
            } else if let Some(field) = tagged.fields.iter().find(named) {
                self.field(entry, field);
            } else if !entry.key.starts_with(FREE_PREFIX)
                // Keys of another case are checked once the tag is right.
                && !tagged.cases.iter().flat_map(|case| case.fields).any(|field| field.name == entry.key)
            {
                let fields = tagged.cases.first().map(|case| case.fields).unwrap_or_default();
                self.unknown_key(entry, tagged.what, fields.iter().chain(tagged.fields), Finding::error, CLOSED);
            }
        }
        self.missing_key(node, place, tagged.tag, "required");
        self.missing(node, place, own, &format!("{case}/required"));
        self.missing(node, place, tagged.fields, "required");
    }

    fn field(&mut self, entry: &Entry, field: &'static Field) {
        self.below(&format!("properties/{}", field.name), |checker| match &field.value {
            Value::Shaped(shape) => checker.shape(&entry.value, entry.key_span, shape),
            Value::NotSupported => {
                let message = format!("`{}` is not supported by this version: nothing would act on it", field.name);
                let finding = Finding::error(Code::NotSupported, entry.key_span, message);
                checker.push(
                    "not",
                    match instead(field.name) {
                        Some(instead) => finding.help(instead),
                        None => finding,
                    },
                );
            }
        });
    }

    fn variants(&mut self, node: &Node, place: Span, variants: &'static Variants) {
        let is_there = |kind: &&'static Kind| node.entry(kind.tag.name).is_some();
        let tags: Vec<String> = variants.kinds.iter().map(|kind| format!("`{}`", kind.tag.name)).collect();
        let tags = tags.join(", ");
        let mut tagged = variants.kinds.iter().filter(is_there);
        match tagged.next() {
            None => {
                let planned = |entry: &Entry| variants.shared.iter().any(|field| asks_for_more(field, &entry.key));
                // An unsupported kind has its complaint already.
                if !node.entries().iter().any(planned) {
                    let message = format!("{} needs exactly one of {tags}", variants.what);
                    self.push("oneOf", Finding::error(Code::NoAction, place, message));
                }
            }
            Some(first) => {
                for tag in tagged.filter_map(|kind| node.entry(kind.tag.name)) {
                    let message =
                        format!("{} takes exactly one of {tags}, and `{}` is given too", variants.what, first.tag.name);
                    self.push("oneOf", Finding::error(Code::SeveralActions, tag.key_span, message));
                }
            }
        }
        let tagged: Vec<usize> = (0..variants.kinds.len()).filter(|index| is_there(&&variants.kinds[*index])).collect();
        for entry in node.entries() {
            self.variant_entry(entry, &tagged, variants);
        }
    }

    /// Checks one entry; `tagged` are the kinds whose tag the mapping has.
    fn variant_entry(&mut self, entry: &Entry, tagged: &[usize], variants: &'static Variants) {
        let kinds = variants.kinds;
        let named = |field: &&'static Field| field.name == entry.key;
        let all = |index: &usize| std::iter::once(&kinds[*index].tag).chain(kinds[*index].own_fields());
        let is_owner = |index: &usize| all(index).any(|field| named(&field));
        let owners: Vec<usize> = (0..kinds.len()).filter(is_owner).collect();
        let own = tagged.iter().copied().find(is_owner);
        if let Some(field) = variants.shared.iter().find(named) {
            let index = tagged.first().copied().unwrap_or_default();
            self.below(&format!("oneOf/{index}"), |checker| checker.field(entry, field));
        } else if let (false, Some(first), None) = (owners.is_empty(), tagged.first(), own) {
            let owners: Vec<String> = owners.iter().map(|owner| format!("`{}`", kinds[*owner].tag.name)).collect();
            let message =
                format!("`{}` goes with {}, not with `{}`", entry.key, owners.join(" or "), kinds[*first].tag.name);
            self.push("oneOf", Finding::error(Code::MisplacedKey, entry.key_span, message));
        } else if let Some(index) = own.or_else(|| owners.first().copied()) {
            // Even without a valid tag, which has its own complaint, the value of the key is checked.
            if let Some(field) = all(&index).find(named) {
                self.below(&format!("oneOf/{index}"), |checker| checker.field(entry, field));
            }
        } else if !entry.key.starts_with(FREE_PREFIX) {
            let meant = if tagged.is_empty() { (0..kinds.len()).collect() } else { tagged.to_vec() };
            let fields = meant.iter().flat_map(all).chain(variants.shared);
            self.unknown_key(entry, variants.what, fields, Finding::error, "oneOf");
        }
    }

    fn unknown_key(
        &mut self,
        entry: &Entry,
        what: &str,
        fields: impl Iterator<Item = &'static Field>,
        finding: fn(Code, Span, String) -> Finding,
        keyword: &str,
    ) {
        let known = fields.filter(|field| matches!(field.value, Value::Shaped(_))).map(|field| field.name);
        let message = format!("unknown key {} in {what}", quote(&entry.key));
        let finding = finding(Code::UnknownKey, entry.key_span, message);
        self.push(keyword, finding.meant(nearest(&entry.key, known)));
    }

    /// Complains about a key that may be the author's own: an error if it looks like a misspelled section,
    /// because its contents would be ignored (ruling 1).
    fn foreign_key(&mut self, entry: &Entry, object: &'static Object) {
        let known = object.fields.iter().filter(|field| matches!(field.value, Value::Shaped(_)));
        let Some(meant) = misspelt(&entry.key, known.map(|field| field.name)) else {
            return self.unknown_key(entry, object.what, object.fields.iter(), Finding::warning, CLOSED);
        };
        let message = format!("unknown key {} in {}", quote(&entry.key), object.what);
        let help = format!("did you mean `{meant}`? A key of your own begins with `{FREE_PREFIX}`");
        self.findings.push(Finding::error(Code::MisspeltKey, entry.key_span, message).help(help));
    }

    fn text(&mut self, found: &str, span: Span, text: Text, code: Code, keyword: &str) {
        let Some(pattern) = text.pattern else { return };
        if !pattern::matches(pattern, found) {
            let found = if found.is_empty() { "an empty text".to_owned() } else { quote(found) };
            let message = format!("expected {}, found {found}", text.what);
            self.push(keyword, Finding::error(code, span, message));
        }
    }

    fn out_of_range(&mut self, node: &Node, shape: &Shape, is_too_small: bool) {
        let message = format!("expected {}, found {}", shape.expectation(), found(node));
        let keyword = if is_too_small { "minimum" } else { "maximum" };
        self.push(keyword, Finding::error(Code::OutOfRange, node.span, message));
    }

    /// Complains about too few entries. `what` is the noun in singular and in plural.
    fn too_few(&mut self, min: usize, found: usize, what: [&str; 2], place: Span, keyword: &str) {
        let what = what[usize::from(min != 1)];
        let message = format!("expected at least {min} {what}, found {found}");
        self.push(keyword, Finding::error(Code::TooFew, place, message));
    }

    fn wrong_type(&mut self, node: &Node, expected: &str, keyword: &str) {
        let message = format!("expected {expected}, found {}", found(node));
        self.push(keyword, Finding::error(Code::WrongType, node.span, message));
    }
}

/// Lists keys, such as `a` with `b`.
fn quoted(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" with ")
}

/// Returns the replacement for a key that this version does not support (docs/specification.md, "Not supported yet").
fn instead(key: &str) -> Option<&'static str> {
    match key {
        "tasks" => Some("several tasks in one document need the full form, with `schemaVersion: \"2.0.0\"`"),
        "jobs" => Some("write `parallel: true`, and give `--jobs` at the prompt"),
        "expect" => Some("write `expect` in each check"),
        "retries" => Some("write `retries` in each check"),
        "flaky" => Some("write `flaky` at the top, for the whole document"),
        "successCriteria" => Some("write it as a condition of the task, under `validationCriteria`"),
        _ => None,
    }
}

/// Returns whether a key is one that this version does not support.
fn asks_for_more(field: &Field, key: &str) -> bool {
    field.name == key && matches!(field.value, Value::NotSupported)
}

fn is_map(node: &Node) -> bool {
    matches!(node.kind, tree::Kind::Map(_))
}

/// Returns whether a shape accepts the type of a node.
fn takes(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Null => node.kind == tree::Kind::Null,
        Shape::Boolean => node.boolean().is_some(),
        Shape::Integer { .. } | Shape::Number { .. } => node.number().is_some(),
        Shape::Text(_) | Shape::Keyword { .. } => node.text().is_some(),
        Shape::Duration { .. } => node.text().is_some() || node.number().is_some(),
        Shape::List { .. } => matches!(node.kind, tree::Kind::List(_)),
        Shape::Map(_) | Shape::Object(_) | Shape::Variants(_) | Shape::Tagged(_) | Shape::Ways(_) => is_map(node),
        Shape::Either(shapes) => shapes.iter().any(|shape| takes(shape, node)),
    }
}

/// Describes a value, to follow "found".
fn found(node: &Node) -> String {
    match &node.kind {
        tree::Kind::Null => "nothing (null)".to_owned(),
        tree::Kind::Bool(value) => value.to_string(),
        tree::Kind::Integer { literal, .. } | tree::Kind::Float { literal, .. } => {
            format!("the number {}", quote(literal))
        }
        tree::Kind::Text(text) => format!("the text {}", quote(text)),
        tree::Kind::List(_) => "a list".to_owned(),
        tree::Kind::Map(_) => "a mapping".to_owned(),
    }
}
