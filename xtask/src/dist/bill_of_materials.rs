//! What the programs are made of, as a CycloneDX document: the crates that cargo builds for a target, with licence and
//! checksum.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::process::Command;

use referee_model::time::Timestamp;
use serde_json::{Value, json};

use super::build;
use crate::process::output;

/// Name and version of a package.
type Package = (String, String);

/// What each package is built with.
type Graph = BTreeMap<Package, BTreeSet<Package>>;

/// What cargo says of a package that is built for a target.
struct Built {
    /// What `cargo tree --prefix depth` prints.
    tree: String,
    metadata: Value,
    lock: String,
}

impl Built {
    fn of(root: &Path, target: &str, package: &str, manifest: &str) -> io::Result<Self> {
        let cargo = |arguments: &[&str]| {
            let mut cargo = Command::new(env!("CARGO"));
            output(cargo.current_dir(root).args(arguments).args(["--locked", "--manifest-path", manifest]))
        };
        let what = ["--package", package, "--target", target, "--edges", "normal,build"];
        // What is built, with the features of this package alone; `metadata` would add those of the tests.
        let tree = cargo(&[&["tree"], &what[..], &["--prefix", "depth"]].concat())?;
        let metadata = serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])?)?;
        let lock = std::fs::read_to_string(root.join(build::lock(manifest)))?;
        Ok(Self { tree, metadata, lock })
    }
}

/// Makes the document for a target.
pub(crate) fn make(root: &Path, target: &str, time: Timestamp) -> io::Result<Value> {
    let built = build::packages(target).map(|(package, manifest)| Built::of(root, target, package, manifest));
    document(&built.collect::<io::Result<Vec<_>>>()?, time)
}

/// Makes the document of all that was built. The first package is the main one, and holds the programs of the others.
fn document(built: &[Built], time: Timestamp) -> io::Result<Value> {
    let (mut graph, mut programs) = (Graph::new(), Vec::new());
    for built in built {
        let (program, of_program) = graph_of(&built.tree)?;
        programs.push(program);
        for (package, used) in of_program {
            graph.entry(package).or_default().extend(used);
        }
    }
    let main = programs.first().cloned().ok_or_else(|| io::Error::other("nothing was built"))?;
    graph.entry(main.clone()).or_default().extend(programs.into_iter().skip(1));
    let licenses: BTreeMap<_, _> = built.iter().flat_map(|built| licenses(&built.metadata)).collect();
    let checksums: BTreeMap<_, _> = built.iter().flat_map(|built| checksums(&built.lock)).collect();
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
fn graph_of(tree: &str) -> io::Result<(Package, Graph)> {
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
        let main = Built { tree: TREE.to_owned(), metadata, lock: LOCK.to_owned() };
        let fleet = Built {
            tree: "0referee-fleet v0.1.0 (/work/crates/fleet)\n1serde v1.0.228\n".to_owned(),
            metadata: json!({ "packages": [{ "name": "serde", "version": "1.0.228", "license": "MIT" }] }),
            lock: LOCK.replace("229", "228").replace("5a15", "6b26"),
        };
        let document = document(&[main, fleet], Timestamp::from_millisecond(0)).unwrap();
        assert_eq!(document["metadata"]["component"]["name"], "referee");
        assert_eq!(document["metadata"]["timestamp"], "1970-01-01T00:00:00.000Z");
        let names: Vec<&str> =
            document["components"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["referee-fleet", "referee-model", "serde", "serde", "serde_derive"]);
        assert_eq!(document["components"][2]["hashes"][0]["content"], "6b26");
        let serde = &document["components"][3];
        assert_eq!(serde["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(serde["hashes"][0]["content"], "5a15");
        assert_eq!(document["components"][1].get("hashes"), None, "what is ours comes from no registry");
        let dependencies = document["dependencies"].as_array().unwrap();
        assert_eq!(dependencies.len(), 6);
        assert_eq!(
            dependencies[0],
            json!({
                "ref": "pkg:cargo/referee@0.1.0",
                "dependsOn": ["pkg:cargo/referee-fleet@0.1.0", "pkg:cargo/referee-model@0.1.0", "pkg:cargo/serde@1.0.229"],
            })
        );
    }

    #[test]
    fn a_tree_that_cannot_be_read_makes_no_document() {
        for tree in ["", "referee v0.1.0\n", "0referee\n", "1referee v0.1.0\n", "0referee v0.1.0\n2serde v1.0.229\n"] {
            assert!(graph_of(tree).is_err(), "{tree:?}");
        }
    }
}
