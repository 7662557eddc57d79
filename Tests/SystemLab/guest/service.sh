# A service under systemd, as its administrator and its users see it: what a command said, what systemd and the
# kernel know about the process. Sourced as /lab/service.sh, after lib.sh. Nothing is judged here.
UNIT=reachagent.service
CONFIG=/etc/reachagent/reachagent.toml
JOURNAL=/var/lib/reachagent/journal
SOCAT=/usr/bin/socat
PATIENCE=90           # seconds; an emulated machine starts programs slowly
export LC_ALL=C.UTF-8 SYSTEMD_PAGER= SYSTEMD_COLORS=0 DEBIAN_FRONTEND=noninteractive

# The system's log has that of the scenarios before, too.
CURSOR=$(journalctl --quiet --lines=0 --show-cursor | sed -n 's/^-- cursor: //p')

# The evidence that is there anyway, whatever way the scenario ends.
collect() {
    trap - ERR
    set +e
    journalctl --after-cursor="$CURSOR" --output=json --output-fields=PRIORITY,MESSAGE,_SYSTEMD_UNIT,SYSLOG_IDENTIFIER,UNIT,_PID,INVOCATION_ID \
        >"$OUT/log.jsonl"
    journalctl --after-cursor="$CURSOR" --output=short-monotonic >"$OUT/log.txt"
    cp /var/log/dpkg.log /var/log/apt/term.log "$OUT" 2>/dev/null
    journal >"$OUT/journal.jsonl" 2>/dev/null
}
trap collect EXIT

# try NAME COMMAND...: run it, and record how it ended, how long it took and what it said.
try() {
    local name=$1 status=0 begin=${EPOCHREALTIME/./}
    shift
    "$@" </dev/null >/run/try.out 2>/run/try.err || status=$?
    step "$name" status=$status ms=$(((${EPOCHREALTIME/./} - begin) / 1000)) \
        out="$(tail -c 6000 /run/try.out)" err="$(tail -c 4000 /run/try.err)"
}
as() { runuser --user "$1" -- "${@:2}"; }

# properties NAME PROPERTY...: what systemd says of the service.
properties() {
    local name=$1 pairs
    shift
    mapfile -t pairs < <(systemctl show "$UNIT" --property="$(IFS=,; echo "$*")")
    step "$name" "${pairs[@]}"
}
property() { systemctl show "$UNIT" --property="$1" --value; }
property_is() { [ "$(property "$1")" = "$2" ]; }

# process NAME: what the kernel says of the service's process.
process() {
    local pairs
    mapfile -t pairs < <(sed -nE 's/^(Uid|Gid|CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):\t([^\t]*).*/\1=\2/p' \
        "/proc/$(property MainPID)/status")
    step "$1" "${pairs[@]}"
}

# modes NAME PATH...: owner, group and permission bits of each.
modes() {
    local name=$1 path pairs=()
    for path in "${@:2}"; do
        pairs+=("$path=$(stat --format='%U:%G %a' "$path" 2>/dev/null || echo absent)")
    done
    step "$name" "${pairs[@]}"
}

# The agent's own journal, and waiting for what is to come into it: after MARK.
MARK=0
journal() { cat $JOURNAL/events-*.jsonl; }
mark() { MARK=$(journal 2>/dev/null | wc -l) || true; }
journal_has() { journal | tail -n "+$((MARK + 1))" | grep -q -- "$1"; }
wait_journal() { wait_for "event" journal_has "$1"; }

# uplink_start NUMBER: an interface upN with a default route, and all that is beyond it in a network namespace.
uplink_start() {
    local space=carrier$1
    ip netns add "$space"
    ip link add "up$1" type veth peer name far netns "$space"
    ip -n "$space" link set lo up
    ip -n "$space" addr add "10.64.$1.1/24" dev far
    ip -n "$space" link set far up
    ip addr add "10.64.$1.2/24" dev "up$1"
    uplink_up "$1"
}
uplink_up() {
    ip link set "up$1" up
    ip route replace default via "10.64.$1.1" dev "up$1" metric "$((100 + $1))"
}
