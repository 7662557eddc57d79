# A cellular modem without one: wwan_hwsim. Sourced as /lab/wwan.sh.
# A modem comes with one interface; the next modem takes the same name with another index.
WWAN_ADDRESS=10.64.0.2/30
WWAN_GATEWAY=10.64.0.1
WWAN_DEBUG=/sys/kernel/debug/wwan_hwsim

wwan_load() {
    modprobe wwan_hwsim devices=1
    wait_for wwan0 present wwan0
}

wwan_address() {
    ip link set wwan0 up
    ip addr replace $WWAN_ADDRESS dev wwan0
    wwan_route
}
wwan_route() { ip route replace default via $WWAN_GATEWAY dev wwan0 metric 700; }
wwan_index() { cat /sys/class/net/wwan0/ifindex; }

# wwan_pdn NAME LINK ADDRESS: a second packet data network over the same modem.
wwan_pdn() {
    ip link add dev "$1" parentdev wwan0 type wwan linkid "$2"
    ip link set "$1" up
    ip addr add "$3" dev "$1"
}

modem_remove() { # the n-th modem since loading, from 0
    echo 1 >"$WWAN_DEBUG/hwsim$1/destroy"
}
modem_add() {
    echo 1 >$WWAN_DEBUG/devcreate
    wait_for "new wwan0" present wwan0
}
