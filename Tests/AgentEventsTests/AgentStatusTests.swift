import Foundation
import Testing

@testable import AgentEvents

/// The status and the list of connections, of whatever agent.
@Suite struct AgentStatusTests {
    private static func reply(_ json: String) throws -> AgentStatus {
        try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8))
    }

    private static func subscribers(_ json: String) throws -> SubscriberList {
        try EventDecoder.decode(SubscriberList.self, from: Array(json.utf8))
    }

    private static func golden(_ name: String) throws -> [UInt8] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: directory.appending(path: "EventSchemaTests/Golden/\(name).json")))
    }

    @Test func `every member of the agent's answer is understood`() throws {
        let reply = try EventDecoder.decode(AgentStatus.self, from: Self.golden("status.eventful"))
        #expect(reply.agent?.version == "0.1.0")
        #expect(reply.agent?.processID == 812)
        #expect(reply.agent?.uptimeMilliseconds == 91_000)
        #expect(reply.agent?.stream == "6f1c0000000000000000000000000001")
        #expect(reply.time?.description == "2026-11-21T07:01:31.123456Z")
        let settled = reply.reachability
        #expect(settled.state?.isReachable == false)
        #expect(settled.state?.afStatus == 0)
        #expect(settled.state?.connectivity == Connectivity.none)
        #expect(settled.state?.path.ipv4?.reason == "link_down")
        #expect(settled.state?.path.ipv6?.reason == "no_route")
        #expect(settled.since?.description == "2026-11-21T07:01:01.123456Z")
        #expect(settled.forMilliseconds == 30_000)
        #expect(settled.cause?.code == "link_down")
        #expect(settled.pending?.state?.path.gateway == "192.0.2.1")
        #expect(settled.pending?.forMilliseconds == 1000)
        #expect(reply.targets.first?.name == "office")
        #expect(reply.targets.first?.settled.state?.path.underlay?.interface == "wwan0")
        #expect(reply.interfaces.map(\.name) == ["lo", "wlan0"])
        #expect(reply.interfaces.last?.addresses.first?.prefixLength == 24)
        #expect(reply.recent.map(\.sequence) == [3, 5, 8])
        #expect(reply.recent.last?.to == "none (link_down wlan0)")
        #expect(reply.lastSequence == 9)
        #expect(reply.journal?.isDegraded == true)
        #expect(reply.journal?.missing.map(\.firstSequence) == [4, 9])
        #expect(reply.journal?.syncMilliseconds == 1000)
        #expect(reply.sockets?.limit == 4096)
        #expect(reply.isSynchronized == false)
        #expect(reply.overruns?.dropped == 17)
    }

    @Test func `every member about probes is understood`() throws {
        let reply = try EventDecoder.decode(AgentStatus.self, from: Self.golden("status.probes"))
        let state = try #require(reply.reachability.state)
        #expect(state.connectivity == .partial)
        #expect(state.connectivityReason == "tls_expired")
        #expect(state.connectivityProbe == "web")
        #expect(state.connectivityByFamily == .init(ipv4: .partial, ipv6: .unknown))
        #expect(state.isFlapping)
        #expect(reply.reachability.connectivityForMilliseconds == 30_000)
        #expect(reply.reachability.connectivitySince == reply.reachability.since)
        #expect(reply.probes.map(\.probe) == ["web", "portal", "dns", "mail"])
        #expect(reply.probes.map(\.verdict) == ["down", "portal", "unknown", "up"])
        let web = try #require(reply.probes.first)
        #expect(web.family == "ipv4" && web.interface == nil)
        #expect(web.code == "tls_expired" && web.detail == "ended 2026-11-20")
        #expect(web.streak == 3 && web.forMilliseconds == 30_000 && web.latencyMilliseconds == 48)
        #expect(web.lastOutcome == "failed" && web.last != nil && web.since != nil)
        #expect(web.certificate?.subject == "CN=web.example" && web.certificate?.daysLeft == -1)
        #expect(web.certificate?.notAfter != nil)
        #expect(web.pins?.map(\.isMatched) == [false, true])
        #expect(web.pins?.map(\.isBackup) == [nil, true])
        #expect(reply.probes[1].interface == "wwan0")
        #expect(reply.probes[1].portalURL == "http://login.example/")
        #expect(reply.probes[2].isStale && reply.probes[2].streak == 0)
        #expect(reply.probes[3].isFlapping && reply.probes[3].lastCode == "connect_timeout")
        #expect(reply.uplinks.map(\.interface) == ["wlan0", "wwan0"])
        #expect(reply.uplinks.map(\.isUsed) == [true, false])
        #expect(reply.uplinks.last?.reason?.portalURL == "http://login.example/")
        #expect(reply.schedule?.skipped == 2 && reply.schedule?.bytes == ["wwan": 40_960])
        #expect(reply.schedule?.longestDelayMilliseconds == 1200)
        #expect(reply.configuration?.files.count == 2 && reply.configuration?.loaded != nil)
        #expect(reply.configuration?.loadedForMilliseconds == 91_000)
        #expect(reply.recent.map(\.family) == [nil, "ipv4", nil])
        #expect(reply.recent.last?.from == nil)
    }

    @Test func `an agent that has just started is understood`() throws {
        let reply = try EventDecoder.decode(AgentStatus.self, from: Self.golden("status.fresh"))
        #expect(reply.reachability.state?.via == .unknown)
        #expect(reply.reachability.state?.isReachable == false)
        #expect(reply.reachability.since == nil)
        #expect(reply.journal == nil)
    }

    @Test(arguments: ["", "7", "[]", "{", "\"status\"", "null", "{\"a\":\u{1}}"])
    func `a reply that is not an object is an error`(_ json: String) {
        #expect(throws: DecodingError.self) { try Self.reply(json) }
        #expect(throws: DecodingError.self) { try Self.subscribers(json) }
    }

    private static let names = [
        "agent", "time", "state", "since", "for_ms", "via_since", "via_for_ms", "cause", "pending", "targets",
        "connectivity_since", "connectivity_for_ms", "probes", "probes_omitted", "uplinks", "schedule", "configuration",
        "interfaces", "recent", "last_seq", "journal", "sockets", "synchronized", "overruns",
    ]

    @Test(arguments: [
        "null", "true", "-1", "1e300", "\"\"", "\"x\"", "[]", "[[]]", "[7,null,{}]", "{}", "{\"state\":[]}",
    ])
    func `a member of the wrong type counts as absent`(_ value: String) throws {
        let json = "{" + Self.names.map { "\"\($0)\":\(value)" }.joined(separator: ",") + "}"
        let reply = try Self.reply(json)
        #expect(reply.reachability.state?.isReachable != true)
        #expect(reply.time == nil)
        #expect(reply.reachability.since == nil)
        for one in Self.names { _ = try Self.reply("{\"\(one)\":\(value),\"unknown\":{\"deep\":[\(value)]}}") }
    }

    @Test func `nested members may be of the wrong type, too`() throws {
        let reply = try Self.reply(
            #"""
            {"probes":[7,{"probe":7},{"probe":"web","verdict":7,"streak":"x","certificate":[],"pins":[7,{"pin":"p","matched":1},\#
            {"pin":"q","matched":true,"backup":1}],"since":7}],\#
            "uplinks":[{"reason":7},{"interface":"wlan0","kind":"wifi","used":true,"connectivity":7,"reason":7}],"schedule":{"bytes":{"a":"x"},"checks":-1},"configuration":{"files":[7,"f"]},\#
            "state":{"via":7,"connectivity_reason":7,"connectivity_by_family":{"ipv4":7,"ipv6":"full"},"path":{"via":"wifi","interface":[],"ipv4":7,"underlay":"x"}},"since":"yesterday",\#
            "interfaces":[7,{"kind":"wifi"},{"name":"wlan0","kind":"wifi","ifindex":-1,"addresses":[null,{"address":"192.0.2.2","flags":[1,"new"]}]}],\#
            "journal":{"missing":[{"first_seq":1},{"first_seq":2,"last_seq":3}],"bytes":-5,"sync_ms":9223372036854775807}}
            """#
        )
        // What has no name cannot be shown.
        #expect(reply.probes.map(\.probe) == ["web"])
        #expect(reply.probes.first?.verdict == nil && reply.probes.first?.streak == nil)
        #expect(reply.probes.first?.pins?.map(\.pin) == ["q"])
        #expect(reply.uplinks.map(\.interface) == ["wlan0"] && reply.uplinks.first?.reason == nil)
        #expect(reply.uplinks.first?.connectivity == .unknown)
        #expect(reply.schedule?.bytes == nil && reply.schedule?.checks == nil)
        #expect(reply.configuration?.files == ["f"])
        #expect(reply.reachability.state?.connectivityByFamily == .init(ipv4: .unknown, ipv6: .full))
        #expect(reply.reachability.state?.connectivityReason == nil)
        #expect(reply.reachability.state?.via == .unknown)
        #expect(reply.reachability.state?.path.via == .wifi)
        #expect(reply.reachability.state?.path.interface == nil)
        #expect(reply.reachability.state?.path.ipv4 == nil)
        #expect(reply.interfaces.map(\.name) == ["wlan0"])
        #expect(reply.interfaces.first?.index == nil)
        #expect(reply.interfaces.first?.addresses.map(\.address) == ["192.0.2.2"])
        #expect(reply.interfaces.first?.addresses.first?.flags == ["new"])
        #expect(reply.journal?.missing.map(\.firstSequence) == [2] && reply.journal?.missing.map(\.lastSequence) == [3])
        #expect(reply.journal?.bytes == nil)
        #expect(reply.journal?.syncMilliseconds == Int64.max)
    }

    @Test("a line gives the status that the agent has sent", arguments: ["", "\n"])
    func line(end: String) throws {
        let golden = try Self.golden("status.eventful").filter { $0 != 0x0A }
        let status = try EventDecoder.decode(AgentStatus.self, from: golden)
        #expect(AgentStatus(line: golden + Array(end.utf8)) == status)
        let connections = #"{"subscribers":[{"pid":1},{"pid":"x"},7],"limit":"x","new":1}"#
        let list = try #require(SubscriberList(line: Array((connections + end).utf8)))
        #expect(list.limit == nil && list.subscribers.map(\.processID) == [1, nil])
    }

    @Test func `a missing member of a line, or one of another type, is absent`() throws {
        let line = #"{"last_seq":"x","journal":5,"time":{},"targets":{},"recent":[{"seq":4,"type":{}},3],"new":1}"#
        let status = try #require(AgentStatus(line: Array(line.utf8)))
        #expect(status.lastSequence == nil && status.journal == nil && status.time == nil && status.agent == nil)
        #expect(status.targets.isEmpty && status.probes.isEmpty)
        #expect(status.recent.map(\.sequence) == [4] && status.recent.first?.type == nil)
    }

    @Test(
        "anything but one object of a bounded length on one line is rejected",
        arguments: ["", "\n", "[]", "7", "null", "{", "{}{}", "{}\n\n", "{\n}", #"{"a":1,}"#, "{\"a\":\"\u{1}\"}"]
    )
    func rejected(_ line: String) {
        #expect(AgentStatus(line: Array(line.utf8)) == nil)
        #expect(SubscriberList(line: Array(line.utf8)) == nil)
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: ScannedLine.maximumBytes)
        #expect(AgentStatus(line: Array("{}".utf8) + padding.dropFirst(2)) != nil)
        #expect(AgentStatus(line: Array("{}".utf8) + padding.dropFirst()) == nil)
    }

    @Test func `the accounts of the schedule are written in ascending order`() throws {
        let accounts = Dictionary(uniqueKeysWithValues: (1...8).map { ("wwan\($0)", $0) })
        let schedule = AgentStatus.Schedule(
            checks: 0,
            shared: 0,
            skipped: 0,
            refused: 0,
            longestDelayMilliseconds: 0,
            bytes: accounts,
            bytesPerDay: accounts
        )
        let members = (1...8).map { "\"wwan\($0)\":\($0)" }.joined(separator: ",")
        let text = String(decoding: try EventEncoder.encode(schedule), as: UTF8.self)
        #expect(text.hasSuffix(#","bytes":{\#(members)},"bytes_per_day":{\#(members)}}"#))
    }

    @Test func `a huge list is cut`() throws {
        let many = String(repeating: #"{"name":"x"},"#, count: 50_000) + "{}"
        #expect(try Self.reply("{\"targets\":[\(many)]}").targets.count == 16_384)
        #expect(try Self.subscribers("{\"subscribers\":[\(many)]}").subscribers.count == 16_384)
    }

    @Test func `extreme nesting is an error, and is not followed`() {
        let depth = 100_000
        let json = "{\"state\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        #expect(throws: DecodingError.self) { try Self.reply(json) }
    }

    @Test func `a list of subscribers is understood`() throws {
        let json = #"""
            {"subscribers":[{"socket":"control","pid":1,"uid":0,"gid":0,"command":"jq",\#
            "connected":"2026-11-21T07:00:00Z","state":"live","types":["path.changed",7],"subjects":[],"next_seq":42,\#
            "lag":3,"dropped":2,"lines":10,"bytes":1234,"new":true},7,{"pid":"x","lag":-1}],"limit":4096}
            """#
        let reply = try Self.subscribers(json)
        #expect(reply.limit == 4096)
        #expect(reply.subscribers.count == 2)
        let first = try #require(reply.subscribers.first)
        #expect(first.socket == "control")
        #expect(first.processID == 1)
        #expect(first.userID == 0)
        #expect(first.groupID == 0)
        #expect(first.command == "jq")
        #expect(first.connected?.description == "2026-11-21T07:00:00.000000Z")
        #expect(first.state == "live")
        #expect(first.types == ["path.changed"])
        #expect(first.subjects.isEmpty)
        #expect(first.nextSequence == 42)
        #expect(first.lag == 3 && first.dropped == 2)
        #expect(first.lines == 10)
        #expect(first.bytes == 1234)
        #expect(reply.subscribers.last?.lag == nil)
    }
}
