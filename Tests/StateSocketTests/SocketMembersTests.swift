import AgentTestKit
import Dispatch
import EventLoopExecutor
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import PortAccess
import Synchronization
import Testing

@testable import StateSocket

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
            try gate.eventLoop.submit { users.value.members.stop() }.wait()
            gate.close()
            try loops.syncShutdownGracefully()
        }
    }

    @Test func `a removed member is refused within a minute also on an open connection`() async throws {
        let group = Group()
        try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let time = try gate.eventLoop.submit { NIOLoopBound(Time(), eventLoop: gate.eventLoop) }.wait()
            let hub = try PasswordCheckTests.hub(on: gate) {
                SocketMembers(now: { time.value.now }) { _ in
                    group.state.withLock { $0.hasUser ? nil : "not a member" }
                }
            }
            let pair = try ConnectedPair(in: hub, on: gate)
            defer { close(pair.client) }
            let exchange = try gate.eventLoop.submit {
                let exchange = HTTPExchange(for: pair.connection.value, access: .user(Self.user), in: hub.value)
                return NIOLoopBound(exchange, eventLoop: gate.eventLoop)
            }.wait()
            let client = pair.client
            var limit = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            func status(after seconds: Int64, hasUser: Bool) throws -> String {
                group.state.withLock { $0.hasUser = hasUser }
                try gate.eventLoop.submit {
                    time.value.now = .uptimeNanoseconds(0) + .seconds(seconds)
                    let fields: HTTPHeaders = ["Host": "localhost"]
                    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/api/status", headers: fields)
                    exchange.value.receive(HTTPServerRequestPart.head(head))
                    exchange.value.receive(HTTPServerRequestPart.end(nil))
                    _ = exchange.value.takeTurn()
                }.wait()
                var room = [UInt8](repeating: 0, count: 4096)
                let count = recv(client, &room, room.count, 0)
                return String(decoding: room.prefix(max(0, count)).prefix(12), as: UTF8.self)
            }
            #expect(try status(after: 0, hasUser: true) == "HTTP/1.1 200")
            #expect(try status(after: 59, hasUser: false) == "HTTP/1.1 200")
            #expect(try status(after: 60, hasUser: false) == "HTTP/1.1 403")
            try gate.eventLoop.submit {
                pair.connection.value.close()
                hub.value.members.stop()
                hub.value.work.stop()
            }.wait()
            try pair.channel.closeFuture.wait()
            gate.close()
            try loops.syncShutdownGracefully()
        }
    }

    @Test func `requests of a user share a lookup, and one that hangs holds up no other work`() async throws {
        try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let hub = try PasswordCheckTests.hub(on: gate)
            let lookups = Atomic<Int>(0)
            let (isReleased, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let members = try gate.eventLoop.submit {
                let members = SocketMembers { user in
                    lookups.add(1, ordering: .relaxed)
                    isReleased.wait()
                    return "\(user) is not a member"
                }
                return NIOLoopBound(members, eventLoop: gate.eventLoop)
            }.wait()
            let promises = (0..<3).map { _ in gate.eventLoop.makePromise(of: String?.self) }
            try gate.eventLoop.submit {
                for promise in promises { members.value.decide(Self.user, in: hub.value) { promise.succeed($0) } }
                hub.value.work.run(for: .user(Self.user), {}) { _ in isDone.signal() }
            }.wait()
            #expect(isDone.wait(timeout: .now() + 10) == .success)
            for _ in promises { isReleased.signal() }
            let refusals = try promises.map { try $0.futureResult.wait() }
            #expect(refusals == Array(repeating: "\(Self.user) is not a member", count: 3))
            #expect(lookups.load(ordering: .relaxed) == 1)
            try Self.end(members, hub, on: gate, of: loops)
        }
    }

    @Test func `a lookup that hangs keeps sixty-four requests of its user, and refuses further ones at once`()
        async throws
    {
        try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let hub = try PasswordCheckTests.hub(on: gate)
            let (isReleased, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let answers = Mutex<[String?]>([])
            let members = try gate.eventLoop.submit {
                let members = SocketMembers { _ in
                    isReleased.wait()
                    return nil
                }
                for _ in 0..<1000 {
                    members.decide(Self.user, in: hub.value) { refusal in
                        answers.withLock { $0.append(refusal) }
                        isDone.signal()
                    }
                }
                return NIOLoopBound(members, eventLoop: gate.eventLoop)
            }.wait()
            #expect(answers.withLock { $0.count } == 1000 - 64)
            isReleased.signal()
            for _ in 0..<1000 { isDone.wait() }
            #expect(answers.withLock { $0.count { $0 == nil } } == 64)
            try Self.end(members, hub, on: gate, of: loops)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a shortage of threads is the reason of a refusal, and no wrong password`() async {
        await #expect(processExitsWith: .success) {
            try await onThread {
                let loops = try MultiThreadedEventLoopGroup(named: "test")
                let gate = LoopGate(loops.next())
                let hub = try PasswordCheckTests.hub(on: gate)
                let file = try PasswordFile(Array("alice:\(PasswordCheckTests.hash)\n".utf8))
                let members = try gate.eventLoop.submit {
                    NIOLoopBound(SocketMembers { _ in nil }, eventLoop: gate.eventLoop)
                }.wait()
                func outcome() throws -> PasswordCheck.Outcome {
                    let promise = gate.eventLoop.makePromise(of: PasswordCheck.Outcome.self)
                    try gate.eventLoop.submit {
                        hub.value.passwords.check(
                            [PasswordCheckTests.header],
                            against: file,
                            from: .user(1000),
                            in: hub.value
                        ) { promise.succeed($0) }
                    }.wait()
                    return try promise.futureResult.wait()
                }
                func refusal() throws -> String? {
                    let promise = gate.eventLoop.makePromise(of: String?.self)
                    try gate.eventLoop.submit {
                        members.value.decide(Self.user, in: hub.value) { promise.succeed($0) }
                    }.wait()
                    return try promise.futureResult.wait()
                }
                let shortage = try ThreadShortage(sparing: 0)
                let reason = "the system has no thread left for this: Resource temporarily unavailable"
                for _ in 0...PasswordCheck.maximumFailures { #expect(try outcome() == .failed(reason)) }
                #expect(try refusal() == "cannot look up the user \(Self.user): \(reason)")
                try shortage.end()
                #expect(try outcome() == .accepted)
                #expect(try refusal() == nil)
                try gate.eventLoop.submit {
                    hub.value.passwords.stop()
                    members.value.stop()
                }.wait()
                gate.close()
                try loops.syncShutdownGracefully()
            }
        }
    }

    private static func end(
        _ members: NIOLoopBound<SocketMembers>,
        _ hub: NIOLoopBound<StreamHub>,
        on gate: LoopGate,
        of loops: MultiThreadedEventLoopGroup
    ) throws {
        try gate.eventLoop.submit {
            members.value.stop()
            hub.value.work.stop()
        }.wait()
        gate.close()
        try loops.syncShutdownGracefully()
    }
}
