import Dispatch
import Foundation
import Probes
import Synchronization
import Testing

struct ProberEndTests {
    @Test func `a resolver answer after the end is dropped silently`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let resolver = LateResolver()
            let prober = Prober(resolver: resolver)
            let cancel = prober.start(try CheckBench.probe("tcp://name.test:9")) { _ in }
            resolver.waitForLookups()
            prober.shutDownAndWait()
            #expect(resolver.answer() == 2)
            cancel()
            prober.whenFree { Issue.record("the event loops have ended") }
        }
        #expect(String(bytes: result.standardErrorContent, encoding: .utf8) == "")
    }
}

/// A resolver whose thread is still at work when the prober ends.
private final class LateResolver: HostResolver {
    private struct Lookup: HostLookup {
        let isWaiting = false
        func abandon() {}
    }

    private typealias Answer = @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void

    private let pending = Mutex<[Answer]>([])
    private let begun = DispatchSemaphore(value: 0)

    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        pending.withLock { $0.append(completion) }
        begun.signal()
        return Lookup()
    }

    func waitForLookups() {
        for _ in HostAddress.Family.allCases { begun.wait() }
    }

    /// Answers all lookups, and returns their number.
    func answer() -> Int {
        let answers = pending.withLock { $0 }
        for answer in answers { answer(.success([])) }
        return answers.count
    }
}
