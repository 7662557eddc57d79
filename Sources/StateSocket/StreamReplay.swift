internal import NIOCore

/// The journal's part of one subscription: read part by part, each once the client has accepted the one before.
///
/// Used only on the event loop, except for the reads.
final class StreamReplay {
    /// `true` while a part is read.
    private(set) var isReading = false

    private let reader: ReplayReader
    private let origin: ClientOrigin
    private let cancellation: WorkCancellation
    private let hub: StreamHub
    /// The end of the time for a part that the client does not accept.
    private var patience: Scheduled<Void>?
    /// The number of times in a row that the journal was at its end.
    private var ends = 0

    /// Creates a replay that reads nothing yet.
    ///
    /// - Parameter connection: The subscriber's.
    init(
        _ source: any ReplaySource,
        from sequence: UInt64,
        for parameters: SubscriptionParameters,
        to connection: Connection,
        in hub: StreamHub
    ) {
        origin = connection.origin
        cancellation = connection.cancellation
        reader = ReplayReader(source, of: hub.agent.streamID, from: sequence, for: parameters)
        self.hub = hub
    }

    /// Reads the next part, up to the newest event in the ring.
    func read(_ whenRead: @escaping (Result<ReplayReader.Part, any Error>) -> Void) {
        isReading = true
        let (reader, limit) = (reader, hub.intake.ring.newest)
        hub.work.run(for: origin, unless: cancellation) { () throws -> ReplayReader.Part in
            try reader.read(through: limit)
        } _: { [self] result in
            isReading = false
            whenRead(result)
        }
    }

    /// Returns whether the journal was at its end twice in a row: it will never have the events before the ring, because
    /// it was not writing when they were published.
    func isDeadEnd(at part: ReplayReader.Part) -> Bool {
        ends = part.isEnd ? ends + 1 : 0
        guard ends > 1 else { return false }
        ends = 0
        return true
    }

    /// Limits the time until the client has accepted the last part, because the reader keeps a file open.
    func awaitClient(_ whenTooSlow: @escaping () -> Void) {
        let whenTooSlow = NIOLoopBound(whenTooSlow, eventLoop: hub.loop.eventLoop)
        patience = hub.loop.eventLoop.scheduleTask(in: TimeAmount(hub.configuration.replayPatience)) {
            whenTooSlow.value()
        }
    }

    /// Ends the time limit.
    func stopWaiting() {
        patience?.cancel()
        patience = nil
    }
}
