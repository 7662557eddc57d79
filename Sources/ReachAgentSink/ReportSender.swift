internal import AgentEvents
internal import LinuxSupport
internal import StateClient
internal import Synchronization

/// Sends the reports of all sinks to the agent, on a thread of its own, so that a slow agent delays no event.
///
/// A sink passes a report only after its last one was answered, so at most one report per sink waits.
final class ReportSender: Sendable {
    /// The outcome of a report.
    enum Outcome: Sendable {
        /// The agent has accepted it.
        case taken(SinkReportReply)
        /// No agent is running.
        ///
        /// Its next hello triggers another report.
        case noAgent
        /// The agent has not accepted it; it may accept another one later.
        case refused
    }

    /// The timeout for an answer.
    private static let timeout: Duration = .seconds(5)

    private struct Entry: Sendable {
        let report: SinkReport
        let answer: @Sendable (Outcome) -> Void
    }

    private let client: StateClient
    private let waiting = Mutex<[Entry]>([])
    private let wakeup: Wakeup

    /// Creates a sender whose thread runs until the program ends.
    ///
    /// - Throws: ``SystemError`` if no descriptor or thread is left.
    static func started(_ client: StateClient) throws(SystemError) -> ReportSender {
        let sender = ReportSender(client, try Wakeup())
        try NamedThread.start("sink-reports") { sender.run() }
        return sender
    }

    private init(_ client: StateClient, _ wakeup: Wakeup) {
        self.client = client
        self.wakeup = wakeup
    }

    /// Sends a report.
    ///
    /// - Parameter answer: Called once, on the sender's thread.
    func send(_ report: SinkReport, answer: @escaping @Sendable (Outcome) -> Void) {
        waiting.withLock { $0.append(Entry(report: report, answer: answer)) }
        wakeup.signal()
    }

    private func run() {
        while true {
            _ = wakeup.sleep(deadline: nil)
            wakeup.reset()
            while let entry = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                entry.answer(outcome(of: entry.report))
            }
        }
    }

    private func outcome(of report: SinkReport) -> Outcome {
        do throws(StateClientError) {
            return .taken(
                try client.callAndWait(
                    "sink",
                    parameters: JSONWriter.text(of: report),
                    timeout: Self.timeout,
                    as: SinkReportReply.self
                )
            )
        } catch {
            SinkLog.write(.info, "the agent did not take the report of sink \(report.status.name): \(error)")
            switch error {
            case .noAgent, .disconnected: return .noAgent
            // An older agent, which does not have the method.
            case .refused("unknown_method", _): return .noAgent
            default: return .refused
            }
        }
    }
}

/// The reports of one sink on their way to the agent: one at a time.
///
/// Only the newest state is sent; the bytes and the losses are sent in full, and again if the agent has not accepted
/// them.
struct ReportQueue {
    /// The pause before a report that was not accepted is sent again.
    private static let pause: Duration = .seconds(30)
    /// The maximum number of waiting losses, above which the last ones are merged into one.
    private static let maximumLosses = 64

    /// The newest report, with the bytes that the agent has not counted yet.
    private var newest: SinkReport?
    /// The losses that the agent does not know yet.
    private var losses: [SinkLoss] = []
    /// The report that waits for its answer.
    private var sent: SinkReport?
    private var isDue = false

    /// The moment of the next attempt.
    private(set) var retry: ContinuousClock.Instant?

    /// `true` while a report waits for its answer.
    var isPending: Bool { sent != nil }

    /// The bytes that the agent has not counted yet.
    var bytes: UInt64 { newest?.bytes ?? 0 }

    /// Adds a report.
    mutating func add(_ report: SinkReport) {
        let bytes = bytes
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

    /// Drops the numbers and the losses that are not sent yet, and keeps the bytes.
    mutating func dropNumbers() {
        newest?.stream = nil
        newest?.status.acknowledged = nil
        newest?.status.acknowledgedTime = nil
        losses = []
    }

    /// Returns the report to send now; `nil` if there is none, or if the last one has no answer yet.
    mutating func next(at now: ContinuousClock.Instant) -> SinkReport? {
        let isRetried = retry.map { $0 <= now } ?? false
        guard sent == nil, isDue || isRetried, var report = newest else { return nil }
        report.lost = losses.first
        // An acknowledgement settles everything before it, so the losses come first.
        if losses.count > 1 { (report.status.acknowledged, report.status.acknowledgedTime) = (nil, nil) }
        (sent, isDue, retry) = (report, false, nil)
        return report
    }

    /// Handles the answer to the report that was sent.
    mutating func take(_ outcome: ReportSender.Outcome, at now: ContinuousClock.Instant) {
        guard let report = sent else { return }
        sent = nil
        switch outcome {
        case .taken:
            let bytes = bytes
            newest?.bytes = bytes - min(report.bytes, bytes)
            if report.lost != nil, !losses.isEmpty { losses.removeFirst() }
            if !losses.isEmpty { isDue = true }
        // Its next hello triggers another report.
        case .noAgent: break
        case .refused: retry = now.advanced(by: Self.pause)
        }
    }
}
