import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// `reachagent report` about a script of faults, each of which is real but the suspend: every stretch of time has the
/// condition and every outage the segment that the script says.
///
/// Nothing has to happen by a given time: the script waits for the agent, and each outage must begin between the fault and
/// the event about it, and end between the repair and the event about that.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationReportTests {
    private let network: ConnectivityNetwork
    private let second: WebServer

    init() async throws {
        network = try ConnectivityNetwork()
        try network.removeRoutes(of: .wwan0)
        // Without echoes an answer in an outage has to wait for the kernel's next confirmation, up to a minute.
        try network.machine.namespace.run("sysctl -qw net.ipv4.ping_group_range='0 0'")
        try await network.webServer()
        second = try await network.secondServer(certificate: .server)
    }

    /// A part of the script.
    private struct Part {
        let segment: String
        let begin: ClosedRange<Timestamp>
        let end: ClosedRange<Timestamp>
    }

    private var configuration: String {
        let onlyIPv4 = #"families = "ipv4""#
        return """
            [connectivity]
            first_hop = true


            """ + network.probe("captive", "http://web.test/generate_204", onlyIPv4, "portal = true")
                + network.probe("web", "http://web.test/", onlyIPv4)
                + network.probe("second", "http://web.test:8080/", onlyIPv4)
    }

    /// Breaks something and repairs it.
    ///
    /// - Parameter isBroken: Returns `true` for a state of the machine that the fault leads to.
    private func part(
        _ segment: String,
        of agent: ConnectivityAgent,
        _ fault: () async throws -> Void,
        isBroken: (SeenEvent) -> Bool,
        then evidence: () async throws -> Void = {},
        repair: () async throws -> Void
    ) async throws -> Part {
        let before = Timestamp.now
        try await fault()
        let broken = try await agent.next("reachability.changed", segment, where: isBroken)
        try await evidence()
        let repaired = Timestamp.now
        try await repair()
        let full = try await agent.settles("wired full")
        return Part(segment: segment, begin: before...broken.event.time, end: repaired...full.event.time)
    }

    /// Everything that goes wrong on the path, one after the other.
    private func faults(_ agent: ConnectivityAgent) async throws -> [Part] {
        let isSilent = { (event: SeenEvent) in event.to?.connectivity == .local }
        let provider = try await part("provider", of: agent) {
            try network.forward("iifname { r0, r1 } drop")
        } isBroken: {
            isSilent($0)
        } then: {
            // An answer of the gateway from before the outage is no evidence.
            let point = "first-hop up0 ipv4"
            if agent.states(of: point).last != "up" { try await agent.probe(point, is: "up") }
        } repair: {
            try network.repair()
        }
        let router = network.machine.namespace
        let gateway = try await part("first_hop", of: agent) {
            try network.forward("iifname { r0, r1 } drop")
            try router.run("ip netns exec router sysctl -qw net.ipv4.conf.r0.arp_ignore=8; ip neigh flush dev up0")
        } isBroken: {
            isSilent($0)
        } then: {
            // Its verdict may have come before the state.
            let (point, lost) = ("first-hop up0 ipv4", "down host_unreachable")
            if agent.states(of: point).last != lost { try await agent.probe(point, is: lost) }
        } repair: {
            try router.run("ip netns exec router sysctl -qw net.ipv4.conf.r0.arp_ignore=0")
            try network.repair()
        }
        let portal = try await network.portal()
        try await portal.be("portal \(ConnectivityNetwork.portalURL)")
        let captive = try await part("portal", of: agent) {
            try network.divert((from: 80, to: 8080))
        } isBroken: {
            $0.to?.connectivity == .portal
        } repair: {
            try network.repair()
        }
        let cable = try await part("machine", of: agent) {
            try router.run("ip -n router link set r0 down")
        } isBroken: {
            $0.to?.via.rawValue == "none"
        } repair: {
            try router.run("ip -n router link set r0 up; ip route replace default via 192.0.2.1 dev up0 metric 100")
        }
        return [provider, gateway, captive, cable]
    }

    /// Adds to the journal that the machine was suspended from a moment until now.
    private func suspend(since start: Timestamp, in journal: String) throws -> (milliseconds: Int64, end: Timestamp) {
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: journal).filter { $0.hasSuffix(".jsonl") }.max()
        )
        let file = try FileHandle(forUpdating: URL(filePath: "\(journal)/\(name)"))
        defer { try? file.close() }
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let last = try SeenEvent(try #require(text.split(separator: "\n").last))
        let sequence = try #require(last.seq) + 1
        let now = Timestamp.now
        let milliseconds = (now.microsecondsSince1970 - start.microsecondsSince1970) / 1000
        let id = "\(last.id.prefix { $0 != "-" })-\(sequence)"
        let line = #"""
            {"specversion":"1.0","id":"\#(id)","source":"/reachagent/test","type":"reachagent.suspend.resumed",\#
            "subject":"agent","time":"\#(now)","seq":\#(sequence),\#
            "data":{"suspended_ms":\#(milliseconds),"observed":"\#(now)"}}
            """#
        try file.write(contentsOf: Data("\(line)\n".utf8))
        return (milliseconds, now)
    }

    @Test func `each outage of a script has its time and its segment, and every moment is accounted for`() async throws
    {
        let journal = "\(network.certificates.directory)/journal"
        let agent = try ConnectivityAgent(on: network, settleDown: "2s", journal: journal, configuration)
        try await agent.probe("first-hop up0 ipv4", is: "up")
        if agent.states.isEmpty { try await agent.settles("wired full") }
        let server = try await part("target", of: agent) {
            try await second.be("stop")
        } isBroken: {
            $0.to?.connectivity == .partial
        } repair: {
            try await second.be("start")
        }
        let parts = try await faults(agent)
        let start = try #require(agent.events.first { $0.name == "agent.started" }).event.time
        let full = try #require(parts.last).end.upperBound
        try await agent.kill()
        let suspend = try suspend(since: full, in: journal)

        let successor = try ConnectivityAgent(on: network, journal: journal, configuration)
        let restart = try await successor.next("agent.started", "").event.time
        try await successor.settles("wired full")
        #expect(try await successor.stop() == 0)
        let end = try #require(successor.events.last).event.time

        let arguments = [
            "report", "--directory", journal, "--format", "json", "--since", "\(start)", "--until", "\(end)",
        ]
        let command = try await FinishedCommand.run(arguments)
        try #require(command.status == 0, "\(command.error)")
        let report = try JSONDecoder().decode(ReportedTime.self, from: Data(command.output.utf8))
        for subject in report.subjects { #expect(subject.time.total == report.window, "\(subject.name)") }
        let path = try #require(report.subjects.first)
        let seen = agent.events.map(\.summary).joined(separator: "\n")
        try #require(path.outages.map(\.segment) == parts.map(\.segment), "\(seen)\n\(command.output)")
        for (outage, part) in zip(path.outages, parts) {
            #expect(try part.begin.contains(outage.beginning), "\(part.segment)")
            #expect(try part.end.contains(outage.ending), "\(part.segment)")
        }
        #expect(report.journal.crashes == 1)
        let unknown = path.time.reasons
        #expect(unknown["suspended"] == suspend.milliseconds * 1000)
        #expect(unknown["agent_crashed"] == restart.microsecondsSince1970 - suspend.end.microsecondsSince1970)
        let outages = report.subjects.first { $0.kind == "probe" && $0.name == "second" }?.outages ?? []
        let beginnings = try outages.filter { $0.segment == "target" }.map { try $0.beginning }
        #expect(beginnings.contains { server.begin.contains($0) })
    }
}

/// The parts of a report in JSON that the script is compared with.
private struct ReportedTime: Decodable {
    struct NoTime: Error {}

    struct Journal: Decodable { let crashes: Int }

    struct Outage: Decodable {
        let begin: String
        let end: String
        let segment: String

        var beginning: Timestamp { get throws { try Self.moment(begin) } }
        var ending: Timestamp { get throws { try Self.moment(end) } }

        private static func moment(_ text: String) throws -> Timestamp {
            guard let moment = Timestamp(utc: Array(text.utf8).span) else { throw NoTime() }
            return moment
        }
    }

    struct Time: Decodable {
        let full, partial, portal, local, none, unknown: Int64
        private let unknown_by_reason: [String: Int64]?

        var total: Int64 { full + partial + portal + local + none + unknown }
        var reasons: [String: Int64] { unknown_by_reason ?? [:] }
    }

    struct Subject: Decodable {
        let kind, name: String
        let time: Time
        let outages: [Outage]

        private enum CodingKeys: String, CodingKey {
            case kind, name, outages
            case time = "time_us"
        }
    }

    let window: Int64
    let journal: Journal
    let subjects: [Subject]

    private enum CodingKeys: String, CodingKey {
        case journal, subjects
        case window = "window_us"
    }
}
