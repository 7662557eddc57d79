internal import AgentEvents
internal import LinuxSupport
internal import StateClient
internal import Synchronization

/// Sends the reports of all sinks to the agent, on a thread of its own: an agent that is slow to answer delays no event.
///
/// A sink hands in a report only when its last one was answered, so as many wait as there are sinks.
final class ReportDesk: Sendable {
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

    /// A desk whose thread runs until the program ends.
    ///
    /// - Throws: ``SystemError`` when the system has no descriptor or no thread left.
    static func started(_ client: StateClient) throws(SystemError) -> ReportDesk {
        let desk = ReportDesk(client, try Wakeup())
        try NamedThread.start("sink-reports") { desk.run() }
        return desk
    }

    private init(_ client: StateClient, _ wakeup: Wakeup) {
        self.client = client
        self.wakeup = wakeup
    }

    /// Hands a report in.
    ///
    /// - Parameter answer: Called once, on the desk's thread.
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
