//! YAML 1.2: the core schema and nothing else. `yes` and `on` are texts, `010` is ten.

use std::borrow::Cow;
use std::collections::HashMap;

use referee_model::limit;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Extent, Kind, Node};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span as EventSpan, Tag};

use crate::complaint::{Code, Finding, Findings};
use crate::source::{Source, harmless, quote};

/// Reads YAML as a tree.
pub(super) fn tree(text: &str, findings: &mut Findings) -> Option<Node> {
    let mut builder = Builder::new(text, findings);
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let step = match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => Err(builder.syntax(&error)),
        };
        if let Err(finding) = step {
            builder.findings.push(finding);
            return None;
        }
    }
    let Builder { root, findings, .. } = builder;
    let root = root.filter(|root| root.kind != Kind::Null);
    if root.is_none() {
        findings.push(super::empty());
    }
    root
}

/// Makes a tree from events.
struct Builder<'a> {
    text: &'a str,
    /// Offset of each character's first byte. None: the text is ASCII, and they are the same.
    offsets: Option<Vec<usize>>,
    /// The text with its lines, made when the first duplicate needs it.
    positions: Option<Source>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    values: usize,
    aliased: usize,
    /// Bytes of the texts in what is aliased.
    aliased_bytes: u64,
    anchors: HashMap<usize, (Node, Extent)>,
    findings: &'a mut Findings,
}

/// A list or mapping that has begun.
struct Open {
    anchor: usize,
    /// The event that began it; empty in block style.
    start: Span,
    /// Where what is in it ends so far.
    end: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        /// Where each key stands first.
        seen: HashMap<String, usize>,
        /// The key whose value comes next.
        key: Option<Key>,
    },
}

/// A key that was read. Without a name it is refused, and its value is dropped.
struct Key {
    name: Option<String>,
    span: Span,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, findings: &'a mut Findings) -> Self {
        let offsets = (!text.is_ascii()).then(|| text.char_indices().map(|(offset, _)| offset).collect());
        Self {
            text,
            offsets,
            positions: None,
            open: Vec::new(),
            root: None,
            documents: 0,
            values: 0,
            aliased: 0,
            aliased_bytes: 0,
            anchors: HashMap::new(),
            findings,
        }
    }

    /// Takes one event. An error ends the reading.
    fn event(&mut self, event: Event<'_>, span: EventSpan) -> Result<(), Finding> {
        let span = self.span(span);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "a second YAML document begins here; a specification is one document";
                    return Err(Finding::error(Code::SeveralDocuments, span, message));
                }
            }
            Event::Alias(anchor) => {
                let node = self.alias(anchor, span)?;
                self.finish(node, 0, span)?;
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(span)?;
                let kind = self.scalar(text, style, tag.as_deref(), span);
                self.finish(Node { kind, span }, anchor, span)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, span, tag.as_deref(), "seq", Content::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                let content = Content::Map { entries: Vec::new(), seen: HashMap::new(), key: None };
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
    ) -> Result<(), Finding> {
        self.count(span)?;
        if self.open.len() >= limit::SPECIFICATION_DEPTH {
            return Err(super::too_deep(span));
        }
        if let Some(tag) = tag
            && !(tag.is_yaml_core_schema() && tag.suffix == expected)
        {
            self.findings.push(unknown_tag(tag, span));
        }
        self.open.push(Open { anchor, start: span, end: span.end, content });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), Finding> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let kind = match open.content {
            Content::List(elements) => Kind::List(elements),
            Content::Map { entries, .. } => Kind::Map(entries),
        };
        // In block style the closing event stands where the next thing begins; what is in it says where its text ends.
        let in_block = open.start.start == open.start.end;
        let end = if in_block { open.end } else { (span.start + 1).min(self.text.len()).max(open.end) };
        let span = Span { start: open.start.start, end };
        self.finish(Node { kind, span }, open.anchor, span)
    }

    /// Puts a finished value where it belongs. `place` is where it is used, which for an alias is not where it stands.
    fn finish(&mut self, node: Node, anchor: usize, place: Span) -> Result<(), Finding> {
        if anchor > 0 {
            let extent = node.extent();
            self.spend_on_aliases(extent, node.span)?;
            self.anchors.insert(anchor, (node.clone(), extent));
        }
        if let Some(open) = self.open.last_mut() {
            open.end = open.end.max(place.end);
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::List(elements)) => elements.push(node),
            Some(Content::Map { key: slot @ None, .. }) => match key(&node, place, self.text) {
                Ok(name) => *slot = Some(Key { name: Some(name), span: place }),
                Err(finding) => {
                    *slot = Some(Key { name: None, span: place });
                    self.findings.push(finding);
                }
            },
            Some(Content::Map { entries, seen, key }) => {
                let Some(Key { name: Some(name), span }) = key.take() else { return Ok(()) };
                if let Some(&first) = seen.get(&name) {
                    let positions = self.positions.get_or_insert_with(|| Source::new("", self.text));
                    let first = positions.position(first).line;
                    self.findings.push(super::duplicate_key(&name, span, first));
                } else {
                    seen.insert(name.clone(), span.start);
                    entries.push(Entry { key: name, key_span: span, value: node });
                }
            }
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<Node, Finding> {
        let Some((node, extent)) = self.anchors.get(&anchor) else {
            return Err(Finding::error(
                Code::AliasExpansion,
                span,
                "this alias stands inside the value that it repeats",
            ));
        };
        let (node, extent) = (node.clone(), *extent);
        if self.open.len() + extent.depth > limit::SPECIFICATION_DEPTH {
            return Err(super::too_deep(span));
        }
        self.values += extent.values;
        self.spend_on_aliases(extent, span)?;
        Ok(node)
    }

    fn spend_on_aliases(&mut self, extent: Extent, span: Span) -> Result<(), Finding> {
        self.aliased += extent.values;
        self.aliased_bytes += extent.bytes as u64;
        if self.aliased_bytes > limit::SPECIFICATION_BYTES {
            let limit = limit::SPECIFICATION_BYTES / (1024 * 1024);
            let message = format!("anchors and aliases repeat more than {limit} MiB of text");
            return Err(Finding::error(Code::AliasExpansion, span, message));
        }
        let limit = limit::SPECIFICATION_ALIASED_VALUES;
        if self.aliased > limit {
            let message = format!("anchors and aliases repeat more than {limit} values");
            return Err(Finding::error(Code::AliasExpansion, span, message));
        }
        Ok(())
    }

    fn count(&mut self, span: Span) -> Result<(), Finding> {
        self.values += 1;
        if self.values > limit::SPECIFICATION_VALUES { Err(super::too_many_values(span)) } else { Ok(()) }
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Kind {
        let Some(tag) = tag else {
            return if style == ScalarStyle::Plain { resolve(&text) } else { Kind::Text(text.into_owned()) };
        };
        let core = tag.is_yaml_core_schema();
        if (core && tag.suffix == "str") || (tag.handle.is_empty() && tag.suffix == "!") {
            return Kind::Text(text.into_owned());
        }
        let kind = resolve(&text);
        let fits = match (&kind, tag.suffix.as_str()) {
            (Kind::Null, "null") | (Kind::Bool(_), "bool") | (Kind::Integer { .. }, "int" | "float") => true,
            (Kind::Float { .. }, suffix) => suffix == "float",
            _ => false,
        };
        if !(core && fits) {
            self.findings.push(unknown_tag(tag, span));
        }
        kind
    }

    fn syntax(&self, error: &ScanError) -> Finding {
        let start = self.offset(*error.marker());
        let end = self.text[start..].chars().next().map_or(start, |character| start + character.len_utf8());
        let span = Span { start, end };
        // The parser has a bound of its own for brackets, and meets it before their events come.
        if error.info() == "recursion limit exceeded" {
            return super::too_deep(span);
        }
        let info: String = error.info().chars().map(harmless).collect();
        let message = format!("this is not YAML: {info}");
        Finding::error(Code::Syntax, span, message)
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

/// Takes a value as a key: a text, or a plain scalar as it is written.
fn key(node: &Node, place: Span, text: &str) -> Result<String, Finding> {
    let written = || text.get(place.start..place.end).unwrap_or_default().to_owned();
    match &node.kind {
        Kind::Text(key) if key == "<<" && written() == "<<" => {
            let message = "merge keys are not part of YAML 1.2: repeat the keys, or use an alias for a whole value";
            Err(Finding::error(Code::MergeKey, place, message))
        }
        Kind::Text(key) => Ok(key.clone()),
        Kind::Integer { literal, .. } | Kind::Float { literal, .. } => Ok(literal.clone()),
        Kind::Bool(_) | Kind::Null => Ok(written()),
        Kind::List(_) | Kind::Map(_) => {
            Err(Finding::error(Code::KeyNotText, place, "a key must be a text, not a list or a mapping"))
        }
    }
}

fn unknown_tag(tag: &Tag, span: Span) -> Finding {
    let name = if tag.is_yaml_core_schema() { format!("!!{}", tag.suffix) } else { tag.to_string() };
    let message = format!("the tag {} does not belong here: write plain values", quote(&name));
    Finding::error(Code::UnknownTag, span, message)
}

/// Gives a plain scalar its meaning in the core schema of YAML 1.2 (its §10.3.2).
fn resolve(text: &str) -> Kind {
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
        valid.then(|| i64::from_str_radix(digits, base).ok()).flatten()
    };
    let based = match (text.strip_prefix("0o"), text.strip_prefix("0x")) {
        (Some(digits), _) => in_base(digits, 8),
        (_, Some(digits)) => in_base(digits, 16),
        _ => None,
    };
    if let Some(value) = based {
        return Kind::Integer { value, literal: literal() };
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

/// Returns whether a text without its sign is a decimal number: `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
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
            assert_eq!(shown(&resolve(text)), meaning, "{text}");
        }
    }
}
