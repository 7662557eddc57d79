internal import Synchronization

extension NetworkMonitor {
    /// Starts a monitor and returns its updates as an asynchronous sequence.
    ///
    /// The first element is the complete snapshot, available at once. The monitor ends when the sequence and its
    /// iterator are released, or when the iterating task is cancelled, even if they are still retained. For losses and
    /// their repair use ``NetworkMonitor/init(_:handler:)``.
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
/// into one with the newer snapshot, whose changes are the net difference from the update before them: without what was
/// reverted in between and without causes that no snapshot shows, and possibly none. A consumer thus always reaches the
/// current state, however late.
public struct NetworkUpdates: AsyncSequence, Sendable {
    let monitor: NetworkMonitor
    let mailbox: UpdateMailbox

    /// Iterates over the updates.
    ///
    /// Use one iterator at a time. Each update goes to one iterator; when a second one waits for an update, it takes the
    /// first one's place, whose ``next()`` returns `nil`.
    public struct Iterator: AsyncIteratorProtocol {
        let monitor: NetworkMonitor
        let mailbox: UpdateMailbox

        /// Returns the next update; `nil` when the task was cancelled, which ends the monitor, or when another iterator
        /// waits in the place of this one.
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

    private typealias Consumer = CheckedContinuation<NetworkUpdate?, Never>

    private struct State {
        var waiting: [NetworkUpdate] = []
        /// The last snapshot that the consumer took, to compute merged changes from.
        var taken: NetworkSnapshot?
        var consumer: Consumer?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func put(_ update: NetworkUpdate) {
        let consumer = state.withLock { state -> Consumer? in
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
                let (consumer, update) = state.withLock { state -> (Consumer?, NetworkUpdate?) in
                    if state.isCancelled { return (continuation, nil) }
                    guard let update = state.waiting.first else {
                        // A displaced consumer would otherwise wait for ever.
                        defer { state.consumer = continuation }
                        return (state.consumer, nil)
                    }
                    state.waiting.removeFirst()
                    state.taken = update.snapshot
                    return (continuation, update)
                }
                consumer?.resume(returning: update)
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
