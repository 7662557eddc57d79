import Dispatch
import Foundation
import Glibc
import NIOCore
import NIOPosix
import ProbeTestKit
import Synchronization
import Testing

@testable import Probes

/// A connection's error that a write meets, and that reading does not show any more.
@Suite(.timeLimit(.minutes(2)))
struct WriteFailureTests {
    /// Sends a request when it may, and notes what goes wrong in the order in which it is told.
    private final class Writer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let isConnected = ServerGate()
        let mayWrite = DispatchSemaphore(value: 0)
        private let told = Mutex<[String]>([])

        var news: [String] { told.withLock { $0 } }

        func channelActive(context: ChannelHandlerContext) {
            isConnected.open()
            mayWrite.wait()
            for _ in 0..<3 { context.write(wrapOutboundOut(ByteBuffer(string: "GET /")), promise: nil) }
            context.flush()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            told.withLock { $0.append((error as? IOError).map { "\($0.errnoCode)" } ?? "\(error)") }
        }

        func channelInactive(context: ChannelHandlerContext) { told.withLock { $0.append("end") } }
    }

    /// Waits until the reset has arrived: the kernel then no longer lists the client's connection to a port.
    ///
    /// The loopback delivers it in a soft interrupt, which a busy machine puts off beyond the server's close(2).
    private func resetArrives(from port: Int) async throws {
        let digits = String(port, radix: 16, uppercase: true)
        let established = "0100007F:\(String(repeating: "0", count: 4 - digits.count))\(digits) 01 "
        for _ in 0..<10_000 {
            let connections = try String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8)
            guard connections.contains(established) else { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("no reset arrives from port \(port)")
    }

    @Test
    func `a reset during a write is reported once, before the end`() async throws {
        let writer = Writer()
        let server = try await ScriptedServer.start([.wait(writer.isConnected), .reset])
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let meter = ByteMeter()
        // The loop stands still from the connection until the reset is there: sooner, connect(2) itself would meet it.
        async let connection = ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([ByteCounter(meter), writer])
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        await server.ended(connections: 1)
        try await resetArrives(from: server.port)
        writer.mayWrite.signal()
        try? await connection.closeFuture.get()
        #expect(writer.news == ["\(ECONNRESET)", "end"])
        await server.shutDown()
        try await loop.shutdownGracefully()
        #expect(meter.sent == 0)
    }
}
