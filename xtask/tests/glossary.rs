//! One word for one concept: names that were given up for the field's own stay given up.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

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
    assert_eq!(retired("mod wake; trait Listener {} type Found = u8;"), ["Listener", "Found", "wake"]);
    assert!(retired("struct Location; mod prefilter { fn place() {} }").is_empty());
}
