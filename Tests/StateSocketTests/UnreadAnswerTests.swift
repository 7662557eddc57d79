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
            let pair = try ConnectedPair(in: hub, on: gate)
            defer { close(pair.client) }
            let totals = try gate.eventLoop.submit {
                let unread = UnreadAnswerCounter(for: pair.connection.value, among: hub.value.connections)
                return [1 << 20, 100].map { bytes in
                    pair.connection.value.write(ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes), lines: 1)
                    pair.connection.value.flush()
                    unread.add(bytes)
                    return hub.value.connections.unreadAnswers.total
                }
            }.wait()
            try pair.channel.close().wait()
            gate.close()
            try loops.syncShutdownGracefully()
            return totals
        }
        // The kernel has taken a part of the large one, all of which is still in memory.
        #expect(totals == [1 << 20, 1 << 20])
    }
}
