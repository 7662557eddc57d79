import AgentTestKit
import Dispatch
import EventLoopExecutor
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import StateSocket

/// The liveness check of the agent's threads.
@Suite(.timeLimit(.minutes(1)))
struct HealthCheckTests {
    @Test func `a hundred requests are one call to a thread that keeps sixty-four, and none reports it silent`()
        async throws
    {
        try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let kept = Mutex<[@Sendable () -> Void]>([])
            let busy = AgentThread(name: "busy") { body in
                kept.withLock { if $0.count < 64 { $0.append(body) } }
            }
            let promises = (0..<100).map { _ in gate.eventLoop.makePromise(of: [String].self) }
            let health = try gate.eventLoop.submit {
                let health = HealthCheck(on: gate)
                for promise in promises { health.run([busy]) { promise.succeed($0) } }
                return NIOLoopBound(health, eventLoop: gate.eventLoop)
            }.wait()
            for body in kept.withLock({ $0 }) { body() }
            let silent = try promises.flatMap { try $0.futureResult.wait() }
            #expect(silent.isEmpty)
            #expect(kept.withLock { $0.count } == 1)
            // The next request after the end is a check of its own.
            let promise = gate.eventLoop.makePromise(of: [String].self)
            try gate.eventLoop.submit { health.value.run([busy]) { promise.succeed($0) } }.wait()
            for body in kept.withLock({ $0 }) { body() }
            #expect(try promise.futureResult.wait().isEmpty)
            gate.close()
            try loops.syncShutdownGracefully()
        }
    }
}
