//! Checks in a browser, in the short form.

use super::ACTION_DEADLINE;
use crate::form::http::URL;
use crate::form::keys::{fields, object, variants};
use crate::form::shape::{Field, Shape, Text};
use crate::form::terms::{COMMAND, FORM_FIELDS, LINE, keyword, optional};

pub(super) const BROWSER: Field = optional("browser", "A URL to open in a browser.", Shape::Text(URL));

fields! {
    pub(super) BROWSER_FIELDS: Browser {
        /// What is done in the page, in order; the first failure ends it.
        steps: optional(Shape::List { item: &Shape::Variants(&BROWSER_STEP), min: 1 }),
        /// Kind of browser. Default chromium.
        engine: optional(keyword(&["chromium", "firefox", "webkit"])),
        /// Whether it runs without a window. Default true.
        headless: optional(Shape::Boolean),
        /// The MCP server that drives the browser. Default: Playwright's, from `node_modules`.
        server: optional(COMMAND),
        /// Time that the page and each step may take. Default 30s.
        step_timeout: optional(ACTION_DEADLINE),
        /// What of it is kept as evidence.
        evidence: optional(Shape::Object(&PAGE_EVIDENCE)),
    } also { browser: BROWSER.name }
}

variants! {
    /// One thing to do in the page.
    BROWSER_STEP: BrowserStep = "browserStep", "a step in a browser" {
        /// A URL to open in place of the page.
        open: optional(Shape::Text(URL)) => {}
        /// CSS selector of the element to click.
        click: optional(Shape::Text(SELECTOR)) => {}
        /// Values of form fields, by CSS selector or name.
        fill: optional(FORM_FIELDS) => {}
        /// A text that the page must show.
        see: optional(Shape::Text(SEEN)) => {}
        /// CSS selector of an element that must appear.
        wait: optional(Shape::Text(SELECTOR)) => {}
        /// JavaScript that must not throw, nor be `false`.
        evaluate: optional(Shape::Text(SCRIPT)) => {}
        /// CSS selector of an element whose text is read.
        content: optional(Shape::Text(SELECTOR)) => {}
        /// Name of a picture of the page.
        screenshot: optional(Shape::Text(LINE)) => {}
    } shared {
        /// Time that it may take. Default: `stepTimeout`.
        timeout: optional(ACTION_DEADLINE),
    }
}

object! {
    /// What of a browser is kept as evidence. Pictures are always kept.
    PAGE_EVIDENCE: PageEvidence = "pageEvidence", "a choice of evidence" {
        /// Whether the answers of the browser are kept. Default true.
        answers: optional(Shape::Boolean),
    }
}

const SELECTOR: Text = Text { what: "a CSS selector", pattern: NOT_BLANK };
const SEEN: Text = Text { what: "a text to see", pattern: NOT_BLANK };
const SCRIPT: Text = Text { what: "JavaScript", pattern: NOT_BLANK };
const NOT_BLANK: Option<&str> = Some(r"^[^\x00]*[^\x00\s][^\x00]*$");
