# What every scenario needs: records of its steps, waiting with a limit, the agent's life.
# Sourced as /lab/lib.sh. Any command that fails ends the scenario with its name.
set -Eeu

EVENTS=$OUT/events.jsonl
STEPS=$OUT/steps.jsonl
AGENT=                # process id
SEEN=0                # lines of $EVENTS that wait_event is done with
PATIENCE=30           # seconds; long, as a wait that succeeds ends at once

trap 'fail "line $LINENO: $BASH_COMMAND"' ERR
exec {nap_fd}<> <(:)  # never readable: a read with a time-out is a sleep without a process

nap() { read -r -t 0.05 -u "$nap_fd" || true; }

fail() {
    trap - ERR
    set +e
    echo "FAIL: $*"
    for log in "$OUT"/agent.log "$EVENTS"; do
        [ -s "$log" ] && { echo "--- end of ${log##*/}"; tail -n 8 "$log"; }
    done
    exit 1
}

# step NAME [KEY=VALUE...]: say what happens, for people and (in $STEPS) for the test.
# An action is recorded just before it is done, a condition just after it was seen.
step() {
    local name=$1 now=$EPOCHREALTIME uptime rest pair value more= stamp
    shift
    read -r uptime rest </proc/uptime
    printf -v stamp '%(%Y-%m-%dT%H:%M:%S)T.%sZ' "${now%.*}" "${now#*.}"
    for pair in "$@"; do
        value=${pair#*=}
        [[ $value =~ ^(0|[1-9][0-9]*)$ ]] || json_text value
        more+=",\"${pair%%=*}\":$value"
    done
    printf '{"step":"%s","uptime":%s,"time":"%s"%s}\n' "$name" "$uptime" "$stamp" "$more" >>"$STEPS"
    pair=${*:+ $*}
    echo "$uptime  $name${pair:0:200}"
}
json_text() { # VARIABLE: what it holds becomes a JSON string; other control characters are dropped
    local -n text=$1
    text=${text//\\/\\\\} text=${text//\"/\\\"} text=${text//$'\n'/\\n} text=${text//$'\t'/\\t}
    text="\"${text//[$'\x01'-$'\x1f']/}\""
}

# wait_for WHAT COMMAND...: until COMMAND succeeds, or fail with WHAT.
wait_for() {
    local what=$1 end=$((SECONDS + PATIENCE))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "no $what in $PATIENCE s: $*"
        nap
    done
}

# wait_event SECONDS PATTERN: until a new line of the agent matches, new meaning after the line that
# ended the last wait. The state of a test is then known to the agent, not only to the kernel.
wait_event() {
    local end=$((SECONDS + $1)) pattern=$2 number
    until number=$(tail -n "+$((SEEN + 1))" "$EVENTS" | grep -n -m 1 -- "$pattern"); do
        [ -e "/proc/$AGENT" ] || fail "the agent ended, still waited for: $pattern"
        [ "$SECONDS" -lt "$end" ] || fail "no event in $1 s matched: $pattern"
        nap
    done
    SEEN=$((SEEN + ${number%%:*}))
}

# The agent's two views, by where they lead: raw (path) and after settling (settled).
PATH_CHANGED='"type":"reachagent.path.changed"'
SETTLED='"type":"reachagent.reachability.changed"'
wait_path() { wait_event "$PATIENCE" "$PATH_CHANGED.*\"to\":{\"via\":\"$1\""; }
wait_settled() { wait_event "$PATIENCE" "$SETTLED.*\"to\":{\"via\":\"$1\""; }

# wait_steady VIA: until the path leads to VIA and the agent has reported no change for longer than
# it needs to settle (1 s). That nothing happens is the one thing no event can tell.
wait_steady() {
    local end=$((SECONDS + PATIENCE)) count=-1 now since=0
    while :; do
        now=${EPOCHREALTIME/./}
        if [ "$count" != "$(changes)" ]; then
            count=$(changes)
            since=$now
        elif [ $((now - since)) -gt 1300000 ] && path_leads_to "$1"; then
            break
        fi
        [ "$SECONDS" -lt "$end" ] || fail "the path was not steadily $1 in $PATIENCE s"
        nap
    done
    SEEN=$(wc -l <"$EVENTS")
}
changes() { grep -c -e "$PATH_CHANGED" -e "$SETTLED" "$EVENTS"; }
path_leads_to() { grep "$PATH_CHANGED" "$EVENTS" | tail -n 1 | grep -q "\"to\":{\"via\":\"$1\""; }

start_agent() { # [OPTION...]
    [ -x "$PAYLOAD/reachagent" ] || fail "no payload 'reachagent': name its file after the scenario"
    : >"$EVENTS"
    "$PAYLOAD/reachagent" run --format json "$@" >"$EVENTS" 2>"$OUT/agent.log" &
    AGENT=$!
    wait_event "$PATIENCE" '"type":"reachagent.agent.started"'
}

stop_agent() {
    local status=0
    step agent_stop
    kill -TERM "$AGENT"
    wait_for "end of the agent after SIGTERM" agent_gone
    wait "$AGENT" || status=$?
    step agent_exited status=$status
}
agent_gone() { [ ! -e "/proc/$AGENT" ]; }

operstate() { # INTERFACE STATE
    local state
    read -r state <"/sys/class/net/$1/operstate" && [ "$state" = "$2" ]
}
present() { [ -e "/sys/class/net/$1" ]; }
absent() { [ ! -e "/sys/class/net/$1" ]; }

# Interface that the kernel would use for a global address, whatever the state of its carrier.
kernel_choice() { ip route get 192.0.2.1 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p'; }
kernel_chooses() { [ "$(kernel_choice)" = "$1" ]; }
