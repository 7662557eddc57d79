import AgentTestKit
import Dispatch
import Glibc
import NIOCore
import PortAccess
import Synchronization
import Testing

@testable import StateSocket

/// Connections of other hosts before they are clients: the rate, the turns of the hosts, and those beyond the limits.
@Suite(.timeLimit(.minutes(2)))
struct AdmissionTests {
    private static func host(_ last: UInt8) -> RemoteHost { RemoteHost(network: [192, 0, 2, last]) }

    private static func time(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .milliseconds(milliseconds)
    }

    /// Takes all that may leave at a time.
    private static func leaving(_ queue: inout AdmissionQueue<String>, at milliseconds: Int64) -> [String] {
        var elements: [String] = []
        while let element = queue.next(at: time(milliseconds)) { elements.append(element) }
        return elements
    }

    @Test func `after a burst of 64, 100 connections a second leave`() {
        var queue = AdmissionQueue<String>()
        #expect(queue.nextTime == nil)
        for number in 0..<1000 { queue.add("\(number)", of: Self.host(1)) }
        let cases: [(milliseconds: Int64, count: Int)] = [
            (5000, 64), (5000, 0), (5009, 0), (5010, 1), (5019, 0), (5045, 3), (5100, 6), (6000, 64), (6009, 0),
            (6640, 64),
        ]
        for (milliseconds, count) in cases {
            #expect(Self.leaving(&queue, at: milliseconds).count == count, "\(milliseconds)")
        }
        #expect(queue.nextTime == Self.time(6650))
    }

    @Test func `a host with one connection waits for one of each other host, however many those have`() {
        var queue = AdmissionQueue<String>()
        for number in 0..<264 { queue.add("a\(number)", of: Self.host(1)) }
        #expect(Self.leaving(&queue, at: 5000).count == 64)
        for number in 0..<100 { queue.add("b\(number)", of: Self.host(2)) }
        queue.add("c0", of: Self.host(3))
        #expect(Self.leaving(&queue, at: 5040) == ["a64", "b0", "c0", "a65"])
        var rest = 0
        while queue.removeNext() != nil { rest += 1 }
        #expect(rest == 198 + 99 && queue.nextTime == nil)
    }

    /// Runs a server that other machines reach.
    private static func run(_ body: @escaping @Sendable (ServedStream, UInt16) throws -> Void) async throws {
        try await onThread {
            let free = try FreePort()
            defer { withExtendedLifetime(free) {} }
            let stream = try ServedStream {
                $0.http.listen = [HTTPPort(address: "0.0.0.0", port: free.number)]
                $0.http.access = PortAccess(isInsecure: true)
            }
            defer { stream.stop() }
            try body(stream, free.number)
        }
    }

    /// Runs a closure while the event loop is held, so that all its connections wait in the kernel's queue.
    private static func withHeldLoop<Result>(_ stream: ServedStream, _ body: () throws -> Result) throws -> Result {
        let held = try stream.holdEventLoop()
        stream.agent.whenAskedForStatus.withLock { $0 = nil }
        defer {
            held.isReleased.signal()
            withExtendedLifetime(held.client) {}
        }
        return try body()
    }

    @Test func `connections that still wait end with the server`() async throws {
        try await Self.run { (stream, port) throws in
            let clients = try Self.withHeldLoop(stream) {
                try (0..<120).map { try HTTPClient(port: port, host: UInt8(2 + $0 / 60)) }
            }
            #expect(try HTTPClient(port: port, host: 9).get("/metrics").status == 200)
            stream.stop()
            for client in clients { #expect([0, ECONNRESET].contains(client.client.discardWithoutWaiting())) }
        }
    }

    @Test func `a connection beyond its host's share is reset at once`() async throws {
        try await Self.run { (stream, port) throws in
            let clients = try Self.withHeldLoop(stream) {
                let many = try (0..<100).map { _ in try HTTPClient(port: port, host: 2) }
                return (many: many, one: try HTTPClient(port: port, host: 3))
            }
            #expect(try clients.one.get("/metrics").status == 200)
            #expect(clients.many.count { $0.client.discardWithoutWaiting() == ECONNRESET } == 36)
        }
    }
}
