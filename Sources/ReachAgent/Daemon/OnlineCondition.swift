internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import StateClient

/// The condition for a machine to count as online.
struct OnlineCondition: Sendable, Hashable {
    /// The level that is asked for.
    enum Level: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// There is a path.
        case path
        /// There is a path, and the probes say that everything works.
        case full
    }

    /// The medium that a path may lead through.
    enum Medium: String, ExpressibleByArgument, CaseIterable, Sendable {
        case wifi, wwan, wired, other
    }

    /// The reason that a condition does not hold.
    struct Failure: Error, Hashable {
        /// The reason in snake_case.
        let code: String
        /// The same for people.
        let text: String
    }

    var level: Level = .path
    /// Any of these; none for all.
    var media: [Medium] = []
    /// The target whose path counts; `nil` for the default path.
    var target: String?

    /// The state that the condition holds for.
    ///
    /// - Throws: Which part of the condition does not hold.
    func check(_ states: States) throws(Failure) -> ReachabilityState {
        let state = try subject(states)
        guard state.via != .unknown else {
            throw Failure(code: "state_unknown", text: "\(name) is not known yet")
        }
        guard state.isReachable else {
            throw Failure(code: "not_reachable", text: "\(name) is \(OnlineText.path(state))")
        }
        guard media.isEmpty || media.contains(where: { $0.rawValue == state.via.rawValue }) else {
            let wanted = media.map(\.rawValue).joined(separator: " or ")
            throw Failure(code: "other_medium", text: "\(name) is \(OnlineText.path(state)), not \(wanted)")
        }
        guard level == .path || state.connectivity == .full else {
            throw Failure(code: "not_full", text: "\(name) is \(OnlineText.state(state)), not full")
        }
        return state
    }

    private var name: String { target.map { "target '\(ForeignText.shown($0, limit: 64))'" } ?? "the default path" }

    private func subject(_ states: States) throws(Failure) -> ReachabilityState {
        guard let target else {
            guard let state = states.state else {
                throw Failure(code: "state_unknown", text: "the agent has not told its state")
            }
            return state
        }
        guard let targets = states.targets else {
            throw Failure(code: "state_unknown", text: "the agent has not told its state")
        }
        guard let state = targets[target] else {
            let known = targets.keys.sorted().map { ForeignText.shown($0, limit: 64) }.prefix(20).joined(
                separator: ", "
            )
            let others = known.isEmpty ? "it has none" : "it has \(known)"
            throw Failure(code: "unknown_target", text: "the agent has no \(name); \(others)")
        }
        return state
    }
}

extension OnlineCondition {
    /// The settled states, kept up to date from a stream.
    struct States: Sendable {
        /// That of the default path; `nil` while it is not known.
        private(set) var state: ReachabilityState?
        /// Those of the targets, by name; `nil` while they are not known.
        private(set) var targets: [String: ReachabilityState]?
        /// The moment at which each of them was published, as far as that was seen.
        private var since: [String: Timestamp] = [:]

        /// Takes an item of the stream; one that has another form changes nothing.
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
            case .connected, .interrupted, .missed, .restarted: break
            }
        }

        /// The moment at which the state of a target, or of the default path, was published.
        func since(_ target: String?) -> Timestamp? { since[target ?? "default"] }
    }
}
