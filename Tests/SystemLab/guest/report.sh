# Runs the scenarios one after the other and reports on each (ttyS2), as the last thing that a guest does. The contract
# of both kinds of guest is here; for the shells of busybox and Debian.
export HOME=/root TZ=UTC PAYLOAD=/payload
GROUP=/sys/fs/cgroup/scenario
for port in ttyS1 ttyS2; do stty -F /dev/$port raw -echo; done
. /lab/run.conf
. /lab/clean.sh
[ -z "$LAB_LIBRARIES" ] || export LD_LIBRARY_PATH=$LAB_LIBRARIES
uptime() { cut -d' ' -f1 /proc/uptime; }

# play NAME LIMIT [ARG...]: what the scenario starts is in a control group, whatever it daemonizes, and ends with it.
play() {
    local name=$1 limit=$2 status=0 begin late
    shift 2
    export OUT=/out/$name
    mkdir -p "$OUT" $GROUP
    rm -f /lab/output
    mkfifo /lab/output
    begin=$(uptime)
    echo "started $name $begin" >&3
    tee "$OUT/output.txt" </lab/output >/dev/ttyS1 3>&- &
    (
        echo 0 >$GROUP/cgroup.procs
        cd $PAYLOAD && exec timeout -s KILL "$limit" "/lab/scenarios/$name.sh" "$@"
    ) </dev/null >/lab/output 2>&1 3>&- &
    wait $! || status=$?
    late=$(($(cut -d. -f1 /proc/uptime) - ${begin%.*} - limit))
    [ $status -ne 137 ] || [ $late -lt 0 ] || status=124
    echo 1 >$GROUP/cgroup.kill
    until grep -q 'populated 0' $GROUP/cgroup.events; do sleep 0.1; done
    wait                                    # for the last of its output
    rmdir $GROUP
    tar -czf /lab/out.tar.gz -C "$OUT" .
    echo "exited $name $status $(uptime) $(stat -c %s /lab/out.tar.gz)" >&3
    cat /lab/out.tar.gz >&3
}

exec 3>/dev/ttyS2
echo "booted $(uptime)" >&3
clean_remember
for entry in $LAB_SCENARIOS; do
    IFS=: read -r name limit package <<END
$entry
END
    if ! clean_state "$package" >/lab/clean.log 2>&1 </dev/null; then
        { echo "no clean state for $name:"; cat /lab/clean.log; } >/dev/console
        break
    fi
    play "$name" "$limit" "$@"
done
echo "ended $(uptime)" >&3
exec 3>&-                                   # returns when the port has sent everything
busybox poweroff -f
