#!/bin/bash
# Wi-Fi with a captive portal, the login, and then the loss of the Wi-Fi with a cellular link beside it.
# Payload besides the agent: socat, root.pem, and the certificates that guest/web.sh names.
# lab: limit=300
. /lab/lib.sh
. /lab/wifi.sh
. /lab/web.sh

# wait_connectivity VIA CONNECTIVITY: until the settled state is this one.
wait_connectivity() { wait_event 60 "$SETTLED.*\"to\":{\"via\":\"$1\",\"af_status\":[0-9]*,\"connectivity\":\"$2\""; }

# check TARGET: how a single check from the command line ends, as "ok" or "failed http_status".
check() {
    "$PAYLOAD/reachagent" probe "$1" --json --timeout 10s --ca-file "$PAYLOAD/root.pem" "${@:2}" \
        | grep -o '"verdict":"[a-z]*"\(,"code":"[a-z0-9_]*"\)\{0,1\}' | head -n 1 \
        | sed 's/"verdict":"\([a-z]*\)",\{0,1\}\("code":"\([a-z0-9_]*\)"\)\{0,1\}/\1 \3/; s/ $//'
}

wifi_load 2
ap_adopt wlan0
ap_start wlan0 1 $AP_ADDRESS
web_space $AP_SPACE
web_listen $AP_SPACE portal
cellular_start
web_space $CARRIER_SPACE
web_listen $CARRIER_SPACE open

# The network itself, before the agent says anything about it.
step checked name=cellular http="$(check http://$WEB_HOST/generate_204 --expect-status 204)" \
    https="$(check https://$WEB_HOST/)"
station_start
wait_for association associated
station_address
step checked name=portal http="$(check http://$WEB_HOST/generate_204 --expect-status 204)" \
    https="$(check https://$WEB_HOST/)"

cat >/run/reachagent.toml <<CONF
[settle]
down = "3s"

[interfaces]
kinds = { "ppp*" = "wwan" }

[metered]
interval_factor = 1

[portal]
recheck = "1s"

[probe.captive]
target = "http://$WEB_HOST/generate_204"
portal = true
interval = "5s"
fast_interval = "500ms"
timeout = "5s"

[probe.web]
target = "https://$WEB_HOST/"
ca_file = "$PAYLOAD/root.pem"
interval = "5s"
fast_interval = "500ms"
timeout = "5s"
CONF
start_agent --config /run/reachagent.toml
wait_connectivity wifi portal
step captive

step login
web_listen $AP_SPACE open
wait_connectivity wifi full
step online

step ap_kill
ap_kill wlan0
wait_for "loss of carrier" operstate wlan1 down
step wifi_address_remove
ip addr flush dev wlan1 scope global
wait_connectivity wwan full
step failed_over kernel_choice="$(kernel_choice)"

stop_agent
