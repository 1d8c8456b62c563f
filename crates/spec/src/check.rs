//! Whether a tree has the shape that `referee-wire` declares. The published schema is derived from the same declaration.

use std::cell::RefCell;
use std::collections::HashMap;

use referee_syntax::distance::{misspelt, nearest};
use referee_wire::specification::shape::{
    DURATION, FREE_PREFIX, Field, Kind, Map, Object, Others, Shape, Tagged, Text, Value, Variants, Ways,
};
use regex::Regex;

use crate::complaint::{Code, Finding, Findings};
use crate::source::{Span, quote};
use crate::tree::{self, Entry, Node};

/// Complains about everything in which a document differs from its declared shape.
pub fn check(root: &Node, shape: &'static Object, findings: &mut Findings) {
    let mut checker = Checker { findings };
    match &root.kind {
        tree::Kind::Map(_) => checker.object(root, Span::BEGINNING, shape),
        _ => checker.wrong_type(root, &Shape::Object(shape).expectation()),
    }
}

thread_local! {
    /// The declarations' regular expressions, compiled once. None: it cannot be compiled, and matches nothing.
    static PATTERNS: RefCell<HashMap<&'static str, Option<Regex>>> = RefCell::new(HashMap::new());
}

fn matches(pattern: &'static str, text: &str) -> bool {
    PATTERNS.with_borrow_mut(|patterns| {
        let regex = patterns.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    })
}

struct Checker<'a> {
    findings: &'a mut Findings,
}

impl Checker<'_> {
    /// `place` is where a complaint about what is missing in the value is to point: its key, if it has one.
    fn shape(&mut self, node: &Node, place: Span, shape: &'static Shape) {
        match shape {
            Shape::Any => {}
            Shape::Null if node.kind == tree::Kind::Null => {}
            Shape::Boolean if node.boolean().is_some() => {}
            Shape::Integer { min, max } => match node.integer() {
                Some(value) => self.range((*min..=*max).contains(&value), node, shape),
                None => self.wrong_type(node, &shape.expectation()),
            },
            Shape::Number { min, max } => match node.number() {
                Some(value) => self.range((*min..=*max).contains(&value), node, shape),
                None => self.wrong_type(node, &shape.expectation()),
            },
            Shape::Duration { min_ms, max_ms } => self.duration(node, shape, *min_ms..=*max_ms),
            Shape::Text(text) => match node.text() {
                Some(found) => self.text(found, node.span, *text, Code::WrongText),
                None => self.wrong_type(node, text.what),
            },
            Shape::Keyword { words, also } => self.keyword(node, words, also, shape),
            Shape::List { item, min } => self.list(node, place, item, *min),
            Shape::Map(map) => self.map(node, place, map),
            Shape::Object(object) if is_map(node) => self.object(node, place, object),
            Shape::Variants(variants) if is_map(node) => self.variants(node, place, variants),
            Shape::Tagged(tagged) if is_map(node) => self.tagged(node, place, tagged),
            Shape::Ways(ways) if is_map(node) => self.ways(node, place, ways),
            Shape::Either(shapes) => match shapes.iter().find(|shape| takes(shape, node)) {
                Some(shape) => self.shape(node, place, shape),
                None => self.wrong_type(node, &shape.expectation()),
            },
            Shape::Boolean => self.not_boolean(node, shape),
            Shape::Null | Shape::Object(_) | Shape::Variants(_) | Shape::Tagged(_) | Shape::Ways(_) => {
                self.wrong_type(node, &shape.expectation());
            }
        }
    }

    fn not_boolean(&mut self, node: &Node, shape: &Shape) {
        let message = format!("expected {}, found {}", shape.expectation(), found(node));
        let finding = Finding::error(Code::WrongType, node.span, message);
        // YAML 1.1 took these for booleans; YAML 1.2 does not.
        let meant = match node.text().map(str::to_ascii_lowercase).as_deref() {
            Some("yes" | "on" | "y" | "true") => Some("true"),
            Some("no" | "off" | "n" | "false") => Some("false"),
            _ => None,
        };
        self.findings.push(finding.meant(meant));
    }

    fn duration(&mut self, node: &Node, shape: &Shape, bounds: std::ops::RangeInclusive<i64>) {
        match (node.text(), node.integer()) {
            (Some(found), _) => self.text(found, node.span, DURATION, Code::WrongText),
            (_, Some(value)) if bounds.contains(&value) => {}
            (_, Some(value)) => {
                let (min, max) = bounds.into_inner();
                let message = format!("expected {min} to {max} milliseconds, found {value}");
                self.findings.push(Finding::error(Code::OutOfRange, node.span, message));
            }
            _ => self.wrong_type(node, &shape.expectation()),
        }
    }

    fn keyword(&mut self, node: &Node, words: &[&'static str], also: &[&str], shape: &Shape) {
        let Some(found) = node.text() else { return self.wrong_type(node, &shape.expectation()) };
        if !words.contains(&found) && !also.contains(&found) {
            let message = format!("expected {}, found {}", shape.expectation(), quote(found));
            let finding = Finding::error(Code::UnknownWord, node.span, message);
            self.findings.push(finding.meant(nearest(found, words.iter().copied())));
        }
    }

    fn list(&mut self, node: &Node, place: Span, item: &'static Shape, min: usize) {
        let tree::Kind::List(elements) = &node.kind else { return self.wrong_type(node, "a list") };
        if elements.len() < min {
            self.too_few(min, elements.len(), ["element", "elements"], place);
        }
        for element in elements {
            self.shape(element, element.span, item);
        }
    }

    fn map(&mut self, node: &Node, place: Span, map: &'static Map) {
        let tree::Kind::Map(entries) = &node.kind else { return self.wrong_type(node, map.what) };
        if entries.len() < map.min {
            self.too_few(map.min, entries.len(), ["entry", "entries"], place);
        }
        for entry in entries {
            self.text(&entry.key, entry.key_span, map.key, Code::WrongName);
            self.shape(&entry.value, entry.key_span, &map.value);
        }
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
                Others::Named(map) => {
                    self.text(&entry.key, entry.key_span, map.key, Code::WrongName);
                    self.shape(&entry.value, entry.key_span, &map.value);
                }
                Others::Refused => self.unknown_key(entry, object.what, object.fields.iter(), Finding::error),
                Others::Warned => self.unknown_key(entry, object.what, object.fields.iter(), Finding::warning),
                Others::WarnedUnlessNear => self.foreign_key(entry, object),
            }
        }
        for field in object.fields.iter().filter(|field| field.required && node.entry(field.name).is_none()) {
            let message = format!("the key `{}` is missing here", field.name);
            self.findings.push(Finding::error(Code::MissingKey, place, message));
        }
    }

    fn ways(&mut self, node: &Node, place: Span, ways: &'static Ways) {
        self.object(node, place, ways.object);
        let taken: Vec<&[&str]> =
            ways.ways.iter().copied().filter(|keys| keys.iter().all(|key| node.entry(key).is_some())).collect();
        let all: Vec<String> = ways.ways.iter().map(|keys| quoted(keys)).collect();
        let (all, what) = (all.join(", or "), ways.object.what);
        match taken.as_slice() {
            [_] => {}
            [] => self.findings.push(Finding::error(Code::MissingKey, place, format!("{what} needs {all}"))),
            _ => {
                let message = format!("{what} has either {all}, and not more than one of these");
                self.findings.push(Finding::error(Code::SeveralActions, place, message));
            }
        }
    }

    fn tagged(&mut self, node: &Node, place: Span, tagged: &'static Tagged) {
        let case = node.get(tagged.tag).and_then(Node::text);
        let case = case.and_then(|word| tagged.cases.iter().find(|case| case.word == word));
        let own: &'static [Field] = case.map(|case| case.fields).unwrap_or_default();
        for entry in node.entries() {
            if entry.key == tagged.tag {
                self.tag(&entry.value, tagged);
            } else if let Some(field) = own.iter().chain(tagged.fields).find(|field| field.name == entry.key) {
                self.field(entry, field);
            } else if !entry.key.starts_with(FREE_PREFIX)
                // What belongs to another word is looked at once the word is right.
                && !tagged.cases.iter().flat_map(|case| case.fields).any(|field| field.name == entry.key)
            {
                let fields = tagged.cases.first().map(|case| case.fields).unwrap_or_default();
                self.unknown_key(entry, tagged.what, fields.iter().chain(tagged.fields), Finding::error);
            }
        }
        let required = own.iter().chain(tagged.fields).filter(|field| field.required).map(|field| field.name);
        for name in std::iter::once(tagged.tag).chain(required).filter(|name| node.entry(name).is_none()) {
            let message = format!("the key `{name}` is missing here");
            self.findings.push(Finding::error(Code::MissingKey, place, message));
        }
    }

    fn tag(&mut self, node: &Node, tagged: &Tagged) {
        let words = || tagged.cases.iter().map(|case| case.word);
        let expected = words().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let Some(found) = node.text() else { return self.wrong_type(node, &format!("one of {expected}")) };
        if words().all(|word| word != found) {
            let message = format!("expected one of {expected}, found {}", quote(found));
            let finding = Finding::error(Code::UnknownWord, node.span, message);
            self.findings.push(finding.meant(nearest(found, words())));
        }
    }

    fn field(&mut self, entry: &Entry, field: &'static Field) {
        match &field.value {
            Value::Shaped(shape) => self.shape(&entry.value, entry.key_span, shape),
            Value::NotSupported => {
                let message = format!("`{}` is not supported by this version: nothing would act on it", field.name);
                let finding = Finding::error(Code::NotSupported, entry.key_span, message);
                self.findings.push(match instead(field.name) {
                    Some(instead) => finding.help(instead),
                    None => finding,
                });
            }
        }
    }

    fn variants(&mut self, node: &Node, place: Span, variants: &'static Variants) {
        let tagged: Vec<&'static Kind> =
            variants.kinds.iter().filter(|kind| node.entry(kind.tag.name).is_some()).collect();
        let tags: Vec<String> = variants.kinds.iter().map(|kind| format!("`{}`", kind.tag.name)).collect();
        let tags = tags.join(", ");
        match tagged.as_slice() {
            [_] => {}
            [] => {
                let planned = |entry: &Entry| variants.shared.iter().any(|field| asks_for_more(field, &entry.key));
                // A kind that this version cannot run has its complaint already.
                if !node.entries().iter().any(planned) {
                    let message = format!("{} needs exactly one of {tags}", variants.what);
                    self.findings.push(Finding::error(Code::NoAction, place, message));
                }
            }
            [_, others @ ..] => {
                let first = tagged[0].tag.name;
                for tag in others.iter().filter_map(|kind| node.entry(kind.tag.name)) {
                    let message = format!("{} has exactly one of {tags}, and `{first}` is here too", variants.what);
                    self.findings.push(Finding::error(Code::SeveralActions, tag.key_span, message));
                }
            }
        }
        for entry in node.entries() {
            self.variant_entry(entry, &tagged, variants);
        }
    }

    fn variant_entry(&mut self, entry: &Entry, tagged: &[&'static Kind], variants: &'static Variants) {
        let named = |field: &&'static Field| field.name == entry.key;
        let tag = variants.kinds.iter().map(|kind| &kind.tag).find(named);
        if let Some(field) = tag.or_else(|| variants.shared.iter().find(named)) {
            return self.field(entry, field);
        }
        if let Some(field) = tagged.iter().flat_map(|kind| kind.own_fields()).find(named) {
            return self.field(entry, field);
        }
        let owners: Vec<&'static Kind> =
            variants.kinds.iter().filter(|kind| kind.own_fields().any(|field| named(&field))).collect();
        if let Some(field) = owners.first().and_then(|owner| owner.own_fields().find(named)) {
            if tagged.is_empty() {
                // Which kind it is has its complaint already; what the key holds is checked all the same.
                return self.field(entry, field);
            }
            let owners: Vec<String> = owners.iter().map(|owner| format!("`{}`", owner.tag.name)).collect();
            let message =
                format!("`{}` goes with {}, not with `{}`", entry.key, owners.join(" or "), tagged[0].tag.name);
            self.findings.push(Finding::error(Code::MisplacedKey, entry.key_span, message));
        } else if !entry.key.starts_with(FREE_PREFIX) {
            let kinds = if tagged.is_empty() { variants.kinds.iter().collect() } else { tagged.to_vec() };
            let fields = kinds.iter().flat_map(|kind| std::iter::once(&kind.tag).chain(kind.own_fields()));
            self.unknown_key(entry, variants.what, fields.chain(variants.shared), Finding::error);
        }
    }

    fn unknown_key(
        &mut self,
        entry: &Entry,
        what: &str,
        fields: impl Iterator<Item = &'static Field>,
        finding: fn(Code, Span, String) -> Finding,
    ) {
        let known = fields.filter(|field| matches!(field.value, Value::Shaped(_))).map(|field| field.name);
        let message = format!("the key {} is not known in {what}", quote(&entry.key));
        let finding = finding(Code::UnknownKey, entry.key_span, message);
        self.findings.push(finding.meant(nearest(&entry.key, known)));
    }

    /// Complains about a key that may be the author's own: an error where it looks like a misspelt section, because all
    /// that stands in it would vanish (ruling 1).
    fn foreign_key(&mut self, entry: &Entry, object: &'static Object) {
        let known = object.fields.iter().filter(|field| matches!(field.value, Value::Shaped(_)));
        let Some(meant) = misspelt(&entry.key, known.map(|field| field.name)) else {
            return self.unknown_key(entry, object.what, object.fields.iter(), Finding::warning);
        };
        let message = format!("the key {} is not known in {}", quote(&entry.key), object.what);
        let help = format!("did you mean `{meant}`? A key of your own begins with `{FREE_PREFIX}`");
        self.findings.push(Finding::error(Code::MisspeltKey, entry.key_span, message).help(help));
    }

    fn text(&mut self, found: &str, span: Span, text: Text, code: Code) {
        let Some(pattern) = text.pattern else { return };
        if !matches(pattern, found) {
            let found = if found.is_empty() { "an empty text".to_owned() } else { quote(found) };
            let message = format!("expected {}, found {found}", text.what);
            self.findings.push(Finding::error(code, span, message));
        }
    }

    fn range(&mut self, within: bool, node: &Node, shape: &Shape) {
        if !within {
            let message = format!("expected {}, found {}", shape.expectation(), found(node));
            self.findings.push(Finding::error(Code::OutOfRange, node.span, message));
        }
    }

    /// `what` is the word for one and the word for several.
    fn too_few(&mut self, min: usize, found: usize, what: [&str; 2], place: Span) {
        let what = what[usize::from(min != 1)];
        let message = format!("expected at least {min} {what}, found {found}");
        self.findings.push(Finding::error(Code::TooFew, place, message));
    }

    fn wrong_type(&mut self, node: &Node, expected: &str) {
        let message = format!("expected {expected}, found {}", found(node));
        self.findings.push(Finding::error(Code::WrongType, node.span, message));
    }
}

/// Lists keys, such as `a` with `b`.
fn quoted(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" with ")
}

/// Says what there is instead of a key that this version cannot run (docs/specification.md, "Not supported yet").
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

/// Returns whether a key is one that this version cannot run.
fn asks_for_more(field: &Field, key: &str) -> bool {
    field.name == key && matches!(field.value, Value::NotSupported)
}

fn is_map(node: &Node) -> bool {
    matches!(node.kind, tree::Kind::Map(_))
}

/// Returns whether a shape takes values of a node's kind.
pub(crate) fn takes(shape: &Shape, node: &Node) -> bool {
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

/// Says what a value is, after "found".
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
