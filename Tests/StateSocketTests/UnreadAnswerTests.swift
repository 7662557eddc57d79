import AgentTestKit
import EventLoopExecutor
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import StateSocket

/// The memory of the answers that the client of one connection has not read.
@Suite(.timeLimit(.minutes(1)))
struct UnreadAnswerTests {
    @Test func `a small answer behind a large one hides none of its memory`() async throws {
        let totals = try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let hub = try PasswordCheckTests.hub(on: gate)
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            defer { close(ends[1]) }
            let connection = try gate.eventLoop.submit {
                NIOLoopBound(Connection(.control, in: hub.value), eventLoop: gate.eventLoop)
            }.wait()
            let channel = try ClientBootstrap(group: gate.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(connection.value)
                    }
                }
                .withConnectedSocket(ends[0])
                .wait()
            let totals = try gate.eventLoop.submit {
                let unread = UnreadAnswerCounter(for: connection.value, among: hub.value.connections)
                return [1 << 20, 100].map { bytes in
                    connection.value.write(ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes), lines: 1)
                    connection.value.flush()
                    unread.add(bytes)
                    return hub.value.connections.unreadAnswers.total
                }
            }.wait()
            try channel.close().wait()
            gate.close()
            try loops.syncShutdownGracefully()
            return totals
        }
        // The kernel has taken a part of the large one, all of which is still in memory.
        #expect(totals == [1 << 20, 1 << 20])
    }
}
