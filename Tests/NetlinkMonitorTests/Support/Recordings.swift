/// Message sequences that a real kernel sent (Linux 6.1, mac80211_hwsim and wwan_hwsim), line by line as recorded.
enum Recordings {
    /// A Wi-Fi station goes up, associates, gets its keys, an address and a default route.
    static let association = """
        3.445 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,RUNNING> oper=unknown carrier=0 parent=/hwsim1
        3.770 ---- sta: wpa_supplicant start
        3.857 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> oper=down carrier=0 parent=/hwsim1
        3.944 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> oper=down carrier=0 parent=/hwsim1
        4.339 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> WIRELESS[16]=0x8b19/SIOCGIWSCAN
        4.437 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> oper=dormant carrier=1 parent=/hwsim1
        4.441 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> WIRELESS[98]=0x8c07/IWEVASSOCREQIE
        4.441 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> WIRELESS[47]=0x8c08/IWEVASSOCRESPIE
        4.442 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> WIRELESS[24]=0x8b15/SIOCGIWAP
        4.503 NEWROUTE v6 ff00::/8 type=multicast table=255 oif=3 metric=256 proto=kernel
        4.520 NEWROUTE v6 fe80::/64 type=unicast table=254 oif=3 metric=256 proto=kernel
        4.531 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,RUNNING,LOWER_UP> oper=up carrier=1 parent=/hwsim1
        4.580 ---- associated
        4.945 NEWADDR idx=3 192.168.50.2/24 scope=global flags=0x80
        4.947 NEWROUTE v4 192.168.50.2/32 type=local table=255 oif=3 proto=kernel
        4.948 NEWROUTE v4 192.168.50.0/24 type=unicast table=254 oif=3 proto=kernel
        4.949 NEWROUTE v4 192.168.50.255/32 type=broadcast table=255 oif=3 proto=kernel
        4.981 NEWROUTE v4 0.0.0.0/0 type=unicast table=254 via=192.168.50.1 oif=3 metric=600 proto=boot
        6.126 NEWADDR idx=3 fe80::ff:fe00:100/64 scope=link flags=0x80
        6.126 NEWROUTE v6 fe80::ff:fe00:100/128 type=local table=255 oif=3 metric=0 proto=kernel
        """

    /// The station roams to another access point.
    static let roam = """
        8.175 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,RUNNING,LOWER_UP> WIRELESS[16]=0x8b19/SIOCGIWSCAN
        8.360 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> oper=down carrier=0 parent=/hwsim1
        8.375 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> WIRELESS[24]=0x8b15/SIOCGIWAP
        8.401 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> WIRELESS[98]=0x8c07/IWEVASSOCREQIE
        8.401 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> WIRELESS[24]=0x8b15/SIOCGIWAP
        8.401 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> oper=dormant carrier=1 parent=/hwsim1
        8.436 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,RUNNING,LOWER_UP> oper=up carrier=1 parent=/hwsim1
        """

    /// The access point ends: the wireless event comes before the message that the carrier is lost.
    static let accessPointEnds = """
        15.471 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,RUNNING> WIRELESS[24]=0x8b15/SIOCGIWAP
        15.478 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> oper=dormant carrier=0 parent=/hwsim1
        15.762 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> WIRELESS[16]=0x8b19/SIOCGIWSCAN
        15.885 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST> oper=down carrier=0 parent=/hwsim1
        """

    /// The radio is blocked, and then the device is removed; nobody says that the IPv4 default route is gone.
    static let removal = """
        17.119 NEWLINK idx=3 name=wlan1 type=1 flags=<BROADCAST> oper=down carrier=0 parent=/hwsim1
        17.119 DELROUTE v6 fe80::/64 type=unicast table=254 oif=3 metric=256 proto=kernel
        17.120 DELADDR idx=3 fe80::ff:fe00:100/64 scope=link flags=0x80
        17.710 ---- rmmod (device removal)
        18.295 DELADDR idx=3 192.168.50.2/24 scope=global flags=0x80
        18.295 DELROUTE v4 192.168.50.2/32 type=local table=255 oif=3 proto=kernel
        18.297 DELLINK idx=3 name=wlan1 type=1 flags=<BROADCAST>
        """

    /// A modem goes up, gets an address and a default route, is removed, and comes back under its old name.
    static let modem = """
        2.069 NEWLINK idx=2 name=wwan0 type=65534 flags=<UP,POINTOPOINT,RUNNING,NOARP,LOWER_UP> oper=unknown kind=wwan
        2.097 NEWADDR idx=2 fe80::e4f0:74a5:5ef5:1d53/64 scope=link flags=0x880
        2.456 NEWADDR idx=2 10.64.0.2/30 scope=global flags=0x80
        2.494 NEWROUTE v4 0.0.0.0/0 type=unicast table=254 via=10.64.0.1 oif=2 metric=700 proto=boot
        6.181 NEWLINK idx=2 name=wwan0 type=65534 flags=<POINTOPOINT,NOARP> oper=down kind=wwan parent=/wwan0
        6.183 DELADDR idx=2 fe80::e4f0:74a5:5ef5:1d53/64 scope=link flags=0x880
        6.186 DELADDR idx=2 10.64.0.2/30 scope=global flags=0x80
        6.190 DELLINK idx=2 name=wwan0 type=65534 flags=<POINTOPOINT,NOARP>
        6.717 NEWLINK idx=4 name=wwan0 type=65534 flags=<POINTOPOINT,NOARP> oper=down kind=wwan parent=/wwan0
        """
}
