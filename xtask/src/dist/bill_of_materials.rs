//! What a program is made of, as a CycloneDX document: the crates that cargo builds for a target, with licence and checksum.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::process::Command;

use referee_model::time::Timestamp;
use serde_json::{Value, json};

use crate::process::output;

/// Name and version of a package.
type Package = (String, String);

/// What each package is built with.
type Graph = BTreeMap<Package, BTreeSet<Package>>;

/// Makes the document for a target.
pub(crate) fn make(root: &Path, target: &str, time: Timestamp) -> io::Result<Value> {
    let cargo = |arguments: &[&str]| output(Command::new(env!("CARGO")).current_dir(root).args(arguments));
    // What is built, with the features of this package alone; `metadata` would add those of the tests.
    let tree = cargo(&[
        "tree",
        "--locked",
        "--package",
        "referee",
        "--target",
        target,
        "--edges",
        "normal,build",
        "--prefix",
        "depth",
    ])?;
    let metadata = cargo(&["metadata", "--locked", "--format-version", "1"])?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    document(&tree, &serde_json::from_str(&metadata)?, &lock, time)
}

fn document(tree: &str, metadata: &Value, lock: &str, time: Timestamp) -> io::Result<Value> {
    let (main, graph) = graph(tree)?;
    let (licenses, checksums) = (licenses(metadata), checksums(lock));
    let component = |package: &Package| {
        let mut component = json!({
            "type": if *package == main { "application" } else { "library" },
            "bom-ref": reference(package),
            "name": package.0,
            "version": package.1,
            "purl": reference(package),
        });
        if let Some(license) = licenses.get(package) {
            component["licenses"] = json!([{ "expression": license }]);
        }
        if let Some(checksum) = checksums.get(package) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        component
    };
    let components: Vec<Value> = graph.keys().filter(|package| **package != main).map(component).collect();
    let dependencies: Vec<Value> = graph
        .iter()
        .map(|(package, used)| json!({ "ref": reference(package), "dependsOn": used.iter().map(reference).collect::<Vec<_>>() }))
        .collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.to_string(),
            "tools": { "components": [{ "type": "application", "name": "xtask", "version": env!("CARGO_PKG_VERSION") }] },
            "component": component(&main),
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

/// Reads what `cargo tree --prefix depth` prints: a line for each package, below the one that it is built into.
fn graph(tree: &str) -> io::Result<(Package, Graph)> {
    let mut graph = Graph::new();
    let mut above: Vec<Package> = Vec::new();
    for line in tree.lines() {
        let (depth, package) =
            read_line(line).ok_or_else(|| io::Error::other(format!("`cargo tree` prints {line:?}")))?;
        above.truncate(depth);
        if above.len() != depth {
            return Err(io::Error::other(format!("`cargo tree` prints {line:?} below nothing")));
        }
        if let Some(user) = above.last() {
            graph.entry(user.clone()).or_default().insert(package.clone());
        }
        graph.entry(package.clone()).or_default();
        above.push(package);
    }
    let main =
        tree.lines().next().and_then(read_line).ok_or_else(|| io::Error::other("`cargo tree` prints nothing"))?;
    Ok((main.1, graph))
}

/// Reads a line such as `2serde_derive v1.0.229 (proc-macro)`.
fn read_line(line: &str) -> Option<(usize, Package)> {
    let name_start = line.find(|character: char| !character.is_ascii_digit())?;
    let (depth, rest) = line.split_at(name_start);
    let mut words = rest.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    Some((depth.parse().ok()?, (name.to_owned(), version.to_owned())))
}

fn licenses(metadata: &Value) -> BTreeMap<Package, String> {
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter_map(|package| {
            // Old manifests have a slash where the expression has `OR`.
            let license = text(package, "license")?.replace('/', " OR ");
            Some(((text(package, "name")?, text(package, "version")?), license))
        })
        .collect()
}

/// The checksums of a lock file, of packages that come from a registry.
fn checksums(lock: &str) -> BTreeMap<Package, String> {
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        line.strip_suffix('"').map(str::to_owned)
    };
    let packages = lock.split("[[package]]\n").skip(1);
    packages
        .filter_map(|package| {
            Some(((value(package, "name")?, value(package, "version")?), value(package, "checksum")?))
        })
        .collect()
}

fn reference((name, version): &Package) -> String {
    format!("pkg:cargo/{name}@{version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "0referee v0.1.0 (/work/crates/cli)\n1serde v1.0.229\n2serde_derive v1.0.229 (proc-macro)\n\
                        1referee-model v0.1.0 (/work/crates/model)\n2serde v1.0.229 (*)\n";

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"referee\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"serde\"\n\
                        version = \"1.0.229\"\nsource = \"registry\"\nchecksum = \"5a15\"\ndependencies = [\n \"serde_derive\",\n]\n";

    #[test]
    fn every_package_of_the_target_is_listed_once_with_what_it_is_built_with() {
        let metadata = json!({ "packages": [
            { "name": "serde", "version": "1.0.229", "license": "MIT/Apache-2.0" },
            { "name": "other", "version": "1.0.0", "license": "MIT" },
        ] });
        let document = document(TREE, &metadata, LOCK, Timestamp::from_millisecond(0)).unwrap();
        assert_eq!(document["metadata"]["component"]["name"], "referee");
        assert_eq!(document["metadata"]["timestamp"], "1970-01-01T00:00:00.000Z");
        let names: Vec<&str> =
            document["components"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["referee-model", "serde", "serde_derive"]);
        let serde = &document["components"][1];
        assert_eq!(serde["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(serde["hashes"][0]["content"], "5a15");
        assert_eq!(document["components"][0].get("hashes"), None, "what is ours comes from no registry");
        let dependencies = document["dependencies"].as_array().unwrap();
        assert_eq!(dependencies.len(), 4);
        assert_eq!(
            dependencies[0],
            json!({
                "ref": "pkg:cargo/referee@0.1.0",
                "dependsOn": ["pkg:cargo/referee-model@0.1.0", "pkg:cargo/serde@1.0.229"],
            })
        );
    }

    #[test]
    fn a_tree_that_cannot_be_read_makes_no_document() {
        for tree in ["", "referee v0.1.0\n", "0referee\n", "1referee v0.1.0\n", "0referee v0.1.0\n2serde v1.0.229\n"] {
            assert!(graph(tree).is_err(), "{tree:?}");
        }
    }
}
