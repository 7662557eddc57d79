internal import EventEnvelope
internal import StateClient

/// The settled states, kept up to date from a stream.
struct ObservedStates: Sendable {
    /// The default path's; `nil` while nothing is known.
    private(set) var state: StatusReply.State?
    /// Those of the targets, by name; `nil` while nothing is known.
    private(set) var targets: [String: StatusReply.State]?
    /// When each of them was published, as far as that was seen.
    private(set) var since: [String: Timestamp] = [:]

    private static let defaultSubject = "default"

    /// Takes what a stream brought; what cannot be understood changes nothing.
    mutating func take(_ item: StreamItem) {
        switch item {
        case .snapshot(let line):
            guard let content = try? line.decodeData(SnapshotContent.self) else { return }
            state = content.state
            targets = Dictionary(content.targets.compactMap { target in target.state.map { (target.name, $0) } }) { $1 }
            since = [:]
        case .event(let line):
            guard let content = try? line.decodeData(TransitionContent.self), let new = content.to else { return }
            let subject = line.subject
            switch line.type {
            case "reachagent.reachability.changed": state = new
            case "reachagent.target.changed": targets = (targets ?? [:]).merging([subject: new]) { $1 }
            default: return
            }
            since[subject] = line.scanned.time
        case .connected, .interrupted, .missed, .restarted: break
        }
    }

    /// When the state of a target, or of the default path, was published.
    func since(_ target: String?) -> Timestamp? { since[target ?? Self.defaultSubject] }
}

/// What of `network.snapshot` is looked at.
struct SnapshotContent: Decodable {
    struct Target: Decodable {
        let name: String
        let state: StatusReply.State?
    }

    let state: StatusReply.State?
    let targets: [Target]
    let probes: [StatusReply.Probe]
    let probesOmitted: Int?

    private enum CodingKeys: String, CodingKey {
        case state, targets, probes
        case probesOmitted = "probes_omitted"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        state = try members.decodeIfPresent(StatusReply.State.self, forKey: .state)
        targets = try members.decodeIfPresent([Target].self, forKey: .targets) ?? []
        probes = (try? members.decodeIfPresent([StatusReply.Probe].self, forKey: .probes)) ?? []
        probesOmitted = try? members.decodeIfPresent(Int.self, forKey: .probesOmitted)
    }
}

/// What of a transition is looked at.
private struct TransitionContent: Decodable {
    let to: StatusReply.State?
}
