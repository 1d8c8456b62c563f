//! HTTP in both forms: expectations of a response, captures, and the readiness of a service.

use referee_model::limit;

use super::keys::{object, variants};
use super::shape::{Map, Others, Shape, Text};
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

object!(JSON_EXPECTATION: JsonExpectation {
    name: "jsonExpectation",
    what: "what is expected of a JSON value",
    doc: "Exactly one of the keys, where `min` and `max` count as one. A bare type word asks for the type, `exists` and \
          `absent` for just that, and any other bare value for that value.",
    fields: &[
        json_type = "type": optional("JSON type that the value must have.", keyword(JSON_TYPES)),
        equals: optional("The value that it must be.", Shape::Any),
        contains: optional("A text that must occur in it, or be an element of it.", Shape::Text(ANY_TEXT)),
        matches: optional("A regular expression that it must match.", Shape::Text(ANY_TEXT)),
        exists: optional("Whether there must be something.", Shape::Boolean),
        length: optional(
            "How many characters, elements or keys it must have.",
            Shape::Either(&[COUNT, Shape::Object(&LENGTH)]),
        ),
        min: optional("The least number that it may be.", ANY_NUMBER),
        max: optional("The greatest number that it may be.", ANY_NUMBER),
    ],
    others: Others::Refused,
});

object!(LENGTH: Length {
    name: "length",
    what: "a length",
    doc: "How many characters, elements or keys there must be.",
    fields: &[
        min: optional("Smallest number of characters, elements or keys.", COUNT),
        max: optional("Largest number of characters, elements or keys.", COUNT),
    ],
    others: Others::Refused,
});

/// JSON types, and `integer` for numbers without a fraction.
const JSON_TYPES: &[&str] = &["string", "number", "integer", "boolean", "array", "object", "null"];

/// Headers, with the expectations of their values.
pub const HEADER_ASSERTIONS: Shape = Shape::Map(&Map {
    what: "a mapping of headers to what is expected of them",
    key: HEADER_NAME,
    value: Shape::Either(&[Shape::Text(ANY_TEXT), ANY_NUMBER, Shape::Variants(&HEADER_EXPECTATION)]),
    min: 1,
});

variants!(HEADER_EXPECTATION: HeaderExpectation {
    name: "headerExpectation",
    what: "what is expected of a header",
    doc: "Exactly one of the keys. A bare text asks for that text.",
    kinds: &[
        equals: optional("The text that it must be.", Shape::Text(ANY_TEXT)) => [],
        contains: optional("A text that must occur in it.", Shape::Text(ANY_TEXT)) => [],
        matches: optional("A regular expression that it must match.", Shape::Text(ANY_TEXT)) => [],
        exists: optional("Whether it must be there.", Shape::Boolean) => [],
    ],
    shared: &[],
});

/// Values captured from a response for later actions.
pub const CAPTURES: Shape = Shape::Map(&Map {
    what: "a mapping of names to where their values stand in the answer",
    key: Text { what: "a name (letters, digits, `_`, `-` and `.`)", pattern: Some("^[A-Za-z0-9_.-]{1,128}$") },
    value: Shape::Either(&[Shape::Text(JSON_PATH), Shape::Variants(&CAPTURE)]),
    min: 1,
});

variants!(CAPTURE: Capture {
    name: "capture",
    what: "a capture",
    doc: "Where a value stands in the answer. A bare text is a JSON path.",
    kinds: &[
        json: optional("A JSON path (RFC 9535); the first value that it finds is taken.", Shape::Text(JSON_PATH)) => [],
        header: optional("The name of a header.", Shape::Text(HEADER_NAME)) => [],
        regex: optional(
            "A regular expression over the body; its first group is taken, or all that it matches.",
            Shape::Text(ANY_TEXT),
        ) => [],
    ],
    shared: &[
        secret: optional("Whether it is kept out of all evidence. Default: told from the name.", Shape::Boolean),
    ],
});

/// Readiness of a service: a URL, or probes, all of which must succeed.
pub const READY: Shape = Shape::Either(&[
    Shape::Text(URL),
    Shape::Variants(&PROBE),
    Shape::List { item: &Shape::Either(&[Shape::Text(URL), Shape::Variants(&PROBE)]), min: 1 },
]);

variants!(PROBE: Probe {
    name: "probe",
    what: "a sign of readiness",
    doc: "A URL that answers, a port that accepts connections, or a line of output. A bare text is a URL.",
    kinds: &[
        url: optional("A URL that must answer a GET with 200 to 403.", Shape::Text(URL)) => [
            tls: optional("False: certificates are not checked. Default true.", Shape::Boolean),
        ],
        port: optional("A port that must accept connections.", PORT) => [
            host: optional("Name or address of the machine. Default: this one.", Shape::Text(HOST)),
        ],
        output: optional("A regular expression that a line of its output must match.", Shape::Text(ANY_TEXT)) => [],
    ],
    shared: &[],
});

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
