#!/bin/bash
# One interface of every kind that a machine may have, and what the agent takes each of them for.
. /lab/lib.sh
. /lab/wifi.sh
. /lab/wwan.sh

MADE=()
made() {
    MADE+=("$1")
    step made interface="$1" kind="$2"
}
add() { # NAME KIND [OPTION...]
    local name=$1 kind=$2
    shift 2
    ip link add "$name" type "$kind" "$@"
    made "$name" "$kind"
}
add_over() { # LOWER NAME KIND [OPTION...]
    local lower=$1 name=$2 kind=$3
    shift 3
    ip link add link "$lower" name "$name" type "$kind" "$@"
    made "$name" "$kind"
}
tunnel="local 192.0.2.2 remote 192.0.2.1"

# Wi-Fi and cellular, the two that the others have to be told from.
modprobe mac80211_hwsim radios=2
wait_for wlan1 present wlan1
made wlan1 station
iw dev wlan0 set type __ap
made wlan0 access-point
iw dev wlan1 interface add monitor0 type monitor
made monitor0 monitor
wwan_load
made wwan0 wwan
ip link add dev wwan0.2 parentdev wwan0 type wwan linkid 2
made wwan0.2 wwan

# Ethernet and what is built of it.
add veth0 veth peer name veth1
made veth1 veth
add dummy0 dummy
add dummy1 dummy
add bridge0 bridge
ip link set veth1 master bridge0
add bond0 bond mode active-backup
ip link set dummy1 down
ip link set dummy1 master bond0
add vrf0 vrf table 10
add_over veth0 veth0.10 vlan id 10
add_over wlan1 wlan1.10 vlan id 10
add_over veth0 macvlan0 macvlan

# Tunnels.
ip tuntap add dev tun0 mode tun
made tun0 tun
ip tuntap add dev tap0 mode tap
made tap0 tap
add wireguard0 wireguard
add vxlan0 vxlan id 7 remote 192.0.2.1 dstport 4789
# shellcheck disable=SC2086  # two options, four words
{
    add gre1 gre $tunnel
    add gretap1 gretap $tunnel
    add ipip1 ipip $tunnel
    add sit1 sit $tunnel
}
modprobe ppp_async
pppd_options="noauth local nodetach noccp nodefaultroute"
pppd unit 0 $pppd_options pty "pppd notty $pppd_options 10.9.0.1:10.9.0.2" >"$OUT/pppd.log" 2>&1 &
wait_for ppp0 present ppp0
made ppp0 ppp

# Only these: the modules of tunnels also bring fallback devices, some of which cannot be up.
for name in "${MADE[@]}"; do
    ip link set "$name" up
done
wait_for "ppp0 with carrier" operstate ppp0 unknown

ip -d -j link show >"$OUT/ip-link.json"
status=0
"$PAYLOAD/reachagent" interfaces --json >"$OUT/interfaces.jsonl" 2>"$OUT/agent.log" || status=$?
step listed status=$status count="$(wc -l <"$OUT/interfaces.jsonl")"
[ $status -eq 0 ] || fail "'reachagent interfaces --json' ended with status $status"
