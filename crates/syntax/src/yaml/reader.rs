//! Parses the core schema of YAML 1.2 only: `yes` and `on` are texts, `010` is ten.

use std::borrow::Cow;
use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span as EventSpan, Tag};

use crate::fault::{Fault, FaultKind, Limits};
use crate::json;
use crate::span::Span;
use crate::tree::{Entry, Extent, Kind, Node};

/// Number of events between two calls of `must_end`.
const EVENTS_AT_ONCE: usize = 4_096;

/// The accepted dialect of YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A single document, with keys as written and without merge keys.
    Strict,
    /// As other tools read it: several documents, merge keys, any tags, and scalar keys in their JSON form.
    Lenient,
}

/// Parses a text as its documents. None: it was rejected, and the last fault states the reason, or `must_end`
/// returned true.
pub fn read(
    text: &str,
    dialect: Dialect,
    limits: &Limits,
    must_end: &mut dyn FnMut() -> bool,
    faults: &mut Vec<Fault>,
) -> Option<Vec<Node>> {
    let mut builder = Builder::new(text, dialect, limits, faults);
    let mut parser = Parser::new_from_str(text);
    let mut events = 0_usize;
    while let Some(event) = parser.next_event() {
        if events.is_multiple_of(EVENTS_AT_ONCE) && must_end() {
            return None;
        }
        events += 1;
        let step = match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => Err(builder.syntax(&error)),
        };
        if let Err(fault) = step {
            builder.faults.push(fault);
            return None;
        }
    }
    Some(builder.documents)
}

struct Builder<'a> {
    text: &'a str,
    dialect: Dialect,
    limits: &'a Limits,
    /// Byte offset of each character. None: the text is ASCII, and both are equal.
    offsets: Option<Vec<usize>>,
    open: Vec<Open>,
    documents: Vec<Node>,
    values: usize,
    repeated_values: usize,
    repeated_bytes: u64,
    anchors: BTreeMap<usize, (Node, Extent)>,
    faults: &'a mut Vec<Fault>,
}

/// A list or mapping that is being read.
struct Open {
    anchor: usize,
    /// The event that began it; empty in block style.
    start: Span,
    /// End of its content so far.
    end: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        /// Offset of the first occurrence of each key.
        seen: BTreeMap<String, usize>,
        /// Values of merge keys, in order.
        merged: Vec<Node>,
        /// The key of the next value.
        key: Option<Key>,
    },
}

enum Key {
    Name(String, Span),
    /// A merge key, `<<`.
    Merge,
    /// A rejected key, whose value is dropped.
    Refused,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, dialect: Dialect, limits: &'a Limits, faults: &'a mut Vec<Fault>) -> Self {
        let offsets = (!text.is_ascii()).then(|| text.char_indices().map(|(offset, _)| offset).collect());
        Self {
            text,
            dialect,
            limits,
            offsets,
            open: Vec::new(),
            documents: Vec::new(),
            values: 0,
            repeated_values: 0,
            repeated_bytes: 0,
            anchors: BTreeMap::new(),
            faults,
        }
    }

    /// Processes one event. An error ends the parsing.
    fn event(&mut self, event: Event<'_>, span: EventSpan) -> Result<(), Fault> {
        let span = self.span(span);
        match event {
            Event::DocumentStart(_) => {
                self.anchors.clear();
                if self.dialect == Dialect::Strict && !self.documents.is_empty() {
                    return Err(Fault { kind: FaultKind::SeveralDocuments, span });
                }
            }
            Event::Alias(anchor) => {
                let node = self.alias(anchor, span)?;
                self.finish(node, 0, span)?;
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1, span)?;
                let kind = self.scalar(text, style, tag.as_deref(), span);
                self.finish(Node { kind, span }, anchor, span)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, span, tag.as_deref(), "seq", Content::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                let content =
                    Content::Map { entries: Vec::new(), seen: BTreeMap::new(), merged: Vec::new(), key: None };
                self.begin(anchor, span, tag.as_deref(), "map", content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn begin(
        &mut self,
        anchor: usize,
        span: Span,
        tag: Option<&Tag>,
        expected: &str,
        content: Content,
    ) -> Result<(), Fault> {
        self.count(1, span)?;
        if self.open.len() >= self.limits.depth {
            return Err(Fault { kind: FaultKind::TooDeep, span });
        }
        if let Some(tag) = tag
            && !(tag.is_yaml_core_schema() && tag.suffix == expected)
        {
            self.refuse_tag(tag, span);
        }
        self.open.push(Open { anchor, start: span, end: span.end, content });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), Fault> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let kind = match open.content {
            Content::List(elements) => Kind::List(elements),
            Content::Map { mut entries, mut seen, merged, .. } => {
                // A mapping's own keys override merged ones, and earlier merged values override later ones.
                for entry in merged.into_iter().flat_map(Node::into_entries) {
                    if seen.insert(entry.key.clone(), entry.key_span.start).is_none() {
                        entries.push(entry);
                    }
                }
                Kind::Map(entries)
            }
        };
        // In block style the closing event is at the start of the next item, so the end is that of the content.
        let in_block = open.start.start == open.start.end;
        let end = if in_block { open.end } else { (span.start + 1).min(self.text.len()).max(open.end) };
        let span = Span { start: open.start.start, end };
        self.finish(Node { kind, span }, open.anchor, span)
    }

    /// Adds a finished value to its parent. `place` is where it is used, which differs from its own span for an
    /// alias.
    fn finish(&mut self, node: Node, anchor: usize, place: Span) -> Result<(), Fault> {
        if anchor > 0 {
            let extent = node.extent();
            self.repeat(extent, node.span)?;
            self.anchors.insert(anchor, (node.clone(), extent));
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(node);
            return Ok(());
        };
        open.end = open.end.max(place.end);
        match &mut open.content {
            Content::List(elements) => elements.push(node),
            Content::Map { key: slot @ None, .. } => {
                *slot = Some(key(node, self.dialect, place, self.text).unwrap_or_else(|kind| {
                    self.faults.push(Fault { kind, span: place });
                    Key::Refused
                }));
            }
            Content::Map { entries, seen, merged, key } => match key.take() {
                Some(Key::Name(key, key_span)) => {
                    if let Some(&first) = seen.get(&key) {
                        self.faults.push(Fault { kind: FaultKind::DuplicateKey { key, first }, span: key_span });
                    } else {
                        seen.insert(key.clone(), key_span.start);
                        entries.push(Entry { key, key_span, value: node });
                    }
                }
                Some(Key::Merge) => match node.kind {
                    Kind::List(several) => merged.extend(several),
                    _ => merged.push(node),
                },
                Some(Key::Refused) | None => {}
            },
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<Node, Fault> {
        let Some((node, extent)) = self.anchors.get(&anchor) else {
            return Err(Fault { kind: FaultKind::AliasCycle, span });
        };
        let extent = *extent;
        if self.open.len() + extent.depth > self.limits.depth {
            return Err(Fault { kind: FaultKind::TooDeep, span });
        }
        let node = node.clone();
        self.count(extent.values, span)?;
        self.repeat(extent, span)?;
        Ok(node)
    }

    fn repeat(&mut self, extent: Extent, span: Span) -> Result<(), Fault> {
        self.repeated_values += extent.values;
        self.repeated_bytes += extent.bytes as u64;
        if self.repeated_bytes > self.limits.repeated_bytes {
            return Err(Fault { kind: FaultKind::RepeatedBytes, span });
        }
        if self.repeated_values > self.limits.repeated_values {
            return Err(Fault { kind: FaultKind::RepeatedValues, span });
        }
        Ok(())
    }

    fn count(&mut self, values: usize, span: Span) -> Result<(), Fault> {
        self.values += values;
        if self.values > self.limits.values { Err(Fault { kind: FaultKind::TooManyValues, span }) } else { Ok(()) }
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Kind {
        let Some(tag) = tag else {
            return if style == ScalarStyle::Plain {
                resolve(&text, self.dialect)
            } else {
                Kind::Text(text.into_owned())
            };
        };
        let core = tag.is_yaml_core_schema().then_some(tag.suffix.as_str());
        if core == Some("str") || (tag.handle.is_empty() && tag.suffix == "!") {
            return Kind::Text(text.into_owned());
        }
        let kind = resolve(&text, self.dialect);
        let fits = match (&kind, core) {
            (Kind::Null, Some("null"))
            | (Kind::Bool(_), Some("bool"))
            | (Kind::Integer { .. }, Some("int" | "float")) => true,
            (Kind::Float { .. }, core) => core == Some("float"),
            _ => false,
        };
        if !fits {
            self.refuse_tag(tag, span);
        }
        // Whatever a custom tag means, the value after it is text.
        if matches!(core, Some("null" | "bool" | "int" | "float")) { kind } else { Kind::Text(text.into_owned()) }
    }

    fn refuse_tag(&mut self, tag: &Tag, span: Span) {
        if self.dialect == Dialect::Strict {
            let name = if tag.is_yaml_core_schema() { format!("!!{}", tag.suffix) } else { tag.to_string() };
            self.faults.push(Fault { kind: FaultKind::UnknownTag(name), span });
        }
    }

    fn syntax(&self, error: &ScanError) -> Fault {
        let start = self.offset(*error.marker());
        let end = self.text[start..].chars().next().map_or(start, |character| start + character.len_utf8());
        // The parser has its own nesting limit for brackets, which it checks before emitting their events.
        let kind = match error.info() {
            "recursion limit exceeded" => FaultKind::TooDeep,
            info => FaultKind::Syntax(info.to_owned()),
        };
        Fault { kind, span: Span { start, end } }
    }

    fn span(&self, span: EventSpan) -> Span {
        let start = self.offset(span.start);
        Span { start, end: self.offset(span.end).max(start) }
    }

    fn offset(&self, marker: Marker) -> usize {
        let end = self.text.len();
        match &self.offsets {
            None => marker.index().min(end),
            Some(offsets) => offsets.get(marker.index()).copied().unwrap_or(end),
        }
    }
}

/// Converts a value to a key: a text, or a scalar as written or in its JSON form.
fn key(node: Node, dialect: Dialect, place: Span, text: &str) -> Result<Key, FaultKind> {
    let written = text.get(place.start..place.end).unwrap_or_default();
    let is_strict = dialect == Dialect::Strict;
    let name = match node.kind {
        Kind::Text(key) if key == "<<" && written == "<<" => {
            return if is_strict { Err(FaultKind::MergeKey) } else { Ok(Key::Merge) };
        }
        Kind::Text(key) => key,
        Kind::List(_) | Kind::Map(_) => return Err(FaultKind::KeyNotText),
        Kind::Float { value, .. } if !is_strict && !value.is_finite() => return Err(FaultKind::KeyNotText),
        kind if !is_strict => json::value(&Node { kind, span: place }, &mut Vec::new()).to_string(),
        Kind::Integer { literal, .. } | Kind::Float { literal, .. } => literal,
        Kind::Bool(_) | Kind::Null => written.to_owned(),
    };
    Ok(Key::Name(name, place))
}

/// Resolves a plain scalar according to the core schema of YAML 1.2 (its §10.3.2).
fn resolve(text: &str, dialect: Dialect) -> Kind {
    let literal = || text.to_owned();
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" => return Kind::Bool(true),
        "false" | "False" | "FALSE" => return Kind::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Kind::Float { value: f64::NAN, literal: literal() },
        _ => {}
    }
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Kind::Float { value: if negative { f64::NEG_INFINITY } else { f64::INFINITY }, literal: literal() };
    }
    let in_base = |digits: &str, base: u32| {
        let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
        valid.then(|| u64::from_str_radix(digits, base).ok()).flatten()
    };
    let based = match (text.strip_prefix("0o"), text.strip_prefix("0x")) {
        (Some(digits), _) => in_base(digits, 8),
        (_, Some(digits)) => in_base(digits, 16),
        _ => None,
    };
    match based.map(|number| (i64::try_from(number), number)) {
        Some((Ok(value), _)) => return Kind::Integer { value, literal: literal() },
        // A schema treats it as the integer that it is.
        #[expect(clippy::cast_precision_loss, reason = "the literal has all of its digits")]
        Some((Err(_), number)) if dialect == Dialect::Lenient => {
            return Kind::Float { value: number as f64, literal: number.to_string() };
        }
        _ => {}
    }
    if !is_decimal(unsigned) {
        return Kind::Text(literal());
    }
    match (text.parse(), text.parse()) {
        (Ok(value), _) => Kind::Integer { value, literal: literal() },
        (_, Ok(value)) => Kind::Float { value, literal: literal() },
        _ => Kind::Text(literal()),
    }
}

/// Returns whether an unsigned text is a decimal number: `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return rest.is_empty() };
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    !exponent.is_empty() && digits(exponent) == exponent.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: &Kind) -> String {
        match kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(value) => format!("bool {value}"),
            Kind::Integer { value, .. } => format!("int {value}"),
            Kind::Float { value, .. } => format!("float {value}"),
            Kind::Text(text) => format!("text {text}"),
            Kind::List(_) | Kind::Map(_) => "collection".to_owned(),
        }
    }

    #[test]
    fn plain_scalars_mean_what_yaml_1_2_says() {
        for (text, meaning) in [
            ("yes", "text yes"),
            ("on", "text on"),
            ("No", "text No"),
            ("010", "int 10"),
            ("0o10", "int 8"),
            ("0x1F", "int 31"),
            ("0x", "text 0x"),
            ("-7", "int -7"),
            ("+7", "int 7"),
            ("1_000", "text 1_000"),
            ("12:30:45", "text 12:30:45"),
            ("1.", "float 1"),
            (".5", "float 0.5"),
            ("1e3", "float 1000"),
            (".", "text ."),
            ("-", "text -"),
            ("1e", "text 1e"),
            ("-.inf", "float -inf"),
            (".NaN", "float NaN"),
            ("~", "null"),
            ("TRUE", "bool true"),
            ("tRUE", "text tRUE"),
            ("99999999999999999999", "float 100000000000000000000"),
            ("infinity", "text infinity"),
            ("nan", "text nan"),
        ] {
            assert_eq!(shown(&resolve(text, Dialect::Strict)), meaning, "{text}");
        }
    }
}
