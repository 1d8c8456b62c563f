//! What of the published JSON Schema a complaint is about. Schema and check come from one declaration; this follows a pointer
//! of the document through that declaration, as the schema's own pointers run.

use referee_syntax::pointer;
use referee_wire::specification::shape::{Field, Kind, Object, Others, Shape, Tagged, Value, Variants, Ways};

use crate::check::takes;
use crate::complaint::{Code, SchemaRule, Stage};
use crate::tree::{self, Node};

/// Finds the rule that a complaint about the shape is about. None: no schema can say it.
pub(crate) fn find(root: &Node, form: &'static Object, pointer: &str, code: Code) -> Option<SchemaRule> {
    if code.stage() != Stage::Shape {
        return None;
    }
    let mut place = Place { path: "#".to_owned(), node: root, declared: Declared::Object(form) };
    let steps: Vec<String> = pointer.split('/').skip(1).map(pointer::key).collect();
    for (index, step) in steps.iter().enumerate() {
        let is_last = index + 1 == steps.len();
        // What is said of a key is a rule of the mapping that it stands in.
        if is_last && let Some(rule) = place.of_key(step, code) {
            return Some(place.rule(rule, Vec::new()));
        }
        place = place.step(step)?;
    }
    place.of_value(code)
}

/// A place in the document, and what is declared of it.
struct Place<'a> {
    /// Pointer into the schema.
    path: String,
    node: &'a Node,
    declared: Declared,
}

/// What is declared of a value.
#[derive(Clone, Copy)]
enum Declared {
    Shape(&'static Shape),
    Object(&'static Object),
    Ways(&'static Ways),
    Variants(&'static Variants),
    Tagged(&'static Tagged),
    /// The words of the key that tells what kind a mapping is.
    Tag(&'static Tagged),
    NotSupported,
}

impl<'a> Place<'a> {
    fn new(path: String, node: &'a Node, shape: &'static Shape) -> Self {
        let named = |name: &str| format!("#/$defs/{name}");
        let is_map = matches!(node.kind, tree::Kind::Map(_));
        let (path, declared) = match shape {
            Shape::Either(shapes) => match shapes.iter().position(|shape| takes(shape, node)) {
                Some(index) => {
                    return Self::new(format!("{path}/anyOf/{index}"), node, &shapes[index]);
                }
                None => (path, Declared::Shape(shape)),
            },
            // Another value than a mapping breaks what is declared where it is used.
            Shape::Object(object) if is_map => (named(object.name), Declared::Object(object)),
            Shape::Ways(ways) if is_map => (named(ways.object.name), Declared::Ways(ways)),
            Shape::Variants(variants) if is_map => (named(variants.name), Declared::Variants(variants)),
            Shape::Tagged(tagged) if is_map => (named(tagged.name), Declared::Tagged(tagged)),
            _ => (path, Declared::Shape(shape)),
        };
        Self { path, node, declared }
    }

    fn rule(&self, keyword: &str, allowed: Vec<String>) -> SchemaRule {
        SchemaRule { path: format!("{}/{keyword}", self.path), allowed }
    }

    /// Goes to what stands under a key or an index. None: nothing is declared of it.
    fn step(&self, step: &str) -> Option<Self> {
        let below = |path: &str, node: &'a Node, shape| Some(Self::new(format!("{}{path}", self.path), node, shape));
        if let (Declared::Shape(Shape::List { item, .. }), Ok(index)) = (self.declared, step.parse::<usize>()) {
            return below("/items", self.node.elements().get(index)?, item);
        }
        let node = self.node.get(step)?;
        let of_field = |path: String, field: &'static Field| match &field.value {
            Value::Shaped(shape) => below(&format!("{path}/properties/{step}"), node, shape),
            Value::NotSupported => {
                let path = format!("{}{path}/properties/{step}", self.path);
                Some(Self { path, node, declared: Declared::NotSupported })
            }
        };
        let named = |field: &&'static Field| field.name == step;
        match self.declared {
            Declared::Shape(Shape::Map(map)) => below("/additionalProperties", node, &map.value),
            Declared::Object(object) | Declared::Ways(&Ways { object, .. }) => {
                match (object.fields.iter().find(named), &object.others) {
                    (Some(field), _) => of_field(String::new(), field),
                    (None, Others::Named(map)) => below("/additionalProperties", node, &map.value),
                    (None, _) => None,
                }
            }
            Declared::Variants(variants) => {
                let of_kind = |kind: &'static Kind| std::iter::once(&kind.tag).chain(kind.own_fields()).find(named);
                let shared = variants.shared.iter().find(named);
                let tagged = variants.kinds.iter().position(|kind| self.node.entry(kind.tag.name).is_some());
                let index = match (variants.kinds.iter().position(|kind| of_kind(kind).is_some()), tagged) {
                    (_, Some(tagged)) if shared.or_else(|| of_kind(&variants.kinds[tagged])).is_some() => tagged,
                    (Some(owner), _) => owner,
                    (None, _) => 0,
                };
                of_field(format!("/oneOf/{index}"), shared.or_else(|| of_kind(variants.kinds.get(index)?))?)
            }
            Declared::Tagged(tagged) if step == tagged.tag => {
                let path = format!("{}/properties/{step}", self.path);
                Some(Self { path, node, declared: Declared::Tag(tagged) })
            }
            Declared::Tagged(tagged) => {
                if let Some(field) = tagged.fields.iter().find(named) {
                    return of_field(String::new(), field);
                }
                let index = self.case(tagged)?;
                of_field(format!("/allOf/{index}/then"), tagged.cases[index].fields.iter().find(named)?)
            }
            Declared::Shape(_) | Declared::Tag(_) | Declared::NotSupported => None,
        }
    }

    /// Which of its cases a mapping is.
    fn case(&self, tagged: &'static Tagged) -> Option<usize> {
        let word = self.node.get(tagged.tag)?.text()?;
        tagged.cases.iter().position(|case| case.word == word)
    }

    /// The keyword of what is said of a key. None: it is said of the value.
    fn of_key(&self, key: &str, code: Code) -> Option<&'static str> {
        match (code, self.declared) {
            (Code::UnknownKey | Code::MisplacedKey, Declared::Variants(_)) => Some("oneOf"),
            (Code::UnknownKey | Code::MisplacedKey, _) => Some("additionalProperties"),
            (Code::WrongName, _) => Some("propertyNames"),
            (Code::SeveralActions, Declared::Variants(variants)) => {
                variants.kinds.iter().any(|kind| kind.tag.name == key).then_some("oneOf")
            }
            _ => None,
        }
    }

    /// The rule that the value itself breaks.
    fn of_value(&self, code: Code) -> Option<SchemaRule> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let keyword = match (code, self.declared) {
            (Code::NotSupported, _) => "not",
            (_, Declared::Tag(tagged)) => {
                return Some(self.rule("enum", tagged.cases.iter().map(|case| case.word.to_owned()).collect()));
            }
            (_, Declared::Shape(Shape::Keyword { words: allowed, .. })) => {
                return Some(self.rule("enum", words(allowed)));
            }
            (Code::MissingKey, Declared::Ways(ways)) if self.has_all(ways.object.fields) => "oneOf",
            (Code::MissingKey, Declared::Tagged(tagged)) => match self.case(tagged) {
                Some(index) if !self.has_all(tagged.cases[index].fields) => {
                    return Some(self.rule(&format!("allOf/{index}/then/required"), Vec::new()));
                }
                _ => "required",
            },
            (Code::MissingKey, _) => "required",
            (Code::NoAction | Code::SeveralActions, _) => "oneOf",
            (Code::TooFew, Declared::Shape(Shape::List { .. })) => "minItems",
            (Code::TooFew, _) => "minProperties",
            (Code::OutOfRange, Declared::Shape(shape)) => self.bound(shape)?,
            (Code::WrongText, Declared::Shape(Shape::Duration { .. })) => "anyOf/1/pattern",
            (Code::WrongText, _) => "pattern",
            (_, Declared::Shape(Shape::Either(_) | Shape::Duration { .. })) => "anyOf",
            // What a name refers to says what it must be.
            (
                Code::WrongType,
                Declared::Shape(Shape::Object(_) | Shape::Ways(_) | Shape::Variants(_) | Shape::Tagged(_)),
            ) => "$ref",
            (Code::WrongType, _) => "type",
            _ => return None,
        };
        Some(self.rule(keyword, Vec::new()))
    }

    fn has_all(&self, fields: &[Field]) -> bool {
        fields.iter().filter(|field| field.required).all(|field| self.node.entry(field.name).is_some())
    }

    /// Which bound a number is beyond.
    fn bound(&self, shape: &Shape) -> Option<&'static str> {
        Some(match shape {
            Shape::Integer { min, .. } if self.node.integer()? < *min => "minimum",
            Shape::Number { min, .. } if self.node.number()? < *min => "minimum",
            Shape::Integer { .. } | Shape::Number { .. } => "maximum",
            Shape::Duration { min_ms, .. } if self.node.integer()? < *min_ms => "anyOf/0/minimum",
            Shape::Duration { .. } => "anyOf/0/maximum",
            _ => return None,
        })
    }
}
