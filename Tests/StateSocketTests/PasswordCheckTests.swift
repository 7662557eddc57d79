import AgentEvents
import AgentTestKit
import Dispatch
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
    static let hash = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
    static let header = "Basic \(Data("alice:secret".utf8).base64EncodedString())"

    static func hub(
        on gate: LoopGate,
        configuration: StateSocketConfiguration = StateSocketConfiguration(directory: "/nonexistent"),
        members: @escaping @Sendable () -> SocketMembers = { SocketMembers(nil) }
    ) throws -> NIOLoopBound<StreamHub> {
        let bus = NotificationBus<Event>()
        let tick = try PollTick.open(on: gate)
        return try gate.eventLoop.submit {
            let hub = StreamHub(
                configuration: configuration,
                connectionLimit: 1,
                bus: bus,
                replay: nil,
                agent: ScriptedAgent(bus),
                counts: StreamHub.Counts(),
                broadcasts: Broadcasts(),
                gate: gate,
                tick: tick.value,
                members: members()
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

    private final class Time {
        var now = NIODeadline.uptimeNanoseconds(0)
    }

    /// Runs a test with a function that checks a header after a number of seconds.
    private static func run(
        _ body: @escaping @Sendable ((String, ClientOrigin, Int64) throws -> PasswordCheck.Outcome) throws -> Void
    ) async throws {
        let file = try PasswordFile(Array("alice:\(hash)\n".utf8))
        try await onThread {
            let group = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(group.next())
            let hub = try Self.hub(on: gate)
            let bench = try gate.eventLoop.submit {
                let time = Time()
                let passwords = PasswordCheck { time.now }
                return NIOLoopBound((time: time, passwords: passwords), eventLoop: gate.eventLoop)
            }.wait()
            try body { header, origin, seconds in
                let promise = gate.eventLoop.makePromise(of: PasswordCheck.Outcome.self)
                try gate.eventLoop.submit {
                    let (time, passwords) = bench.value
                    time.now = .uptimeNanoseconds(0) + .seconds(seconds)
                    passwords.check([header], against: file, from: origin, in: hub.value) { promise.succeed($0) }
                }.wait()
                return try promise.futureResult.wait()
            }
            try gate.eventLoop.submit { bench.value.passwords.stop() }.wait()
            gate.close()
            try group.syncShutdownGracefully()
        }
    }

    /// A header that is refused without a hash, because the password is too long.
    private static let wrong = "Basic \(Data("alice:\(String(repeating: "x", count: 300))".utf8).base64EncodedString())"

    private static func host(_ number: Int) -> ClientOrigin {
        .host(RemoteHost(network: [0x20, 1, 0xD, 0xB8, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)]))
    }

    @Test func `guesses of more hosts than are remembered do not keep others from logging in`() async throws {
        try await Self.run { check throws in
            for number in 0..<PasswordCheck.maximumHosts + 1 {
                #expect(try check(Self.wrong, Self.host(number), 0) == .refused)
            }
            #expect(try check(Self.header, Self.host(5000), 0) == .accepted)
            let last = Self.host(PasswordCheck.maximumHosts)
            for _ in 1..<PasswordCheck.maximumFailures { #expect(try check(Self.wrong, last, 1) == .refused) }
            #expect(try check(Self.wrong, last, 1) == .tooMany, "the newest is remembered")
        }
    }

    @Test func `a password in use stays accepted, and one that is not used has to be checked again`() async throws {
        try await Self.run { check throws in
            let host = Self.host(1)
            #expect(try check(Self.header, host, 0) == .accepted)
            func fail(at time: Int64) throws {
                for _ in 0..<PasswordCheck.maximumFailures { _ = try check(Self.wrong, host, time) }
            }
            for time: Int64 in [299, 598] {
                try fail(at: time)
                #expect(try check(Self.header, host, time) == .accepted)
            }
            try fail(at: 898)
            #expect(try check(Self.header, host, 898) == .tooMany)
        }
    }

    @Test func `the second half of the queue is for hosts without a job in it`() async throws {
        try await onThread {
            let group = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(group.next())
            let hub = try Self.hub(on: gate)
            let release = DispatchSemaphore(value: 0)
            let ended = DispatchSemaphore(value: 0)
            let queue = try gate.eventLoop.submit {
                NIOLoopBound(WorkQueue("test-", share: 4), eventLoop: gate.eventLoop)
            }.wait()
            func add(_ number: Int) throws -> Bool {
                try gate.eventLoop.submit {
                    queue.value.add(for: Self.host(number), in: hub.value) {
                        release.wait()
                    } _: { _ in
                        ended.signal()
                    }
                }.wait()
            }
            let half = WorkQueue.maximumCount / 2
            for index in 0..<half { #expect(try add(index / 4)) }
            #expect(try !add(half / 4 - 1))
            for number in 100..<100 + half {
                #expect(try add(number))
                #expect(try !add(number))
            }
            #expect(try !add(1000))
            for _ in 0..<WorkQueue.maximumCount { release.signal() }
            for _ in 0..<WorkQueue.maximumCount { ended.wait() }
            #expect(try add(1000))
            release.signal()
            ended.wait()
            try gate.eventLoop.submit { queue.value.stop() }.wait()
            gate.close()
            try group.syncShutdownGracefully()
        }
    }
}
