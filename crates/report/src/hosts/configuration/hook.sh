# Referee's hook, written by `referee hook config`: it is run only as long as not one byte of it changes. A host calls it by
#   sh -c THIS PROGRAM hook HOST --deadline TIME EVENT
# It runs `PROGRAM hook HOST --deadline TIME`, gives the host what that prints, and answers in its place where it is
# missing, dies, hangs or prints something else: most hosts would go on then as if there were no hook.

host=$2 deadline=${4%s} event=$5 taker= answerer=

# Hosts take a hook for failed to which they cannot write the whole event, and one that never ends it is not waited for.
exec 3<&0
input=$(
    cat <&3 & reader=$!
    { end() { kill "$nap"; exit; }; trap end TERM; sleep 10 & nap=$!; wait "$nap"; kill "$reader"; } >/dev/null 2>&1 3<&- &
    guard=$!
    wait "$reader"
    kill "$guard" 2>/dev/null
)
cat <&3 >/dev/null 2>&1 &

# What is said in its place. It blocks where work is handed back, once: an agent that goes on after a block already would
# go on for ever, so its turn is ended where the host has a word for that.
reason='[referee] Referee gave no answer: it is not installed, it died, or its time was up. Whether the work may be called done is not known, so it counts as not done. A person can see what is wrong by running: referee doctor'
over='[referee] Referee gave no answer again, so the turn ends here. Nothing was judged: the work does not count as done. See: referee doctor'
by_exit=
case $host:$event in
    claude:TaskCompleted) by_exit=1 answer=$reason ;;
    cursor:stop|cursor:subagentStop) answer='{"followup_message":"'$reason'"}' ;;
    cursor:beforeSubmitPrompt) answer='{"continue":true}' ;;
    gemini:AfterAgent) answer='{"decision":"deny","reason":"'$reason'"}' ;;
    vscode:Stop) answer='{"decision":"block","reason":"'$reason'","hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"'$reason'"}}' ;;
    *:Stop|*:SubagentStop|*:agentStop|*:subagentStop|claude:ConfigChange) answer='{"decision":"block","reason":"'$reason'"}' ;;
    *) answer='{}' ;;
esac
case $host in
    claude|codex|gemini|opencode)
        case $by_exit:$answer:$input in
            1:*|:{}:*) ;;
            *'"stop_hook_active":true'*|*'"stop_hook_active": true'*) answer='{"continue":false,"stopReason":"'$over'"}' ;;
        esac ;;
esac

# Gives the answer in its place.
in_place() {
    if [ "$by_exit" ]; then echo "$answer" >&2; exit 2; fi
    printf %s "$answer" || { echo "referee: no answer could be written" >&2; exit 2; }
}

# Gives what was printed beside exit code 0, and beside 2, which not every host takes for a block.
given() {
    case $by_exit:$code:$output in
        :[02]:{*}|1:0:{*}) printf %s "$output" || { echo "referee: no answer could be written" >&2; exit 2; } ;;
        1:2:*) exit 2 ;;
        *) in_place ;;
    esac
}

# Runs it: the first line that it prints is its number, the last word how it ended. It is asked to stop ten seconds after
# its deadline, or five after this shell was killed, and killed five seconds later. What stops it ends by itself; without a
# `sleep` nothing is stopped, and the host's own time decides.
call() {
    printf %s "$input" 2>/dev/null | /bin/sh -c 'echo $$; exec "$@"' referee "$@" 3<&- & called=$!
    (
        end() { kill "$nap"; exit; }
        trap end TERM
        steps=$(((deadline + 14) / 5))
        while [ "$steps" -gt 0 ] && { sleep 5 & nap=$!; wait "$nap"; }; do
            steps=$((steps - 1))
            kill -0 $$ || steps=0
        done
        [ "$steps" -gt 0 ] || { kill "$called"; sleep 5; kill -9 "$called"; }
    ) >/dev/null 2>&1 3<&- & watch=$!
    wait "$called"
    code=$?
    kill "$watch" 2>/dev/null
    printf %s " referee-exit:$code" 2>/dev/null
}

# Takes down what it prints, and answers by it; asked to stop, it stops both.
take() {
    read -r called
    exec 4<&0
    stop() { kill "$called" $answerer; } 2>/dev/null
    trap stop TERM HUP
    (
        output=$(cat <&4)
        code=${output##* referee-exit:}
        output=$(printf %s "${output% referee-exit:*}")
        given
    ) & answerer=$!
    wait "$answerer"
    code=$?
    [ "$code" -gt 128 ] && { wait "$answerer"; code=$?; }
    exit "$code"
}

# The shell itself waits for a job, so that a request to stop reaches it at once: it hands that on, and answers.
stop() { kill "$taker"; } 2>/dev/null
trap stop TERM INT HUP
{ call "$0" "$1" "$2" "$3" "$4"; } | take & taker=$!
wait "$taker"
code=$?
[ "$code" -gt 128 ] && { wait "$taker"; code=$?; }
case $code in 0|2) exit "$code" ;; esac
in_place
