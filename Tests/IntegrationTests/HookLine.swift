import Foundation

/// One line of the agent's, as far as the tests of hooks look at it.
struct HookLine: Decodable, Sendable {
    struct State: Decodable, Sendable {
        struct Path: Decodable, Sendable {
            let interface: String?
            let gateway: String?
        }

        let via: String?
        let connectivity: String?
        let path: Path?
    }

    struct Cause: Decodable, Sendable {
        let kind: String
        let code: String
        let interface: String?
        let detail: String?
    }

    struct Refusal: Decodable, Sendable {
        let code: String
        let path: String
        let evidence: String
        let remedy: String
    }

    struct Data: Decodable, Sendable {
        let from: State?
        let to: State?
        let cause: Cause?
        let hook: String?
        let kind: String?
        let trigger: String?
        let trigger_seq: UInt64?
        let superseded: Int?
        let outcome: String?
        let exit_status: Int?
        let signal: String?
        let refusal: Refusal?
        let reason: String?
        let code: String?
        let http_status: Int?
        let attempts: Int?
        let delay_ms: Int?
        let duration_ms: Int?
        let output: String?
        let output_bytes: Int?
        let output_omitted_bytes: Int?
        let failures: Int?
        let paused_ms: Int?
        let added: [String]?
        let removed: [String]?
        let changed: [String]?
    }

    let type: String
    let id: String
    let subject: String
    let time: String
    let seq: UInt64?
    let data: Data
    /// The whole line, without its end.
    private(set) var text = ""

    private enum CodingKeys: String, CodingKey { case type, id, subject, time, seq, data }

    /// Reads a line of the agent's standard output.
    init(line: String) throws {
        self = try JSONDecoder().decode(HookLine.self, from: Foundation.Data(line.utf8))
        text = line
    }

    /// The type without the prefix that all types have.
    var name: String { String(type.dropFirst("reachagent.".count)) }

    /// Whether a run of a hook ended.
    var isCompletion: Bool { name == "hook.completed" }

    /// What a failed test shows.
    var summary: String {
        let states = [data.from, data.to].compactMap { $0?.via }.joined(separator: "→")
        let run = [data.trigger_seq.map { "for \($0)" }, data.outcome, data.refusal?.code, data.output]
        let words = [seq.map { "\($0)" }, name, subject, states, data.cause?.code] + run
        return words.compactMap { $0?.isEmpty == true ? nil : $0 }.joined(separator: " ")
    }
}
