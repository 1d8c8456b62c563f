#!/usr/bin/env bash
# Does what `referee init` writes pass honest projects?
#
#     crates/cli/tests/trial/run.sh DIRECTORY [REFEREE] [NAME ...]
#
# Each project is made in DIRECTORY by its ecosystem's own generator (or cloned), and verified to be green by its own tools.
# Then `referee init` and `referee run` look at it. One line a project goes to DIRECTORY/results.tsv:
#
#     name  own-tools  init  run  checks that are not a success
#
# Needs the network, and the tools of each ecosystem; a project whose tools are missing is skipped. What was made already
# is not made again. Not a part of CI: it takes long, and what generators make changes from day to day.
set -u
directory=$(mkdir -p "${1:?the directory to work in}" && cd "$1" && pwd)
referee=$(realpath "${2:-target/debug/referee}")
shift; [ $# -gt 0 ] && shift
here=$(cd "$(dirname "$0")" && pwd)
wanted=("$@")
mkdir -p "$directory/logs" "$directory/projects"
results=$directory/results.tsv
export CI=1 NO_COLOR=1 NG_CLI_ANALYTICS=false NEXT_TELEMETRY_DISABLED=1 ASTRO_TELEMETRY_DISABLED=1 \
    npm_config_yes=true npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false \
    PIP_DISABLE_PIP_VERSION_CHECK=1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=init.defaultBranch GIT_CONFIG_VALUE_0=main \
    PATH="$directory/tools/node_modules/.bin:$directory/tools/python/bin:$PATH"
unset VIRTUAL_ENV

# Names that were asked for, or all.
is_wanted() {
    [ ${#wanted[@]} -eq 0 ] && return 0
    local name
    for name in "${wanted[@]}"; do [ "$name" = "$1" ] && return 0; done
    return 1
}

# project NAME TOOLS MAKE OWN: the tools that it needs, how it is made, and its own checks.
project() {
    local name=$1 tools=$2 make=$3 own=$4 at=$directory/projects/$1 tool
    is_wanted "$name" || return 0
    for tool in $tools; do
        command -v "$tool" >/dev/null || { line "$name" "no $tool" - - ''; return 0; }
    done
    if [ ! -e "$at.made" ]; then
        rm -rf "$at"; mkdir -p "$at"
        if ! (cd "$at" && eval "$make") >"$directory/logs/$name.make" 2>&1 </dev/null; then
            line "$name" "not made" - - ''; return 0
        fi
        (cd "$at" && eval "$own") >"$directory/logs/$name.own" 2>&1 </dev/null; echo $? >"$at.made"
    fi
    [ -n "${TRIAL_ONLY_MAKE:-}" ] && return 0
    judge "$name" "$(cat "$at.made")"
}

judge() {
    local name=$1 own=$2 at=$directory/projects/$1 init run
    rm -rf "$at/evidence"
    (cd "$at" && "$referee" init --force) >"$directory/logs/$name.init" 2>&1; init=$?
    # As the answer of init advises.
    [ "$init" = 0 ] && ! grep -qs '^/\?evidence' "$at/.gitignore" && echo 'evidence/' >>"$at/.gitignore"
    (cd "$at" && "$referee" run) >"$directory/logs/$name.run" 2>&1 </dev/null; run=$?
    line "$name" "$own" "$init" "$run" "$(python3 "$here/not_passed.py" "$at/evidence/T001/execution-report.json")"
}

line() {
    local text; text=$(printf '%s\t%s\t%s\t%s\t%s' "$@")
    { grep -v "^$1	" "$results" 2>/dev/null; printf '%s\n' "$text"; } >"$results.new"; mv "$results.new" "$results"
    printf '%s\n' "$text"
}

prepare() {
    [ -e "$directory/tools/ready" ] && return
    mkdir -p "$directory/tools"
    (cd "$directory/tools" && npm init -y && npm install pnpm@10 yarn@1 bun) >"$directory/logs/tools-node" 2>&1
    (python3 -m venv "$directory/tools/python" && "$directory/tools/python/bin/pip" install uv poetry hatch pdm meson ninja pytest ruff mypy black isort flake8 django flask tox nox) >"$directory/logs/tools-python" 2>&1
    touch "$directory/tools/ready"
}
prepare
. "$here/projects.sh"
cut -f2-4 "$results" | sort | uniq -c
