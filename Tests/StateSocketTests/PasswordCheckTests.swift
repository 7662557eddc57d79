import AgentEvents
import AgentTestKit
import EventLoopExecutor
import Foundation
import NIOCore
import NIOPosix
import NotificationBus
import PortAccess
import Synchronization
import Testing

@testable import StateSocket

/// Results of password checks across a change of the passwords.
@Suite(.timeLimit(.minutes(1)))
struct PasswordCheckTests {
    /// The password of `alice` is `secret`; the other file has only another user with the same hash.
    private static let hash = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
    private static let header = "Basic \(Data("alice:secret".utf8).base64EncodedString())"

    fileprivate static func hub(on gate: LoopGate) throws -> NIOLoopBound<StreamHub> {
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

/// Decisions about this machine's users across a change of the group.
@Suite(.timeLimit(.minutes(1)))
struct SocketMembersTests {
    private final class Group: Sendable {
        let state = Mutex((hasUser: false, lookups: 0))
    }

    private final class Time {
        var now = NIODeadline.uptimeNanoseconds(0)
    }

    private static let user: UInt32 = 4_000_000_001

    @Test func `an added member is admitted within seconds, and a removed one refused within a minute`() async throws {
        let group = Group()
        try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let hub = try PasswordCheckTests.hub(on: gate)
            let users = try gate.eventLoop.submit {
                let time = Time()
                let members = SocketMembers(now: { time.now }) { _ in
                    group.state.withLock {
                        $0.lookups += 1
                        return $0.hasUser ? nil : "not a member"
                    }
                }
                return NIOLoopBound((time: time, members: members), eventLoop: gate.eventLoop)
            }.wait()
            func isAdmitted(after seconds: Int64, hasUser: Bool) throws -> Bool {
                group.state.withLock { $0.hasUser = hasUser }
                let promise = gate.eventLoop.makePromise(of: String?.self)
                try gate.eventLoop.submit {
                    users.value.time.now = .uptimeNanoseconds(0) + .seconds(seconds)
                    users.value.members.decide(Self.user, in: hub.value) { promise.succeed($0) }
                }.wait()
                return try promise.futureResult.wait() == nil
            }
            #expect(try !isAdmitted(after: 0, hasUser: false))
            #expect(try !isAdmitted(after: 4, hasUser: true))
            #expect(try isAdmitted(after: 5, hasUser: true))
            #expect(try isAdmitted(after: 64, hasUser: false))
            #expect(try !isAdmitted(after: 65, hasUser: false))
            #expect(group.state.withLock { $0.lookups } == 3)
            try gate.eventLoop.submit { hub.value.work.stop() }.wait()
            gate.close()
            try loops.syncShutdownGracefully()
        }
    }
}
