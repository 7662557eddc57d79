#!/bin/bash
# Wi-Fi (metric 600) before cellular (700): lost, replaced, back, and then both lost.
. /lab/lib.sh
. /lab/wifi.sh
. /lab/wwan.sh

wifi_load 2
wwan_load
ap_adopt wlan0
ap_start wlan0 1 $AP_ADDRESS
start_agent
wait_settled none
step agent_ready

step wwan_up
wwan_address
wait_settled wwan
step station_start
station_start
wait_for association associated
step associated kernel_choice="$(kernel_choice)"
step wifi_address_add
station_address
wait_settled wifi

# The metric still prefers the interface without carrier: nothing of the machine reaches anything.
step ap_stop
ap_signal wlan0 TERM
wait_for "loss of carrier" operstate wlan1 down
step carrier_lost kernel_choice="$(kernel_choice)"
wait_settled none

# What a DHCP client or a network manager does about it.
step wifi_address_remove
ip addr flush dev wlan1 scope global
wait_settled wwan
step failed_over kernel_choice="$(kernel_choice)"

step ap_start
ap_start wlan0 1 $AP_ADDRESS
wait_for association associated
step reassociated kernel_choice="$(kernel_choice)"
step wifi_address_add
station_address
wait_settled wifi
step returned kernel_choice="$(kernel_choice)"

# Loss of what is only the second choice changes nothing; loss of both leaves nothing.
step modem_remove
modem_remove 0
wait_steady wifi
step wifi_link_down
ip link set wlan1 down
wait_settled none
step all_lost kernel_choice="$(kernel_choice)"

stop_agent
