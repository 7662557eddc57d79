internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import StateClient

/// The condition for a machine to count as online.
struct OnlineCondition: Sendable, Hashable {
    /// The required level.
    enum Level: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// There is a path.
        case path
        /// There is a path, and the probes report that everything works.
        case full
    }

    /// The reason that a condition does not hold.
    struct Failure: Error, Hashable {
        /// The reasons; a code is never renamed and never reused.
        enum Code: String, Sendable, Hashable, CaseIterable {
            /// No agent answers.
            case noAgent = "no_agent"
            /// The agent does not know the state yet.
            case stateUnknown = "state_unknown"
            /// There is no path.
            case notReachable = "not_reachable"
            /// The path leads through another medium.
            case otherMedium = "other_medium"
            /// Not everything that is required answers.
            case notFull = "not_full"
            /// The agent has no such target.
            case unknownTarget = "unknown_target"
            /// The wait timed out while the condition held.
            case timedOut = "timed_out"
        }

        /// The reason.
        let code: Code
        /// The same for people.
        let text: String
    }

    var level: Level = .path
    /// The accepted media; empty for all.
    var media: [Medium] = []
    /// The target whose path counts; `nil` for the default path.
    var target: String?

    /// Returns the state for which the condition holds.
    ///
    /// - Throws: The part of the condition that does not hold.
    func check(_ states: States) throws(Failure) -> ReachabilityState {
        let state = try subject(states)
        guard state.via != .unknown else {
            throw Failure(code: .stateUnknown, text: "\(name) is not known yet")
        }
        guard state.isReachable else {
            throw Failure(code: .notReachable, text: "\(name) is \(OnlineText.path(state))")
        }
        guard media.isEmpty || media.contains(where: { $0.via == state.via }) else {
            let wanted = media.map(\.rawValue).joined(separator: " or ")
            throw Failure(code: .otherMedium, text: "\(name) is \(OnlineText.path(state)), not \(wanted)")
        }
        guard level == .path || state.connectivity == .full else {
            throw Failure(code: .notFull, text: "\(name) is \(OnlineText.state(state)), not full")
        }
        return state
    }

    private var name: String { target.map { "target '\(ForeignText.shown($0, limit: 64))'" } ?? "the default path" }

    private func subject(_ states: States) throws(Failure) -> ReachabilityState {
        guard let target else {
            guard let state = states.state else {
                throw Failure(code: .stateUnknown, text: "the agent has not reported its state")
            }
            return state
        }
        guard let targets = states.targets else {
            throw Failure(code: .stateUnknown, text: "the agent has not reported its state")
        }
        guard let state = targets[target] else {
            let known = targets.keys.sorted().map { ForeignText.shown($0, limit: 64) }.prefix(20).joined(
                separator: ", "
            )
            let others = known.isEmpty ? "it has none" : "it has \(known)"
            throw Failure(code: .unknownTarget, text: "the agent has no \(name); \(others)")
        }
        return state
    }
}

extension Medium: ExpressibleByArgument {}

extension OnlineCondition {
    /// The settled states, kept up to date from a stream.
    struct States: Sendable {
        /// The state of the default path; `nil` while it is not known.
        private(set) var state: ReachabilityState?
        /// The states of the targets, by name; `nil` while they are not known.
        private(set) var targets: [String: ReachabilityState]?
        /// The time at which each of them was published, as far as that was seen.
        private var since: [String: Timestamp] = [:]

        /// Handles an item of the stream; one of an unknown form changes nothing.
        mutating func take(_ item: StreamItem) {
            switch item {
            case .snapshot(let line):
                guard case .networkSnapshot(let snapshot)? = line.event?.content else { return }
                state = snapshot.state
                targets = Dictionary(snapshot.targets.map { ($0.name, $0.state) }) { $1 }
                since = [:]
            case .event(let line):
                guard let event = line.event else { return }
                switch event.content {
                case .reachabilityChanged(let change): state = change.to
                case .targetChanged(let change): targets = (targets ?? [:]).merging([event.subject: change.to]) { $1 }
                default: return
                }
                since[event.subject] = event.time
            case .connected, .interrupted, .missed, .dropped, .restarted: break
            }
        }

        /// The time at which the state of a target, or of the default path, was published.
        func since(_ target: String?) -> Timestamp? { since[target ?? "default"] }
    }
}

/// Waits until a condition holds, whether or not the agent is running yet.
struct OnlineWait: Sendable {
    /// The outcome of the wait.
    enum End: Sendable {
        /// The condition holds for this state.
        case online(ReachabilityState)
        /// The wait timed out, for this reason.
        case timedOut(OnlineCondition.Failure)
        /// An error that waiting cannot resolve.
        case failed(StateClientError)
    }

    /// The information so far.
    private struct Progress {
        private(set) var states = OnlineCondition.States()
        /// The error that prevents the connection.
        private(set) var error: StateClientError?
        private(set) var hasConnected = false

        mutating func take(_ item: StreamItem) {
            switch item {
            case .connected:
                hasConnected = true
                error = nil
            case .interrupted(let error, _): self.error = error
            case .snapshot, .event, .missed, .dropped, .restarted: break
            }
            states.take(item)
        }
    }

    private let condition: OnlineCondition
    private let client: StateClient

    init(_ condition: OnlineCondition, _ client: StateClient) {
        self.condition = condition
        self.client = client
    }

    /// Waits on the calling thread, without another one: the timeout holds also where the system has no thread left.
    ///
    /// - Parameter timeout: The maximum time to wait; zero for no limit.
    func run(timeout: Duration) -> End {
        let deadline = timeout > .zero ? ContinuousClock.now.advanced(by: timeout) : nil
        var subscription = StateSubscription(types: ["reachability.changed", "target.changed"])
        subscription.resumesWithOldest = false
        var progress = Progress()
        do throws(StateClientError) {
            let reader = try client.reader(subscription, connectTimeout: nil)
            while true {
                for item in try reader.wait(maximum: 64, until: deadline) {
                    progress.take(item)
                    if let state = try? condition.check(progress.states) { return .online(state) }
                }
                if let deadline, deadline <= .now { return .timedOut(failure(progress)) }
            }
        } catch {
            return .failed(error)
        }
    }

    /// Returns the reason that the condition does not hold.
    private func failure(_ progress: Progress) -> OnlineCondition.Failure {
        if let error = progress.error {
            return OnlineCondition.Failure(code: .noAgent, text: ForeignText.line(error.description))
        }
        guard progress.hasConnected else {
            let path = ForeignText.line(client.location.path)
            return OnlineCondition.Failure(code: .noAgent, text: "the agent at \(path) has not answered")
        }
        do throws(OnlineCondition.Failure) {
            _ = try condition.check(progress.states)
            return OnlineCondition.Failure(code: .timedOut, text: "timed out")
        } catch {
            guard let since = progress.states.since(condition.target) else { return error }
            return OnlineCondition.Failure(code: error.code, text: "\(error.text), since \(since.localDescription)")
        }
    }
}

/// States in a few words.
enum OnlineText {
    /// `reachable through wwan wg0 over wwan0, connectivity partial (tls_expired web)`, or `not reachable (link_down)`.
    static func state(_ state: ReachabilityState) -> String {
        var words = path(state)
        guard let connectivity = state.connectivity, state.isReachable else { return words }
        words += ", connectivity \(ForeignText.shown(connectivity.rawValue, limit: 32))"
        if let code = state.connectivityReason {
            let because = [code, state.connectivityProbe].compactMap { $0.map { ForeignText.shown($0, limit: 64) } }
            words += " (\(because.joined(separator: " ")))"
            if let url = state.portalURL { words += ", log in at \(ForeignText.line(url))" }
        }
        return words + (state.isFlapping ? ", flapping" : "")
    }

    /// The same without the connectivity.
    static func path(_ state: ReachabilityState) -> String {
        guard state.via != .unknown else { return "not known yet" }
        guard state.isReachable else {
            let reason = state.reason ?? state.path.reason
            let interface = state.path.interface.map { " \($0)" } ?? ""
            return "not reachable" + (reason.map { " (\(ForeignText.shown($0 + interface, limit: 64)))" } ?? "")
        }
        return ForeignText.shown("reachable through \(state.pathSummary)", limit: 256)
    }
}
