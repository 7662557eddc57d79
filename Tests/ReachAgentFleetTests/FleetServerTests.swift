import AgentEvents
import AgentTestKit
import Availability
import ForeignText
import Foundation
import LinuxSupport
import Sinks
import Testing

@testable import ReachAgentFleet

/// The reader, with a real nats-server.
@Suite(.enabled(if: NATSServer.isInstalled, "nats-server is not installed"), .onOwnThread, .timeLimit(.minutes(2)))
struct FleetServerTests {
    private static func source(_ server: NATSServer, stream: String? = nil) throws -> FleetSource {
        var settings = SinkSettings(name: "fleet", broker: try BrokerAddress(server.url), device: "_")
        settings.stream = stream
        return FleetSource(settings: settings, template: try settings.template())
    }

    private static func started() async throws -> (NATSServer, NATSTestClient) {
        let server = try await NATSServer()
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("FLEET", subjects: "reachagent.*.>")
        return (server, client)
    }

    /// Stores events as an MQTT bridge does: without an id of the broker's.
    private static func store(_ messages: [FleetMessage], _ client: NATSTestClient) throws {
        let requests = try messages.map { message in
            let event = try #require(AgentEvent(line: message.payload))
            let subject = "reachagent.\(message.device.shown()).\(EventType.shortName(of: event.type))"
            return (subject: subject, payload: String(decoding: message.payload, as: UTF8.self))
        }
        for answer in try client.requests(requests) { #expect(answer.json["seq"] != nil, "\(answer)") }
    }

    private static func id(_ delivered: DeliveredMessage?) -> String? {
        delivered.flatMap { AgentEvent(line: $0.message.payload)?.id }
    }

    /// The window of a watch: from an hour ago, until so many seconds from now.
    private static func window(seconds: Int64) throws -> Window {
        let now = Timestamp.now.microsecondsSince1970
        let (start, end) = (now - 3_600_000_000, now + seconds * 1_000_000)
        return try #require(
            Window(from: Timestamp(microsecondsSince1970: start), to: Timestamp(microsecondsSince1970: end), in: .utc)
        )
    }

    private static func wait(for follower: FleetFollower, _ isTrue: (FleetFollower.State) -> Bool) {
        while !follower.withState({ state in
            state.hasChanges = false
            return isTrue(state)
        }) {
            _ = follower.wakeup.sleep(deadline: nil)
            follower.wakeup.reset()
        }
    }

    @Test
    func `the newest event of each subject is the state of the fleet`() async throws {
        let (server, client) = try await Self.started()
        var devices = (1...3).map { WrittenDevice("edge-\($0)", stream: "stream\($0)") }
        for index in devices.indices {
            var messages = [
                devices[index].starts(at: 0), devices[index].changes(to: WrittenDevice.state(.full), at: 1),
            ]
            messages += (0..<5).map { devices[index].other(at: 2 + $0) }
            if index == 1 { messages.append(devices[index].changes(to: WrittenDevice.state(.local), at: 50)) }
            try Self.store(messages, client)
        }
        let source = try Self.source(server)
        var fleet = try FleetReading(source: source).fleet(nil)
        var rows = fleet.rows(at: .now, silentAfter: .seconds(60))
        FleetOrder.device.sort(&rows)
        #expect(rows.map(\.state) == [.full, .local, .full])
        #expect(rows.map(\.sequence) == [7, 8, 7])
        #expect(rows.allSatisfy { $0.version == "0.1.0" && $0.figures == nil })
    }

    @Test
    func `a window is read from its beginning, with the state before it`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store([device.changes(to: WrittenDevice.state(.full), at: 0), device.other(at: 1)], client)
        // The server's clock: everything so far was stored before the window.
        let start = Timestamp.now
        try Self.store([device.other(at: 100)], client)
        let source = try Self.source(server, stream: "FLEET")
        let window = try #require(
            Window(
                from: start,
                to: Timestamp(microsecondsSince1970: start.microsecondsSince1970 + 60_000_000),
                in: .utc
            )
        )
        let fleet = try FleetReading(source: source).fleet(window)
        let read = try #require(fleet.devices["edge-1"])
        #expect(read.path?.connectivity == .full)
        #expect(read.position?.sequence == 3)
        #expect(fleet.unreadable == 0)
    }

    @Test
    func `an empty stream is an empty fleet, and one that does not exist a sentence`() async throws {
        let (server, _) = try await Self.started()
        let source = try Self.source(server)
        let fleet = try FleetReading(source: source).fleet(nil)
        #expect(fleet.devices.isEmpty)
        let other = try Self.source(server, stream: "NONE")
        let failure = #expect(throws: TransportFailure.self) { try FleetReading(source: other).fleet(nil) }
        #expect(failure?.code == "broker_no_stream", "\(String(describing: failure))")
    }

    @Test
    func `a durable consumer resumes after the acknowledged events`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store((0..<40).map { device.other(at: $0) }, client)
        let source = try Self.source(server)
        func handedOut(_ count: Int) throws -> [String?] {
            let consumer = try FleetConsumer(source, .all, durable: "archive")
            var ids: [String?] = []
            while ids.count < count, let delivered = try consumer.next(within: 5000) { ids.append(Self.id(delivered)) }
            try consumer.acknowledge()
            return ids
        }
        let first = try handedOut(25)
        // Events that the first fetched and did not hand out come again once their time is over; here is only the next one.
        try Self.store([device.other(at: 100)], client)
        let second = try handedOut(1)
        #expect(first.count == 25)
        #expect(Set(first).count == 25)
        #expect(!first.contains(second.first ?? nil))
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `a later run of a durable consumer ignores the time to begin at`(
        hasTimeFirst: Bool,
        hasTimeLater: Bool
    ) async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        let start = Timestamp.now
        try Self.store([device.other(at: 0), device.other(at: 1)], client)
        let policy = hasTimeFirst ? DeliverPolicy.since(start) : .all
        do {
            let consumer = try FleetConsumer(Self.source(server), policy, durable: "archive")
            for _ in 0..<2 { #expect(try consumer.next(within: 5000) != nil) }
            try consumer.acknowledge()
        }
        let message = device.other(at: 2)
        try Self.store([message], client)
        let id = try #require(AgentEvent(line: message.payload)?.id)
        // The event was stored before the time, and is still the next one.
        let since = hasTimeLater ? "--since \(Timestamp.now)" : ""
        let watch = "'\(BuiltFleet.path)' watch --output json --durable archive \(since) --server \(server.url)"
        let lines = try CommandLines("exec \(watch)")
        #expect(await lines.next()?.contains(id) == true)
    }

    @Test
    func `a slow reader of a durable consumer gets each event once`() async throws {
        let (server, client) = try await Self.started()
        _ = try FleetConsumer(Self.source(server), .all, durable: "archive")
        let account = try client.request("$JS.API.CONSUMER.INFO.FLEET.archive").json
        var configuration = try #require(account["config"] as? [String: Any])
        configuration["ack_wait"] = 8_000_000_000
        let change = try JSONSerialization.data(
            withJSONObject: ["stream_name": "FLEET", "config": configuration] as [String: Any]
        )
        let answer = try client.request(
            "$JS.API.CONSUMER.DURABLE.CREATE.FLEET.archive",
            String(decoding: change, as: UTF8.self)
        )
        #expect(answer.json["error"] == nil, "\(answer)")
        var device = WrittenDevice("edge-1")
        // More than a pipe takes.
        let messages = (0..<300).map { device.other(at: $0) }
        try Self.store(messages, client)
        let acknowledgements = try NATSTestClient(port: server.port)
        try acknowledgements.subscribe("$JS.ACK.FLEET.archive.>")

        let watch = "'\(BuiltFleet.path)' watch --output json --durable archive --server \(server.url)"
        let start = Pipe()
        let lines = try CommandLines(
            "exec 3<&0; \(watch) </dev/null | { read -r start <&3; exec cat; }",
            input: start
        )
        // Four times a third of the wait of 8 s.
        var extensions: [String: Int] = [:]
        while extensions.values.allSatisfy({ $0 < 4 }) {
            let message = try acknowledgements.next()
            if String(decoding: message.payload, as: UTF8.self) == "+WPI" {
                extensions[message.subject, default: 0] += 1
            }
        }
        start.fileHandleForWriting.write(Data("start\n".utf8))
        var ids: [String?] = []
        while ids.count < messages.count, let line = await lines.next() { ids.append(try Self.id(inLine: line)) }
        #expect(ids == messages.map { AgentEvent(line: $0.payload)?.id })
        let last = device.other(at: 1000)
        try Self.store([last], client)
        let line = try #require(await lines.next())
        #expect(try Self.id(inLine: line) == AgentEvent(line: last.payload)?.id)
    }

    private static func id(inLine line: String) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (object?["event"] as? [String: Any])?["id"] as? String
    }

    @Test
    func `an event whose line was cut off comes again, on a line of its own`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        let message = device.other(at: 0)
        try Self.store([message], client)
        let directory = try TemporaryDirectory()
        let file = try directory.file("events.jsonl", #"{"device":"edge-1","stor"#)
        let watch = "'\(BuiltFleet.path)' watch --output json --durable archive --server \(server.url)"
        let lines = try CommandLines("\(watch) >>'\(file)' & exec tail -n +1 -F '\(file)'")
        let id = try #require(AgentEvent(line: message.payload)?.id)
        let line = try await lines.next(containing: id)
        #expect(try Self.id(inLine: line) == id)
        withExtendedLifetime(directory) {}
    }

    @Test
    func `a device that the stream does not have is named, with one that it has`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store([device.changes(to: WrittenDevice.state(.full), at: 0)], client)
        for (names, error) in [
            (["edge-2"], "a device 'edge-2'; did you mean 'edge-1'?"), (["plant-*"], "a device 'plant-*'"),
            (["edge-2", "plant"], "these devices"), (["edge-2", "edge-1"], nil), (["edge-*"], nil),
        ] as [([String], String?)] {
            let words = ["status", "--server", server.url] + names.flatMap { ["--device", $0] }
            let result = try await FinishedCommand.run(words, of: BuiltFleet.path)
            #expect(result.status == (error == nil ? 0 : 69))
            #expect(result.error == (error.map { "reachagent fleet: the stream has no event of \($0)\n" } ?? ""))
            #expect(result.output.isEmpty == (error != nil))
        }
    }

    @Test(arguments: ["A", "B"])
    func `a durable consumer is found in the stream that has it`(name: String) async throws {
        let server = try await NATSServer()
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("A", subjects: "reachagent.a.>")
        try client.makeStream("B", subjects: "reachagent.b.>")
        _ = try FleetConsumer(Self.source(server, stream: name), .all, durable: "archive")
        let later = try FleetConsumer(Self.source(server), .since(.now), durable: "archive")
        #expect(later.policy == .all)
    }

    @Test
    func `more bytes than may wait are read with several requests`() async throws {
        let (server, client) = try await Self.started()
        let payload = String(repeating: "x", count: 900_000)
        let count = 48
        for _ in 0..<count {
            let answer = try client.requests([(subject: "reachagent.edge-1.other", payload: payload)]).first
            #expect(answer?.json["seq"] != nil)
        }
        let consumer = try FleetConsumer(try Self.source(server), .all)
        var sizes: [Int] = []
        while sizes.count < count, let delivered = try consumer.next(within: 10_000) {
            sizes.append(delivered.message.payload.count)
        }
        #expect(sizes == Array(repeating: 900_000, count: count))
    }

    @Test
    func `more bytes than may wait are read from many subjects`() async throws {
        let (server, client) = try await Self.started()
        let payload = String(repeating: "x", count: 900_000)
        for number in 0..<24 {
            let answer = try client.request("reachagent.noise.large-\(number)", payload)
            #expect(answer.json["seq"] != nil)
        }
        var device = WrittenDevice("edge-1")
        try Self.store([device.changes(to: WrittenDevice.state(.full), at: 0)], client)
        let fleet = try FleetReading(source: Self.source(server)).fleet(nil)
        #expect(fleet.unreadable == 24)
        #expect(fleet.devices["edge-1"]?.path?.connectivity == .full)
    }

    @Test
    func `a message that is too large for a request is an error in a sentence`() async throws {
        let server = try await NATSServer(configuration: "max_payload: 16MB")
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("FLEET", subjects: "reachagent.*.>")
        let payload = String(repeating: "x", count: 9 << 20)
        #expect(try client.requests([(subject: "reachagent.edge-1.other", payload: payload)]).first?.json["seq"] != nil)
        let consumer = try FleetConsumer(try Self.source(server), .all)
        let failure = #expect(throws: TransportFailure.self) { try consumer.next(within: 10_000) }
        let sentence = "127.0.0.1:\(server.port) cannot read events: "
        #expect(failure?.detail.hasPrefix(sentence) == true, "\(String(describing: failure))")
        #expect(failure?.detail.contains("MaxBytes") == true, "\(String(describing: failure))")
    }

    /// A watch that has read the events of `edge-1` up to a number, and whose server was killed then.
    private static func interrupted(
        _ server: NATSServer,
        seconds: Int64,
        after sequence: UInt64
    ) async throws -> FleetFollower {
        let follower = try FleetFollower(try source(server), window(seconds: seconds))
        try follower.start()
        wait(for: follower) { $0.fleet.devices["edge-1"]?.position?.sequence == sequence && $0.backlog == 0 }
        await server.kill()
        wait(for: follower) { $0.interruption != nil }
        return follower
    }

    @Test
    func `a watch follows, and resumes where it was when the server returns`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store([device.changes(to: WrittenDevice.state(.full), at: 0)], client)
        let follower = try await Self.interrupted(server, seconds: 3600, after: 1)
        try await server.start()
        let again = try NATSTestClient(port: server.port)
        try Self.store([device.changes(to: WrittenDevice.state(.local), at: 9)], again)
        Self.wait(for: follower) {
            $0.fleet.devices["edge-1"]?.path?.connectivity == .local && $0.interruption == nil
        }
        #expect(follower.withState { $0.fleet.devices["edge-1"]?.position?.sequence } == 2)
    }

    /// The number of other events in the new stream, which is shorter or longer than the former one.
    @Test(arguments: [0, 60])
    func `a watch reads a stream anew that does not continue the former one`(others: Int64) async throws {
        let server = try await NATSServer()
        var devices = (1...2).map { WrittenDevice("edge-\($0)", stream: "stream\($0)") }
        // The last of two values counts: a stream in memory ends with its server.
        func store(_ messages: [FleetMessage]) throws {
            let client = try NATSTestClient(port: server.port)
            try client.makeStream("FLEET", subjects: "reachagent.*.>", options: #""storage":"memory""#)
            try Self.store(messages, client)
        }
        try store(
            devices.indices.map { devices[$0].changes(to: WrittenDevice.state(.full), at: 0) }
                + (1...30).map { devices[0].other(at: $0) }
        )
        let follower = try await Self.interrupted(server, seconds: 3600, after: 31)
        try await server.start()
        try store(
            [
                devices[0].changes(to: WrittenDevice.state(.local), at: 40),
                devices[1].changes(to: WrittenDevice.state(.partial), at: 40),
            ] + (0..<others).map { devices[0].other(at: 41 + $0) }
        )
        Self.wait(for: follower) { state in
            state.interruption == nil && state.fleet.devices["edge-1"]?.path?.connectivity == .local
                && state.fleet.devices["edge-2"]?.path?.connectivity == .partial
        }
    }

    @Test
    func `a watch whose window ends without a server shows what it had, and begins the next one`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store([device.changes(to: WrittenDevice.state(.full), at: 0)], client)
        let follower = try await Self.interrupted(server, seconds: 2, after: 1)
        let window = try #require(follower.withState { $0.fleet.window })
        // The first attempt after the end may have begun before it.
        var attempts = 0
        Self.wait(for: follower) { state in
            attempts += window.end < .now ? 1 : 0
            return attempts > 2 || state.end != nil
        }
        #expect(follower.withState { $0.end } == nil)
        #expect(follower.withState { $0.fleet.devices["edge-1"]?.path?.connectivity } == .full)
        try await server.start()
        Self.wait(for: follower) { $0.interruption == nil && $0.fleet.devices["edge-1"] != nil && $0.backlog == 0 }
        let next = try #require(follower.withState { $0.fleet.window })
        #expect(next.start > window.start && next.duration == window.duration)
    }

    @Test
    func `a watch keeps no message, of however many subjects`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store([device.changes(to: WrittenDevice.state(.full), at: 0)], client)
        // 120 MB.
        let payload = String(repeating: "x", count: 30_000)
        for first in stride(from: 0, to: 4000, by: 250) {
            let requests = (first..<first + 250).map { (subject: "reachagent.noise.large-\($0)", payload: payload) }
            for answer in try client.requests(requests) { #expect(answer.json["seq"] != nil, "\(answer)") }
        }
        let watch = "'\(BuiltFleet.path)' watch --since \(Timestamp.now) --server \(server.url)"
        let script =
            "export SWIFT_BACKTRACE=enable=no TERM=xterm; ulimit -d 100000; exec script -qefc \"\(watch)\" /dev/null"
        // The end of the input would be the key that ends it.
        let keys = Pipe()
        let lines = try CommandLines(script, input: keys)
        try await lines.next(containing: "1 device: ")
        try keys.fileHandleForWriting.close()
    }

    @Test
    func `a watch ends when the reader of its output has ended, although no event comes`() async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        try Self.store([device.other(at: 0)], client)
        let watch = "'\(BuiltFleet.path)' watch --output json --since 1h --server \(server.url)"
        let lines = try CommandLines("{ { \(watch); echo \"ended with $?\" >&3; } | head -n 1; } 3>&1")
        #expect(await lines.next()?.hasPrefix(#"{"device":"edge-1""#) == true)
        #expect(await lines.next() == "ended with 0")
    }

    @Test(arguments: [("text", "BUDGET LEFT"), ("json", "error_budget"), ("csv", "left_seconds")])
    func `every format of a report has the error budget of an objective`(format: String, name: String) async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        let second = (Timestamp.now.microsecondsSince1970 - WrittenDevice.moment(0).microsecondsSince1970) / 1_000_000
        try Self.store(
            [device.changes(to: WrittenDevice.state(.full), at: second - 60), device.other(at: second)],
            client
        )
        let words = ["report", "--since", "1h", "--slo", "99.5", "--format", format, "--server", server.url]
        let result = try await FinishedCommand.run(words, of: BuiltFleet.path)
        #expect(result.status == 0)
        #expect(result.output.contains(name), "\(result.output)\(result.error)")
    }

    @Test(arguments: [
        "status --output json", "report --since 1h --format json", "report --since 1h --format csv",
        "report --since 1h --device edge-1",
    ])
    func `every format mentions messages that were left out`(command: String) async throws {
        let (server, client) = try await Self.started()
        var device = WrittenDevice("edge-1")
        let second = (Timestamp.now.microsecondsSince1970 - WrittenDevice.moment(0).microsecondsSince1970) / 1_000_000
        try Self.store(
            [device.changes(to: WrittenDevice.state(.full), at: second - 60), device.other(at: second)],
            client
        )
        _ = try client.requests([(subject: "reachagent.edge-1.garbage", payload: "no event")])
        let words = command.split(separator: " ").map(String.init) + ["--server", server.url]
        let result = try await FinishedCommand.run(words, of: BuiltFleet.path)
        #expect(result.status == 0)
        #expect(!result.output.isEmpty && !result.output.contains("left out"))
        #expect(result.error == "reachagent fleet: 1 message of the stream left out: no events of an agent\n")
    }
}
