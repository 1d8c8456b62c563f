#!/usr/bin/env bash
# Records the output of Rust's and Go's own tools on small faulty projects that it makes itself.
# Usage: rustgo.sh OUTPUT_DIRECTORY; needs cargo 1.95, clippy, rustfmt and Go 1.26 on the path.
set -uo pipefail

out=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset RUST_BACKTRACE
export CARGO_TERM_COLOR=never CARGO_TARGET_DIR="$work/target" GOFLAGS=-mod=mod GOPROXY=off NO_COLOR=1

# record TOOL CASE COMMAND…: writes both streams; paths of this machine are shortened.
record() {
  local tool=$1 case=$2
  shift 2
  mkdir -p "$out/$tool"
  "$@" >"$out/$tool/$case.stdout.txt" 2>"$out/$tool/$case.stderr.txt"
  sed -i "s#$work#/project#g" "$out/$tool/$case".std*.txt
  find "$out/$tool" -name "$case.std*.txt" -empty -delete
}

version() {
  echo "$2" >"$out/$1/version.txt"
}

rust_project() {
  mkdir -p "$work/$1/src"
  printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n' "$1" >"$work/$1/Cargo.toml"
  cat >"$work/$1/src/lib.rs"
  cd "$work/$1" || exit 1
}

rust_project broken <<'RUST'
use std::io;

pub fn number() -> i32 {
    let unused = 1;
    "one"
}

pub fn missing() -> i32 {
    absent()
}
RUST
record rustc build cargo build
record rustc short cargo check --message-format short
record rustc json cargo check --message-format json

rust_project linted <<'RUST'
pub fn first(list: &Vec<i32>) -> i32 {
    let mut copy = list.clone();
    if copy.len() == 0 {
        return 0;
    }
    return copy[0];
}
RUST
record rustc clippy cargo clippy
rm -rf "$CARGO_TARGET_DIR"
record rustc clippy-json cargo clippy --message-format json --all-targets
record rustc clean cargo check --quiet

rust_project tested <<'RUST'
/// Adds.
///
/// ```
/// assert_eq!(tested::add(1, 2), 4);
/// ```
///
/// ```
/// let broken: i32 = "text";
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }

    #[test]
    fn adds_wrong() {
        println!("test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(add(1, 2), 4, "sum of 1 and 2");
    }

    #[test]
    #[ignore = "slow"]
    fn slow() {}

    #[test]
    #[should_panic(expected = "boom")]
    fn panics_otherwise() {
        panic!("bang");
    }

    #[test]
    fn returns_error() -> Result<(), String> {
        Err("bad".to_owned())
    }

    #[test]
    fn in_library() {
        let none: Option<i32> = None;
        none.unwrap();
    }
}
RUST
record cargo-test pretty cargo test --no-fail-fast
record cargo-test terse cargo test --no-fail-fast -q
record cargo-test backtrace env RUST_BACKTRACE=1 cargo test --lib
record cargo-test no-capture cargo test --lib -- --nocapture --test-threads 1
record cargo-test filtered cargo test --lib adds_wrong
record cargo-test none cargo test --lib nothing_of_this_name
printf '\n#[test]\nfn aborts() { std::process::abort(); }\n' >>src/lib.rs
record cargo-test aborts cargo test --lib aborts

rust_project unbuilt <<'RUST'
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn adds() {
    assert_eq!(add(1, "2"), absent);
}
RUST
record rustc unbuilt-tests cargo test

rust_project unformatted <<'RUST'
pub fn  add( a:i32 )->i32 {a}

pub fn fine() -> i32 {
    1
}

fn  last(){}
RUST
record rustfmt check cargo fmt --check
echo 'fn broken( {' >src/lib.rs
record rustc unparsed cargo fmt --check

mkdir -p "$work/go/app" "$work/go/pkg" "$work/go/clean" "$work/go/stops" "$work/go/unbuilt" "$work/go/vetted"
cd "$work/go" || exit 1
printf 'module example.com/demo\n\ngo 1.26\n' >go.mod
cat >app/main.go <<'GO'
package main

import "os"

func take(n int, s string) {}

func main() {
	x := 1
	take("a")
	missing()
}
GO
cat >vetted/vetted.go <<'GO'
package vetted

import "fmt"

func Print() int {
	if true {
		return 1
		fmt.Println("never")
	}
	fmt.Printf("%d\n", "text")
	return 2
}
GO
cat >pkg/pkg_test.go <<'GO'
package pkg

import (
	"fmt"
	"testing"
)

func TestPasses(t *testing.T) {}

func TestFails(t *testing.T) {
	fmt.Print("no line end")
	t.Log("about to compare")
	t.Errorf("got %d, want %d", 3, 4)
}

func TestTable(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad sum", func(t *testing.T) { t.Error("got 4\nwant 5") })
}

func TestSkips(t *testing.T) { t.Skip("not today") }

func Example_hello() {
	fmt.Println("hello")
	// Output: goodbye
}

func FuzzAll(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) { t.Error("never good") })
}

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
	}
}
GO
cat >clean/clean_test.go <<'GO'
package clean

import "testing"

func TestA(t *testing.T) {}
GO
cat >stops/stops_test.go <<'GO'
package stops

import (
	"os"
	"testing"
)

func TestBefore(t *testing.T) {}

func TestPanics(t *testing.T) {
	var m map[string]int
	m["a"] = 1
}

func TestExits(t *testing.T) { os.Exit(3) }
GO
cat >unbuilt/unbuilt_test.go <<'GO'
package unbuilt

import "testing"

func TestX(t *testing.T) { absent() }
GO
record go-build build go build -o /dev/null ./app
record govet vet go vet ./vetted ./clean
record go-test plain go test ./pkg ./clean ./unbuilt
record go-test verbose go test -v ./pkg ./clean
record go-test json go test -json ./pkg ./clean ./unbuilt
record go-test panics go test -v ./stops
record go-test exits go test -v -run 'Before|Exits' ./stops
record go-test benchmarks go test -run '^$' -bench . -benchtime 10x ./pkg
record go-test coverage go test -cover ./clean
record go-test none go test -run Nothing ./clean
printf 'package clean\nfunc  A( ){ }\n' >clean/a.go
printf 'package pkg\nfunc ExampleAbsent() {}\n' >pkg/example_test.go
record go-test vetted go test ./pkg
record gofmt difference gofmt -d .

version rustc "$(cargo --version); $(cargo clippy --version)"
version cargo-test "$(cargo --version)"
version rustfmt "$(rustfmt --version)"
for tool in go-build govet go-test gofmt; do
  version $tool "$(go version)"
done
