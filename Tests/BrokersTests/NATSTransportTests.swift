import AgentTestKit
import Brokers
import Foundation
import Sinks
import Testing

/// A real nats-server, and a client of its own that reads what it has stored.
@Suite(.onOwnThread, .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct NATSTransportTests {
    /// A server with a stream for all devices.
    private static func server(_ options: String = "") async throws -> (NATSServer, NATSTestClient) {
        let server = try await NATSServer()
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("REACH", options: options)
        return (server, client)
    }

    @Test func `events are stored with their ids, once and in order`() async throws {
        let (server, client) = try await Self.server()
        let loop = try natsLoop(natsSink(server.port))
        #expect(try loop.connect() == nil)
        let types = ["path.changed", "target.changed", "reachability.changed"]
        let messages = (1...100).map { natsMessage($0, type: types[Int($0) % 3], bytes: 700) }
        for message in messages { loop.transport.publish(message) }
        #expect(try loop.acknowledgements(100).sorted() == Array(1...100))

        let stored = try client.messages(of: "REACH").map(\.message)
        #expect(stored.map(\.subject) == messages.map(\.subject))
        #expect(stored.map { $0.headers["Nats-Msg-Id"] } == messages.map { "edge7.\($0.id)" })
        #expect(stored.map { Array($0.payload) } == messages.map(\.payload))
        #expect(stored.allSatisfy { $0.headers["Content-Type"] == "application/cloudevents+json" })
        // TCP's headers are more than the JSON that is not counted here.
        #expect(loop.transport.bytes > 100 * 900 && loop.transport.bytes < 100 * 2000)
    }

    @Test func `each connection begins with the newest event of the device`() async throws {
        let (server, client) = try await Self.server()
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        for number in 1...3 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number, type: "a.\(number)")) }
        _ = try loop.acknowledgements(3)
        try client.publish("reachagent.edge8.path.changed", "{}")
        _ = try client.state(of: "REACH")
        loop.transport.disconnect()
        #expect(try loop.connect() == natsPosition(3))

        let other = try natsLoop(natsSink(server.port) { $0.device = "edge9" })
        #expect(try other.connect() == nil)
    }

    @Test func `an event that is sent again is stored once`() async throws {
        let (server, client) = try await Self.server()
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        for number in [1, 2, 1, 2, 3] as [UInt64] { loop.transport.publish(natsMessage(number)) }
        #expect(try loop.acknowledgements(5).sorted() == [1, 1, 2, 2, 3])
        #expect(try client.state(of: "REACH").messages == 3)
    }

    @Test func `events of two devices with copies of one journal are kept apart`() async throws {
        let (server, client) = try await Self.server()
        for device in ["edge7", "edge7-copy", "edge"] {
            let loop = try natsLoop(natsSink(server.port) { $0.device = device })
            #expect(try loop.connect() == nil)
            for number in 1...5 as ClosedRange<UInt64> {
                var message = natsMessage(number)
                message.subject = "reachagent.\(device).path.changed"
                loop.transport.publish(message)
            }
            #expect(try loop.acknowledgements(5) == [1, 2, 3, 4, 5])
            loop.transport.disconnect()
            #expect(try loop.connect() == natsPosition(5), "the id of the event has no device in it")
        }
        #expect(try client.state(of: "REACH").messages == 15)
    }

    @Test func `an event older than the newest is rejected even when the server has forgotten its id`() async throws {
        let (server, client) = try await Self.server(#""duplicate_window":100000000"#)
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        for number in 1...2 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        _ = try loop.acknowledgements(2)
        // Somebody with the same name has written since, and the window is over as soon as the answer to it is here.
        try client.publish("reachagent.edge7.path.changed", "{}")
        _ = try client.state(of: "REACH")
        loop.transport.publish(natsMessage(3))
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_conflict" && failure.detail.contains("'edge7'"))
        #expect(try client.state(of: "REACH").messages == 3)
    }

    @Test func `a purged stream takes the next event`() async throws {
        let (server, client) = try await Self.server()
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        loop.transport.publish(natsMessage(1))
        _ = try loop.acknowledgements(1)
        _ = try client.request("$JS.API.STREAM.PURGE.REACH")
        for number in 2...5 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        #expect(try loop.acknowledgements(4) == [2, 3, 4, 5])
        #expect(try client.messages(of: "REACH").map { $0.message.json["seq"] as? Int } == [2, 3, 4, 5])
    }

    @Test func `a server that is killed ends the connection, and has everything when it is back`() async throws {
        let (server, client) = try await Self.server()
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        for number in 1...10 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        _ = try loop.acknowledgements(10)
        _ = client
        await server.kill()
        #expect(try loop.nextFailure().code == "broker_unreachable")
        loop.transport.connect()
        #expect(try loop.nextFailure().code == "broker_unreachable")
        try await server.start()
        #expect(try loop.connect() == natsPosition(10))
        #expect(connections(to: server.port) == 3, "the library's descriptor, ours, and that of the test's own client")
    }

    @Test func `nothing is lost or duplicated when either end is killed with events in flight`() async throws {
        let (server, _) = try await Self.server(#""duplicate_window":100000000"#)
        var random = SplitMix(state: 7)
        var acknowledged = UInt64(0)
        for round in 0..<12 {
            // Like a sink that was killed, it knows nothing of the rounds before.
            let loop = try natsLoop(natsSink(server.port))
            let position = try loop.connect()
            let newest = position.flatMap { UInt64($0.id.split(separator: "-").last ?? "") } ?? 0
            #expect(newest >= acknowledged)
            let last = newest + UInt64.random(in: 20...300, using: &random)
            for number in (newest + 1)...last { loop.transport.publish(natsMessage(number, bytes: 400)) }
            let answers = try loop.acknowledgements(Int.random(in: 0...Int(last - newest), using: &random))
            acknowledged = max(newest, answers.max() ?? 0)
            if round % 2 == 0 {
                await server.kill()
                try await server.start()
            }
        }
        let client = try NATSTestClient(port: server.port)
        let stored = try client.messages(of: "REACH").compactMap { $0.message.json["seq"] as? Int }
        #expect(stored == Array(1...stored.count))
        #expect(stored.count >= Int(acknowledged))
    }

    @Test func `an event that is too large is rejected, and the others are not`() async throws {
        let (server, _) = try await Self.server(#""max_msg_size":2000"#)
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        loop.transport.publish(natsMessage(1))
        loop.transport.publish(natsMessage(2, bytes: 3000))
        loop.transport.publish(natsMessage(3, bytes: 2 << 20))
        loop.transport.publish(natsMessage(4))
        let events = try (0..<4).map { _ in try loop.next() }
        #expect(events.contains(.acknowledged(1)) && events.contains(.acknowledged(4)))
        let refused = events.compactMap { event -> UInt64? in
            guard case .refused(let number, let failure) = event, failure.code == "broker_too_large" else { return nil }
            return number
        }
        #expect(refused.sorted() == [2, 3])
    }

    @Test func `a full stream rejects events for now`() async throws {
        let (server, client) = try await Self.server(#""max_msgs":2,"discard":"new""#)
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        for number in 1...4 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        #expect(try loop.acknowledgements(2) == [1, 2])
        for number in [3, 4] as [UInt64] {
            let event = try loop.next()
            guard case .refused(number, let failure) = event else {
                Issue.record("expected a refusal of \(number), got \(event)")
                continue
            }
            #expect(failure.code == "broker_full")
        }
        // Nothing overtakes what was refused.
        loop.transport.publish(natsMessage(5))
        let event = try loop.next()
        #expect(event.refusedSequence == 5)
        #expect(try client.state(of: "REACH").messages == 2)
    }

    @Test func `a subject that no stream takes is rejected`() async throws {
        let server = try await NATSServer()
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("REACH", subjects: "reachagent.*.path.>")
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        loop.transport.publish(natsMessage(1))
        loop.transport.publish(natsMessage(2, type: "target.changed"))
        #expect(try loop.next() == .acknowledged(1))
        let event = try loop.next()
        guard case .refused(2, let failure) = event else {
            Issue.record("expected a refusal, got \(event)")
            return
        }
        #expect(failure.code == "broker_no_stream" && failure.detail.contains("'reachagent.edge7.target.changed'"))
    }

    @Test func `a broker without a stream, and one with several, say so`() async throws {
        let server = try await NATSServer()
        let loop = try natsLoop(natsSink(server.port))
        loop.transport.connect()
        let none = try loop.nextFailure()
        #expect(none.code == "broker_no_stream" && none.detail.contains("no stream"))

        let client = try NATSTestClient(port: server.port)
        try client.makeStream("PATHS", subjects: "reachagent.*.path.>")
        try client.makeStream("TARGETS", subjects: "reachagent.*.target.>")
        loop.transport.connect()
        let several = try loop.nextFailure()
        #expect(several.code == "broker_no_stream" && several.detail.contains("PATHS, TARGETS"))

        let configured = try natsLoop(natsSink(server.port) { $0.stream = "PATHS" })
        #expect(try configured.connect() == nil)
        configured.transport.publish(natsMessage(1, type: "target.changed"))
        #expect(try configured.nextFailure().detail.contains("'TARGETS', not 'PATHS'"))

        let missing = try natsLoop(natsSink(server.port) { $0.stream = "NOTHING" })
        missing.transport.connect()
        #expect(try missing.nextFailure().code == "broker_no_stream")
    }

    @Test func `another client's message is not taken for the newest event`() async throws {
        let (server, client) = try await Self.server()
        try client.publish("reachagent.edge7.path.changed", "hello")
        _ = try client.state(of: "REACH")
        let loop = try natsLoop(natsSink(server.port))
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_conflict")
        #expect(failure.detail.hasSuffix("is not an agent event: 'reachagent.edge7.path.changed'"), "\(failure.detail)")

        let filter = #"{"filter":"reachagent.edge7.path.changed"}"#
        #expect(try client.request("$JS.API.STREAM.PURGE.REACH", filter).json["purged"] as? Int == 1)
        #expect(try loop.connect() == nil)
    }

    @Test func `an idle connection has nothing to do`() async throws {
        let (server, _) = try await Self.server()
        let loop = try natsLoop(natsSink(server.port))
        try loop.connect()
        loop.transport.publish(natsMessage(1))
        _ = try loop.acknowledgements(1)
        loop.settle()
        #expect(loop.transport.deadline == nil && loop.transport.descriptor == nil)
        #expect(loop.isIdle(until: .now + .seconds(3600)))
    }
}

extension TransportEvent {
    /// The number of an event that is refused.
    var refusedSequence: UInt64? { if case .refused(let number, _) = self { number } else { nil } }
}
