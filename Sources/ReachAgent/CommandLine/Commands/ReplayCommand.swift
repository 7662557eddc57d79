internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import Glibc
internal import InputRecording
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// `reachagent replay`: the events that result from recorded inputs.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show what an agent made of a recording.",
        usage: "reachagent replay [<options>] <file>",
        discussion: """
            Reads a file that 'reachagent run --record FILE' has written, feeds the state machine with its inputs, and \
            prints each transition as the agent published it, with the same number and at the same time. Events that are no \
            transitions, such as 'agent.started', are not printed; their numbers are left out. Nothing is sent anywhere, \
            and neither the kernel nor an agent is queried.

            EXAMPLES
              reachagent replay bug.jsonl
              reachagent replay bug.jsonl --format human --states
              reachagent replay bug.jsonl | jq -c '[.seq, .type, .data.to.via]'

            EXIT STATUS
              0   the recording was replayed to its end
              75  the output could not be written
              77  no permission to read the file
              78  there is no such file, or a line of it is damaged
            """
    )

    @Argument(help: "The recording: a file that 'reachagent run --record' has written.", completion: .file())
    var file: String

    @Option(help: "The format of events: one JSON object a line, lines for people, or nothing.")
    var format: OutputFormat = .json

    @Flag(help: "Also print the settled state behind each input that has changed it.")
    var states = false

    @OptionGroup var colors: ColorOptions

    func run() throws {
        var printer = ReplayPrinter(format: format, style: .standardOutput(color: colors.color))
        do {
            defer { try? printer.finish() }
            var replay = RecordingReplay(try RecordingReader(path: file))
            printer.begin(replay.reader.header)
            var settled: ReplayedStates?
            while let step = try replay.next() {
                try printer.print(step)
                guard states, let machine = replay.machine else { continue }
                let now = ReplayedStates(machine)
                if now != settled { try printer.print(now, behind: step.recorded) }
                settled = now
            }
            try printer.finish()
            if replay.reader.isTruncated {
                Terminal.printError("reachagent: the recording ends early; the agent's log says why")
            }
        } catch let error as RecordingError {
            Terminal.printError("reachagent: \(ForeignText.line("\(error)"))")
            switch error.cause {
            case .errno(EACCES), .errno(EPERM): throw ExitCode(ExitStatus.notPermitted)
            default: throw ExitCode(ExitStatus.badConfiguration)
            }
        } catch StandardOutput.Failure.readerGone {
            return
        } catch StandardOutput.Failure.errno(let number) {
            Terminal.exitUnwritable(number)
        }
    }
}

/// The settled states of a state machine that replays a recording.
private struct ReplayedStates: Equatable {
    struct TargetStatus: Equatable {
        let name: String
        let state: TargetState
    }

    struct ProbeStatus: Equatable {
        let point: Probes.ProbePoint
        let state: ProbeState
    }

    let state: Reachability.ReachabilityState
    let targets: [TargetStatus]
    let probes: [ProbeStatus]

    init(_ machine: ReachabilityMachine) {
        state = machine.state
        targets = machine.targetPaths.map { TargetStatus(name: $0.target.name, state: $0.state) }
        probes = machine.probes.map { ProbeStatus(point: $0.point, state: $0.state) }
    }
}

/// Prints the result of a replay.
private struct ReplayPrinter {
    private let format: OutputFormat
    private var output = StandardOutput()
    private var lines: EventLines
    private var clock = EventClock()
    private var origin = EventOrigin(streamID: "", host: "")
    private var sequence: UInt64 = 1

    /// Creates a printer; lines for people are in a style.
    init(format: OutputFormat, style: TerminalStyle) {
        self.format = format
        lines = EventLines(style: style)
    }

    /// Sets the origin of the events from the recording's header; must be called first.
    mutating func begin(_ header: RecordingHeader) {
        let prefix = "/reachagent/"
        let host = header.source.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        origin = EventOrigin(streamID: header.stream, host: host ?? "recording", bootID: header.bootID)
        sequence = header.nextSequence
    }

    /// Prints the events of one input, as the agent published them: at the recorded time, with consecutive numbers.
    mutating func print(_ step: RecordingReplay.Step) throws(StandardOutput.Failure) {
        sequence = step.recorded.sequence ?? sequence
        for transition in step.transitions {
            let time = Timestamp(clock.stamp(step.recorded.published ?? step.recorded.input.observed))
            let event = Event(EventDraft(transition), from: origin, at: time, number: sequence)
            // A recording is untrusted input: its number may be any.
            sequence &+= 1
            switch format {
            case .json: try output.print(line: Terminal.json(event.line))
            case .human: for line in lines.lines(of: event) { try output.print(line) }
            case .none: break
            }
        }
    }

    /// Prints the settled states.
    mutating func print(_ states: ReplayedStates, behind recorded: RecordedInput) throws(StandardOutput.Failure) {
        switch format {
        case .json: try output.print(line: Terminal.json(json(states, behind: recorded)))
        case .human: try output.print(ForeignText.line(text(states, behind: recorded)))
        case .none: break
        }
    }

    /// Flushes the output.
    mutating func finish() throws(StandardOutput.Failure) { try output.flush() }

    private func json(_ states: ReplayedStates, behind recorded: RecordedInput) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("line", recorded.line)
            json.member("input", recorded.input.name)
            json.member("time", Timestamp(recorded.input.observed))
            json.member("state", encoding: states.state.published)
            json.name("targets")
            json.array(states.targets) { json, target in
                json.object { json in
                    json.member("name", target.name)
                    json.member("state", encoding: target.state.published)
                }
            }
            json.name("probes")
            json.array(states.probes) { json, probe in
                json.object { json in
                    json.member("probe", probe.point.description)
                    json.member("verdict", probe.state.verdict.rawValue)
                    json.member("code", ifPresent: probe.state.code?.rawValue)
                    json.member("flapping", probe.state.isFlapping)
                }
            }
        }
        return json.bytes
    }

    private func text(_ states: ReplayedStates, behind recorded: RecordedInput) -> String {
        let targets = states.targets.map { "\($0.name) \($0.state.published.summary)" }
        let probes = states.probes.map { probe in
            let code = probe.state.code.map { " (\($0.rawValue))" } ?? ""
            return "\(probe.point) \(probe.state.verdict.rawValue)\(code)"
        }
        let all = ([states.state.published.summary] + targets + probes).joined(separator: "; ")
        return "    line \(recorded.line), \(recorded.input.name): \(all)"
    }
}
