import AgentEvents
import AgentTestKit
import Foundation

/// The Debian package in the VM lab's guest with systemd.
enum SystemService {
    /// A step that a scenario recorded: its members as text, whatever their type in JSON.
    struct Fact: Decodable {
        private let members: [String: String]

        /// A step that was not made.
        init() { members = [:] }

        init(from decoder: any Decoder) throws {
            let values = try decoder.singleValueContainer().decode([String: Value].self)
            members = values.mapValues(\.text)
        }

        subscript(_ name: String) -> String { members[name] ?? "" }
        var step: String { self["step"] }
        var status: Int? { Int(self["status"]) }
        var out: String { self["out"] }
        var err: String { self["err"] }
        func number(_ name: String) -> Int? { Int(self[name]) }

        private struct Value: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Double.self) {
                    text = number.rounded() == number ? String(Int(number)) : String(number)
                } else {
                    text = try container.decode(String.self)
                }
            }
        }
    }

    /// The result of one scenario.
    struct Evidence {
        let facts: [Fact]
        let result: SystemLab.Result

        /// The first step of this name; one without members where the scenario made none, so that what is expected of it
        /// fails by itself.
        subscript(_ step: String) -> Fact { all(step).first ?? Fact() }
        func all(_ step: String) -> [Fact] { facts.filter { $0.step == step } }
        func lines(_ file: String) throws -> [String] { try result.lines(file) }

        /// The `seq` of each event that the agent's journal has.
        func numbers(_ file: String) throws -> [Int] {
            struct Line: Decodable { let seq: Int }
            return try lines(file).map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).seq }
        }
    }

    /// The reason that these tests cannot run; `nil` when they can.
    static let obstacle: String? = {
        if ProcessInfo.processInfo.environment["REACHAGENT_SYSTEM_TESTS"] != nil, LabPayload.package == nil {
            return "there is no package in .build/package: `make package` builds it"
        }
        return SystemLab.systemObstacle
    }()

    /// Returns the records of a scenario in the guest with systemd.
    static func evidence(of scenario: String) async throws -> Evidence {
        let result = try await SystemLab.result(of: scenario, in: .system)
        let facts = try result.lines("steps.jsonl").map { try JSONDecoder().decode(Fact.self, from: Data($0.utf8)) }
        return Evidence(facts: facts, result: result)
    }
}
