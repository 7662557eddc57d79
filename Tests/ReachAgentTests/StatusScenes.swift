import AgentEvents

/// Statuses as an operator meets them, as the agent's JSON.
enum StatusScenes {
    /// The scenes of which whole screens are frozen.
    static let all: [(name: String, members: String)] = [
        ("one-uplink", oneUplink), ("two-uplinks", twoUplinks), ("standby-dead", standbyDead),
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

// MARK: Parts

extension StatusScenes {
    static func members(_ parts: String...) -> String { parts.joined(separator: ",") }

    static func list(_ name: String, _ elements: String...) -> String { list(name, elements) }
    static func list(_ name: String, _ elements: [String]) -> String {
        #""\#(name)":[\#(elements.joined(separator: ","))]"#
    }

    static let healthy = #"""
        "agent":{"version":"0.1.0","host":"edge-7","pid":812,"started":"2026-11-20T01:26:00Z","uptime_ms":86400000},\#
        "last_seq":48211,"journal":{"directory":"/var/lib/reachagent/journal","oldest_seq":1,"newest_seq":48211,\#
        "segments":4,"bytes":9000000,"degraded":false,"missing":[],"sync":"interval","sync_ms":1000},\#
        "sockets":{"events":"/run/reachagent/events.sock","connections":3,"limit":4096},\#
        "configuration":{"files":["/etc/reachagent/reachagent.toml","/etc/reachagent/conf.d/a.toml"],\#
        "loaded":"2026-11-20T21:26:00Z","loaded_for_ms":14400000},"schedule":{"checks":1200,"skipped":1234,"refused":2,"longest_delay_ms":1200,\#
        "bytes":{"wwan":1258291}},"synchronized":true,"overruns":{"count":0}
        """#

    static let changes = #"""
        "recent":[\#
        {"seq":48190,"time":"2026-11-20T20:26:00Z","type":"reachagent.reachability.changed","subject":"default",\#
        "from":"wwan wwan0 IPv4, full","to":"wifi wlan0 IPv4, full","code":"link_up","detail":"wlan0: up"},\#
        {"seq":48209,"time":"2026-11-21T01:13:00Z","type":"reachagent.certificate.expiring","subject":"web",\#
        "to":"certificate CN=web.example expires in 9 days, on 2026-11-30 [14d]","code":"certificate_expiring"},\#
        {"seq":48210,"time":"2026-11-21T01:13:59Z","type":"reachagent.probe.changed","subject":"api","family":"ipv6",\#
        "from":"up","to":"down (http_status)","code":"http_status","detail":"500; wanted 200-299"},\#
        {"seq":48211,"time":"2026-11-21T01:14:00Z","type":"reachagent.reachability.changed","subject":"default",\#
        "from":"wifi wlan0 IPv4+IPv6, full","to":"wifi wlan0 IPv4+IPv6, partial (http_status api)","code":"http_status"}]
        """#

    static let wlan0 =
        #""via":"wifi","interface":"wlan0","kind":"wifi","gateway":"192.0.2.1","source":"192.0.2.17","metric":600"#

    /// A state over a path that both families have, since 12 minutes.
    static func state(_ path: String, via: String = "wifi", _ members: String) -> String {
        #"""
        "state":{"via":"\#(via)",\#(members),"path":{\#(path),"ipv4":{\#(path)},"ipv6":{\#(path)}}},\#
        "since":"2026-11-21T01:14:00Z","for_ms":720000,"via_since":"2026-11-20T21:26:00Z","via_for_ms":14400000,\#
        "connectivity_since":"2026-11-21T01:14:00Z","connectivity_for_ms":720000
        """#
    }

    static func probe(_ name: String, _ verdict: String = "up", _ members: String = "", certificateDays: Int? = nil)
        -> String
    {
        // A certificate for 90 days.
        let certificate = certificateDays.map { days in
            let threshold = days < 10 ? #","threshold":"\#(days < 7 ? "7d" : "10%")""# : ""
            return #","certificate":{"subject":"CN=\#(name).example","not_after":"2026-12-01T00:00:00Z","#
                + #""days_left":\#(days)\#(threshold)}"#
        }
        return #"""
            {"probe":"\#(name)","verdict":"\#(verdict)","since":"2026-11-21T01:14:00Z","for_ms":720000,"streak":9,\#
            "last":"2026-11-21T01:25:56Z","last_outcome":"\#(verdict == "up" ? "ok" : "failed")","latency_ms":23\#
            \#(members.isEmpty ? "" : ",")\#(members)\#(certificate ?? "")}
            """#
    }

    /// An active wlan0, a standby wwan0, and an eth0 without a cable.
    static func uplinks(standby connectivity: String, _ reason: String? = nil) -> String {
        members(
            list(
                "uplinks",
                uplink("wlan0", "wifi", "full", isUsed: true),
                uplink("wwan0", "wwan", connectivity, reason)
            ),
            list(
                "interfaces",
                loopback,
                down("eth0", "wired", "no carrier"),
                interface("wlan0", "wifi", "192.0.2.17/24"),
                interface("wwan0", "wwan", "198.51.100.2/30")
            ),
            list("default_routes", route("wlan0", 600, "192.0.2.1"), route("wwan0", 700, "198.51.100.1"))
        )
    }

    static func uplink(
        _ name: String,
        _ kind: String,
        _ connectivity: String,
        _ reason: String? = nil,
        isUsed: Bool = false
    ) -> String {
        #"""
        {"interface":"\#(name)","kind":"\#(kind)","connectivity":"\#(connectivity)","used":\#(isUsed)\#
        \#(reason.map { ",\($0)" } ?? "")}
        """#
    }

    /// So many seconds of 30 days, and all of today.
    static func availability(_ uplink: String?, _ seconds: Int) -> String {
        let name = uplink.map { #""uplink":"\#($0)","# } ?? ""
        return #"""
            {\#(name)"today":{"available_us":5160000000,"known_us":5160000000},\#
            "days_30":{"available_us":\#(seconds)000000,"known_us":2592000000000}}
            """#
    }

    static let loopback = interface("lo", "loopback", "127.0.0.1/8")

    static func interface(_ name: String, _ kind: String, _ addresses: String...) -> String {
        let list = addresses.map { address in
            let parts = address.split(separator: "/")
            return #"{"address":"\#(parts[0])","prefix_length":\#(parts[1])}"#
        }
        return
            #"{"name":"\#(name)","kind":"\#(kind)","usable":true,"state":"up","addresses":[\#(list.joined(separator: ","))]}"#
    }

    static func down(_ name: String, _ kind: String, _ state: String) -> String {
        #"{"name":"\#(name)","kind":"\#(kind)","usable":false,"state":"\#(state)"}"#
    }

    static func route(_ interface: String, _ metric: Int, _ gateway: String, _ family: String = "ipv4") -> String {
        #"""
        {"family":"\#(family)","destination":"\#(family == "ipv4" ? "0.0.0.0/0" : "::/0")","type":"unicast","table":254,\#
        "protocol":16,"metric":\#(metric),"nexthops":[{"interface":"\#(interface)","gateway":"\#(gateway)"}]}
        """#
    }

    static func hook(_ name: String, _ members: String, _ last: String) -> String {
        #"""
        {"hook":"\#(name)","kind":"command","runs":1200,"failed_runs":9,"superseded":2,"waiting":0,\#(members),\#
        "last":{\#(last),"ended":"2026-11-21T01:25:18Z","trigger":"reachability.changed","trigger_seq":41}}
        """#
    }
}
