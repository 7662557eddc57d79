#!/bin/bash
# The package's service under systemd: asked, configured, reloaded, stuck, misconfigured, activated.
# Payload: root.pem, server.pem, server.key.
# lab: guest=systemd package=installed limit=900
. /lab/lib.sh
. /lab/service.sh
. /lab/web.sh
DROP_INS=/etc/systemd/system/$UNIT.d

# verdict_of PROBE [MEMBER]: the event that tells that it is up, from what is not known.
verdict_of() { echo "\"type\":\"reachagent.probe.changed\",\"subject\":\"$1\".*\"probe\":\"$1\",${2:-.*}.*\"to\":{\"verdict\":\"up\""; }

alive_for() { [ $(($(property WatchdogTimestampMonotonic) - alive_since)) -gt "$1" ]; }

# Two uplinks, and at the end of each the same servers.
export WEB_LOGIN
WEB_LOGIN=$(printf 'lab:not-a-secret' | base64)
for number in 0 1; do
    uplink_start $number
    web_space carrier$number
    web_listen carrier$number open
    # It answers from the address that was asked, and with -t not only what comes within half a second.
    ip netns exec carrier$number $SOCAT -t 30 "UDP-RECVFROM:53,bind=$WEB_ADDRESS,fork,reuseaddr" \
        EXEC:"bash /lab/dns-answer.sh" 2>>"$OUT/dns.log" &
done
useradd --create-home alice
useradd --create-home bob

# --- how soon it is ready
cd "$PAYLOAD"
wait_for "READY of the service" property_is ActiveState active
# How fast this machine is: the same program in the same sandbox, without anything to do, right before each start.
sed -e '/^\(Restart\|Watchdog\|NotifyAccess\|ExecReload\)/d' -e 's/^Type=.*/Type=oneshot\nRemainAfterExit=yes/' \
    -e 's/^ExecStart=.*/ExecStart=\/usr\/bin\/reachagent --version/' "$(property FragmentPath)" \
    >/run/systemd/system/nothing.service
systemctl daemon-reload
for number in 1 2 3 4 5; do
    systemctl start nothing.service
    mapfile -t pairs < <(systemctl show nothing.service \
        --property=Result,InactiveExitTimestampMonotonic,ActiveEnterTimestampMonotonic)
    step nothing "${pairs[@]}"
    systemctl stop nothing.service
    systemctl restart "$UNIT"
    properties ready ActiveState StatusText InactiveExitTimestampMonotonic ExecMainStartTimestampMonotonic \
        ActiveEnterTimestampMonotonic
done
rm /run/systemd/system/nothing.service
systemctl daemon-reload
try systemctl_status systemctl status --no-pager --lines=3 "$UNIT"
process sandbox
modes modes /etc/reachagent $CONFIG /var/lib/reachagent $JOURNAL /run/reachagent /run/reachagent/events.sock \
    /run/reachagent/control.sock
try security systemd-analyze security --no-pager "$UNIT"

# --- who may ask
usermod --append --groups reachagent alice
try member_status as alice reachagent status --json
try member_events as alice timeout 5 bash -c "socat -u UNIX-CONNECT:/run/reachagent/events.sock - | head -n 1"
try member_history as alice reachagent history --last 5
try stranger_status as bob reachagent status
try stranger_history as bob reachagent history
try stranger_reload as bob reachagent reload

# --- probes, hooks and credentials, from inside the sandbox
cp root.pem /etc/reachagent/root.pem
mkdir -p $DROP_INS /etc/reachagent/hooks.d
printf 'lab:not-a-secret\n' >/root/web-login
chmod 600 /root/web-login
cat >$DROP_INS/credentials.conf <<'CONF'
[Service]
LoadCredential=web-login:/root/web-login
SetCredential=webhook-secret:only-for-the-lab
CONF
cat >/etc/reachagent/hooks.d/10-note <<'HOOK'
#!/bin/sh
# As ping(8) does first: it becomes the user that it is.
echo "note by $(setpriv --reuid "$(id -u)" id -un): ${REACH_FROM_VIA:-} to ${REACH_TO_VIA:-} over ${REACH_INTERFACE:-}"
HOOK
chmod 755 /etc/reachagent/hooks.d/10-note
cat >$CONFIG <<CONF
[interfaces]
kinds = { "up*" = "wired" }

[probe.https]
target = "https://$WEB_HOST/"
ca_file = "root.pem"
interfaces = "each"
interval = "60s"
timeout = "20s"

[probe.login]
target = "https://$WEB_HOST/private"
ca_file = "root.pem"
basic_auth_file = "credential:web-login"
interval = "60s"
timeout = "20s"

[probe.tcp]
target = "tcp://$WEB_ADDRESS:80"
interval = "60s"
timeout = "20s"

[probe.icmp]
target = "icmp://$WEB_ADDRESS"
interval = "60s"
timeout = "20s"

[probe.dns]
target = "dns://$WEB_ADDRESS/$WEB_HOST?type=A"
interval = "60s"
timeout = "20s"

[hook.web]
url = "https://$WEB_HOST/hook"
ca_file = "$PAYLOAD/root.pem"
secret_file = "credential:webhook-secret"
at_start = true

[hook.other]
command = ["/usr/bin/id", "-un"]
user = "bob"
at_start = true

[hook.clings]
command = ["/etc/reachagent/clings"]
timeout = "3s"
at_start = true
CONF
# What it leaves has neither its parent nor its session nor its environment, and takes no TERM.
cat >/etc/reachagent/clings <<'HOOK'
#!/bin/sh
cat /proc/self/cgroup
(setsid sh -c 'trap "" TERM; echo "it clings on"; exec env -i sleep 98765' &)
sleep 1000
HOOK
chmod 755 /etc/reachagent/clings
# Debian lets nobody ping without a privilege but its own ping, unless its administrator says so.
step ping_group_range before="$(cat /proc/sys/net/ipv4/ping_group_range)"
echo "0 2147483647" >/proc/sys/net/ipv4/ping_group_range
systemctl daemon-reload
mark
try configure systemctl restart "$UNIT"
# A command of root's finds the credentials of the service that runs.
try check_config reachagent config check
try online as alice reachagent wait-online --for full --timeout 60s
for probe in https login tcp icmp dns; do wait_journal "$(verdict_of $probe)"; done
for number in 0 1; do wait_journal "$(verdict_of https "\"interface\":\"up$number\",")"; done
properties online_status StatusText
wait_journal '"type":"reachagent.hook.completed".*"hook":"other"'
wait_journal '"type":"reachagent.hook.completed".*"hook":"10-note"'
wait_journal '"type":"reachagent.hook.completed".*"hook":"web"'
as alice reachagent status --json >"$OUT/status.json"
try hooks_status as alice reachagent status
try hooks_list reachagent hooks list
wait_journal '"type":"reachagent.hook.completed".*"hook":"clings"'
step clinging_hook line="$(journal | grep '"hook":"clings"' | tail -n 1)"
# The brackets keep grep from finding itself.
clinging() { { cat /proc/[0-9]*/cmdline 2>/dev/null || true; } | tr '\0' ' ' | grep 'sleep 9876[5]'; }
groups=/sys/fs/cgroup/system.slice/$UNIT
no_runs() { [ -z "$(find $groups/hooks -mindepth 1 -type d)" ]; }
# The hook may have been started once more by the next event.
wait_for "the end of all runs' groups" no_runs
try clinging clinging
step hook_groups agent="$(cat $groups/agent/cgroup.procs)" main="$(property MainPID)" tasks="$(cat $groups/hooks/pids.max)" \
    memory="$(cat $groups/hooks/memory.max)" runs="$(find $groups/hooks -mindepth 1 -type d | wc -l)"
step refused_hook line="$(journal | grep '"hook":"other"' | tail -n 1)"

# --- the same with the drop-in that lets hooks be others
other_users=$(find /usr/share/doc/reachagent /usr/lib/reachagent -name 'hooks-as-other-users.conf' 2>/dev/null | head -n 1)
step other_users_drop_in path="$other_users"
if [ -n "$other_users" ]; then
    cp "$other_users" $DROP_INS/
    systemctl daemon-reload
    mark
    try other_users systemctl restart "$UNIT"
    wait_journal '"type":"reachagent.hook.completed".*"hook":"other"'
    step other_hook line="$(journal | grep '"hook":"other"' | tail -n 1)"
    process other_users_sandbox
    rm $DROP_INS/hooks-as-other-users.conf
    systemctl daemon-reload
    systemctl restart "$UNIT"
fi

# --- the kernel's messages reach it in there, and what it says follows
wait_for "readiness" as alice reachagent wait-online --for full --timeout 60s
mark
step uplink_down
ip link set up0 down
wait_journal '"type":"reachagent.reachability.changed".*"to":{"via":"wired".*"interface":"up1"'
step failed_over
# The run of a change before the mark may end after it.
wait_journal '"type":"reachagent.hook.completed".*"hook":"10-note".* over up1'
step note_hook line="$(journal | grep '"hook":"10-note"' | tail -n 1)"
properties failed_over_status StatusText
uplink_up 0

# --- reload: a good file, a bad file
cp $CONFIG /run/good.toml
printf '\n[target.office]\naddress = "10.64.1.1"\n' >>$CONFIG
properties before_reload MainPID
try reload_good systemctl reload "$UNIT"
as alice reachagent status --json >"$OUT/status-good.json"
printf '\n[probe.more]\ntarget = "tcp://web.test:80"\nintervall = "1s"\n[probe.none]\ntarget = "gopher://x/"\n' >>$CONFIG
try reload_bad systemctl reload "$UNIT"
try reload_bad_log journalctl --no-pager --unit="$UNIT" --lines=20 --output=cat
try reload_bad_direct reachagent reload
properties after_reload ActiveState SubState MainPID StatusText
as alice reachagent status --json >"$OUT/status-bad.json"

# --- the state, when asked for by a signal
step dump
systemctl kill --kill-whom=main --signal=SIGUSR1 "$UNIT"
try alive as alice reachagent status
wait_for "the state in the log" bash -c "journalctl --unit=$UNIT --output=cat | grep -c 'office' | grep -vx 0"
try dump_log journalctl --no-pager --unit="$UNIT" --lines=60 --output=cat

# --- stuck: the watchdog ends it, and it is started again
cp /run/good.toml $CONFIG
printf '[Service]\nWatchdogSec=5s\n' >$DROP_INS/watchdog.conf
systemctl daemon-reload
systemctl restart "$UNIT"
properties before_stop MainPID NRestarts WatchdogUSec
step stop_signal newest="$(journal | tail -n 1 | sed -E 's/.*"seq":([0-9]+).*/\1/')"
kill -STOP "$(property MainPID)"
wait_for "restart by the watchdog" property_is NRestarts 1
wait_for "READY after the watchdog" property_is ActiveState active
properties after_stop MainPID NRestarts ActiveState
try after_stop_status as alice reachagent status
try watchdog_log journalctl --no-pager --unit="$UNIT" --lines=40 --output=cat
# In normal work it is not ended: its signs of life go on for more than two periods.
alive_since=$(property WatchdogTimestampMonotonic)
wait_for "signs of life" alive_for 11000000
properties undisturbed NRestarts ActiveState
rm $DROP_INS/watchdog.conf
systemctl daemon-reload

# --- misconfigured at its start: it ends with 78, and is left alone
echo 'nonsense = true' >$CONFIG
try bad_start systemctl restart "$UNIT"
wait_for "failure of the service" property_is ActiveState failed
properties bad_start_state ActiveState SubState Result ExecMainStatus NRestarts
try bad_start_log journalctl --no-pager --unit="$UNIT" --lines=10 --output=cat
# A connection to systemd's socket starts it once, and not again as long as it is queued.
systemctl reset-failed "$UNIT"
systemctl start reachagent.socket
before_refusal=$(journalctl --quiet --lines=0 --show-cursor | sed -n 's/^-- cursor: //p')
try refused_connect as alice reachagent status
wait_for "failure of the service" property_is ActiveState failed
journalctl --sync
# Without --unit=, with which journalctl leaves out the first entry that is behind the cursor.
step refused_starts count="$(journalctl --after-cursor="$before_refusal" --output=cat | grep -c "^Starting $UNIT" || true)"
systemctl stop reachagent.socket
cp /run/good.toml $CONFIG

# --- socket activation: whoever connects starts it
systemctl reset-failed "$UNIT"
try socket_start systemctl start reachagent.socket
properties before_connect ActiveState
modes socket_modes /run/reachagent /run/reachagent/events.sock /run/reachagent/control.sock
try connect as alice reachagent status
properties after_connect ActiveState
try activated as alice timeout 5 bash -c "socat -u UNIX-CONNECT:/run/reachagent/events.sock - | head -n 1"
systemctl stop "$UNIT" reachagent.socket
modes sockets_after_stop /run/reachagent/events.sock

# --- network-online.target waits for it
ip link set up0 down
ip link set up1 down
systemctl start "$UNIT"
try wait_online_enable systemctl enable reachagent-wait-online.service
systemctl start --no-block network-online.target
wait_for "the wait" bash -c '[ "$(systemctl is-active reachagent-wait-online.service)" = activating ]'
try offline_target systemctl is-active network-online.target
step link_up
uplink_up 1
wait_for "network-online.target" systemctl is-active network-online.target
try wait_online systemctl show reachagent-wait-online.service --property=Result,ExecMainStatus,ActiveState
step online_order wait_online="$(systemctl show reachagent-wait-online --property=ActiveEnterTimestampMonotonic --value)" \
    target="$(systemctl show network-online.target --property=ActiveEnterTimestampMonotonic --value)"

# --- stopped
try stop systemctl stop "$UNIT"
properties stopped ActiveState SubState Result ExecMainStatus
