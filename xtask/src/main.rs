//! Writes what is generated: the JSON Schemas, the description of the HTTP interface and the command reference. The walls of
//! the workspace are held by this crate's tests. Its commands make what is published: `dist` a release, `packages` the
//! packages of it. `fleet` plays faults on a fleet of real servers.

use std::io::{self, Write};
use std::process::{Command, ExitCode};

use self::repository::root;

mod command_line;
mod dist;
mod fleet;
mod packages;
mod process;
mod repository;
mod schemas;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If even this cannot be written, only the exit code reports the error.
            drop(writeln!(io::stderr(), "error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> io::Result<()> {
    let Some((command, options)) = arguments.split_first() else {
        write_schemas()?;
        return write_reference();
    };
    if options.iter().any(|option| option == "--help") || ["--help", "help"].contains(&command.as_str()) {
        return writeln!(
            io::stdout(),
            "{}\n\n{}\n\n{}\n\nWithout a command what is generated is written.",
            dist::USAGE,
            packages::USAGE,
            fleet::USAGE
        );
    }
    match command.as_str() {
        "dist" => dist::run(&dist::Options::parse(options)?),
        "packages" => packages::run(&packages::Options::parse(options)?),
        "fleet" => fleet::run(&fleet::Options::parse(options)?),
        unknown => Err(io::Error::other(format!("unknown command {unknown:?}: `cargo xtask --help` lists them"))),
    }
}

/// Writes `schemas/`.
fn write_schemas() -> io::Result<()> {
    for (name, text) in generated() {
        std::fs::write(root().join("schemas").join(name), text)?;
    }
    Ok(())
}

/// The published files, by name, as the types make them.
fn generated() -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| format!("{value:#}\n");
    let schemas = referee_schema::published::names()
        .filter_map(|name| Some((format!("{name}.schema.json"), text(&schemas::made(name)?))));
    schemas.chain([("openapi.json".to_owned(), text(&referee_server::openapi()))]).collect()
}

/// Lets a test of the program write the command reference.
fn write_reference() -> io::Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["test", "--quiet", "-p", "referee", "reference"]);
    process::run(cargo.env("REFEREE_UPDATE_REFERENCE", "1"))
}

#[cfg(test)]
mod tests {
    use referee_schema::published;
    use referee_schema::validator::{self, Validator};
    use serde_json::Value;

    use super::*;

    #[test]
    fn published_schemas_are_those_that_the_types_make() {
        for (name, made) in generated() {
            let published = std::fs::read_to_string(root().join("schemas").join(&name)).unwrap_or_default();
            assert!(made == published, "schemas/{name} is out of date: `cargo run -p xtask` writes it");
        }
    }

    #[test]
    fn published_schemas_are_valid_and_say_what_they_are() {
        for name in published::names() {
            let schema = schemas::made(name).unwrap_or_else(|| panic!("no type makes {name}"));
            assert!(Validator::new(&schema).is_ok() && !validator::is_vacuous(&schema), "{name}");
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
            let major = if name == "execution-report" { 2 } else { 1 };
            assert_eq!(schema["$id"], format!("https://referee.dev/schema/{name}/{major}.json"));
            assert!(schema["title"].as_str().is_some_and(|title| title.starts_with("Referee")), "{name}");
        }
    }

    #[test]
    fn every_property_of_a_published_schema_says_what_it_means() {
        let mut hollow = Vec::new();
        for name in published::names() {
            undescribed(&schemas::made(name).unwrap_or_default(), name, &mut hollow);
        }
        assert!(hollow.is_empty(), "{hollow:#?}");
    }

    /// Adds the properties below a schema that have no description, or one of less than three words. The keys of counts by
    /// outcome and by severity are words of closed sets, a key that has one value says that, and what a condition adds to a
    /// property stands beside its description.
    fn undescribed(schema: &Value, place: &str, hollow: &mut Vec<String>) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let words = property["description"].as_str().unwrap_or_default().split_whitespace().count();
            let is_word = key.chars().all(|character| character.is_ascii_uppercase() || character == '_');
            if words < 3 && property.get("const").is_none() && !is_word && !place.contains("/then") {
                hollow.push(format!("{place}: {key}"));
            }
        }
        match schema {
            Value::Object(members) => {
                for (key, below) in members {
                    undescribed(below, &format!("{place}/{key}"), hollow);
                }
            }
            Value::Array(items) => items.iter().for_each(|below| undescribed(below, place, hollow)),
            _ => {}
        }
    }
}
