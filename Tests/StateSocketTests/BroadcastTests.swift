import AgentEvents
import Foundation
import NotificationBus
import StateSocket
import Synchronization
import Testing

/// Events without a number, for subscribers that request their type.
struct BroadcastTests {
    private static func subscribe(_ stream: ServedStream, _ parameters: String) throws -> Client {
        let client = try Client(stream.control)
        try client.send(#"{"method":"subscribe","more":true,"parameters":\#(parameters)}"# + "\n")
        _ = try client.lines(2)
        return client
    }

    private static func tell(
        _ stream: ServedStream,
        _ number: UInt64,
        type: EventType = .probeCompleted,
        subject: String = "web",
        padding: Int = 0
    ) {
        stream.server.broadcast(stream.agent.event(type, subject: subject, padding: padding, number: number))
    }

    /// The events that were received, as the types' last words and the numbers.
    private static func told(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            guard let data = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let event = data["parameters"] as? [String: Any] ?? (data["type"] == nil ? nil : data),
                let type = (event["type"] as? String)?.split(separator: ".").last,
                let number = (event["data"] as? [String: Any])?["attempts"] as? Int
            else { return nil }
            return "\(type) \(number)"
        }
    }

    @Test(arguments: [#"{"types":["probe.completed"]}"#, #"{"types":["reachagent.probe.*"]}"#])
    func `a subscriber that asks for the type receives it`(parameters: String) async throws {
        let (before, during, lines, after) = try await ServedStream.run { stream in
            let before = stream.server.wants(.probeCompleted)
            let client = try Self.subscribe(stream, parameters)
            let during = stream.server.wants(.probeCompleted)
            for number in 1...3 { Self.tell(stream, UInt64(number)) }
            let lines = try client.lines(3)
            client.shutSending()
            stream.bus.finish()
            _ = try client.linesToEnd()
            guard stream.waitForConnections(0) else { return (before, during, lines, true) }
            return (before, during, lines, stream.server.wants(.probeCompleted))
        }
        #expect(!before && during && !after)
        #expect(Self.told(lines) == ["completed 1", "completed 2", "completed 3"])
        #expect(!lines.contains { $0.contains(#""seq""#) || $0.contains(#""dropped""#) })
    }

    @Test(arguments: [
        "{}", #"{"types":["*"]}"#, #"{"types":["path.*","agent.*"]}"#, #"{"subjects":["web","default"]}"#,
    ])
    func `other subscribers do not receive the type, and do not request it`(parameters: String) async throws {
        let (wants, lines) = try await ServedStream.run { stream in
            let clients = [try Client(stream.events), try Self.subscribe(stream, parameters)]
            _ = try clients[0].lines(2)
            let wants = stream.server.wants(.probeCompleted) || stream.server.wants(.pathChanged)
            Self.tell(stream, 1)
            stream.publish()
            stream.bus.finish()
            return (wants, try clients.map { try $0.linesToEnd() })
        }
        #expect(!wants)
        #expect(lines.map(Self.told) == [["changed 1"], ["changed 1"]])
    }

    @Test(arguments: [
        (#"{"types":["probe.completed"]}"#, true, false), (#"{"types":["probe.progress"]}"#, false, true),
        (#"{"types":["probe.*"]}"#, true, true),
    ])
    func `a subscription to one type does not request the other`(
        parameters: String,
        completed: Bool,
        progress: Bool
    ) async throws {
        let (wanted, lines, after) = try await ServedStream.run { stream in
            let client = try Self.subscribe(stream, parameters)
            let wanted = [EventType.probeCompleted, .probeProgress].map(stream.server.wants)
            Self.tell(stream, 1)
            Self.tell(stream, 2, type: .probeProgress)
            let lines = try client.lines(completed && progress ? 2 : 1)
            client.shutSending()
            stream.bus.finish()
            _ = try client.linesToEnd()
            guard stream.waitForConnections(0) else { return (wanted, lines, true) }
            return (wanted, lines, [EventType.probeCompleted, .probeProgress].contains(where: stream.server.wants))
        }
        #expect(wanted == [completed, progress] && !after)
        #expect(Self.told(lines) == (completed ? ["completed 1"] : []) + (progress ? ["progress 2"] : []))
    }

    @Test func `they come between numbered events and change no number`() async throws {
        let lines = try await ServedStream.run { stream in
            let client = try Self.subscribe(stream, #"{"types":["probe.completed","path.changed"]}"#)
            var lines: [String] = []
            for number in 1...4 {
                Self.tell(stream, UInt64(number))
                lines += try client.lines(1)
                stream.publish()
                lines += try client.lines(1)
            }
            return lines
        }
        #expect(
            Self.told(lines) == (1...4).flatMap { ["completed \($0)", "changed \($0)"] }
        )
        #expect(lines.compactMap { Client.sequence(of: Array($0.utf8)) } == [1, 2, 3, 4])
    }

    @Test func `subjects choose among them`() async throws {
        let lines = try await ServedStream.run { stream in
            let client = try Self.subscribe(stream, #"{"types":["probe.*"],"subjects":["dns"]}"#)
            for number in 1...6 { Self.tell(stream, UInt64(number), subject: number.isMultiple(of: 2) ? "dns" : "web") }
            return try client.lines(3)
        }
        #expect(Self.told(lines) == ["completed 2", "completed 4", "completed 6"])
    }

    @Test func `a subscriber that closes before an event is written to it ends alone`() async throws {
        let lines = try await ServedStream.run { stream in
            var clients = try (0..<3).map { _ in try Self.subscribe(stream, #"{"types":["probe.*"]}"#) }
            let held = try stream.holdEventLoop()
            // The event loop writes the event before it polls, so that only the write fails.
            clients.remove(at: 1)
            Self.tell(stream, 1)
            held.isReleased.signal()
            guard stream.waitForConnections(3) else { return [String]() }
            Self.tell(stream, 2)
            return try clients.flatMap { try $0.lines(2) }
        }
        #expect(Self.told(lines) == ["completed 1", "completed 2", "completed 1", "completed 2"])
    }

    @Test func `a slow subscriber misses some, gets their count, and loses no numbered event`() async throws {
        let total = 4000
        let (lines, subscribers) = try await ServedStream.run { stream in
            let client = try Self.subscribe(stream, #"{"types":["probe.completed","path.changed"]}"#)
            for number in 1...total { Self.tell(stream, UInt64(number), padding: 4000) }
            let numbered = (0..<50).compactMap { _ in stream.publish() }.count
            var lines: [String] = []
            while lines.count(where: { $0.contains("path.changed") }) < numbered, let line = try client.line() {
                lines.append(line)
            }
            Self.tell(stream, UInt64(total + 1))
            while !Self.told(lines.suffix(1)).contains("completed \(total + 1)"), let line = try client.line() {
                lines.append(line)
            }
            let asking = try Client(stream.control)
            try asking.send(#"{"method":"subscribers"}"# + "\n")
            return (lines, try asking.line() ?? "")
        }
        let numbers = Self.told(lines).filter { $0.hasPrefix("completed") }.compactMap { Int($0.dropFirst(10)) }
        #expect(numbers.count < total && numbers.last == total + 1)
        #expect(numbers == numbers.sorted())
        let dropped = lines.compactMap { line -> Int? in
            line.firstRange(of: #/,"dropped":([0-9]+),"continues":true}$/#).flatMap {
                Int(line[$0].dropFirst(11).prefix { $0.isNumber })
            }
        }
        #expect(dropped.reduce(0, +) + numbers.count == total + 1)
        #expect(subscribers.contains(#""dropped":\#(dropped.reduce(0, +)),"#))
        #expect(lines.compactMap { Client.sequence(of: Array($0.utf8)) } == Array(1...50))
    }
}
