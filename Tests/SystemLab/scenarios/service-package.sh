#!/bin/bash
# The package's life: installed, upgraded twice with another conffile, removed, purged.
# Payload: one reachagent_*.deb. The later versions are the same package with another number and conffile.
# lab: guest=systemd limit=900
. /lab/lib.sh
. /lab/service.sh
FIRST=$(echo "$PAYLOAD"/reachagent_*.deb)
NUMBER=$(dpkg-deb --field "$FIRST" Version)

# Every path of the system, but for what dpkg and apt write down about their work, and the journal of the system.
paths() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/tmp -o -path /out \
        -o -path /payload -o -path /lab -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /home \
        -o -path /var/lib/dpkg/info \) -prune -o -print
    find /run -path '*reachagent*' ! -path '/run/credentials*'
    find /var/lib/dpkg/info -name 'reachagent*'
}
sum() { sha256sum "$1" 2>/dev/null | cut -c1-64; }

# next_version SUFFIX TEXT: the package again, a later version, with TEXT at the end of its conffile.
TREE=/var/tmp/tree
next_version() {
    cp $TREE.control $TREE/DEBIAN/control
    cp $TREE.conffile $TREE$CONFIG
    sed -i "s/^Version: .*/Version: $NUMBER+lab$1/" $TREE/DEBIAN/control
    printf '\n# %s\n' "$2" >>$TREE$CONFIG
    dpkg-deb --root-owner-group -Znone --build $TREE "/var/tmp/reachagent_lab$1.deb" >/dev/null
}

# look NAME: the package, its service and its conffile, now.
look() {
    wait_for "READY of the service" property_is ActiveState active
    step "$1" version="$(dpkg-query --showformat '${Version}' --show reachagent)" \
        enabled="$(systemctl is-enabled $UNIT)" pid="$(property MainPID)" conffile="$(sum $CONFIG)" \
        last="$(tail -n 1 $CONFIG)" beside="$(cd /etc/reachagent && echo *.dpkg-*)" \
        newest="$(journal | tail -n 1 | sed -E 's/.*"seq":([0-9]+).*/\1/')"
}

paths | sort >/var/tmp/before
uplink_start 0
cd "$PAYLOAD" || exit
try install apt install --yes ./reachagent_*.deb
look installed
properties installed_service ActiveState SubState Type UnitFileState User NRestarts NeedDaemonReload
dpkg --listfiles reachagent >"$OUT/files.txt"
try verify dpkg --verify reachagent

dpkg-deb --raw-extract /lab/package.deb $TREE
cp $TREE/DEBIAN/control $TREE.control
cp $TREE$CONFIG $TREE.conffile
! grep -q ' etc/reachagent/reachagent.toml$' $TREE/DEBIAN/md5sums 2>/dev/null || fail "the conffile is in md5sums"
next_version 1 "what the second version says"
next_version 2 "what the third version says"
rm -r $TREE
step versions_made
cd /var/tmp || exit
# Nobody has touched the file: it follows, and nobody is asked.
try upgrade apt install --yes ./reachagent_lab1.deb
look upgraded
# An administrator's file stays, also when nothing can be asked.
printf '\n[settle]\nup = "100ms"\n# what the administrator says\n' >>$CONFIG
step edited conffile="$(sum $CONFIG)"
try upgrade_kept apt install --yes -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    ./reachagent_lab2.deb
look kept

# What an administrator may have done besides.
systemctl enable reachagent-wait-online.service
systemctl enable --now reachagent-wait-online@other.service
printf '[probe.extra]\ntarget = "tcp://10.64.0.1:1"\n' >/etc/reachagent/reachagent.toml.d/extra.toml
journal >"$OUT/journal-installed.jsonl"

try remove apt remove --yes reachagent
properties removed LoadState ActiveState
modes removed_modes /usr/bin/reachagent $CONFIG /etc/reachagent/reachagent.toml.d/extra.toml $JOURNAL
try removed_status dpkg-query --showformat '${db:Status-Status}' --show reachagent

# Back again: what was there goes on.
try install_again apt install --yes -o Dpkg::Options::=--force-confold ./reachagent_lab2.deb
look again
journal >"$OUT/journal-again.jsonl"

# The journal on a file system of its own.
systemctl stop $UNIT
mkdir /var/tmp/disk
mv $JOURNAL /var/tmp/disk
mount --bind /var/tmp/disk /var/lib/reachagent
systemctl start $UNIT
try purge apt purge --yes reachagent
properties purged LoadState ActiveState
modes purged_disk /var/lib/reachagent $JOURNAL
umount /var/lib/reachagent
rmdir /var/lib/reachagent /var/tmp/disk
try purged_user getent passwd reachagent
paths | sort >/var/tmp/after
comm -13 /var/tmp/before /var/tmp/after >"$OUT/left-behind.txt"
comm -23 /var/tmp/before /var/tmp/after >"$OUT/taken-away.txt"
try failed_units systemctl --failed --plain --no-legend
