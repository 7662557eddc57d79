internal import Synchronization

extension NetworkMonitor {
    /// Starts a monitor and returns its updates as an asynchronous sequence.
    ///
    /// The first element is the complete snapshot, available at once. The monitor ends when the sequence and its
    /// iterator are released, or the iterating task is cancelled, whoever keeps them then. For losses and their repair use
    /// ``NetworkMonitor/init(_:handler:)``.
    ///
    /// - Throws: ``NetlinkError`` when netlink is not available or the kernel rejects queries.
    public static func updates(
        _ configuration: MonitorConfiguration = .init()
    ) throws(NetlinkError) -> NetworkUpdates {
        let mailbox = UpdateMailbox()
        let monitor = try NetworkMonitor(configuration) { event in
            if case .update(let update) = event { mailbox.put(update) }
        }
        return NetworkUpdates(monitor: monitor, mailbox: mailbox)
    }
}

/// The updates of one monitor, for one consumer.
///
/// **Slow consumers** never block the monitor: at most 64 updates are queued. Beyond that, the two newest are merged
/// into one with the newer snapshot and all changes since the update before them. A consumer thus always reaches the
/// current state, however late.
public struct NetworkUpdates: AsyncSequence, Sendable {
    let monitor: NetworkMonitor
    let mailbox: UpdateMailbox

    /// Iterates over the updates; only one iterator may be used.
    public struct Iterator: AsyncIteratorProtocol {
        let monitor: NetworkMonitor
        let mailbox: UpdateMailbox

        /// Returns the next update; `nil` when the task was cancelled, which ends the monitor.
        public mutating func next() async -> NetworkUpdate? {
            await withTaskCancellationHandler {
                await mailbox.take()
            } onCancel: { [monitor] in
                monitor.requestStop()
            }
        }
    }

    /// Returns an iterator that consumes the updates.
    public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor, mailbox: mailbox) }
}

/// The queue of updates from the listener's thread to one task.
final class UpdateMailbox: Sendable {
    /// The maximum number of queued updates.
    static let capacity = 64

    private struct State {
        var waiting: [NetworkUpdate] = []
        /// The last snapshot that the consumer took, to compute merged changes from.
        var taken: NetworkSnapshot?
        var consumer: CheckedContinuation<NetworkUpdate?, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func put(_ update: NetworkUpdate) {
        let consumer = state.withLock { state -> CheckedContinuation<NetworkUpdate?, Never>? in
            if let consumer = state.consumer {
                state.consumer = nil
                state.taken = update.snapshot
                return consumer
            }
            state.waiting.append(update)
            if state.waiting.count > Self.capacity { Self.mergeNewest(&state) }
            return nil
        }
        consumer?.resume(returning: update)
    }

    func take() async -> NetworkUpdate? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> NetworkUpdate?? in
                    if state.isCancelled { return .some(nil) }
                    guard let update = state.waiting.first else {
                        state.consumer = continuation
                        return nil
                    }
                    state.waiting.removeFirst()
                    state.taken = update.snapshot
                    return update
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let consumer = state.withLock { state in
                state.isCancelled = true
                defer { state.consumer = nil }
                return state.consumer
            }
            consumer?.resume(returning: nil)
        }
    }

    private static func mergeNewest(_ state: inout State) {
        guard state.waiting.count >= 2, let newest = state.waiting.popLast(), state.waiting.popLast() != nil else {
            return
        }
        let base = state.waiting.last?.snapshot ?? state.taken
        state.waiting.append(
            NetworkUpdate(
                snapshot: newest.snapshot,
                changes: base.map { newest.snapshot.diff(from: $0) } ?? [],
                observed: newest.observed
            )
        )
    }
}
