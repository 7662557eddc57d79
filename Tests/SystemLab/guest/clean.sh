# The state that each scenario begins with: no interface, network namespace, route, rule, module or file of the one
# before. Its processes have ended by then. Sourced by report.sh, for the shells of busybox and Debian.

IP=/usr/bin/ip        # busybox's shell would take its own

# clean_remember: what is there before the first scenario stays.
clean_remember() {
    used=
    cut -d' ' -f1 /proc/modules >/lab/modules
    ls -A /run >/lab/run-files
    cp /etc/hosts /lab/hosts
    if [ -n "$LAB_SYSTEMD" ]; then
        mkdir -p /lab/accounts
        cp -p /etc/passwd /etc/group /etc/shadow /etc/gshadow /lab/accounts/
    fi
}

# clean_state PACKAGE: for the next scenario, with the agent's package installed or absent. Nothing is there to clean
# before the first one.
clean_state() {
    if [ -n "$used" ]; then
        echo none >/sys/power/pm_test
        [ -z "$LAB_SYSTEMD" ] || clean_system
        clean_network || return
        clean_files
    fi
    used=yes
    [ "$1" = absent ] || DEBIAN_FRONTEND=noninteractive dpkg --install /lab/package.deb
}

clean_network() {
    local name rest
    # An interface that outlives its program holds its module, hence interfaces first.
    for name in $(ls /sys/class/net); do
        [ "$name" = lo ] || $IP link delete dev "$name" 2>/dev/null
    done
    for name in $(ls /run/netns 2>/dev/null); do $IP netns delete "$name"; done
    # What makes interfaces goes, and with it those that cannot be deleted; what such modules share stays loaded, hence
    # one look at all of them.
    for name in $(awk '$3 == 0 { print $1 }' /proc/modules); do
        grep -qx "$name" /lab/modules || rmmod "$name"
    done
    for name in -4 -6; do
        $IP $name rule flush
        $IP $name rule add lookup main priority 32766
        [ $name = -6 ] || $IP rule add lookup default priority 32767
        $IP $name route flush table main 2>/dev/null
    done
    rest=$(ls /sys/class/net | grep -vx -e lo -e bonding_masters)
    [ -z "$rest" ] || { echo "interfaces that stay: $rest"; cat /proc/modules; return 1; }
}

clean_files() {
    local name
    cp /lab/hosts /etc/hosts
    for name in $(ls -A /run); do
        # A directory in a whole system's /run may be anybody's.
        grep -qx "$name" /lab/run-files || { [ -n "$LAB_SYSTEMD" ] && [ -d "/run/$name" ]; } || rm -rf "/run/$name"
    done
    rm -rf /tmp/* /var/tmp/*
}

# A scenario of the package may leave it in any state, and what an administrator has made.
clean_system() {
    local name
    if [ -e /var/lib/dpkg/info/reachagent.list ]; then
        systemctl stop reachagent.service reachagent.socket
        ! mountpoint --quiet /var/lib/reachagent || umount /var/lib/reachagent
        DEBIAN_FRONTEND=noninteractive dpkg --purge reachagent
    fi
    rm -rf /etc/reachagent /var/lib/reachagent /etc/systemd/system/reachagent* /home/*
    for name in passwd group shadow gshadow; do cp -p /lab/accounts/$name /etc/$name; done
    systemctl daemon-reload
    systemctl reset-failed
}
