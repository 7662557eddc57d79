internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import Glibc
internal import InputRecording
internal import NetlinkMonitor
internal import Reachability

/// `reachagent replay`: what an agent made of the inputs that it recorded.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show what an agent made of a recording.",
        usage: "reachagent replay [<options>] <file>",
        discussion: """
            Reads a file that 'reachagent run --record FILE' has written, feeds the state machine with its inputs, and \
            prints each transition as the agent published it, with the same number and at the same time. Events that are no \
            transitions, such as 'agent.started', are not printed; their numbers are left out. Nothing is sent anywhere, \
            and neither the kernel nor an agent is asked.

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

    @Option(help: "How to print events: one JSON object a line, lines for people, or nothing.")
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
            Terminal.printError("reachagent: cannot write to standard output: \(String(cString: strerror(number)))")
            throw ExitCode(ExitStatus.tryAgain)
        }
    }
}
