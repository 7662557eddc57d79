import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The built agent on a real kernel with real WPA2 associations and a real WWAN stack.
@Suite(.serialized, .enabled(if: SystemLab.obstacle == nil, "\(SystemLab.obstacle ?? "")"))
struct SystemLabTests {
    /// The states that events of a type went through, without repetitions.
    private func states(_ events: [SeenEvent], _ name: String) -> [String] {
        let all = events.filter { $0.name == name && $0.subject == "default" }.compactMap { $0.to?.via.rawValue }
        return all.reduce(into: []) { states, via in
            if states.last != via { states.append(via) }
        }
    }

    private func date(_ text: String) throws -> Date {
        try Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    }

    /// The times without a path according to the kernel, after the first one, which precedes the association.
    private func losses(_ events: [SeenEvent]) throws -> [(begin: Date, end: Date)] {
        let changes = events.filter { $0.name == "path.changed" && $0.subject == "default" }
        let ends = try changes.filter { $0.from?.via.rawValue == "none" && $0.to?.via.rawValue == "wifi" }.map {
            try date($0.time)
        }
        let begins = try changes.filter { $0.from?.via.rawValue == "wifi" && $0.to?.via.rawValue == "none" }.map {
            try date($0.time)
        }
        return zip(begins, ends.dropFirst()).map { ($0, $1) }
    }

    /// Checks that a run has a clean end and numbers without a gap, and returns its events.
    private func expectSound(_ result: SystemLab.Result) throws -> [SeenEvent] {
        let events = try result.events()
        #expect(result.step("agent_exited")?.status == 0)
        #expect(events.first?.name == "agent.started")
        #expect(events.last?.name == "agent.stopping")
        #expect(events.compactMap(\.seq) == (1...UInt64(events.count)).map { $0 })
        return events
    }

    @Test("Wi-Fi: association, roam, a dead access point, deauthentication and disconnection are reported in order")
    func wifi() async throws {
        let result = try await SystemLab.result(of: "wifi")
        let events = try expectSound(result)
        #expect(
            states(events, "path.changed") == [
                "none", "wifi", "none", "wifi", "none", "wifi", "none", "wifi", "none", "wifi", "none", "wifi",
            ]
        )
        // A roam, a beacon loss with another AP in reach and a deauthentication are shorter than the settle time, but for a
        // busy host: a settled loss is one that has lasted.
        let lasting = try losses(events).filter { $0.end.timeIntervalSince($0.begin) >= 1 }
        let settled = events.filter {
            $0.name == "reachability.changed" && $0.from?.via.rawValue == "wifi" && $0.to?.via.rawValue == "none"
        }
        #expect(lasting.count >= 2 && settled.count == lasting.count)
        for (event, loss) in zip(settled, lasting) {
            #expect(try (loss.begin...loss.end).contains(date(event.time)), "no false loss: \(event.summary)")
        }
        let expected = Array(repeating: ["none", "wifi"], count: lasting.count + 1).flatMap(\.self)
        #expect(states(events, "reachability.changed") == expected)
        // The kernel would still have sent packets into the dead interface.
        #expect(result.step("disconnected")?.kernel_choice == "wlan1")
        let loss = try #require(events.first { $0.name == "path.changed" && $0.from?.via.rawValue == "wifi" })
        #expect(loss.to?.reason == "link_down")
        #expect(loss.cause?.interface == "wlan1")
    }

    @Test("WWAN: a modem that appears, goes down, returns, is removed and replaced is reported in that order")
    func wwan() async throws {
        let events = try expectSound(await SystemLab.result(of: "wwan"))
        #expect(states(events, "reachability.changed") == ["none", "wwan", "none", "wwan", "none", "wwan"])
        let up = try #require(events.first { $0.name == "reachability.changed" && $0.to?.via.rawValue == "wwan" })
        #expect(up.to?.afStatus == 1)
        #expect(up.to?.path.kind == "wwan")
    }

    @Test("PPPoE: a DSL line is wired through its Ethernet device and lost with its cable, despite a standby")
    func pppoe() async throws {
        let result = try await SystemLab.result(of: "pppoe")
        let events = try expectSound(result)
        #expect(states(events, "reachability.changed") == ["none", "wired", "none", "wired", "none"])
        // A standby that comes and goes is no reason for a change, not even for a short one.
        #expect(states(events, "path.changed") == ["none", "wired", "none", "wired", "none"])
        let line = try #require(events.first { $0.name == "reachability.changed" && $0.to?.via.rawValue == "wired" })
        #expect(line.to?.path.interface == "ppp0")
        #expect(line.to?.path.kind == "ppp")
        #expect(line.to?.path.underlay?.interface == "dsl0")
        #expect(line.to?.path.underlay?.evidence == "pppoe")
        // The kernel would still have sent packets into the line, which is up.
        #expect(result.step("cable_pulled")?.kernel_choice == "ppp0")
        let pulled = try #require(events.first { $0.name == "path.changed" && $0.from?.via.rawValue == "wired" })
        #expect(pulled.to?.reason == "underlay_down")
    }

    @Test("failover: Wi-Fi to WWAN and back, although the kernel keeps the route through the dead Wi-Fi")
    func failover() async throws {
        let result = try await SystemLab.result(of: "failover")
        let events = try expectSound(result)
        #expect(states(events, "reachability.changed") == ["none", "wwan", "wifi", "none", "wwan", "wifi", "none"])
        #expect(result.step("carrier_lost")?.kernel_choice == "wlan1")
        #expect(result.step("failed_over")?.kernel_choice == "wwan0")
    }

    @Test("every interface of a machine with many interfaces has its kind")
    func kinds() async throws {
        struct Interface: Decodable {
            let name: String
            let kind: String
        }
        let result = try await SystemLab.result(of: "kinds")
        let found = try result.lines("interfaces.jsonl").map {
            try JSONDecoder().decode(Interface.self, from: Data($0.utf8))
        }
        let kinds = Dictionary(found.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })
        let expected = [
            "wlan0": "wifi", "wlan1": "wifi", "wlan1.10": "wifi", "wwan0": "wwan", "wwan0.2": "wwan", "lo": "loopback",
            "bridge0": "bridge", "monitor0": "virtual", "hwsim0": "virtual", "ppp0": "ppp", "bond0": "virtual",
            "veth0.10": "virtual", "macvlan0": "virtual",
        ]
        for (name, kind) in expected { #expect(kinds[name] == kind, "\(name)") }
        let made = result.steps.filter { $0.step == "made" }
        #expect(made.count > 20)
        let tunnels: Set = ["tun", "tap", "wireguard", "vxlan", "gre", "gretap", "ipip", "sit"]
        let virtual: Set = ["veth", "dummy", "vrf"]
        for step in made {
            let (name, kind) = (try #require(step.interface), try #require(step.kind))
            #expect(kinds[name] != nil, "\(name)")
            if kind == "ppp" { #expect(kinds[name] == "ppp", "\(name)") }
            if tunnels.contains(kind) { #expect(kinds[name] == "tunnel", "\(name)") }
            if virtual.contains(kind) { #expect(kinds[name] == "virtual", "\(name)") }
        }
    }
}
