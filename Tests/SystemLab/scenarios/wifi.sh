#!/bin/bash
# A station's life: association, roam, deauthentication, a dead access point, leaving, link down.
. /lab/lib.sh
. /lab/wifi.sh

wifi_load 3
ap_adopt wlan0
ap_adopt wlan2
ap_start wlan0 1 $AP_ADDRESS
start_agent
wait_settled none
step agent_ready

step station_start
station_start
wait_for association associated
step associated bssid="$(station_bssid)"
step address_add
station_address
wait_settled wifi

# Another access point of the same network: some ten milliseconds without keys, no route changes.
first=$(station_bssid)
ap_start wlan2 6
second=$(ap_bssid wlan2)
wait_for "second access point in a scan" station_sees "$second"
step roam bssid="$second"
station roam "$second" >/dev/null
wait_for "association with the second access point" associated_with "$second"
step roamed bssid="$second"
wait_steady wifi

# No frame says good-bye: the station finds out by missing beacons.
step ap_kill bssid="$second"
ap_kill wlan2
wait_path none
wait_path wifi
wait_for "association with the first access point" associated_with "$first"
step ap_replaced bssid="$first"
wait_steady wifi

# Sent away by the access point, and back by itself: some hundred milliseconds without carrier.
step deauthenticate bssid="$first"
ap_deauthenticate wlan0 "$(cat /sys/class/net/wlan1/address)"
wait_path none
wait_path wifi
wait_for association associated
step reassociated bssid="$(station_bssid)"
wait_steady wifi

# Address and routes stay behind: the kernel would go on sending into the dead interface.
step disconnect
station disconnect >/dev/null
wait_settled none
step disconnected kernel_choice="$(kernel_choice)"
step reconnect
station reconnect >/dev/null
wait_for association associated
step reconnected bssid="$(station_bssid)"
wait_settled wifi

# The kernel drops the default route without a message.
step link_down
ip link set wlan1 down
wait_settled none
step link_up
ip link set wlan1 up
wait_for association associated
step link_returned bssid="$(station_bssid)"
wait_steady none
step route_add
station_route
wait_settled wifi

stop_agent
