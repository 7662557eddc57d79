import AgentTestKit
import EventLoopExecutor
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import StateSocket

/// Clients that read an answer slowly, or not at all.
@Suite(.timeLimit(.minutes(2)))
struct SlowReaderTests {
    /// Runs a test with a connection and the client's end of it.
    private static func connected(
        _ socket: SocketName = .control,
        _ configuration: StateSocketConfiguration = StateSocketConfiguration(directory: "/nonexistent"),
        _ body: @Sendable (NIOLoopBound<Connection>, any Channel, Int32) throws -> [Bool]
    ) async throws -> [Bool] {
        try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let hub = try PasswordCheckTests.hub(on: gate, configuration: configuration)
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            defer { close(ends[1]) }
            let connection = try gate.eventLoop.submit {
                NIOLoopBound(Connection(socket, in: hub.value), eventLoop: gate.eventLoop)
            }.wait()
            let channel = try ClientBootstrap(group: gate.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(connection.value)
                    }
                }
                .withConnectedSocket(ends[0])
                .wait()
            let states = try body(connection, channel, ends[1])
            _ = try gate.eventLoop.submit { connection.value.close() }.wait()
            try channel.closeFuture.wait()
            gate.close()
            try loops.syncShutdownGracefully()
            return states
        }
    }

    @Test func `a client that has read a part of the last answer gets more time, and one that has read none is closed`()
        async throws
    {
        let states = try await Self.connected { connection, channel, client in
            try connection.eventLoop.submit {
                connection.value.end(with: ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20))
            }.wait()
            var room = [UInt8](repeating: 0, count: 64 << 10)
            var states: [Bool] = []
            for isReading in [true, true, true, false] {
                if isReading {
                    let count = recv(client, &room, room.count, Int32(MSG_WAITALL))
                    #expect(count == room.count)
                }
                let isOpen = try connection.eventLoop.submit {
                    connection.value.checkReading()
                    return channel.isActive
                }.wait()
                states.append(isOpen)
            }
            return states
        }
        #expect(states == [true, true, true, false])
    }

    @Test func `a limit that is left over closes no client that has read everything`() async throws {
        let states = try await Self.connected { connection, channel, _ in
            try (0..<3).map { _ in
                try connection.eventLoop.submit {
                    connection.value.limitReading()
                    connection.value.checkReading()
                    return channel.isActive
                }.wait()
            }
        }
        #expect(states == [true, true, true])
    }

    @Test func `the time for reading an answer is not that of the stream after it`() async throws {
        var configuration = StateSocketConfiguration(directory: "/nonexistent")
        configuration.lagPatience = .milliseconds(50)
        let states = try await Self.connected(.http, configuration) { connection, channel, _ in
            let head = HTTPRequestHead(
                version: .http1_1,
                method: .GET,
                uri: "/events",
                headers: ["Host": "localhost"]
            )
            try connection.eventLoop.submit {
                // The stream starts although the answer is unread.
                let marks = ChannelOptions.Types.WriteBufferWaterMark(low: 1 << 24, high: 1 << 25)
                try channel.syncOptions?.setOption(.writeBufferWaterMark, value: marks)
                connection.value.write(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20), lines: 1)
                connection.value.flush()
                connection.value.limitReading()
                connection.value.exchange?.receive(.head(head))
                connection.value.exchange?.receive(.end(nil))
                _ = connection.value.takeTurn()
            }.wait()
            // Due after the limit, if that is still set.
            let isOpen = connection.eventLoop.scheduleTask(in: .milliseconds(100)) {
                channel.isActive && connection.value.stream != nil
            }
            return [try isOpen.futureResult.wait()]
        }
        #expect(states == [true])
    }

    @Test func `the time for the next request begins when the client has been sent the whole answer`() async throws {
        try await onThread {
            let stream = try ServedStream(accepting: false, { $0.requestPatience = .milliseconds(300) })
            defer { stream.stop() }
            stream.agent.documentPadding.withLock { $0 = 1 << 20 }
            // Its time begins when it is accepted.
            let client = try HTTPClient(stream.http)
            try client.send("/")
            stream.server.accept()
            let length = try client.head().headers["content-length"].flatMap { Int($0) }
            // This one is accepted later, and its time is over.
            #expect(try HTTPClient(stream.http).client.line() == nil)
            try client.send("/api/status")
            #expect(try client.client.text(length ?? 0).utf8.count > 1 << 20)
            #expect(try client.response().status == 200)
        }
    }

    @Test(arguments: [[], ["Connection: close"]])
    func `a client that reads nothing of an answer is closed after a while`(headers: [String]) async throws {
        let isClosed = try await ServedStream.run(configure: { $0.lagPatience = .milliseconds(20) }) { stream in
            stream.agent.documentPadding.withLock { $0 = 1 << 20 }
            let client = try HTTPClient(stream.http)
            guard stream.waitForConnections(1) else { return false }
            try client.send("/", headers)
            defer { withExtendedLifetime(client) {} }
            return stream.waitForConnections(0)
        }
        #expect(isClosed)
    }
}
