import AgentEvents
import AgentTestKit
import EventLoopExecutor
import Glibc
import LinuxSupport
import NIOCore
import NIOPosix
import NotificationBus
import Testing

@testable import StateSocket

/// A process that is short of descriptors when the server starts, or of threads when it serves clients.
struct ServerShortageTests {
    /// Four for the lock and the sockets, then three for the event loop.
    @Test(arguments: UInt(0)...6)
    func `without descriptors the server does not start, and leaves no socket behind`(_ spare: UInt) async {
        await #expect(processExitsWith: .success) { [spare] in
            let temporary = try TemporaryDirectory()
            let bus = NotificationBus<Event>()
            let server = StateServer(
                configuration: StateSocketConfiguration(directory: temporary.path),
                bus: bus,
                agent: ScriptedAgent(bus)
            )
            _ = try DescriptorShortage(sparing: spare, isFinal: true)
            let error = #expect(throws: StateSocketError.self) { try server.start() }
            #expect(error?.cause == .errno(EMFILE))
            let names = ["events", "control", "http"]
            #expect(names.filter { access("\(temporary.path)/\($0).sock", F_OK) == 0 } == [])
        }
    }

    @Test func `without a watch of epoll(7) the server does not start`() async throws {
        let group = try MultiThreadedEventLoopGroup(named: "test")
        try await onThread {
            try RefusedSystemCall.refuse(RefusedSystemCall.epollControl, with: ENOSPC)
            #expect(throws: SystemError(errno: ENOSPC)) { _ = try PollTick.open(on: LoopGate(group.next())) }
        }
        try await group.shutdownGracefully()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `without a thread a client gets that reason, and the next one its document`() async {
        await #expect(processExitsWith: .success) {
            let stream = try ServedStream()
            let paths = ["/", "/metrics", "/api/report?month=2026-01"]
            // Afterwards the process may neither connect nor remove the files of another user.
            let clients = try (0..<2).map { _ in try paths.map { (path: $0, client: try HTTPClient(stream.http)) } }
            #expect(chown(stream.directory, ThreadShortage.user, .max) == 0)
            let shortage = try ThreadShortage(sparing: 0)
            for (path, client) in clients[0] {
                let response = try client.get(path)
                #expect(response.status == 503)
                #expect(response.body.contains("no thread left for this: Resource temporarily unavailable"))
            }
            try shortage.end()
            for (path, client) in clients[1] { #expect(try client.get(path).status == 200) }
            stream.stop()
        }
    }
}
