//! Reads the declaration of a stage. Values with the wrong shape are skipped: they have their complaint.

use crate::workflow::keys;
use referee_model::limit;
use referee_model::stage::id::StageId;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::query::Query;
use referee_model::stage::workflow::{
    Input, InputSource, Output, OutputParameter, Parameter, ParameterValue, Prompt, SharedTemplate, Stage,
};
use referee_syntax::span::Span;
use referee_syntax::tree::{Kind, Member, Node};

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Treatment of a path that leads out of its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadingOut {
    Refused,
    /// It is kept as written, and reported when it is opened (PF-03).
    Kept,
}

#[derive(Debug)]
pub(super) struct Declared<'node> {
    pub(super) node: &'node Node,
    /// The stage. None: a required part is missing.
    pub(super) stage: Option<Stage>,
    /// Whether no part was skipped.
    pub(super) is_whole: bool,
}

/// Reads the meaning, with complaints.
pub(super) struct Reader<'findings> {
    leading_out: LeadingOut,
    pub(super) findings: &'findings mut Findings,
    is_whole: bool,
    /// Spans of paths that lead out, whose form is not checked further.
    outside: Vec<Span>,
}

impl<'findings> Reader<'findings> {
    pub(super) fn new(leading_out: LeadingOut, findings: &'findings mut Findings) -> Self {
        Self { leading_out, findings, is_whole: true, outside: Vec::new() }
    }

    /// Ends the reading: drops complaints about the form of paths that lead out.
    pub(super) fn finish(self) {
        self.findings.take_back(Code::WrongText, &self.outside);
    }

    pub(super) fn stage<'node>(&mut self, node: &'node Node) -> Declared<'node> {
        self.is_whole = true;
        let stage = self.read_stage(node);
        Declared { node, is_whole: self.is_whole && stage.is_some(), stage }
    }

    fn read_stage(&mut self, node: &Node) -> Option<Stage> {
        let written = keys::Stage::of(node);
        let (inputs, outputs) = (keys::Inputs::of(written.inputs.node()), keys::Outputs::of(written.outputs.node()));
        let mut read_inputs = self.items(inputs.required, |reader, item| reader.input(item, true));
        read_inputs.extend(self.items(inputs.optional, |reader, item| reader.input(item, false)));
        let parameters = self.items(written.parameters, Self::parameter);
        let output_parameters = self.items(written.output_parameters, Self::output_parameter);
        let files = self.items(outputs.files, Self::output);
        let data = self.items(outputs.data, Self::output);
        let prompt = keys::Prompt::of(written.prompt.node());
        let (entry, main) = (self.place(prompt.entry), self.place(prompt.main));
        let specification = self.place(keys::Extension::of(written.extension.node()).specification);
        self.is_whole &= written.extension.is_given() == specification.is_some();
        Some(Stage {
            id: id(written.id)?,
            name: text(written.name)?,
            description: text(written.description),
            inputs: read_inputs,
            parameters,
            output_parameters,
            files,
            data,
            prompt: Prompt { entry: entry?, main: main? },
            specification,
        })
    }

    /// Reads a file that every stage gets.
    pub(super) fn shared(&mut self, node: &Node) -> Option<SharedTemplate> {
        let written = keys::SharedTemplate::of(node);
        let (source, target) = (self.place(written.source), self.place(written.target));
        let inside = |place: Option<PathReference>| -> Option<StagePath> { place?.inside().cloned() };
        Some(SharedTemplate { source: inside(source)?, target: inside(target)? })
    }

    /// Reads a list. Unreadable elements are left out.
    pub(super) fn items<Item>(
        &mut self,
        list: Member<'_>,
        read: impl Fn(&mut Self, &Node) -> Option<Item>,
    ) -> Vec<Item> {
        let Some(list) = list.node() else { return Vec::new() };
        let elements = list.elements();
        if elements.len() > limit::STAGE_ITEMS {
            self.is_whole = false;
            self.findings.push(too_many(list.span, elements.len(), limit::STAGE_ITEMS));
            return Vec::new();
        }
        let items: Vec<Item> = elements.iter().filter_map(|element| read(self, element)).collect();
        self.is_whole &= items.len() == elements.len() && matches!(list.kind, Kind::List(_));
        items
    }

    fn input(&mut self, node: &Node, is_required: bool) -> Option<Input> {
        let written = keys::Input::of(node);
        let (path, source) = (self.place(written.path), self.place(written.source));
        let from = match (written.from_stage.entry(), written.source.entry()) {
            (None, None) => Some(None),
            (Some(entry), None) => {
                let message = "an input that comes from a stage needs a `source`: the file of that stage";
                self.findings.push(Finding::error(Code::HalfSource, entry.key_span, message));
                None
            }
            (None, Some(entry)) => {
                let message = "a `source` says nothing without a `from_stage`: the stage that wrote it";
                self.findings.push(Finding::error(Code::HalfSource, entry.key_span, message));
                None
            }
            (Some(_), Some(_)) => {
                id(written.from_stage).zip(source).map(|(stage, path)| Some(InputSource { stage, path }))
            }
        };
        Some(Input {
            name: text(written.name)?,
            path: path?,
            description: text(written.description),
            is_required,
            from: from?,
        })
    }

    fn parameter(&mut self, node: &Node) -> Option<Parameter> {
        let written = keys::Parameter::of(node);
        let source = self.place(written.source);
        let query = written.query.node().map(|node| self.query(node));
        let value = match (text(written.output_parameter), source, query) {
            (Some(name), _, _) => Some(ParameterValue::Published(name)),
            (None, Some(source), Some(Some(query))) => Some(ParameterValue::Queried { source, query }),
            _ => None,
        };
        Some(Parameter {
            name: text(written.name)?,
            description: text(written.description),
            from_stage: id(written.from_stage)?,
            value: value?,
        })
    }

    fn output_parameter(&mut self, node: &Node) -> Option<OutputParameter> {
        let written = keys::OutputParameter::of(node);
        let source = self.place(written.source);
        let query = written.query.node().and_then(|node| self.query(node));
        Some(OutputParameter {
            name: text(written.name)?,
            description: text(written.description),
            source: source?,
            query: query?,
        })
    }

    fn output(&mut self, node: &Node) -> Option<Output> {
        let written = keys::Output::of(node);
        let (path, schema) = (self.place(written.path), self.place(written.schema));
        // An unreadable schema is not the same as none.
        if written.schema.is_given() && schema.is_none() {
            return None;
        }
        Some(Output {
            name: text(written.name)?,
            path: path?,
            description: text(written.description),
            schema,
            is_required: match written.required.node() {
                Some(required) => required.boolean()?,
                None => true,
            },
        })
    }

    fn place(&mut self, written: Member<'_>) -> Option<PathReference> {
        let (node, text) = written.text_node()?;
        let place = PathReference::new(text);
        if let PathReference::Outside { text, fault } = &place {
            self.outside.push(node.span);
            if self.leading_out == LeadingOut::Refused {
                let message = format!("{} names no file that may be used: {fault}", quote(text));
                self.findings.push(Finding::error(Code::InvalidPath, node.span, message));
                return None;
            }
        }
        Some(place)
    }

    fn query(&mut self, node: &Node) -> Option<Query> {
        let text = node.text().filter(|text| !text.is_empty())?;
        match Query::parse(text) {
            Ok(query) => Some(query),
            Err(error) => {
                self.findings.push(Finding::error(Code::InvalidQuery, node.span, error.to_string()));
                None
            }
        }
    }
}

/// Returns the complaint about a list that is too long.
pub(super) fn too_many(span: Span, found: usize, limit: usize) -> Finding {
    let message = format!("this list has {found} elements, and at most {limit} are read");
    Finding::error(Code::TooManyItems, span, message)
}

pub(super) fn text(written: Member<'_>) -> Option<String> {
    written.text().map(str::to_owned)
}

/// Reads the id of a stage, or the name of a workflow.
pub(super) fn id(written: Member<'_>) -> Option<StageId> {
    written.text().and_then(|text| StageId::parse(text).ok())
}
