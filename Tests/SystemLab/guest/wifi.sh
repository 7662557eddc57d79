# Real Wi-Fi without a radio: mac80211_hwsim joins all its devices by a simulated medium.
# Sourced as /lab/wifi.sh. wlan1 is the station; wlan0 and wlan2 become access points in a network
# namespace of their own, or the kernel would route between the two ends without any air.
SSID=reachagent-lab
PASSPHRASE="not a secret, only long enough"
AP_SPACE=ap
AP_ADDRESS=192.168.50.1
STATION_ADDRESS=192.168.50.2/24

wifi_load() { # RADIOS
    modprobe mac80211_hwsim radios="$1"
    wait_for "wlan$(($1 - 1))" present "wlan$(($1 - 1))"
    ip netns add $AP_SPACE
    ip -n $AP_SPACE link set lo up
}

# ap_adopt INTERFACE: a namespace takes a whole radio (phy), not one of its interfaces.
ap_adopt() {
    iw phy "$(cat "/sys/class/net/$1/phy80211/name")" set netns name /run/netns/$AP_SPACE
}

ap_start() { # INTERFACE CHANNEL [ADDRESS]
    cat >"/run/hostapd-$1.conf" <<CONF
interface=$1
driver=nl80211
ctrl_interface=/run/hostapd
ssid=$SSID
hw_mode=g
channel=$2
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=$PASSPHRASE
CONF
    ip netns exec $AP_SPACE hostapd -B -P "/run/hostapd-$1.pid" -f "$OUT/hostapd-$1.log" \
        "/run/hostapd-$1.conf" >/dev/null
    [ -z "${3:-}" ] || ip -n $AP_SPACE addr replace "$3/24" dev "$1"
}

ap_signal() { kill "-$2" "$(cat "/run/hostapd-$1.pid")"; } # INTERFACE SIGNAL

# A killed hostapd leaves the kernel sending beacons: only taking the interface down silences it.
ap_kill() {
    ap_signal "$1" KILL
    ip -n $AP_SPACE link set "$1" down
}

ap_deauthenticate() { # INTERFACE STATION
    ip netns exec $AP_SPACE hostapd_cli -p /run/hostapd -i "$1" deauthenticate "$2" >/dev/null
}

ap_bssid() { ip netns exec $AP_SPACE cat "/sys/class/net/$1/address"; }

station_start() {
    # A scan of every channel would take the station off its own one for seconds.
    cat >/run/station.conf <<CONF
ctrl_interface=/run/wpa_supplicant
network={
    ssid="$SSID"
    psk="$PASSPHRASE"
    key_mgmt=WPA-PSK
    scan_freq=2412 2437
    freq_list=2412 2437
}
CONF
    wpa_supplicant -B -i wlan1 -D nl80211 -c /run/station.conf -f "$OUT/station.log" >/dev/null
}

station() { wpa_cli -p /run/wpa_supplicant -i wlan1 "$@"; }
station_bssid() { station status | sed -n 's/^bssid=//p'; }
associated() { operstate wlan1 up && station status | grep -q '^wpa_state=COMPLETED'; }
associated_with() { associated && [ "$(station_bssid)" = "$1" ]; }

# A scan is refused while another one runs, hence one attempt for each look at the results.
station_sees() {
    station scan_results | grep -q "^$1" && return
    station scan freq=2412,2437
    return 1
}

# What a DHCP client does after an association.
station_address() {
    ip addr replace $STATION_ADDRESS dev wlan1
    station_route
}
station_route() { ip route replace default via $AP_ADDRESS dev wlan1 metric 600; }
