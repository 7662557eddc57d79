import AgentEvents
import AgentTestKit
import Foundation
import StateSocket
import Testing

/// Clients that take a place or memory, and do not come to the point.
struct LateRequestTests {
    @Test(
        arguments: [
            ("a client that never asks", ""), ("half a line", #"{"method":"sta"#),
            ("a line beyond the limit without an end", String(repeating: "x", count: 100_000)),
        ]
    )
    func `a request that is not received in time is an error, and ends the connection`(
        name: String,
        text: String
    ) async throws {
        let lines = try await onThread {
            let stream = try ServedStream(accepting: false, { $0.requestPatience = .milliseconds(200) })
            defer { stream.stop() }
            let client = try Client(stream.control)
            // Its time begins when it is accepted.
            try client.send(text)
            stream.server.accept()
            return try client.linesToEnd()
        }
        #expect(lines.last?.hasPrefix(#"{"error":"request_timeout""#) == true, "\(name): \(lines)")
    }

    @Test func `only a client without a request times out, not one with an answer or a subscription`() async throws {
        let (reply, event, late) = try await onThread {
            let stream = try ServedStream(accepting: false, { $0.requestPatience = .milliseconds(300) })
            defer { stream.stop() }
            let (resting, subscriber) = (try Client(stream.control), try Client(stream.control))
            let events = try Client(stream.events)
            // Their time begins when they are accepted, and both have asked by then.
            try resting.send(#"{"method":"status"}"# + "\n")
            try subscriber.send(#"{"method":"subscribe","more":true}"# + "\n")
            stream.server.accept()
            _ = try resting.line()
            _ = try subscriber.lines(2)
            _ = try events.lines(2)
            // By the time that this one is ended, the others have been looked at with it.
            let late = try Client(stream.control)
            let end = try late.linesToEnd()
            try resting.send(#"{"method":"status"}"# + "\n")
            let reply = try resting.line()
            stream.publish()
            return (reply, [try subscriber.line(), try events.line()], end)
        }
        #expect(reply == #"{"parameters":{"connections":3}}"#)
        #expect(event.allSatisfy { $0?.contains("path.changed") == true })
        #expect(late.count == 1)
    }

    @Test func `unfinished requests take bounded memory in all, and the largest ones go first`() async throws {
        let (ended, reply) = try await ServedStream.run(configure: { $0.requestMemory = 1 << 20 }) { stream in
            let half = try Client(stream.control)
            try half.send(#"{"method":"#)
            let greedy = try (0..<40).map { _ in try Client(stream.control) }
            let text = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
            for client in greedy { try client.send(text) }
            var (ended, rest) = (0, greedy)
            for client in greedy { client.setReceiveTimeout(milliseconds: 50) }
            // Of 40 that hold 60 KB each, no more than 17 fit, once the server has read them all.
            let end = ContinuousClock.now + .seconds(30)
            while ended < 22, .now < end {
                rest.removeAll { client in
                    guard ended < 22, let line = try? client.line() else { return false }
                    #expect(line.hasPrefix(#"{"error":"too_much_unfinished""#))
                    ended += 1
                    return true
                }
            }
            try half.send(#""status"}"# + "\n")
            return (ended, try half.line())
        }
        #expect(ended == 22)
        #expect(reply?.hasPrefix(#"{"parameters":{"connections":"#) == true, "\(reply ?? "nothing")")
    }
}
