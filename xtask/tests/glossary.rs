//! One word for one concept: names that were given up for the field's own stay given up.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenTree;
use syn::visit::{self, Visit};

/// Names of types that said nothing, or meant something else in every room.
const TYPES: [&str; 34] = [
    "Asked",
    "Circumstances",
    "Course",
    "Crew",
    "Deed",
    "Desk",
    "Doors",
    "Dossier",
    "Found",
    "Ground",
    "Grounds",
    "Happening",
    "Held",
    "Hindrance",
    "Holding",
    "Material",
    "Order",
    "Patient",
    "Place",
    "Ready",
    "Roster",
    "Shelf",
    "Site",
    "Standing",
    "Surroundings",
    "Survey",
    "Taken",
    "Territory",
    "Told",
    "Wanted",
    "Wish",
    "Wishes",
    "World",
    "Listener",
];

/// Names of modules that did.
const MODULES: [&str; 24] = [
    "arrival",
    "circumstances",
    "course",
    "deeds",
    "door",
    "found",
    "going",
    "ground",
    "heads",
    "held",
    "lane",
    "material",
    "others",
    "performing",
    "place",
    "settle",
    "shelf",
    "site",
    "survey",
    "taking",
    "told",
    "tongues",
    "wake",
    "wanted",
];

/// Names of files that say what is inside only together with the path: a crate has one at most.
const VAGUE: [&str; 8] = ["answer", "cut", "data", "document", "kept", "record", "sealed", "state"];

/// Files of one name that a crate has more than [`NAMESAKES`] of, because its parts are alike.
const ALIKE: [(&str, &[&str]); 7] = [
    // Commands and subcommands, each with its arguments: named by what is typed.
    ("cli", &["accept", "answer", "plan", "run", "status", "watch"]),
    // Incidents, stages and sealed runs, each verified; `sample` is what tests of several parts run on.
    ("engine", &["sample", "verification"]),
    // The subjects that are judged: errors, incidents, repairs, stages, debt.
    ("judge", &["finding", "transition", "verification"]),
    // One test of crashes for each store.
    ("ledger", &["crash_tests"]),
    // What is planned, what is observed of it, and what is documented of that.
    ("model", &["check", "http", "id"]),
    // The text for people and the documents for programs.
    ("report", &["debt", "service", "status"]),
    // The shape of each form of a specification, its reading, and its comparison.
    ("spec", &["action", "check", "command", "evaluator", "http", "policy", "service"]),
];

/// Most files of one name in a crate.
const NAMESAKES: usize = 2;

/// Collects the names of types and modules of a file, tests and all.
#[derive(Default)]
struct Names {
    types: Vec<String>,
    modules: Vec<String>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.types.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.types.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.types.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.types.push(item.ident.to_string());
    }

    /// Enums that are declared by a macro, as by `words!` of `model`.
    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let mut tokens = item.mac.tokens.clone().into_iter();
        while let Some(token) = tokens.next() {
            if matches!(&token, TokenTree::Ident(word) if word == "enum")
                && let Some(TokenTree::Ident(name)) = tokens.next()
            {
                self.types.push(name.to_string());
            }
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.modules.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
    }
}

fn names(text: &str) -> Names {
    let mut names = Names::default();
    names.visit_file(&syn::parse_file(text).unwrap());
    names
}

/// Returns the names of a file that were given up.
fn retired(text: &str) -> Vec<String> {
    let Names { types, modules } = names(text);
    let types = types.into_iter().filter(|name| TYPES.contains(&name.as_str()));
    types.chain(modules.into_iter().filter(|name| MODULES.contains(&name.as_str()))).collect()
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("fixtures") && !path.ends_with("samples") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_type_and_no_module_has_a_name_that_was_given_up() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates");
    let mut files = Vec::new();
    sources(&crates, &mut files);
    assert!(files.len() > 1_000, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        wrong.extend(retired(&text).into_iter().map(|name| format!("{}: {name}", file.display())));
    }
    assert!(wrong.is_empty(), "a noun of the field says more:\n{}", wrong.join("\n"));
}

#[test]
fn a_name_that_was_given_up_is_noticed_wherever_it_stands() {
    assert_eq!(retired("mod tests { struct Place; } pub(crate) enum Told { A }"), ["Place", "Told"]);
    assert_eq!(retired("words! { pub enum Fine { A = \"a\", }\n pub enum Held { B = \"b\", } }"), ["Held"]);
    assert_eq!(retired("mod wake; trait Listener {} type Found = u8;"), ["Listener", "Found", "wake"]);
    assert!(retired("struct Location; mod prefilter { fn place() {} }").is_empty());
}

/// Returns the names that too many of these files have. Files of tests are named by what they are.
fn ambiguous<'path>(crate_name: &str, files: impl Iterator<Item = &'path Path>) -> Vec<String> {
    let alike = ALIKE.iter().find(|(name, _)| *name == crate_name).map_or(&[][..], |(_, stems)| stems);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for stem in files.filter_map(|file| file.file_stem()?.to_str()) {
        *counts.entry(stem).or_default() += 1;
    }
    let is_of_tests = |stem: &str| ["tests", "properties", "fixture"].contains(&stem);
    let most = |stem: &str| if VAGUE.contains(&stem) { 1 } else { NAMESAKES };
    let wrong =
        counts.into_iter().filter(|(stem, count)| *count > most(stem) && !is_of_tests(stem) && !alike.contains(stem));
    wrong.map(|(stem, count)| format!("{crate_name}: {count} files `{stem}.rs`")).collect()
}

#[test]
fn files_of_one_crate_are_told_apart_by_their_names() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // One tree for each tool and each language, which are alike.
        if !["readers", "mutation"].contains(&name.as_str()) && path.join("src").is_dir() {
            let mut files = Vec::new();
            sources(&path.join("src"), &mut files);
            let is_in_tests = |file: &&Path| file.components().any(|part| part.as_os_str() == "tests");
            wrong.extend(ambiguous(&name, files.iter().map(PathBuf::as_path).filter(|file| !is_in_tests(file))));
        }
    }
    assert!(wrong.is_empty(), "a name that says what is inside is needed:\n{}", wrong.join("\n"));
}

#[test]
fn files_that_cannot_be_told_apart_are_noticed() {
    let of = |name, files: &[&str]| ambiguous(name, files.iter().map(Path::new));
    assert_eq!(of("model", &["a/document.rs", "b/document.rs"]), ["model: 2 files `document.rs`"]);
    assert_eq!(
        of("model", &["a/x.rs", "b/x.rs", "c/x.rs", "a/id.rs", "b/id.rs", "c/id.rs"]),
        ["model: 3 files `x.rs`"]
    );
    assert!(of("spec", &["a/x.rs", "b/x.rs", "a/document.rs", "a/tests.rs", "b/tests.rs", "c/tests.rs"]).is_empty());
}
