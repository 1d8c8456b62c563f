//! The rules of a run, which supply values that its results omit.

use std::collections::HashMap;

use crate::prelude::*;

/// Maximum number of rules kept per run.
const RULES: usize = 20_000;

/// Maximum number of messages kept per rule, and the maximum length of each in bytes.
const MESSAGES: usize = 64;
const MESSAGE_BYTES: usize = 1024;

/// Values that a rule supplies for its results.
#[derive(Debug, Clone, Default)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) level: Option<Level>,
    messages: Vec<(String, String)>,
}

impl Rule {
    fn new(rule: &Value) -> Self {
        let messages =
            rule["messageStrings"].as_object().into_iter().flatten().take(MESSAGES).filter_map(|(id, string)| {
                let text = string["text"].as_str()?;
                Some((name(id), cut::head(text, MESSAGE_BYTES).to_owned()))
            });
        Self {
            id: name(rule["id"].as_str().unwrap_or_default()),
            level: rule["defaultConfiguration"]["level"].as_str().and_then(level),
            messages: messages.collect(),
        }
    }

    /// Returns one of the rule's messages.
    pub(super) fn message(&self, id: &str) -> Option<&str> {
        self.messages.iter().find(|(known, _)| known == id).map(|(_, text)| text.as_str())
    }
}

/// The rules of a run: those of its driver, and those of each extension.
#[derive(Debug, Default)]
pub(super) struct Rules {
    driver: Vec<Rule>,
    extensions: Vec<Vec<Rule>>,
    by_id: HashMap<String, (Option<usize>, usize)>,
}

impl Rules {
    /// Adds a rule of the driver.
    pub(super) fn add(&mut self, rule: &Value) {
        if self.driver.len() < RULES {
            let rule = Rule::new(rule);
            self.by_id.entry(rule.id.clone()).or_insert((None, self.driver.len()));
            self.driver.push(rule);
        }
    }

    /// Adds an extension with its rules.
    pub(super) fn add_extension(&mut self, extension: &Value) {
        let known: usize = self.extensions.iter().map(Vec::len).sum();
        let rules = extension["rules"].as_array().into_iter().flatten().take(RULES.saturating_sub(known));
        let rules: Vec<Rule> = rules.map(Rule::new).collect();
        for (index, rule) in rules.iter().enumerate() {
            self.by_id.entry(rule.id.clone()).or_insert((Some(self.extensions.len()), index));
        }
        if self.extensions.len() < RULES {
            self.extensions.push(rules);
        }
    }

    /// Applies the levels that a run was configured with.
    pub(super) fn override_levels(&mut self, overrides: &Value) {
        for change in overrides.as_array().into_iter().flatten() {
            let descriptor = &change["descriptor"];
            let (Some(changed), Some(place)) = (
                change["configuration"]["level"].as_str().and_then(level),
                self.place(descriptor["id"].as_str(), descriptor.get("index"), &descriptor["toolComponent"]),
            ) else {
                continue;
            };
            let rules = match place.0 {
                None => Some(&mut self.driver),
                Some(extension) => self.extensions.get_mut(extension),
            };
            if let Some(rule) = rules.and_then(|rules| rules.get_mut(place.1)) {
                rule.level = Some(changed);
            }
        }
    }

    /// Returns the rule of a result.
    pub(super) fn of(&self, result: &Value) -> Option<&Rule> {
        let rule = &result["rule"];
        let id = result["ruleId"].as_str().or(rule["id"].as_str());
        let index = result.get("ruleIndex").or(rule.get("index"));
        let (extension, index) = self.place(id, index, &rule["toolComponent"])?;
        match extension {
            None => self.driver.get(index),
            Some(extension) => self.extensions.get(extension)?.get(index),
        }
    }

    /// Finds a rule by its index, or else by its id, which may name a part of a rule as `rule/part`.
    fn place(&self, id: Option<&str>, index: Option<&Value>, component: &Value) -> Option<(Option<usize>, usize)> {
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        if let Some(index) = index.and_then(number) {
            return Some((component.get("index").and_then(number), index));
        }
        let id = id?;
        let by_id = |id: &str| self.by_id.get(id).copied();
        by_id(id).or_else(|| by_id(id.rsplit_once('/')?.0))
    }
}

/// Parses a level; `none` marks a result that is not a problem.
pub(super) fn level(word: &str) -> Option<Level> {
    match word {
        "error" => Some(Level::Error),
        "warning" => Some(Level::Warning),
        "note" | "none" => Some(Level::Info),
        _ => None,
    }
}
