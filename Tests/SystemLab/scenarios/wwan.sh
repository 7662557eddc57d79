#!/bin/bash
# A modem's life: first and second packet data network, link down and up, removal, a new modem.
. /lab/lib.sh
. /lab/wwan.sh

wwan_load
start_agent
wait_settled none
step agent_ready

step address_add index="$(wwan_index)"
wwan_address
wait_settled wwan

# Without a default route through it, a second network changes nothing for the machine.
step pdn_add interface=wwan0.2
wwan_pdn wwan0.2 2 10.65.0.2/32
wait_steady wwan

# The address survives, the default route does not, and no message says so.
step link_down
ip link set wwan0 down
wait_settled none
step link_up
ip link set wwan0 up
wait_steady none
step route_add
wwan_route
wait_settled wwan

step modem_remove
modem_remove 0
wait_for "end of wwan0" absent wwan0
wait_for "end of wwan0.2" absent wwan0.2
wait_settled none
step modem_add
modem_add
step address_add index="$(wwan_index)"
wwan_address
wait_settled wwan

stop_agent
