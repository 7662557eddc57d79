internal import AgentEvents
internal import LinuxSupport
internal import StateClient
internal import Synchronization

/// Sends the reports of all sinks to the agent, on a thread of its own: an agent that is slow to answer delays no event.
///
/// A sink hands in a report only when its last one was answered, so as many wait as there are sinks.
final class ReportSender: Sendable {
    /// The end of a report.
    enum Outcome: Sendable {
        /// The agent has taken it.
        case taken(SinkReportReply)
        /// There is no agent now. Its next hello is the time for another one.
        case noAgent
        /// The agent has not taken it; it may take another one later.
        case refused
    }

    /// The maximum time for an answer.
    private static let timeout: Duration = .seconds(5)

    private struct Entry: Sendable {
        let report: SinkReport
        let answer: @Sendable (Outcome) -> Void
    }

    private let client: StateClient
    private let waiting = Mutex<[Entry]>([])
    private let wakeup: Wakeup

    /// A sender whose thread runs until the program ends.
    ///
    /// - Throws: ``SystemError`` when the system has no descriptor or no thread left.
    static func started(_ client: StateClient) throws(SystemError) -> ReportSender {
        let sender = ReportSender(client, try Wakeup())
        try NamedThread.start("sink-reports") { sender.run() }
        return sender
    }

    private init(_ client: StateClient, _ wakeup: Wakeup) {
        self.client = client
        self.wakeup = wakeup
    }

    /// Hands a report in.
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
        do throws(ClientError) {
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
            // An older agent, which will not learn the method.
            case .refused("unknown_method", _): return .noAgent
            default: return .refused
            }
        }
    }
}

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
    mutating func take(_ outcome: ReportSender.Outcome, at now: ContinuousClock.Instant) {
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
