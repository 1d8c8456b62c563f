#!/usr/bin/env bash
# Proves a release: verifies, unpacks, installs and runs what `cargo xtask dist` and `cargo xtask packages` made.
#
#   install/prove.sh DIST PACKAGES PUBLIC_KEY
#
# Needs binutils, node with npm, openssl, python3 with venv, ruby, and qemu-user-static for the processors that this machine
# does not have. What is missing fails: proof that was left out is none.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
packages=$(cd "$2" && pwd)
key=$(realpath -- "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
# Programs get no variable but these.
clean=(env -i "PATH=$PATH" "HOME=$work/home")

step() { printf '\n== %s\n' "$*"; }

fail() { echo "error: $*" >&2; exit 1; }

# expect_exit CODE COMMAND...
expect_exit() {
    local expected=$1 code=0
    shift
    "$@" >"$work/told" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || { cat "$work/told"; fail "expected exit $expected, got $code: $*"; }
}

# is_static PROGRAM: no interpreter, and no library.
is_static() {
    local headers
    headers=$(LC_ALL=C readelf --wide --program-headers --dynamic "$1")
    case $headers in
        *INTERP* | *NEEDED*) fail "$1 is not static" ;;
    esac
}

# on PROCESSOR COMMAND...: here, or where qemu runs programs of another processor. Where the kernel does not know that, it is
# told so in a user namespace, since programs start others.
on() {
    local processor=$1 magic mask
    shift
    if [ "$processor" = "$(uname -m)" ] || [ -e "/proc/sys/fs/binfmt_misc/qemu-$processor" ]; then
        "$@"
        return
    fi
    case $processor in
        aarch64) magic='\xb7\x00' ;;
        x86_64) magic='\x3e\x00' ;;
        *) fail "no qemu is known for $processor" ;;
    esac
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00'$magic
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    # shellcheck disable=SC2016
    unshare --user --map-root-user --mount sh -euc '
        mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
        printf "%s" "$1" >/proc/sys/fs/binfmt_misc/register
        shift
        exec "$@"
    ' sh ":proof:M::$magic:$mask:$(command -v "qemu-$processor-static"):F" "$@"
}

# run_project PROGRAM PROJECT: without a file it must fail, and with it a command, a database and the file must pass.
run_project() {
    local project=$2
    mkdir "$project"
    cat >"$project/referee.yaml" <<'END'
schemaVersion: "2.0.0"
tasks:
  T001:
    title: A release runs
    testExecution:
      steps:
        - { actionId: STEP.1, type: TERMINAL_COMMAND, description: A command, parameters: { command: test -f referee.yaml } }
        - actionId: STEP.2
          type: DATABASE_QUERY
          description: A database
          parameters: { connectionString: "sqlite::memory:", query: SELECT 6 * 7 AS answer, expectedRowCount: 1 }
        - { actionId: STEP.3, type: FILE_VALIDATION, description: A file, parameters: { filePath: wanted, validationType: EXISTS } }
    validationCriteria:
      successConditions: [{ condition: STEP.2.success === true, description: The database answers }]
    completionCriteria: { allStepsMustPass: true }
END
    expect_exit 1 "${clean[@]}" "$1" -C "$project" run
    touch "$project/wanted"
    expect_exit 0 "${clean[@]}" "$1" -C "$project" run
    expect_exit 0 "${clean[@]}" "$1" evidence verify "$project/evidence/T001" --replay
    mkdir "$project/depot"
    expect_exit 0 "${clean[@]}" "$1" -C "$project" evidence push --to "file://$project/depot"
}

# replay_project PROCESSOR PROGRAM PROJECT: what ran on this machine is judged again, to the same bytes, and a changed byte is
# seen. A run itself needs the kernel: qemu does not let a program adopt orphans, and Referee runs nothing without that.
replay_project() {
    local evidence=$3/evidence/T001
    expect_exit 0 on "$1" "${clean[@]}" "$2" evidence verify "$evidence" --replay
    cp -r "$evidence" "$work/changed"
    printf ' ' >>"$work/changed/execution-report.json"
    expect_exit 4 on "$1" "${clean[@]}" "$2" evidence verify "$work/changed" --replay
    rm -r "$work/changed"
    on "$1" "${clean[@]}" "$2" parse --tool gcc --format json <<<'a.c:1:2: error: b' | grep -qF '"column": 2'
}

step "checksums, components and provenance"
(cd "$dist" && sha256sum --check --strict --quiet SHA256SUMS)
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet 'cyclonedx-python-lib[json-validation]==11.12.0' 'lief==1.0.0' 'securesystemslib[crypto]==1.6.0'
"$work/python/bin/python" "$here/prove.py" "$dist" "$key"

for archive in "$dist"/*.tar.gz; do tar -xzf "$archive" -C "$work"; done

step "a run on this machine"
native=$(echo "$work"/referee-*-"$(uname -m)"-unknown-linux-musl)
[ -x "$native/referee" ] || fail "no archive is for this machine"
run_project "$native/referee" "$work/project"

version=''
for archive in "$dist"/*.tar.gz; do
    name=$(basename "$archive" .tar.gz)
    step "$name"
    programs=$work/$name
    target=${name#referee-*-}
    processor=${target%%-*}
    for place in "${CARGO_HOME:-$HOME/.cargo}" "$(dirname "$here")"; do
        ! grep -aqF "$place/" "$programs"/referee* || fail "$name names $place of this machine"
    done
    case $target in
        *-linux-musl) ;;
        *-apple-darwin)
            "$work/python/bin/python" "$here/mach_o.py" "$processor" "$programs"/referee{,-database,-mutants}
            echo "not run: nothing here runs programs for $target"
            continue
            ;;
        *) fail "nothing is known of programs for $target" ;;
    esac
    for program in referee referee-database referee-fleet referee-mutants; do
        is_static "$programs/$program"
        echo "$program: $(wc -c <"$programs/$program") bytes"
    done
    version=$(on "$processor" "${clean[@]}" "$programs/referee" --version)
    [ "$name" = "${version/ /-}-$target" ] || fail "the program of $name says that it is $version"
    request='{"language":"python","text":"def f(a):\n    return a + 1\n","task":{"kind":"mutants"}}'
    on "$processor" "${clean[@]}" "$programs/referee-mutants" <<<"$request" | grep -qF '"original":"a + 1"'
    replay_project "$processor" "$programs/referee" "$work/project"
done

step "install.sh"
"${clean[@]}" REFEREE_HOME="$work/installed" REFEREE_BASE_URL="file://$dist" REFEREE_PUBLIC_KEY="$key" sh "$packages/install.sh"
[ "$("${clean[@]}" "$work/installed/bin/referee" --version)" = "$version" ]
run_project "$work/installed/bin/referee" "$work/installed-project"

step "npm"
mkdir "$work/npm"
echo '{ "private": true }' >"$work/npm/package.json"
platform=$(node -p 'process.platform + "-" + process.arch')
for package in referee-gate "referee-gate-$platform"; do
    npm pack --silent --pack-destination "$work/npm" "$packages/npm/$package"
done
npm --prefix "$work/npm" install --offline --no-audit --no-fund --loglevel=error "$work"/npm/*.tgz
run_project "$work/npm/node_modules/.bin/referee" "$work/npm-project"

step "Homebrew"
ruby -c "$packages/homebrew/referee.rb"

printf '\nproved: %s\n' "$version"
