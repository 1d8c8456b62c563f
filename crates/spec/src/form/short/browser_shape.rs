//! Checks in a browser, in the short form.

use super::ACTION_DEADLINE;
use crate::form::http::URL;
use crate::form::keys::{fields, object, variants};
use crate::form::shape::{Field, Map, Others, Shape, Text};
use crate::form::terms::{ANY_TEXT, COMMAND_LINE, LINE, keyword, optional};

pub(super) const BROWSER: Field = optional("browser", "A URL to open in a browser.", Shape::Text(URL));

fields!(pub(super) BROWSER_FIELDS: Browser {
    fields: &[
        steps: optional(
            "What is done in the page, in order; the first failure ends it.",
            Shape::List { item: &Shape::Variants(&BROWSER_STEP), min: 1 },
        ),
        engine: optional("Kind of browser. Default chromium.", keyword(&["chromium", "firefox", "webkit"])),
        headless: optional("Whether it runs without a window. Default true.", Shape::Boolean),
        server: optional(
            "The MCP server that drives the browser. Default: Playwright's, from `node_modules`.",
            Shape::Either(&[Shape::Text(COMMAND_LINE), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]),
        ),
        step_timeout: optional("Time that the page and each step may take. Default 30s.", ACTION_DEADLINE),
        evidence: optional("What of it is kept as evidence.", Shape::Object(&PAGE_EVIDENCE)),
    ],
    also: &[browser: BROWSER.name],
});

variants!(BROWSER_STEP: BrowserStep {
    name: "browserStep",
    what: "a step in a browser",
    doc: "One thing to do in the page.",
    kinds: &[
        open: optional("A URL to open in place of the page.", Shape::Text(URL)) => [],
        click: optional("CSS selector of the element to click.", Shape::Text(SELECTOR)) => [],
        fill: optional("Values of form fields, by CSS selector or name.", FIELDS) => [],
        see: optional("A text that the page must show.", Shape::Text(SEEN)) => [],
        wait: optional("CSS selector of an element that must appear.", Shape::Text(SELECTOR)) => [],
        evaluate: optional("JavaScript that must not throw, nor be `false`.", Shape::Text(SCRIPT)) => [],
        content: optional("CSS selector of an element whose text is read.", Shape::Text(SELECTOR)) => [],
        screenshot: optional("Name of a picture of the page.", Shape::Text(LINE)) => [],
    ],
    shared: &[timeout: optional("Time that it may take. Default: `stepTimeout`.", ACTION_DEADLINE)],
});

object!(PAGE_EVIDENCE: PageEvidence {
    name: "pageEvidence",
    what: "a choice of evidence",
    doc: "What of a browser is kept as evidence. Pictures are always kept.",
    fields: &[answers: optional("Whether the answers of the browser are kept. Default true.", Shape::Boolean)],
    others: Others::Refused,
});

const SELECTOR: Text = Text { what: "a CSS selector", pattern: NOT_BLANK };
const SEEN: Text = Text { what: "a text to see", pattern: NOT_BLANK };
const SCRIPT: Text = Text { what: "JavaScript", pattern: NOT_BLANK };
const NOT_BLANK: Option<&str> = Some(r"^[^\x00]*[^\x00\s][^\x00]*$");

const FIELDS: Shape = Shape::Map(&Map {
    what: "a mapping of form fields to values",
    key: LINE,
    value: Shape::Either(&[Shape::Text(ANY_TEXT), Shape::Number { min: f64::MIN, max: f64::MAX }, Shape::Boolean]),
    min: 1,
});
