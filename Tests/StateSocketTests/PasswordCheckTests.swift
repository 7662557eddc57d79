import AgentEvents
import AgentTestKit
import EventLoopExecutor
import Foundation
import NIOCore
import NIOPosix
import NotificationBus
import PortAccess
import Testing

@testable import StateSocket

/// Results of password checks across a change of the passwords.
@Suite(.timeLimit(.minutes(1)))
struct PasswordCheckTests {
    /// The password of `alice` is `secret`; the other file has only another user with the same hash.
    private static let hash = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
    private static let header = "Basic \(Data("alice:secret".utf8).base64EncodedString())"

    private static func hub(on gate: LoopGate) throws -> NIOLoopBound<StreamHub> {
        let bus = NotificationBus<Event>()
        let tick = try PollTick.open(on: gate)
        return try gate.eventLoop.submit {
            let hub = StreamHub(
                configuration: StateSocketConfiguration(directory: "/nonexistent"),
                connectionLimit: 1,
                bus: bus,
                replay: nil,
                agent: ScriptedAgent(bus),
                counts: StreamHub.Counts(),
                broadcasts: Broadcasts(),
                gate: gate,
                tick: tick.value,
                members: SocketMembers(nil)
            )
            return NIOLoopBound(hub, eventLoop: gate.eventLoop)
        }.wait()
    }

    @Test func `a password that was revoked while it was checked is refused, and not remembered`() async throws {
        let old = try PasswordFile(Array("alice:\(Self.hash)\n".utf8))
        let new = try PasswordFile(Array("bob:\(Self.hash)\n".utf8))
        try await onThread {
            let group = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(group.next())
            let hub = try Self.hub(on: gate)
            let origin = ClientOrigin.user(1000)
            func outcomes(_ files: [PasswordFile]) throws -> [PasswordCheck.Outcome] {
                let promises = files.map { _ in gate.eventLoop.makePromise(of: PasswordCheck.Outcome.self) }
                try gate.eventLoop.submit {
                    for (index, file) in files.enumerated() {
                        // The jobs before have not finished: their ends are handled on this thread.
                        if index > 0 { hub.value.passwords.forget() }
                        hub.value.passwords.check([Self.header], against: file, from: origin, in: hub.value) {
                            promises[index].succeed($0)
                        }
                    }
                }.wait()
                return try promises.map { try $0.futureResult.wait() }
            }
            #expect(try outcomes([old]) == [.accepted])
            try gate.eventLoop.submit { hub.value.passwords.forget() }.wait()
            #expect(try outcomes([old, new]) == [.refused, .refused])
            #expect(try outcomes([new]) == [.refused])
            try gate.eventLoop.submit { hub.value.passwords.stop() }.wait()
            gate.close()
            try group.syncShutdownGracefully()
        }
    }
}
