#!/bin/bash
# Suspend to memory and resume, with a check that would otherwise be due in ten minutes.
# Payload besides the agent: what guest/web.sh names.
# lab: limit=300
. /lab/lib.sh
. /lab/wifi.sh
. /lab/web.sh

cellular_start
web_space $CARRIER_SPACE
web_listen $CARRIER_SPACE open
cat >/run/reachagent.toml <<CONF
[interfaces]
kinds = { "ppp*" = "wwan" }

[metered]
interval_factor = 1

[probe.web]
target = "http://$WEB_HOST/"
interval = "10m"
timeout = "5s"
CONF
start_agent --config /run/reachagent.toml
wait_event 60 "$SETTLED.*\"connectivity\":\"full\""

# With this test level the kernel does everything but to power the machine down: devices, processors and
# clocks are suspended for five seconds.
echo core >/sys/power/pm_test
asked=$(web_requests)
step suspend events="$(wc -l <"$EVENTS")"
echo mem >/sys/power/state
step resumed
wait_event "$PATIENCE" '"type":"reachagent.suspend.resumed"'
step told
wait_for "check right after the resume" web_asked "$asked"
step checked

stop_agent
