# Completion of `referee` in fish. Load it with:  referee completions fish | source
function __referee_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    for line in (command $words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete --command referee --no-files --keep-order --arguments '(__referee_complete)'
