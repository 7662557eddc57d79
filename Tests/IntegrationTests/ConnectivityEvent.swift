import Foundation

/// One line of the agent's about connectivity, as far as the tests of connectivity look at it.
struct ConnectivityEvent: Decodable, Sendable {
    /// A state of the machine's, or a probe's standing: both go by the same member.
    struct State: Decodable, Sendable {
        let via: String?
        let connectivity: String?
        let connectivity_reason: String?
        let used: Bool?
        let connectivity_probe: String?
        let connectivity_by_family: [String: String]?
        let portal_url: String?
        let verdict: String?
        let code: String?

        /// `wired full`, `wired partial connect_timeout`, `down connect_refused`.
        var summary: String {
            [via, connectivity, connectivity_reason, verdict, code].compactMap(\.self).joined(separator: " ")
        }
    }

    struct Cause: Decodable, Sendable {
        let kind: String
        let code: String
    }

    struct Data: Decodable, Sendable {
        let from: State?
        let to: State?
        let cause: Cause?
        let interface: String?
        let family: String?
        let threshold: String?
        let percent_left: Int?
        let added: [String]?
        let removed: [String]?
        let changed: [String]?
        let hook: String?
        let trigger_seq: UInt64?
        let output: String?
    }

    let type: String
    let subject: String
    let seq: UInt64?
    let data: Data

    /// The type without the prefix that all types have.
    var name: String { String(type.dropFirst("reachagent.".count)) }

    /// The probe's point: `web`, `web ipv4`, `web wwan0 ipv6`.
    var point: String { [subject, data.interface, data.family].compactMap(\.self).joined(separator: " ") }

    /// What a failed test shows.
    var summary: String {
        [name, point, data.from?.summary, "→", data.to?.summary, data.cause?.code].compactMap(\.self)
            .joined(separator: " ")
    }
}
