import Foundation
package import Testing

/// Runs each of its jobs on a thread of its own.
///
/// A task stays on it from one suspension to the next, so that what blocks there blocks nothing else: neither another
/// test, nor a child task of the same one. The threads have the signal mask of the tests, for programs inherit it.
package final class OwnThreadExecutor: TaskExecutor {
    /// The one that all tests share.
    package static let shared = OwnThreadExecutor()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs what blocks on a thread of its own: reading a pipe, waiting for a process, a lock or a semaphore, sleeping.
///
/// Swift's shared threads are as few as the machine's cores: a test that blocks one keeps the others, and the servers
/// that they talk to, waiting.
package func onThread<Value: Sendable>(_ body: @Sendable () throws -> Value) async rethrows -> Value {
    try await withTaskExecutorPreference(OwnThreadExecutor.shared) { try body() }
}

/// Runs tests on threads of their own, with what they begin.
package struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreadTrait {
    /// Runs tests that block here and there on threads of their own.
    package static var onOwnThread: Self { Self() }
}
