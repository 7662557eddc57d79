import AgentTestKit
import Foundation
import InputRecording
import NetlinkMonitor
import Reachability
import Testing

import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.Timestamp

@testable import ReachAgent

/// `reachagent replay`: the events of a recording, as the agent published them.
@Suite struct ReplayCommandTests {
    private let start = ObservedTime(instant: .now, microsecondsSince1970: 1_795_244_400_000_000)
    private var origin: EventOrigin { EventOrigin(streamID: "abc", host: "somewhere") }
    private let internet = IPAddress("192.0.2.1") ?? .unspecified(.ipv4)

    private func moment(_ milliseconds: Int) -> ObservedTime {
        ObservedTime(
            instant: start.instant.advanced(by: .milliseconds(milliseconds)),
            microsecondsSince1970: start.microsecondsSince1970 + Int64(milliseconds) * 1000
        )
    }

    private func view(_ kind: InterfaceKind?) -> NetworkSnapshot {
        let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)
        let outcome: RouteLookup.Outcome =
            kind == nil ? .refused(.noRoute) : .route(ResolvedRoute(interfaceIndex: 3, source: source))
        let classification = InterfaceClassification(kind: kind ?? .wired, evidence: [])
        return NetworkSnapshot(
            links: [Link(index: 3, name: "if0", flags: [.up, .lowerUp], classification: classification)],
            addresses: [InterfaceAddress(interfaceIndex: 3, address: source, prefixLength: 24)],
            lookups: [RouteLookup(destination: internet, outcome: outcome)],
            internetAddresses: [internet]
        )
    }

    /// A machine that loses its Wi-Fi and comes back, with the number that the agent's next event would have.
    private var inputs: [(input: InputRecord, sequence: UInt64?)] {
        [
            (.configuration(MachineConfiguration(), observed: moment(0)), 40),
            (update(.wifi, at: 10), 41), (update(nil, at: 5000), nil), (.tick(moment(6000)), nil),
            (update(.wifi, at: 9000), 70), (.tick(moment(9250)), nil),
        ]
    }

    private func update(_ kind: InterfaceKind?, at milliseconds: Int) -> InputRecord {
        let update = NetworkUpdate(snapshot: view(kind), changes: [], observed: moment(milliseconds))
        return .update(update, isCorrection: false)
    }

    /// The lines that the agent would have published.
    private func published() -> [String] {
        var machine = ReachabilityMachine(MachineConfiguration())
        var number: UInt64 = 0
        var lines: [String] = []
        for (input, sequence) in inputs.dropFirst() {
            number = sequence ?? number
            for transition in machine.take(input) {
                let draft = EventDraft(transition)
                let event = Event(draft, from: origin, at: Timestamp(input.observed), number: number)
                lines.append(String(decoding: event.line, as: UTF8.self))
                number += 1
            }
        }
        return lines
    }

    /// Records, lets the file be changed, and runs the command.
    private func replay(
        source: String? = "/reachagent/somewhere",
        _ options: [String] = [],
        limit: Int = InputRecorder.standardLimit,
        onTerminal: Bool = false,
        changing change: @escaping @Sendable (String) -> String = { $0 }
    ) async throws -> FinishedCommand {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = "\(directory.path)/replay"
        let header = RecordingHeader(agent: "0", stream: "abc", nextSequence: 40, source: source, started: start)
        let inputs = inputs
        try await onThread {
            let recorder = try InputRecorder(path: path, header: header, limitBytes: limit)
            for (input, sequence) in inputs { recorder.record(input, nextSequence: sequence) }
            recorder.finish(within: .seconds(60))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try change(text).write(toFile: path, atomically: false, encoding: .utf8)
        }
        let words = ["replay", path] + options
        if onTerminal {
            let line = ([BuiltAgent.path] + words).joined(separator: " ")
            return try await FinishedCommand.run(["-qec", line, "/dev/null"], of: Self.terminal)
        }
        let command = try await FinishedCommand.run(words)
        #expect(!command.error.contains(path) || command.status != 0)
        return command
    }

    @Test func `the events are those that the agent published`() async throws {
        let command = try await replay()
        #expect(command.status == 0 && command.error.isEmpty)
        #expect(command.lines == published())
        #expect(command.lines.count >= 4)
        #expect(command.lines.first?.contains(#""seq":41,"#) == true)
        #expect(command.lines.contains { $0.contains(#""seq":70,"#) })
    }

    /// Runs a command on a terminal of its own.
    private static let terminal = "/usr/bin/script"

    @Test(.enabled(if: access(terminal, X_OK) == 0, "script(1) is not installed"))
    func `no character of a recording reaches a terminal as it is, nor changes in a file`() async throws {
        let hostile = "v\u{9B}[31m\u{202E}"
        let escaped = #"v\u009b[31m\u202e"#
        let shown = try await replay(["--states"], onTerminal: true) { $0.replacing("if0", with: hostile) }
        #expect(shown.status == 0)
        let lines = shown.output.split { $0.isNewline }
        #expect(lines.contains { $0.hasPrefix(#"{"line":"#) && $0.contains(escaped) }, "\(shown.output)")
        #expect(lines.contains { $0.contains(#""seq":70,"#) && $0.contains(escaped) })
        #expect(!shown.output.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
        let written = try await replay(["--states"]) { $0.replacing("if0", with: hostile) }
        #expect(written.output.contains(hostile) && !written.output.contains(escaped))
    }

    @Test func `without a source the host's name is nowhere`() async throws {
        let command = try await replay(source: nil)
        let nameless = published().map { $0.replacing("/reachagent/somewhere", with: "/reachagent/recording") }
        #expect(command.lines == nameless)
    }

    @Test func `people read one line for each event and each state`() async throws {
        let command = try await replay(["--format", "human", "--states"])
        #expect(command.status == 0)
        #expect(command.lines.contains { $0.contains("  reachability  ") })
        #expect(command.lines.contains { $0.hasPrefix("    line 2, configuration: ") })
        #expect(command.lines.contains { $0.hasPrefix("    line 3, update: wifi if0 IPv4") })
        // A part of the state's own words.
        #expect(!command.output.contains(", connectivity "))
    }

    @Test func `states are JSON objects beside the events`() async throws {
        let command = try await replay(["--states"])
        let states = command.lines.filter { $0.hasPrefix(#"{"line":"#) }
        #expect(states.count >= 3)
        #expect(command.lines.filter { !$0.hasPrefix(#"{"line":"#) } == published())
        for line in states { #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil) }
    }

    @Test func `a damaged line is named, and the events before it are printed`() async throws {
        let command = try await replay { text in
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            lines[3] = #"{"input":"\u001b[2J"}"#
            return lines.joined(separator: "\n")
        }
        #expect(command.status == 78)
        #expect(command.error.hasSuffix(":4: 'at' is missing\n"))
        #expect(command.lines == Array(published().prefix(command.lines.count)) && !command.lines.isEmpty)
    }

    @Test func `a missing file, and one that is not a recording, are errors`() async throws {
        let missing = try await FinishedCommand.run(["replay", "/nonexistent/x"])
        #expect(missing.status == 78)
        #expect(missing.error == "reachagent: cannot open /nonexistent/x: No such file or directory\n")
        let other = try await FinishedCommand.run(["replay", "/etc/passwd"])
        #expect(other.status == 78)
        #expect(other.error == "reachagent: /etc/passwd:1: not a recording of reachagent\n")
    }

    @Test func `a recording that was cut short says so`() async throws {
        let command = try await replay(limit: 1500)
        #expect(command.status == 0)
        #expect(command.error == "reachagent: the recording ends early; the agent's log says why\n")
    }
}
