/// One line of the agent's, as far as tests look at it.
package struct EventLine: Decodable, Sendable {
    package struct Path: Decodable, Sendable {
        package struct Underlay: Decodable, Sendable {
            package let interface: String?
            package let evidence: String
            package let is_guess: Bool?
        }
        package struct Branch: Decodable, Sendable {
            package let interface: String?
            package let reason: String?
        }
        package let via: String
        package let reason: String?
        package let interface: String?
        package let kind: String?
        package let gateway: String?
        package let source: String?
        package let prefix: String?
        package let table: UInt32?
        package let metric: UInt32?
        package let underlay: Underlay?
        package let dead_legs: [Branch]?
        package let unconnected: Branch?
        package let ipv4: Family?
        package let ipv6: Family?
    }

    package struct Family: Decodable, Sendable {
        package let via: String
        package let reason: String?
        package let interface: String?
        package let gateway: String?
        package let source: String?
        package let prefix: String?
        package let table: UInt32?
    }

    package struct State: Decodable, Sendable {
        package let via: String
        package let af_status: Int
        package let reason: String?
        package let path: Path
    }

    package struct Cause: Decodable, Sendable {
        package let kind: String
        package let code: String
        package let interface: String?
    }

    /// What an event leads from or to; the state of an uplink or a probe has no path, and is not looked at.
    private struct Side: Decodable, Sendable {
        let state: State?

        private enum CodingKeys: CodingKey { case path }

        init(from decoder: any Decoder) throws {
            let hasPath = try decoder.container(keyedBy: CodingKeys.self).contains(.path)
            state = hasPath ? try State(from: decoder) : nil
        }
    }

    package struct Data: Decodable, Sendable {
        private let before: Side?
        private let after: Side?
        package var from: State? { before?.state }
        package var to: State? { after?.state }
        package let state: State?
        package let cause: Cause?
        package let code: String?
        package let reason: String?
        package let corrections: Int?
        package let settled_ms: Int?
        package let stream: String?
        package let seq: UInt64?
        package let degraded: Bool?
        package let missing_first_seq: UInt64?
        package let missing_last_seq: UInt64?

        private enum CodingKeys: String, CodingKey {
            case before = "from"
            case after = "to"
            case state, cause, code, reason, corrections, settled_ms, stream, seq, degraded
            case missing_first_seq, missing_last_seq
        }
    }

    package let specversion: String
    package let id: String
    package let type: String
    package let subject: String
    package let time: String
    package let seq: UInt64?
    package let data: Data

    /// The type without the prefix that all types have.
    package var name: String { String(type.dropFirst("reachagent.".count)) }

    /// `reachability.changed default wired→none link_down`: what a failed test shows.
    package var summary: String {
        let states = [data.from, data.to].compactMap { $0?.via }.joined(separator: "→")
        return
            "\(seq ?? 0) \(name) \(subject) \(states) \(data.to?.reason ?? "") \(data.cause?.code ?? data.code ?? "")"
    }
}
