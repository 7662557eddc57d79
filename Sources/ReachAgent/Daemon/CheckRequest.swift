internal import AgentEvents
internal import StateClient
internal import Synchronization

/// A request for checks by the running agent, and the wait for their results.
final class CheckRequest: Sendable {
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
    private let progress = Mutex(Progress())

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

    /// Requests the checks and waits for their results.
    ///
    /// - Parameter timeout: The timeout of the whole request.
    func run(timeout: Duration) async -> End {
        await withTaskGroup(of: End?.self) { group in
            group.addTask { await self.follow() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            let end = await group.next() ?? nil
            group.cancelAll()
            let progress = self.progress.withLock { $0 }
            return end ?? .timedOut(progress.sorted, of: progress.expected ?? 0, refused: progress.refused)
        }
    }

    /// Follows the results; starts before the request is sent, so that no result is missed.
    private func follow() async -> End? {
        let subscription = StateSubscription(
            types: [EventType.probeCompleted.rawValue],
            subjects: name.map { [$0] } ?? [],
            reconnects: false
        )
        do throws(StateClientError) {
            for try await item in client.events(subscription) {
                switch item {
                case .connected:
                    let parameters = Self.parameters(name)
                    let reply = try await client.call("probe", parameters: parameters, as: Reply.self)
                    progress.withLock { $0.note(reply) }
                case .event(let line):
                    guard case .probeCompleted(let check)? = line.event?.content else { continue }
                    progress.withLock { $0.note(check) }
                default: continue
                }
                let progress = progress.withLock { $0 }
                if progress.isComplete { return .completed(progress.sorted, refused: progress.refused) }
            }
            return nil
        } catch {
            return .failed(error)
        }
    }
}
