import AgentEvents

/// Statuses as an operator meets them, as the agent's JSON.
enum StatusScenes {
    /// The scenes of which whole screens are frozen.
    static let all: [(name: String, members: String)] = [
        ("one-uplink", oneUplink), ("two-uplinks", twoUplinks), ("two-families", twoFamilies),
        ("standby-dead", standbyDead),
        ("preferred-dead", preferredDead), ("link-down", linkDown), ("portal", portal), ("http-500", serverError),
        ("rejected-reload", rejectedReload),
        ("intercepted", intercepted), ("no-probe", noProbe), ("journal-degraded", journalDegraded), ("hooks", hooks),
        ("many-probes", manyProbes), ("sinks", sinks), ("port-unavailable", portUnavailable),
        ("long-names", longNames),
    ]

    static let oneUplink = members(
        state(wlan0, #""connectivity":"full","connectivity_by_family":{"ipv4":"full","ipv6":"full"}"#),
        list("probes", probe("web", certificateDays: 61), probe("portal")),
        list("uplinks", uplink("wlan0", "wifi", "full", isUsed: true)),
        list("interfaces", loopback, interface("wlan0", "wifi", "192.0.2.17/24", "2001:db8:2::17/64")),
        list("default_routes", route("wlan0", 600, "192.0.2.1"), route("wlan0", 600, "fe80::1", "ipv6")),
        healthy
    )

    static let twoUplinks = members(
        state(wlan0, #""connectivity":"full""#),
        list(
            "probes",
            probe("api"),
            probe("web", certificateDays: 9),
            probe("portal"),
            probe("web", "up", #""interface":"wwan0","family":"ipv4""#)
        ),
        uplinks(standby: "full"),
        list(
            "availability",
            availability(nil, 2_591_740),
            availability("wlan0", 2_590_000),
            availability("wwan0", 2_591_999)
        ),
        healthy
    )

    static let twoFamilies = members(
        state(
            #""via":"wwan","interface":"usb0","kind":"wwan","gateway":"198.51.100.1","metric":50"#,
            ipv6: #""via":"wired","interface":"eth0","kind":"wired","gateway":"fe80::1","metric":100"#,
            via: "wwan",
            #""connectivity":"full","connectivity_by_family":{"ipv4":"full","ipv6":"full"}"#
        ),
        list("probes", probe("web"), probe("portal")),
        list("uplinks", uplink("usb0", "wwan", "full", isUsed: true), uplink("eth0", "wired", "full", isUsed: true)),
        list(
            "interfaces",
            loopback,
            interface("usb0", "wwan", "198.51.100.2/30"),
            interface("eth0", "wired", "192.0.2.17/24", "2001:db8:2::17/64")
        ),
        list("default_routes", route("usb0", 50, "198.51.100.1"), route("eth0", 100, "fe80::1", "ipv6")),
        healthy
    )

    static let rejectedReload = members(
        oneUplink.replacing(
            #""loaded":"2026-11-20T21:26:00Z""#,
            with: #"""
                "loaded":"2026-11-20T21:26:00Z","rejected":{"time":"2026-11-21T01:25:00Z","errors":[\#
                "/etc/reachagent/reachagent.toml:7:1: probe.web.rise: expected 1 to 1000, got 0"],"errors_omitted":3}
                """#
        )
    )

    static let portUnavailable = members(
        oneUplink.replacing(
            #""limit":4096"#,
            with: #"""
                "limit":4096,"unavailable":[{"address":"192.0.2.17:9718","detail":"Cannot assign requested address"},\#
                {"address":"[::1]:9718","detail":"Address already in use"}]
                """#
        )
    )

    static let standbyDead = members(
        state(wlan0, #""connectivity":"full""#),
        list(
            "probes",
            probe(
                "web",
                "down",
                #""interface":"wwan0","family":"ipv4","code":"connect_timeout","detail":"203.0.113.9:443""#
            ),
            probe("api"),
            probe("web"),
            probe("portal")
        ),
        uplinks(standby: "local", #""reason":{"code":"connect_timeout","probe":"web"}"#),
        healthy
    )

    static let preferredDead = members(
        state(
            #""via":"none","interface":"eth0","kind":"wired","reason":"link_down","metric":100"#,
            via: "none",
            #""connectivity":"none","reason":"link_down","alternative":{"code":"preferred_path_dead","preferred":"eth0","#
                + #""interface":"wwan0"}"#
        ),
        list(
            "probes",
            probe("web", "unknown", #""code":"link_down","detail":"eth0: no carrier""#),
            probe("web", "up", #""interface":"wwan0""#)
        ),
        list("uplinks", uplink("eth0", "wired", "none", isUsed: true), uplink("wwan0", "wwan", "full")),
        list("interfaces", down("eth0", "wired", "no carrier"), interface("wwan0", "wwan", "198.51.100.2/30")),
        list("default_routes", route("eth0", 100, "192.0.2.1"), route("wwan0", 700, "198.51.100.1")),
        healthy
    )

    static let linkDown = members(
        state(
            #""via":"none","reason":"no_route""#,
            via: "none",
            #""connectivity":"none","reason":"no_route""#
        ),
        list(
            "interfaces",
            loopback,
            down("eth0", "wired", "no carrier"),
            down("wlan0", "wifi", "administratively down")
        ),
        healthy
    )

    static let login = "http://login.cafe.example/start?client=00-11-22-33-44-55&to=aHR0cDovL2Nvbm5lY3Rpdml0eQ"
    static let portal = members(
        state(
            wlan0,
            #""connectivity":"portal","connectivity_reason":"portal_redirect","connectivity_probe":"open","#
                + #""portal_url":"\#(login)""#
        ),
        list(
            "probes",
            probe("open", "portal", #""code":"portal_redirect","portal_url":"\#(login)""#),
            probe(
                "web",
                "down",
                #""code":"tls_hostname","detail":"names login.cafe.example; wanted web.example","family":"ipv4""#
            ),
            probe("open", "up", #""interface":"wwan0","family":"ipv4""#)
        ),
        uplinks(standby: "full"),
        changes,
        healthy
    )

    static let serverError = members(
        state(
            wlan0,
            #""connectivity":"partial","connectivity_reason":"http_status","connectivity_probe":"api""#
        ),
        list(
            "probes",
            probe("api", "down", #""code":"http_status","detail":"500; wanted 200-299""#),
            probe("web", certificateDays: 9),
            probe("portal"),
            probe("web", "up", #""interface":"wwan0","family":"ipv4""#)
        ),
        uplinks(standby: "full"),
        changes,
        healthy
    )

    static let intercepted = members(
        state(
            wlan0,
            #""connectivity":"partial","connectivity_reason":"tls_intercepted","#
                + #""connectivity_by_family":{"ipv4":"partial","ipv6":"local"},"flapping":true"#
        ),
        list(
            "probes",
            probe(
                "web",
                "down",
                #""code":"tls_untrusted_root","detail":"issued by CN=Corporate Proxy","pins":[{"pin":"sha256//AAAA","#
                    + #""matched":false},{"pin":"sha256//BBBB","matched":true,"backup":true}]"#
            ),
            probe("imap", "up", #""flapping":true"#),
            #"""
            {"probe":"dns","verdict":"up","since":"2026-11-21T01:14:00Z","for_ms":720000,"streak":1,\#
            "last":"2026-11-21T01:25:58Z","last_outcome":"failed","last_code":"dns_timeout",\#
            "detail":"192.0.2.53 did not answer","latency_ms":5000}
            """#,
            #"{"probe":"new","verdict":"unknown","streak":0}"#
        ),
        list("uplinks", uplink("wlan0", "wifi", "unknown", isUsed: true)),
        changes,
        healthy
    )

    static let longNames = members(
        state(
            wlan0,
            #""connectivity":"partial","connectivity_reason":"connect_refused","#
                + #""connectivity_probe":"warehouse-berlin-router-management-page1""#
        ),
        list(
            "probes",
            probe(
                "warehouse-berlin-router-management-page1",
                "down",
                #""code":"connect_refused","last_code":"connect_timeout","detail":"192.0.2.9:443""#
            ),
            probe("sensors", "down", #""code":"connect_refused","last_code":"connect_timeout","flapping":true"#),
            probe("web")
        ),
        list("uplinks", uplink("wlan0", "wifi", "partial", isUsed: true)),
        healthy
    )

    static let noProbe = members(
        state(wlan0, #""connectivity":"unknown""#),
        list("uplinks", uplink("wlan0", "wifi", "unknown", isUsed: true)),
        list("interfaces", loopback, interface("wlan0", "wifi", "192.0.2.17/24")),
        list("default_routes", route("wlan0", 600, "192.0.2.1")),
        healthy
    )

    static let journalDegraded = members(
        state(wlan0, #""connectivity":"full""#),
        list("probes", probe("web")),
        uplinks(standby: "full"),
        #"""
        "journal":{"directory":"/var/lib/reachagent/journal","oldest_seq":1,"newest_seq":48209,"segments":4,"bytes":9000000,\#
        "degraded":true,"code":"journal_write_failed","detail":"cannot write: No space left on device","missing":[\#
        {"first_seq":4,"last_seq":5},{"first_seq":48210,"last_seq":48211}],"sync":"interval","sync_ms":1000},\#
        "synchronized":false,"overruns":{"count":2,"code":"netlink_overrun","last":"2026-11-21T01:25:30Z"},\#
        "sockets":{"events":"/run/reachagent/events.sock","connections":16,"limit":16}
        """#
    )

    static let sinks = members(
        state(wlan0, #""connectivity":"full""#),
        list("probes", probe("web")),
        uplinks(standby: "full"),
        list(
            "sinks",
            #"""
            {"name":"fleet","broker":"tls://nats.example.org","state":"waiting","since":"2026-11-21T01:20:00Z",\#
            "code":"broker_denied","detail":"the broker refuses the credentials","acknowledged_seq":48100,\#
            "acknowledged_time":"2026-11-21T01:19:58Z","pending":111,"lost":0}
            """#,
            #"{"name":"home","broker":"mqtts://mqtt.example.org","state":"absent","pending":48211,"lost":0}"#,
            #"""
            {"name":"plant","broker":"nats://192.0.2.9","state":"connected","since":"2026-11-20T01:27:00Z",\#
            "acknowledged_seq":48211,"acknowledged_time":"2026-11-21T01:25:57Z","pending":0,"lost":12}
            """#
        ),
        healthy
    )

    static let hooks = members(
        state(wlan0, #""connectivity":"full""#),
        list("probes", probe("web")),
        uplinks(standby: "full"),
        list(
            "hooks",
            hook(
                "vpn",
                #""failures":4,"paused_ms":2000"#,
                #""outcome":"exited","exit_status":3,"duration_ms":1234,"output":"wg: \u001b[2JUnable to access""#
            ),
            hook(
                "20-led",
                #""failures":1"#,
                #""outcome":"refused","refusal":{"code":"hook_writable","path":"/etc/reachagent/hooks.d/20-led","#
                    + #""evidence":"mode 0777","remedy":"chmod go-w /etc/reachagent/hooks.d/20-led","#
                    + #""command":"chmod go-w /etc/reachagent/hooks.d/20-led"},"duration_ms":0"#
            ),
            hook(
                "it's slow",
                #""failures":3,"paused_ms":900"#,
                #""outcome":"timed_out","duration_ms":30004,"output":"waiting""#
            ),
            hook(
                "chat",
                #""failures":9,"paused_ms":64000"#,
                #""outcome":"undelivered","http_status":503,"code":"http_status","detail":"503; wanted 200-299","#
                    + #""attempts":6,"duration_ms":63000"#
            ),
            hook("fork", #""failures":3"#, #""outcome":"not_started","reason":"Resource temporarily unavailable""#),
            hook("10-log", #""failures":2,"running":1"#, #""outcome":"exited","exit_status":1"#),
            #"{"hook":"new","kind":"file","runs":0}"#,
            "7"
        ),
        healthy
    )

    static let manyProbes = members(
        state(
            wlan0,
            #""connectivity":"local","connectivity_reason":"dns_timeout","connectivity_probe":"unknown1""#
        ),
        list(
            "probes",
            (1...22).map { probe("down\($0)", "down", #""code":"connect_timeout","detail":"192.0.2.\#($0):443""#) }
                + (1...10).map { probe("unknown\($0)", "unknown", #""code":"dns_timeout""#) }
                + (1...30).map { probe("p\($0)") }
        ),
        #""probes_omitted":9938"#,
        list("uplinks", uplink("wlan0", "wifi", "unknown", isUsed: true)),
        list("default_routes", route("wlan0", 600, "192.0.2.1")),
        changes,
        healthy
    )
}
