# Completion of `referee` in bash 4.4 or newer. Load it with:  source <(referee completions bash)
_referee() {
    local line word words=()
    # bash splits `--option=value` at the sign; without it, the value is that of the option all the same.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == = ]] || words+=("$word")
    done
    word=${COMP_WORDS[COMP_CWORD]}
    [[ $word != = ]] || word=
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default 2>/dev/null
        else
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <("$1" __complete "${words[@]}" "$word" 2>/dev/null)
}
complete -o nosort -F _referee referee
