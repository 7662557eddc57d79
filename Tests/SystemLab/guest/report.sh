# Runs the scenario and reports on it (ttyS2), as the last thing that a guest does. The contract of both
# kinds of guest is here; for the shells of busybox and Debian.
export HOME=/root TZ=UTC OUT=/out PAYLOAD=/payload
for port in ttyS1 ttyS2; do stty -F /dev/$port raw -echo; done
. /lab/run.conf
[ -z "$LAB_LIBRARIES" ] || export LD_LIBRARY_PATH=$LAB_LIBRARIES
chmod +x "$LAB_SCENARIO"
cd $PAYLOAD
uptime() { cut -d' ' -f1 /proc/uptime; }

exec 3>/dev/ttyS2
echo "started $(uptime)" >&3
"$LAB_SCENARIO" "$@" </dev/null >/dev/ttyS1 2>&1 3>&- &
scenario=$!
(sleep "$LAB_LIMIT"; : >/run/too-slow; kill -9 $scenario) 3>&- >/dev/null 2>&1 &
wait $scenario
status=$?
[ ! -e /run/too-slow ] || status=124
kill -9 -1                                  # daemons must not write to what is packed now
echo "exited $status $(uptime)" >&3
tar -cz -C $OUT . | cat >&3              # some will not write to a terminal themselves
exec 3>&-                                   # returns when the port has sent everything
busybox poweroff -f
