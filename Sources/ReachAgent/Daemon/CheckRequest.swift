internal import AgentEvents
internal import StateClient

/// A request for checks by the running agent, and the wait for their results.
struct CheckRequest: Sendable {
    /// The agent's answer, as far as it is shown.
    struct Reply: Decodable, Sendable {
        /// The number of checks that were started or are running.
        var points: Int?
        /// The number of those that were running.
        var joined: Int?
        /// The number of checks that were not started, because the budget of their link is used up.
        var refused: Int?
        /// The probes that make transfers, which are checked by their name only.
        var transfers: [String]?
    }

    /// The outcome of the wait.
    enum End: Sendable {
        /// Every check has ended; none where there is nothing to check. Besides the number of those that were refused.
        case completed([CompletedCheck], refused: Int)
        /// The wait timed out; the results so far, and the number of checks.
        case timedOut([CompletedCheck], of: Int, refused: Int)
        /// The agent did not answer, or rejected the request.
        case failed(StateClientError)
    }

    /// The results so far.
    struct Progress {
        private(set) var checks: [AgentEvents.ProbePoint: CompletedCheck] = [:]
        /// The agent's answer; `nil` until it has come.
        private var reply: Reply?

        /// Records the end of a check.
        ///
        /// A transfer that the agent makes by its schedule is none of the checks of all probes, although it has ended.
        mutating func note(_ check: CompletedCheck) {
            guard reply?.transfers?.contains(check.point.probe) != true else { return }
            checks[check.point] = check
        }

        /// Records the agent's answer.
        mutating func note(_ reply: Reply) {
            self.reply = reply
            let transfers = Set(reply.transfers ?? [])
            checks = checks.filter { !transfers.contains($0.key.probe) }
        }

        /// The number of requested checks; `nil` until the agent has answered.
        var expected: Int? { reply.map { $0.points ?? 0 } }
        var refused: Int { reply?.refused ?? 0 }
        var isComplete: Bool { expected.map { checks.count >= $0 } ?? false }
        var sorted: [CompletedCheck] {
            checks.values.sorted { one, other in
                (one.point.probe, one.point.interface ?? "", one.point.family ?? "")
                    < (other.point.probe, other.point.interface ?? "", other.point.family ?? "")
            }
        }
    }

    private let name: String?
    private let client: StateClient

    /// Creates a request for the checks of one probe, or of all.
    init(of name: String?, _ client: StateClient) {
        self.name = name
        self.client = client
    }

    /// The parameters of the method `probe`.
    static func parameters(_ name: String?) -> [UInt8] {
        guard let name else { return [] }
        var json = JSONWriter()
        json.object { $0.member("name", name) }
        return json.bytes
    }

    /// Requests the checks and waits for their results on the calling thread, without another one: the timeout holds also
    /// where the system has no thread left.
    ///
    /// - Parameter timeout: The timeout of the whole request.
    func run(timeout: Duration) -> End {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let subscription = StateSubscription(
            types: [EventType.probeCompleted.rawValue],
            subjects: name.map { [$0] } ?? [],
            reconnects: false
        )
        var progress = Progress()
        do throws(StateClientError) {
            let reader = try client.reader(subscription, connectTimeout: nil)
            while ContinuousClock.now < deadline {
                for item in try reader.wait(maximum: 64, until: deadline) {
                    switch item {
                    // Not before, so that no result is missed.
                    case .connected: progress.note(try request(by: deadline))
                    case .event(let line):
                        guard case .probeCompleted(let check)? = line.event?.content else { continue }
                        progress.note(check)
                    default: continue
                    }
                    if progress.isComplete { return .completed(progress.sorted, refused: progress.refused) }
                }
            }
            return .timedOut(progress.sorted, of: progress.expected ?? 0, refused: progress.refused)
        } catch {
            return .failed(error)
        }
    }

    private func request(by deadline: ContinuousClock.Instant) throws(StateClientError) -> Reply {
        let left = ContinuousClock.now.duration(to: deadline)
        return try client.callAndWait(
            "probe",
            parameters: Self.parameters(name),
            timeout: min(left, .seconds(5)),
            as: Reply.self
        )
    }
}
