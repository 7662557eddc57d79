# A web server that is reached over the Wi-Fi and over a cellular link, and a captive portal before it.
# Sourced as /lab/web.sh, after wifi.sh or service.sh. Each link's far end has the server's address itself, so that
# what answers is what is at the end of the link in use: in the access point's network namespace a portal
# or the server, in the carrier's always the server. Needs 'socat' (the one of $SOCAT) and the
# certificates as payload: server.pem and server.key, with a portal portal.pem and portal.key.
: >"$OUT/web-requests.log"
WEB_HOST=web.test
WEB_ADDRESS=203.0.113.1
SOCAT=${SOCAT:-$PAYLOAD/socat}
PORTAL_URL=http://${AP_ADDRESS:-portal.test}/login
CARRIER_SPACE=carrier
CARRIER_ADDRESS=10.64.0.1
CELLULAR_ADDRESS=10.64.0.2

# web_space SPACE: the address and the name of the server at this end.
web_space() {
    ip -n "$1" addr replace $WEB_ADDRESS/32 dev lo
    grep -q $WEB_HOST /etc/hosts || echo "$WEB_ADDRESS $WEB_HOST" >>/etc/hosts
}

# web_listen SPACE open|portal: what answers there from now on.
web_listen() {
    local space=$1 kind=$2 certificate=server
    [ "$kind" = open ] || certificate=portal
    web_silence "$space"
    export WEB_ANSWERS=$kind WEB_LOCATION=$PORTAL_URL
    ip netns exec "$space" "$SOCAT" TCP-LISTEN:80,fork,reuseaddr,backlog=32 \
        EXEC:"bash /lab/web-answer.sh" 2>>"$OUT/web-$space.log" &
    echo $! >"/run/web-$space.pids"
    ip netns exec "$space" "$SOCAT" \
        OPENSSL-LISTEN:443,fork,reuseaddr,backlog=32,verify=0,cert="$PAYLOAD/$certificate.pem",key="$PAYLOAD/$certificate.key" \
        EXEC:"bash /lab/web-answer.sh" 2>>"$OUT/web-$space.log" &
    echo $! >>"/run/web-$space.pids"
    wait_for "web server in $space" listens "$space" 80
    wait_for "web server with TLS in $space" listens "$space" 443
}

# web_silence SPACE: nothing listens there any more.
web_silence() {
    [ -e "/run/web-$1.pids" ] || return 0
    kill $(cat "/run/web-$1.pids") || true
    wait_for "end of the web server in $1" silent "$1" 80
    wait_for "end of the web server with TLS in $1" silent "$1" 443
}

# web_asked COUNT: whether the servers were asked more often than that, all in all.
web_asked() { [ "$(web_requests)" -gt "$1" ]; }
web_requests() { wc -l <"$OUT/web-requests.log"; }

# The kernel's own table of listening sockets: state 0A, the port in hexadecimal digits.
listens() { ip netns exec "$1" grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$2") [0-9A-F:]* 0A" /proc/net/tcp; }
silent() { ! listens "$@"; }

# A cellular modem as the first ones were: PPP, with the carrier in a network namespace. What comes from
# wwan_hwsim cannot be used here: it has no far end.
cellular_start() {
    local options="noauth local nodetach noccp nodefaultroute" far
    # pppd runs it without a PATH, and busybox's shell would take its own ip.
    far="/usr/bin/ip netns exec $CARRIER_SPACE /usr/bin/pppd notty $options"
    modprobe ppp_async
    ip netns add $CARRIER_SPACE
    ip -n $CARRIER_SPACE link set lo up
    pppd unit 0 $options pty "$far $CARRIER_ADDRESS:$CELLULAR_ADDRESS" \
        >"$OUT/pppd.log" 2>&1 &
    wait_for "ppp0 with an address" cellular_has_address
    ip route replace default dev ppp0 metric 700
}
cellular_has_address() { ip -4 addr show dev ppp0 | grep -q "inet $CELLULAR_ADDRESS"; }
