//! Texts with holes, in documents: a text as it is where there is no hole, else the list of its parts.

use referee_model::plan::{CaptureName, Piece, Template};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// A text, or a text with holes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum TemplateDocument {
    /// A text without holes.
    Plain(String),
    /// A text with holes, as the list of its parts.
    Pieces(Vec<PieceDocument>),
}

/// A part of a text with holes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum PieceDocument {
    /// Text as it is.
    Text(#[schemars(length(min = 1))] String),
    /// What an earlier action captures under this name.
    Captured(#[schemars(with = "form::CaptureName")] Name),
}

/// The name of a captured value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Name(pub(crate) CaptureName);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        CaptureName::parse(&text).map(Self).ok_or_else(|| format!("`{text}` is no name of a captured value"))
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0.as_str().to_owned()
    }
}

impl From<&CaptureName> for Name {
    fn from(name: &CaptureName) -> Self {
        Self(name.clone())
    }
}

impl From<&Template> for TemplateDocument {
    fn from(template: &Template) -> Self {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => PieceDocument::Text(text.clone()),
            Piece::Captured(name) => PieceDocument::Captured(name.into()),
        };
        match template.as_plain() {
            Some(text) => Self::Plain(text.to_owned()),
            None => Self::Pieces(template.pieces().iter().map(piece).collect()),
        }
    }
}

impl TryFrom<TemplateDocument> for Template {
    type Error = String;

    fn try_from(document: TemplateDocument) -> Result<Self, String> {
        let pieces = match document {
            TemplateDocument::Plain(text) => return Ok(Self::plain(text)),
            TemplateDocument::Pieces(pieces) => pieces,
        };
        let listed = pieces.len();
        let mut template = Self::default();
        for piece in pieces {
            match piece {
                PieceDocument::Text(text) => template.push_text(&text),
                PieceDocument::Captured(Name(name)) => template.push_captured(name),
            }
        }
        if template.pieces().len() != listed || template.as_plain().is_some() {
            return Err("a text with holes has an empty part, two texts in a row, or no hole".to_owned());
        }
        Ok(template)
    }
}
