#!/bin/sh
# Installs Referee from an archive that `cargo xtask dist` made.
#
#   sh install.sh [--help]
#
# Variables:
#   REFEREE_BASE_URL    directory with the archives and SHA256SUMS (https://, or file:// for local files)
#   REFEREE_VERSION     version to install [default: the one in SHA256SUMS]
#   REFEREE_HOME        directory to install into, as bin/referee [default: ~/.local]
#   REFEREE_PUBLIC_KEY  public key of the publisher, Ed25519 in PEM. With it the signature of provenance.intoto.jsonl
#                       must verify and must name these very SHA256SUMS, or nothing is installed.
#
# The SHA-256 of the archive is always verified. Without a public key that shows only that the download is whole: whoever can
# change the archive can change SHA256SUMS. No root is needed, and nothing outside of REFEREE_HOME is written.
set -eu

# `cargo xtask packages` writes the place of the release here.
base_url_of_release=''

# What is installed, `referee` last: it starts the others, and looks for them beside itself.
programs='referee-database referee-mutants referee'

fail() {
    echo "error: $1" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# The target whose archive runs on this machine.
target() {
    system=$(uname -s)
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "no archive for processor $machine: build from source with \`cargo install --locked --path crates/cli\`" ;;
    esac
    case $system in
        Linux) echo "$machine-unknown-linux-musl" ;;
        Darwin) echo "$machine-apple-darwin" ;;
        *) fail "no archive for system $system: build from source with \`cargo install --locked --path crates/cli\`" ;;
    esac
}

# Whether a place may be installed from: what anybody on the way can change needs a signature.
check_place() {
    case $base_url in
        '') fail "no place to install from: set REFEREE_BASE_URL" ;;
        https://* | file:///*) ;;
        http://*) [ -n "$public_key" ] || fail "$base_url is not encrypted: use https://, or set REFEREE_PUBLIC_KEY" ;;
        *) fail "unknown place: $base_url (expected https:// or file:///)" ;;
    esac
}

# fetch NAME: puts a file of the release into the temporary directory.
fetch() {
    case $base_url in
        file://*) cp "${base_url#file://}/$1" "$temporary/$1" 2>/dev/null ;;
        *)
            if have curl; then
                # From https to nowhere else, whatever a server answers.
                curl --proto "=${base_url%%:*}" --fail --silent --show-error --location --retry 3 \
                    --output "$temporary/$1" "$base_url/$1"
            elif have wget; then
                wget -q -O "$temporary/$1" "$base_url/$1"
            else
                fail "neither curl nor wget is installed"
            fi
            ;;
    esac || fail "cannot get $base_url/$1"
}

# sha256 FILE
sha256() {
    if have sha256sum; then
        sum=$(sha256sum <"$1")
    elif have shasum; then
        sum=$(shasum -a 256 <"$1")
    else
        fail "neither sha256sum nor shasum is installed"
    fi
    echo "${sum%% *}"
}

# decode TEXT FILE: writes what base64 text means.
decode() {
    printf '%s\n' "$1" | fold -w 64 | openssl base64 -d >"$2" && [ -s "$2" ]
}

# Verifies that the publisher signed a statement (DSSE over in-toto) about these SHA256SUMS.
verify_signature() {
    have openssl || fail "REFEREE_PUBLIC_KEY is set, and openssl is not installed"
    [ -r "$public_key" ] || fail "cannot read the public key $public_key"
    fetch provenance.intoto.jsonl
    envelope=$temporary/provenance.intoto.jsonl
    [ "$(wc -l <"$envelope")" -eq 1 ] || fail "provenance.intoto.jsonl is not one signed statement"
    type=application/vnd.in-toto+json
    grep -qF "\"payloadType\":\"$type\"" "$envelope" || fail "provenance.intoto.jsonl is not a signed in-toto statement"
    payload=$(sed -n 's/.*"payload":"\([A-Za-z0-9+\/=]*\)".*/\1/p' "$envelope")
    signature=$(sed -n 's/.*"sig":"\([A-Za-z0-9+\/=]*\)".*/\1/p' "$envelope")
    if ! decode "$payload" "$temporary/payload" || ! decode "$signature" "$temporary/signature"; then
        fail "provenance.intoto.jsonl cannot be read"
    fi
    length=$(wc -c <"$temporary/payload")
    { printf 'DSSEv1 %d %s %d ' "${#type}" "$type" "$length" && cat "$temporary/payload"; } >"$temporary/signed"
    openssl pkeyutl -verify -pubin -inkey "$public_key" -rawin -in "$temporary/signed" -sigfile "$temporary/signature" \
        >"$temporary/openssl" 2>&1 || fail "the signature does not verify: $(tail -n 1 "$temporary/openssl")"
    subject="{\"digest\":{\"sha256\":\"$(sha256 "$temporary/SHA256SUMS")\"},\"name\":\"SHA256SUMS\"}"
    grep -qF "$subject" "$temporary/payload" || fail "the signature is valid, but for other SHA256SUMS"
    echo "signature verified"
}

# The name of the one archive for a target.
archive_name() {
    names=$(sed -n "s/^[0-9a-f]\{64\}  \(referee-[0-9A-Za-z.+-]*-$1\.tar\.gz\)\$/\1/p" "$temporary/SHA256SUMS")
    if [ -n "$version" ]; then
        names=$(printf '%s\n' "$names" | grep -xF "referee-$version-$1.tar.gz" || true)
    fi
    case $names in
        '') fail "SHA256SUMS lists no archive for $1${version:+ in version $version}" ;;
        *'
'*) fail "SHA256SUMS lists several archives for $1: set REFEREE_VERSION" ;;
        *) echo "$names" ;;
    esac
}

verify_checksum() {
    expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $1\$/\1/p" "$temporary/SHA256SUMS")
    found=$(sha256 "$temporary/$1")
    [ "$found" = "$expected" ] || fail "$1 does not have the checksum in SHA256SUMS: expected $expected, found $found"
    echo "checksum verified: $1"
}

# Moves each program to its place by a rename, so that there is always an old or a new one.
install_programs() {
    # For macOS it can be linked only with Apple's SDK.
    case $1 in
        *-apple-darwin.tar.gz) ;;
        *) programs="referee-fleet $programs" ;;
    esac
    directory=$temporary/${1%.tar.gz}
    tar -xzf "$temporary/$1" -C "$temporary" || fail "cannot unpack $1"
    for program in $programs; do
        [ -f "$directory/$program" ] || fail "$1 does not hold $program"
        chmod 755 "$directory/$program"
    done
    installed=$("$directory/referee" --version) || fail "the program in $1 does not run on this machine"
    mkdir -p "$home/bin"
    for program in $programs; do
        [ ! -d "$home/bin/$program" ] || fail "$home/bin/$program is a directory"
        mv -f "$directory/$program" "$home/bin/$program"
    done
    echo "installed $installed to $home/bin/referee"
}

advise_path() {
    case :$PATH: in
        *:"$home/bin":*) ;;
        *)
            echo "$home/bin is not on PATH; add this line to the profile of your shell:"
            echo "  export PATH=\"$home/bin:\$PATH\""
            ;;
    esac
}

main() {
    if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
        # From the start of this file to `set -eu`.
        sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
        exit 0
    fi
    [ $# -eq 0 ] || fail "unexpected argument: $1 (see --help)"
    base_url=${REFEREE_BASE_URL:-$base_url_of_release}
    base_url=${base_url%/}
    public_key=${REFEREE_PUBLIC_KEY:-}
    version=${REFEREE_VERSION:-}
    home=${REFEREE_HOME:-${HOME:?the variable HOME is not set: set REFEREE_HOME}/.local}
    check_place
    wanted=$(target)
    mkdir -p "$home"
    home=$(cd "$home" && pwd)
    # In the same file system as the place of the programs, so that they are renamed and not copied.
    temporary=$(mktemp -d "$home/.referee-install.XXXXXX")
    trap 'rm -rf "$temporary"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch SHA256SUMS
    if [ -n "$public_key" ]; then
        verify_signature
    fi
    archive=$(archive_name "$wanted")
    fetch "$archive"
    verify_checksum "$archive"
    install_programs "$archive"
    advise_path
}

# Called in the last line, so that half of a script does nothing.
main "$@"
