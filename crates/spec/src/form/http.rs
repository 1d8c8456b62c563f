//! HTTP in both forms: expectations of a response, captures, and the readiness of a service.

use referee_model::limit;

use super::keys::{object, variants};
use super::shape::{Map, Shape, Text};
use super::terms::{ANY_TEXT, COUNT, HOST, keyword, optional};

pub(super) const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Expected statuses: `200`, `2xx`, `200-299`, or a list of these.
pub const STATUS: Shape = Shape::Either(&[
    STATUS_NUMBER,
    STATUS_TEXT,
    Shape::List { item: &Shape::Either(&[STATUS_NUMBER, STATUS_TEXT]), min: 1 },
]);

const STATUS_NUMBER: Shape = Shape::Integer { min: 100, max: 599 };
const STATUS_TEXT: Shape = Shape::Text(Text {
    what: "a status such as `200`, `2xx` or `200-299`",
    pattern: Some("^([1-5][xX][xX]|[1-5][0-9][0-9](-[1-5][0-9][0-9])?)$"),
});

/// JSON paths (RFC 9535), with the expectations of their values.
pub const JSON_ASSERTIONS: Shape = Shape::Map(&Map {
    what: "a mapping of JSON paths to what is expected there",
    key: JSON_PATH,
    value: Shape::Either(&[
        Shape::Text(ANY_TEXT),
        ANY_NUMBER,
        Shape::Boolean,
        Shape::Null,
        Shape::List { item: &Shape::Any, min: 0 },
        Shape::Object(&JSON_EXPECTATION),
    ]),
    min: 1,
});

object! {
    /// Exactly one of the keys, where `min` and `max` count as one. A bare type word asks for the type, `exists` and
    /// `absent` for just that, and any other bare value for that value.
    JSON_EXPECTATION: JsonExpectation = "jsonExpectation", "what is expected of a JSON value" {
        /// JSON type that the value must have.
        json_type = "type": optional(keyword(JSON_TYPES)),
        /// The value that it must be.
        equals: optional(Shape::Any),
        /// A text that must occur in it, or be an element of it.
        contains: optional(Shape::Text(ANY_TEXT)),
        /// A regular expression that it must match.
        matches: optional(Shape::Text(ANY_TEXT)),
        /// Whether there must be something.
        exists: optional(Shape::Boolean),
        /// How many characters, elements or keys it must have.
        length: optional(Shape::Either(&[COUNT, Shape::Object(&LENGTH)])),
        /// The least number that it may be.
        min: optional(ANY_NUMBER),
        /// The greatest number that it may be.
        max: optional(ANY_NUMBER),
    }
}

object! {
    /// How many characters, elements or keys there must be.
    LENGTH: Length = "length", "a length" {
        /// Smallest number of characters, elements or keys.
        min: optional(COUNT),
        /// Largest number of characters, elements or keys.
        max: optional(COUNT),
    }
}

/// JSON types, and `integer` for numbers without a fraction.
const JSON_TYPES: &[&str] = &["string", "number", "integer", "boolean", "array", "object", "null"];

/// Headers, with the expectations of their values.
pub const HEADER_ASSERTIONS: Shape = Shape::Map(&Map {
    what: "a mapping of headers to what is expected of them",
    key: HEADER_NAME,
    value: Shape::Either(&[Shape::Text(ANY_TEXT), ANY_NUMBER, Shape::Variants(&HEADER_EXPECTATION)]),
    min: 1,
});

variants! {
    /// Exactly one of the keys. A bare text asks for that text.
    HEADER_EXPECTATION: HeaderExpectation = "headerExpectation", "what is expected of a header" {
        /// The text that it must be.
        equals: optional(Shape::Text(ANY_TEXT)) => {}
        /// A text that must occur in it.
        contains: optional(Shape::Text(ANY_TEXT)) => {}
        /// A regular expression that it must match.
        matches: optional(Shape::Text(ANY_TEXT)) => {}
        /// Whether it must be there.
        exists: optional(Shape::Boolean) => {}
    }
}

/// Values captured from a response for later actions.
pub const CAPTURES: Shape = Shape::Map(&Map {
    what: "a mapping of names to where their values stand in the answer",
    key: Text { what: "a name (letters, digits, `_`, `-` and `.`)", pattern: Some("^[A-Za-z0-9_.-]{1,128}$") },
    value: Shape::Either(&[Shape::Text(JSON_PATH), Shape::Variants(&CAPTURE)]),
    min: 1,
});

variants! {
    /// Where a value stands in the answer. A bare text is a JSON path.
    CAPTURE: Capture = "capture", "a capture" {
        /// A JSON path (RFC 9535); the first value that it finds is taken.
        json: optional(Shape::Text(JSON_PATH)) => {}
        /// The name of a header.
        header: optional(Shape::Text(HEADER_NAME)) => {}
        /// A regular expression over the body; its first group is taken, or all that it matches.
        regex: optional(Shape::Text(ANY_TEXT)) => {}
    } shared {
        /// Whether it is kept out of all evidence. Default: told from the name.
        secret: optional(Shape::Boolean),
    }
}

/// Readiness of a service: a URL, or probes, all of which must succeed.
pub const READY: Shape = Shape::Either(&[
    Shape::Text(URL),
    Shape::Variants(&PROBE),
    Shape::List { item: &Shape::Either(&[Shape::Text(URL), Shape::Variants(&PROBE)]), min: 1 },
]);

variants! {
    /// A URL that answers, a port that accepts connections, or a line of output. A bare text is a URL.
    PROBE: Probe = "probe", "a sign of readiness" {
        /// A URL that must answer a GET with 200 to 403.
        url: optional(Shape::Text(URL)) => {
            /// False: certificates are not checked. Default true.
            tls: optional(Shape::Boolean),
        }
        /// A port that must accept connections.
        port: optional(PORT) => {
            /// Name or address of the machine. Default: this one.
            host: optional(Shape::Text(HOST)),
        }
        /// A regular expression that a line of its output must match.
        output: optional(Shape::Text(ANY_TEXT)) => {}
    }
}

/// A port, or `auto` for a free one.
pub const PORT: Shape = Shape::Either(&[Shape::Integer { min: 1, max: 65_535 }, keyword(&["auto"])]);

/// Headers to send.
pub const HEADERS: Shape = Shape::Map(&Map {
    what: "a mapping of headers to values",
    key: HEADER_NAME,
    value: Shape::Either(&[
        Shape::Text(Text { what: "a header's value, on one line", pattern: Some(r"^[^\x00-\x08\x0a-\x1f\x7f]*$") }),
        ANY_NUMBER,
    ]),
    min: 0,
});

/// Maximum size of a response body, in bytes.
#[expect(clippy::cast_possible_wrap, reason = "the limit is far below the largest number of this kind")]
pub const BODY_LIMIT: Shape = Shape::Integer { min: 1, max: limit::BODY_BYTES_MAX as i64 };

/// An inline JSON Schema, or the path of a file that has one.
pub const SCHEMA: Shape = Shape::Either(&[
    Shape::Text(Text { what: "the path of a schema", pattern: Some(r"^[^\x00]+$") }),
    Shape::Map(&Map { what: "a JSON Schema", key: ANY_TEXT, value: Shape::Any, min: 0 }),
]);

/// A URL. It may have placeholders, so the pattern is permissive.
pub const URL: Text = Text { what: "a URL", pattern: Some(r"^[^\x00-\x20\x7f]+$") };

const JSON_PATH: Text = Text { what: "a JSON path, such as `$.items[0].id`", pattern: Some(r"^\$[^\x00]*$") };
const HEADER_NAME: Text = Text { what: "the name of a header", pattern: Some("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$") };
const ANY_NUMBER: Shape = Shape::Number { min: f64::MIN, max: f64::MAX };
