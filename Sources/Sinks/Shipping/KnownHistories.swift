/// The histories that this machine has continued at the broker since its sink has started: a newest event of any other
/// one is another machine's with the same name.
///
/// The first connection accepts all: the device may have been replaced, or its disk restored, while the sink did not
/// run. So of two machines with one name the one that started last ships, and the other one sees it.
struct KnownHistories: Sendable, Hashable {
    /// A machine has one history, and another one each time that its journal is wiped or restored.
    private static let maximumCount = 16

    private var epochs: [StreamEpoch] = []

    /// Notes that an event of a history goes to the broker.
    mutating func add(_ epoch: StreamEpoch) {
        guard epochs.last != epoch else { return }
        epochs.removeAll { $0 == epoch }
        epochs = epochs.suffix(Self.maximumCount - 1) + [epoch]
    }

    /// Compares the history of the broker's newest event.
    ///
    /// - Parameter newest: `nil` where the broker has none, or cannot be asked.
    /// - Returns: False when it is another machine's.
    mutating func accept(_ newest: StreamEpoch?) -> Bool {
        guard let newest else { return true }
        // A server that lags behind the others, or was restored, may still be at an earlier generation.
        let isKnown = epochs.contains { $0.stream == newest.stream && $0.generation >= newest.generation }
        guard epochs.isEmpty || isKnown else { return false }
        if !isKnown { add(newest) }
        return true
    }
}
