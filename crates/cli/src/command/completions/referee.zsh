#compdef referee
# Completion of `referee` in zsh. Load it with:  source <(referee completions zsh)
# or write it to a file `_referee` in a directory of $fpath.
_referee() {
    local line value wants_files=
    local -a before values
    (( CURRENT > 2 )) && before=("${(@)words[2,CURRENT-1]}")
    for line in "${(@f)$("${(Q)words[1]}" __complete "${before[@]}" "${PREFIX}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
            wants_files=1
        elif [[ -n $line ]]; then
            value=${line%%$'\t'*}
            value=${value//:/\\:}
            [[ $line == *$'\t'* ]] && value+=:${line#*$'\t'}
            values+=("$value")
        fi
    done
    (( $#values )) && _describe -V 'referee' values
    if [[ -n $wants_files ]]; then
        compset -P '--*='
        _files
    fi
}
if [[ $funcstack[1] == _referee ]]; then
    _referee "$@"
else
    compdef _referee referee
fi
