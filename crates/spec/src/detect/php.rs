//! Detects PHP: composer scripts, PHPUnit and Pest, PHPStan and PHP_CodeSniffer.

use referee_model::selection::Level;
use serde_json::Value;

use super::ProjectDirectory;
use super::manifest_document;
use super::project::{Draft, Ecosystem};

/// Detects a package of composer, or tests.
pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let manifest = place.text("composer.json");
    let unit = place.first(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
    let sign = manifest.map(|_| "composer.json").or(unit)?;
    let mut draft = Draft::new(Ecosystem::Php, place.directory, sign);
    let composer = manifest.and_then(manifest_document::json).unwrap_or_default();
    draft.title = composer.get("name").and_then(Value::as_str).map(str::to_owned);
    let has_script = |name: &str| composer.get("scripts").and_then(|scripts| scripts.get(name)).is_some();
    let text = manifest.unwrap_or_default();
    if let Some(name) = ["test", "tests", "phpunit", "unit"].into_iter().find(|name| has_script(name)) {
        draft.check(
            "test",
            format!("composer run-script {name}"),
            Level::Fast,
            format!("Script `{name}` of composer.json"),
        );
    } else if place.has("tests/Pest.php") {
        draft.check("test", "vendor/bin/pest", Level::Fast, "tests/Pest.php");
    } else if let Some(unit) = unit {
        let line = if place.has("vendor/bin/phpunit") || text.contains("phpunit/phpunit") {
            "vendor/bin/phpunit"
        } else {
            "phpunit"
        };
        draft.check("test", line, Level::Fast, format!("There is {unit}"));
    }
    for (name, tool, configs, line) in [
        (
            "phpstan",
            "phpstan",
            &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"][..],
            "vendor/bin/phpstan analyse --no-progress",
        ),
        ("phpcs", "phpcs", &["phpcs.xml", "phpcs.xml.dist", ".phpcs.xml", ".phpcs.xml.dist"], "vendor/bin/phpcs"),
    ] {
        let scripts = if tool == "phpstan" {
            &["phpstan", "analyse", "analyze", "stan"][..]
        } else {
            &["phpcs", "cs", "check-style", "lint"]
        };
        if let Some(script) = scripts.iter().find(|script| has_script(script)) {
            draft.check(
                name,
                format!("composer run-script {script}"),
                Level::Fast,
                format!("Script `{script}` of composer.json"),
            );
        } else if let Some(config) = place.first(configs) {
            draft.check_if_run(name, line, Level::Fast, &format!("There is {config}"), place.run_by(&[tool]));
        }
    }
    Some(draft)
}
