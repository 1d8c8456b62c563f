# Completion of `referee` in Elvish. Load it with:  eval (referee completions elvish | slurp)
use str
set edit:completion:arg-completer[referee] = {|@words|
    try {
        (external $words[0]) __complete (all $words[1..]) 2>/dev/null | from-lines | each {|line|
            if (eq $line :files) {
                edit:complete-filename $words[-1]
            } else {
                put [(str:split "\t" $line)][0]
            }
        }
    } catch {
        nop
    }
}
