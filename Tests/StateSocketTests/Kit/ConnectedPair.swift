import EventLoopExecutor
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import StateSocket

/// A connection to the control socket without a server, and the client's end of it.
struct ConnectedPair {
    let connection: NIOLoopBound<Connection>
    let channel: any Channel
    /// The client's descriptor, which the test closes.
    let client: Int32

    init(in hub: NIOLoopBound<StreamHub>, on gate: LoopGate) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        client = ends[1]
        let connection = try gate.eventLoop.submit {
            NIOLoopBound(Connection(.control, in: hub.value), eventLoop: gate.eventLoop)
        }.wait()
        self.connection = connection
        channel = try ClientBootstrap(group: gate.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
            .withConnectedSocket(ends[0])
            .wait()
    }
}
