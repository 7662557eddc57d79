/// The members of a status, from which the scenes are composed.
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

    /// A state over a path that both families have, unless IPv6 has another one, since 12 minutes.
    static func state(_ path: String, ipv6: String? = nil, via: String = "wifi", _ members: String) -> String {
        #"""
        "state":{"via":"\#(via)",\#(members),"path":{\#(path),"ipv4":{\#(path)},"ipv6":{\#(ipv6 ?? path)}}},\#
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
