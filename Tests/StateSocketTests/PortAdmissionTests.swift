import EventLoopExecutor
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import StateSocket

/// Connections of other hosts between the kernel's queue and the server, on a clock of the test.
struct PortAdmissionTests {
    @Test func `a host that connects in a flood delays no other host, and has no more than its share`() throws {
        let loop = EmbeddedEventLoop()
        loop.advanceTime(by: .seconds(5))
        let registry = ConnectionRegistry(
            limit: 4096,
            configuration: StateSocketConfiguration(directory: "/nonexistent"),
            counts: StreamHub.Counts(),
            on: LoopGate(loop)
        )
        let listener = EmbeddedChannel(handler: AcceptPacer(registry), loop: loop)
        let closed = Mutex<[String?]>([])
        func connect(from host: String, count: Int) throws {
            for _ in 0..<count {
                let channel = EmbeddedChannel(loop: loop)
                channel.remoteAddress = try SocketAddress(ipAddress: host, port: 40_000)
                channel.closeFuture.whenComplete { _ in closed.withLock { $0.append(host) } }
                try listener.writeInbound(channel as any Channel)
            }
        }
        func admitted() throws -> [String?] {
            var hosts: [String?] = []
            while let channel = try listener.readInbound(as: (any Channel).self) {
                hosts.append(channel.remoteAddress?.ipAddress)
            }
            return hosts
        }
        try connect(from: "192.0.2.1", count: 64)
        #expect(try admitted().count == 64)
        try connect(from: "192.0.2.2", count: 1000)
        try connect(from: "192.0.2.3", count: 1)
        loop.run()
        #expect(try admitted() == [])
        #expect(closed.withLock { $0 } == Array(repeating: "192.0.2.2", count: 1000 - 64))
        loop.advanceTime(by: .milliseconds(40))
        #expect(try admitted() == ["192.0.2.2", "192.0.2.3", "192.0.2.2", "192.0.2.2"])
        listener.pipeline.fireChannelInactive()
        loop.run()
        #expect(closed.withLock { $0.count } == 1000 - 3)
        #expect(
            (0..<100).count { _ in registry.hold(.host(RemoteHost(network: [192, 0, 2, 2]))) } == 64,
            "those that waited count no more"
        )
    }
}
