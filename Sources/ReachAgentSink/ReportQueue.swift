internal import AgentEvents

/// The reports of one sink on their way to the agent: one at a time.
///
/// Of the states only the newest is sent; the bytes and the losses are sent in full, and again where the agent has not taken them.
struct ReportQueue {
    /// The time after which a report is sent again that was not taken.
    private static let pause: Duration = .seconds(30)
    /// The maximum number of losses that wait; the last ones then become one.
    private static let maximumLosses = 64

    /// The newest report, with the bytes that the agent has not counted yet.
    private var newest: SinkReport?
    /// The losses that the agent does not know yet.
    private var losses: [SinkLoss] = []
    /// The report that waits for its answer.
    private var sent: SinkReport?
    private var isDue = false

    /// The moment of another attempt.
    private(set) var retry: ContinuousClock.Instant?

    /// `true` while a report waits for its answer.
    var isPending: Bool { sent != nil }

    /// Adds a report.
    mutating func add(_ report: SinkReport) {
        let bytes = newest?.bytes ?? 0
        newest = report
        newest?.bytes = bytes + min(report.bytes, .max - bytes)
        newest?.lost = nil
        isDue = true
        guard let loss = report.lost else { return }
        if losses.count >= Self.maximumLosses, let last = losses.popLast() {
            losses.append(
                SinkLoss(
                    sink: loss.sink,
                    firstSequence: min(last.firstSequence, loss.firstSequence),
                    lastSequence: max(last.lastSequence, loss.lastSequence),
                    code: loss.code
                )
            )
        } else {
            losses.append(loss)
        }
    }

    /// Returns the report to send now; `nil` when there is none, or the last one has no answer yet.
    mutating func next(at now: ContinuousClock.Instant) -> SinkReport? {
        let isRetried = retry.map { $0 <= now } ?? false
        guard sent == nil, isDue || isRetried, var report = newest else { return nil }
        report.lost = losses.first
        (sent, isDue, retry) = (report, false, nil)
        return report
    }

    /// Takes the answer to the report that was sent.
    mutating func take(_ outcome: ReportDesk.Outcome, at now: ContinuousClock.Instant) {
        guard let report = sent else { return }
        sent = nil
        switch outcome {
        case .taken:
            let bytes = newest?.bytes ?? 0
            newest?.bytes = bytes - min(report.bytes, bytes)
            if report.lost != nil, !losses.isEmpty { losses.removeFirst() }
            if !losses.isEmpty { isDue = true }
        // Its next hello is the time for another report.
        case .noAgent: break
        case .refused: retry = now.advanced(by: Self.pause)
        }
    }
}
