import AgentTestKit
import Foundation

/// The VM lab beside these tests: a real kernel with real Wi-Fi and WWAN stacks, and a whole Debian with systemd.
///
/// Each guest is booted once, plays all its scenarios, and the tests judge what each of them has recorded. See
/// `Tests/SystemLab/README.md`.
enum SystemLab {
    /// The result of one scenario.
    struct Result {
        let steps: [Step]
        let output: URL

        /// The agent's events, in order.
        func events() throws -> [SeenEvent] {
            try lines("events.jsonl").map { try SeenEvent($0) }
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

    /// A guest of the lab: a few programs, and the built agent among them, or a whole Debian with systemd.
    enum Guest {
        case programs
        case system

        /// The outputs of this guest's scenarios in the last run, which stay for people.
        fileprivate var output: URL { SystemLab.output.appending(path: self == .system ? "systemd" : "programs") }

        fileprivate var options: [String] { self == .system ? ["--systemd"] : [] }

        /// The scenarios that this guest plays, in order; REACHAGENT_LAB_SCENARIOS names fewer, for work on one of them.
        fileprivate func scenarios() async throws -> [String] {
            let listed = try await FinishedCommand.run(["list"] + options, of: lab, environment: environment).lines
            guard let wanted = environment["REACHAGENT_LAB_SCENARIOS"]?.split(separator: " ").map(String.init) else {
                return listed
            }
            return listed.filter(wanted.contains)
        }
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let lab = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "SystemLab/lab").path()
    private static let output = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/system-lab")

    /// The reason that the lab cannot run; `nil` when it can.
    ///
    /// The first access builds the guest.
    static let obstacle = building(.programs)

    /// The same of the guest with systemd.
    static let systemObstacle = building(.system)

    private static func building(_ guest: Guest) -> String? {
        guard environment["REACHAGENT_SYSTEM_TESTS"] != nil else {
            return "the VM lab runs with `make system-test`, which sets REACHAGENT_SYSTEM_TESTS"
        }
        let process = Process()
        process.executableURL = URL(filePath: lab)
        process.arguments = ["build"] + guest.options
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        do {
            try process.run()
        } catch {
            return "the VM lab cannot be started here: \(error)"
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "the VM lab's guest cannot be built here: \(text)"
    }

    /// Returns the records of a scenario in the one boot of its guest.
    static func result(of scenario: String, in guest: Guest = .programs) async throws -> Result {
        let boot = try await (guest == .programs ? programs : system).value
        guard let outcome = boot.outcomes.first(where: { $0.scenario == scenario }), let status = outcome.status else {
            throw Failure(description: "scenario \(scenario) did not end:\n\(boot.messages.suffix(4000))")
        }
        let output = boot.output.appending(path: scenario)
        guard status == 0 else {
            let text = try String(contentsOf: output.appending(path: "output.txt"), encoding: .utf8)
            // A log's reader may see one line only: the reason comes first.
            let reason = text.split(separator: "\n").last { $0.hasPrefix("FAIL: ") } ?? "no reason in its output"
            throw Failure(
                description: "scenario \(scenario), status \(status): \(reason); see \(output.path())\n"
                    + "\(text.suffix(4000))"
            )
        }
        let steps = try String(contentsOf: output.appending(path: "steps.jsonl"), encoding: .utf8)
            .split(separator: "\n")
            .map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
        return Result(steps: steps, output: output)
    }

    private static let programs = Task { try await boot(.programs) }
    private static let system = Task { try await boot(.system) }

    /// The result of one boot.
    private struct Boot {
        struct Outcome: Decodable {
            let scenario: String
            let status: Int?
        }

        let outcomes: [Outcome]
        let output: URL
        let messages: String
    }

    private static func boot(_ guest: Guest) async throws -> Boot {
        let (output, payload) = (guest.output, try TemporaryDirectory())
        defer { withExtendedLifetime(payload) {} }
        // That of an earlier run would be taken for this one's.
        try? FileManager.default.removeItem(at: output)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let files = try LabPayload.certificates(in: payload) + LabPayload.programs(of: guest)
        // The lab keeps the limits of the scenarios itself.
        let command = try await FinishedCommand.run(
            ["run", "-o", output.path()] + files.flatMap { ["-f", $0] } + guest.scenarios(),
            of: lab,
            environment: environment,
            patience: 7200
        )
        let outcomes = try? String(contentsOf: output.appending(path: "outcomes.jsonl"), encoding: .utf8)
        return Boot(
            outcomes: try (outcomes ?? "").split(separator: "\n").map {
                try JSONDecoder().decode(Boot.Outcome.self, from: Data($0.utf8))
            },
            output: output,
            messages: command.error
        )
    }

    /// A scenario that failed, or did not end.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
