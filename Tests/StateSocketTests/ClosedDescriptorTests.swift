import AgentTestKit
import Glibc
import StateSocket
import Synchronization
import Testing

/// The numbers of closed sockets, which the kernel gives to others at once.
@Suite(.timeLimit(.minutes(2)))
struct ClosedDescriptorTests {
    /// A client that is cut off while it has not read everything, and goes: the server's last write fails, and its
    /// socket is closed before NIO reports either.
    @Test func `a connection that fails touches no socket that has got its number`() async throws {
        let isOver = Flag()
        // The sockets of somebody else, each of which has one byte to receive.
        async let received = onThread { () -> (pairs: Int, missing: Int) in
            var (pairs, missing) = (0, 0)
            while !isOver.value.load(ordering: .relaxed) {
                var ends: [Int32] = [-1, -1]
                guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { continue }
                var byte: UInt8 = 1
                _ = send(ends[0], &byte, 1, 0)
                _ = send(ends[1], &byte, 1, 0)
                sched_yield()
                for end in ends where recv(end, &byte, 1, Int32(MSG_DONTWAIT)) != 1 { missing += 1 }
                for end in ends { close(end) }
                pairs += 1
            }
            return (pairs, missing)
        }
        defer { isOver.value.store(true, ordering: .relaxed) }
        try await ServedStream.run(configure: { $0.ringEvents = 4 }) { stream in
            for _ in 0..<200 {
                let client = try Client(stream.events)
                _ = try client.lines(1)
                for _ in 0..<40 { stream.publish(padding: 20_000) }
                withExtendedLifetime(client) {}
            }
            #expect(stream.waitForConnections(0))
        }
        isOver.value.store(true, ordering: .relaxed)
        let (pairs, missing) = await received
        #expect(pairs > 0 && missing == 0)
    }
}

private final class Flag: Sendable {
    let value = Atomic<Bool>(false)
}
