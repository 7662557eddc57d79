import AgentTestKit
import Foundation

/// The VM lab beside these tests: a real kernel with real Wi-Fi and WWAN stacks.
///
/// See `Tests/SystemLab/README.md`.
enum SystemLab {
    /// What one scenario brought back.
    struct Result {
        let steps: [Step]
        let output: URL

        /// The agent's events, in order.
        func events() throws -> [EventLine] {
            try lines("events.jsonl").map { try JSONDecoder().decode(EventLine.self, from: Data($0.utf8)) }
        }

        func lines(_ file: String) throws -> [String] {
            try String(contentsOf: output.appending(path: file), encoding: .utf8).split(separator: "\n").map(
                String.init
            )
        }

        func step(_ name: String) -> Step? { steps.first { $0.step == name } }
    }

    /// One thing that a scenario did, or saw happen.
    struct Step: Decodable {
        let step: String
        let time: String
        let status: Int?
        let interface: String?
        let kind: String?
        let kernel_choice: String?
        let name: String?
        let http: String?
        let https: String?
        let events: Int?
    }

    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "SystemLab")

    /// Why the lab cannot run; `nil` when it can.
    ///
    /// Asking builds the guest the first time.
    static let obstacle = building([])

    /// The same of the guest with systemd.
    static let systemObstacle = building(["--systemd"])

    private static func building(_ options: [String]) -> String? {
        guard ProcessInfo.processInfo.environment["REACHAGENT_SYSTEM_TESTS"] != nil else {
            return "the VM lab runs with `make system-test`, which sets REACHAGENT_SYSTEM_TESTS"
        }
        do {
            let (status, output) = try lab(["build"] + options)
            return status == 0 ? nil : "the VM lab's guest cannot be built here: \(output)"
        } catch {
            return "the VM lab cannot be started here: \(error)"
        }
    }

    /// What is booted: a few programs, and the built agent among them, or a whole Debian with systemd.
    enum Guest {
        case programs
        case system
    }

    /// Boots the guest, runs a scenario in it, and reads what it wrote.
    ///
    /// - Parameters:
    ///   - files: What the scenario needs, besides the agent in the guest without systemd, by the names that it knows.
    ///   - seconds: How long it may take.
    static func run(
        _ scenario: String,
        guest: Guest = .programs,
        files: [String] = [],
        seconds: Int = 180
    ) throws -> Result {
        let output = FileManager.default.temporaryDirectory.appending(path: "lab-\(UUID().uuidString)")
        let script = directory.appending(path: "scenarios/\(scenario).sh").path()
        let (status, text) = try lab(
            ["run", "-t", "\(seconds)", "-o", output.path()]
                + (guest == .system ? ["--systemd", script] : [script, BuiltAgent.path]) + files
        )
        guard status == 0 else { throw Failure(scenario: scenario, status: status, output: text) }
        let steps = try String(contentsOf: output.appending(path: "steps.jsonl"), encoding: .utf8)
            .split(separator: "\n")
            .map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
        return Result(steps: steps, output: output)
    }

    private static func lab(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = directory.appending(path: "lab")
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// A scenario that did not come to its end.
    struct Failure: Error, CustomStringConvertible {
        let scenario: String
        let status: Int32
        let output: String

        var description: String { "scenario \(scenario) ended with status \(status):\n\(output.suffix(4000))" }
    }
}
