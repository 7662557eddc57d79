import AgentTestKit
import Foundation
import Testing

/// Blocking calls on threads of their own, which block nothing else.
@Suite(.timeLimit(.minutes(5)))
struct OwnThreadTests {
    /// More than any machine has shared threads.
    private static let many = 300

    @Test func `code that blocks its own thread keeps nothing else waiting`() async {
        let (begun, beginning) = AsyncStream<Int>.makeStream()
        let release = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for number in 0..<Self.many {
                group.addTask {
                    await onThread {
                        beginning.yield(number)
                        release.wait()
                    }
                }
            }
            var count = 0
            for await _ in begun {
                count += 1
                if count == Self.many { break }
            }
            for _ in 0..<Self.many { release.signal() }
        }
    }

    @Test(.onOwnThread) func `a test on its own thread may wait for its child tasks, and for others`() async {
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let child: Void = Self.hand(first, to: second)
        Self.signalAndWait(first, second)
        await child
        await Task.yield()
        #expect(!Thread.isMainThread)
    }

    private static func hand(_ first: DispatchSemaphore, to second: DispatchSemaphore) async {
        first.wait()
        second.signal()
    }

    private static func signalAndWait(_ first: DispatchSemaphore, _ second: DispatchSemaphore) {
        first.signal()
        second.wait()
    }

    @Test func `errors and results are passed to the caller`() async throws {
        #expect(await onThread { 7 } == 7)
        await #expect(throws: CancellationError.self) { try await onThread { throw CancellationError() } }
    }
}
