/// One line of the agent's, as far as tests look at it.
public struct EventLine: Decodable, Sendable {
    public struct Path: Decodable, Sendable {
        public struct Underlay: Decodable, Sendable {
            public let interface: String?
            public let evidence: String
        }
        public let via: String
        public let reason: String?
        public let interface: String?
        public let kind: String?
        public let gateway: String?
        public let source: String?
        public let prefix: String?
        public let table: UInt32?
        public let metric: UInt32?
        public let underlay: Underlay?
        public let ipv4: Family?
        public let ipv6: Family?
    }

    public struct Family: Decodable, Sendable {
        public let via: String
        public let reason: String?
        public let interface: String?
        public let gateway: String?
        public let source: String?
        public let prefix: String?
        public let table: UInt32?
    }

    public struct State: Decodable, Sendable {
        public let via: String
        public let af_status: Int
        public let reason: String?
        public let path: Path
    }

    public struct Cause: Decodable, Sendable {
        public let kind: String
        public let code: String
        public let interface: String?
    }

    public struct Data: Decodable, Sendable {
        public let from: State?
        public let to: State?
        public let state: State?
        public let cause: Cause?
        public let code: String?
        public let reason: String?
        public let corrections: Int?
        public let settled_ms: Int?
    }

    public let specversion: String
    public let id: String
    public let type: String
    public let subject: String
    public let time: String
    public let seq: UInt64?
    public let data: Data

    /// The type without the prefix that all types have.
    public var name: String { String(type.dropFirst("reachagent.".count)) }

    /// `reachability.changed default wired→none link_down`: what a failed test shows.
    public var summary: String {
        let states = [data.from, data.to].compactMap { $0?.via }.joined(separator: "→")
        return
            "\(seq ?? 0) \(name) \(subject) \(states) \(data.to?.reason ?? "") \(data.cause?.code ?? data.code ?? "")"
    }
}
