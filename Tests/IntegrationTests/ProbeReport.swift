import Foundation

/// The output of `reachagent probe --json`, as far as tests read it, and its exit status.
struct ProbeReport: Sendable {
    struct Content: Decodable, Sendable {
        struct Finding: Decodable, Sendable {
            let code: String
            let severity: String
            let subject: String
            let evidence: String
        }

        struct Attempt: Decodable, Sendable {
            let address: String
            let start_us: Int
            let used: Bool
            let code: String?

            var start: Duration { .microseconds(start_us) }
        }

        struct Hop: Decodable, Sendable {
            let attempts: [Attempt]
            let addresses: [String]
            let local: String?
            let peer: String?
            let interface: String?
            let answer: String?
        }

        let verdict: String
        let code: String?
        let phase: String?
        let duration_us: Int
        let bytes_on_wire: Int
        let findings: [Finding]
        let hops: [Hop]
    }

    let status: Int32
    /// From the command's start to its end, as a person sees it.
    let wallTime: Duration
    let content: Content

    /// The verdict, its code and the exit status, which belong together: `failed connect_timeout 1`.
    var outcome: String { [content.verdict, content.code, "\(status)"].compactMap(\.self).joined(separator: " ") }

    /// The one hop that a check without redirects has.
    var hop: Content.Hop? { content.hops.first }

    /// The evidence of the finding that decided.
    var evidence: String { content.findings.first?.evidence ?? "" }
}
