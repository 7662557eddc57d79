#!/bin/bash
# A DSL line: the kernel's PPPoE to an access concentrator in another namespace, beside a modem on standby. The cable is pulled
# and plugged in again, the standby vanishes, and the line is hung up.
# lab: packages=pppoe programs=pppoe,pppoe-server,usr/lib/pppd/2.4.9/pppoe.so modules=pppoe
. /lab/lib.sh
. /lab/wwan.sh

PROVIDER=provider
# The session outlives a pulled cable, as a DSL modem's does: no echoes, and nothing to authenticate.
OPTIONS="noauth noccp nolock lcp-echo-interval 0 lcp-restart 1 lcp-max-terminate 1"

provider() { ip netns exec $PROVIDER "$@"; }

# Different interface numbers: with equal ones the kernel announces a lost carrier up to a second late.
ip netns add $PROVIDER
ip link add dsl0 index 50 type veth peer name line0 index 60 netns $PROVIDER
provider ip link set lo up
provider ip link set line0 up
ip link set dsl0 up
modprobe pppoe
modprobe ppp_async
# shellcheck disable=SC2086  # a line for each
printf '%s\n' $OPTIONS local >"$OUT/server-options"
provider pppoe-server -F -I line0 -L 10.7.0.1 -R 10.7.0.2 -N 1 -q /usr/bin/pppd -Q /usr/bin/pppoe \
    -O "$OUT/server-options" >"$OUT/pppoe-server.log" 2>&1 &

dial() {
    # shellcheck disable=SC2086  # several options
    pppd unit 0 plugin pppoe.so nodetach $OPTIONS defaultroute dsl0 >"$OUT/pppd.log" 2>&1 &
    LINE=$!
    wait_for "an address of ppp0" has_address
}
has_address() { [ -n "$(ip -4 address show dev ppp0)" ]; }
has_session() { grep -q ' dsl0$' /proc/net/pppoe; }

printf '[interfaces]\nkinds = { dsl0 = "wired" }\n' >/run/reachagent.toml
start_agent --config /run/reachagent.toml
wait_settled none

step dial
dial
wait_settled wired
wait_for "the session in /proc/net/pppoe" has_session
step dialled kernel_choice="$(kernel_choice)"

# The modem stands beside it with a worse metric: it neither lends its medium nor takes it away.
wwan_load
wwan_address
wait_steady wired
step standby_remove
modem_remove 0
wait_for "end of wwan0" absent wwan0
wait_steady wired

# Without an echo pppd keeps the line, and ppp0 stays up: only the device below it has lost its carrier.
step cable_pull
provider ip link set line0 down
wait_settled none
step cable_pulled kernel_choice="$(kernel_choice)"
step cable_plug
provider ip link set line0 up
wait_settled wired

step hang_up
kill -TERM "$LINE"
wait_for "end of ppp0" absent ppp0
wait_settled none

stop_agent
