import AgentTestKit
import Brokers
import Foundation
import Sinks
import Testing

/// Servers that never stop sending, and send nothing that was requested.
@Suite(.onOwnThread) struct NATSFloodTests {
    /// The beginning of a message or a line; or all of it, again and again.
    static let floods = ["MSG a 1 2000000000\r\n", "HMSG a 1 500000000 500000010\r\nNATS/1.0\r\n", "MSG ", "+OK\r\n"]

    @Test(arguments: floods)
    func `a server that never completes a message is cut off`(beginning: String) throws {
        let greeting =
            #"INFO {"server_id":"X","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"# + "\r\n"
        let isWhole = beginning == "+OK\r\n"
        let flood = String(repeating: isWhole ? beginning : "a", count: 50_000)
        let server = try RawServer(
            [Array(greeting.utf8)],
            then: .answers([
                ("PING", Array("PONG\r\n".utf8)), ("SUB", Array(beginning.utf8)), ("SUB", Array(flood.utf8)),
            ]),
            readsFirst: false
        )
        let loop = try natsLoop(natsSink(server.port))
        loop.transport.connect()
        let failure = try withExtendedLifetime(server) { try loop.nextFailure() }
        #expect(failure.code == "broker_protocol" && failure.detail.contains("more than was requested"), "\(failure)")
        // The limit, and what the kernel has buffered beside it.
        #expect(loop.transport.bytes < 64 << 20)
    }
}
