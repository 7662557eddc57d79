internal import AgentEvents
internal import Availability

/// The grade of a state, shown by a word, a sign and a colour.
enum Grade: String, CaseIterable {
    case good, doubtful, bad, unknown

    init(_ connectivity: Connectivity) {
        switch connectivity {
        case .full: self = .good
        case .partial, .portal: self = .doubtful
        case .local, .none: self = .bad
        default: self = .unknown
        }
    }

    init(connectivity state: ReachabilityState?) {
        guard let state, state.via != .unknown else {
            self = .unknown
            return
        }
        self = state.isReachable ? Grade(state.connectivity ?? .unknown) : .bad
    }

    init(verdict: String?) {
        switch verdict {
        case "up": self = .good
        case "portal": self = .doubtful
        case "down": self = .bad
        default: self = .unknown
        }
    }

    /// Creates the grade of a certificate.
    init(_ certificate: AgentStatus.ExpiringCertificate) {
        self = !certificate.isExpiring ? .good : (certificate.daysLeft ?? 0) < 0 ? .bad : .doubtful
    }

    /// The sign, which is distinguishable by shape for people who cannot distinguish the colours.
    var sign: String {
        switch self {
        case .good: "✓"
        case .doubtful: "!"
        case .bad: "✕"
        case .unknown: "?"
        }
    }

    /// The sign as the icon of the page in a browser tab: a data URI.
    var icon: String {
        let shape =
            switch self {
            case .good: "M3 9l3 3 7-8"
            case .doubtful: "M8 3v6m0 3v1"
            case .bad: "M4 4l8 8m0-8l-8 8"
            case .unknown: "M5 6a3 3 0 1 1 3 3v1m0 2v1"
            }
        let ground =
            switch self {
            case .good: "1a7f4b"
            case .doubtful: "8f5600"
            case .bad: "c3302b"
            case .unknown: "56606a"
            }
        return "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
            + "%3Crect width='16' height='16' rx='3' fill='%23\(ground)'/%3E"
            + "%3Cpath d='\(shape)' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"
    }
}
