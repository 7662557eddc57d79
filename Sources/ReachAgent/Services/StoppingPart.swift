internal import Synchronization

/// Resumes whoever waits for a part to stop, once: when it has stopped, or when it is waited for no longer.
final class StoppingPart: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, Never>)
        case ended
    }

    private let state = Mutex(State.idle)

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let hasEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .waiting(continuation)
            return false
        }
        if hasEnded { continuation.resume() }
    }

    func end() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .ended }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume()
    }
}
