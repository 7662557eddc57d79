internal import ArgumentParser
internal import EventEnvelope
internal import EventJournal
internal import Glibc

/// `reachagent history`: what the journal holds.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the events of the past.",
        usage: "reachagent history [<options>]",
        discussion: """
            Reads the journal itself, whether an agent runs or not. Events that are missing are told where they are \
            missing; lines that are damaged are left out and counted on standard error.

            A time is written in RFC 3339, as a local time such as '2026-11-21 07:00' or 07:00 (today), as today or \
            yesterday, or as so long ago: 15min, 2h, 3d.

            EXAMPLES
              reachagent history --since today
              reachagent history --since '2026-11-21 07:00' --until 09:30
              reachagent history --since 41 --type 'path.*' --subject office
              reachagent history --last 20
              reachagent history --json | jq 'select(.data.to.via == "none")'

            EXIT STATUS
              0   done, also when nothing was found
              69  there is no journal
              75  the journal could not be read; try again
              77  no permission to read the journal
            """
    )

    @Option(
        help: ArgumentHelp("Only events from this moment on, or after this number.", valueName: "time|seq"),
        transform: EventPosition.init(argument:)
    )
    var since: EventPosition?

    @Option(
        help: ArgumentHelp("Only events up to this moment or number.", valueName: "time|seq"),
        transform: EventPosition.init(argument:)
    )
    var until: EventPosition?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only events of this type, such as path.changed or 'path.*' (repeatable).",
            valueName: "type"
        ),
        completion: .eventTypes,
        transform: EventFilter.checked(type:)
    )
    var types: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only events about this: default, agent, or the name of a target, a probe or a hook.",
            valueName: "name"
        )
    )
    var subject: String?

    @Option(
        name: [.customLong("last"), .customLong("limit")],
        help: ArgumentHelp("Only so many of these events, the newest.", valueName: "count")
    )
    var last: Int?

    @Flag(help: "Print the events as they are: one JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            """
            The journal's directory (default: the first that exists of $STATE_DIRECTORY/journal, \
            $XDG_STATE_HOME/reachagent/journal and \(JournalLocation.system)).
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var directory: String?

    /// The most events that `--last` counts: their numbers are remembered.
    private static let mostLast = 1_000_000

    func validate() throws {
        if let last, !(1...Self.mostLast).contains(last) {
            throw ValidationError("'--last' must be 1 to \(Self.mostLast)")
        }
    }

    func run() throws {
        let location = JournalLocation()
        let path = location.directoryToRead(directory)
        var printer = HistoryPrinter(isJSON: json)
        do {
            var history = History(
                reader: try JournalReader(directory: path),
                since: since,
                until: until,
                filter: EventFilter(types: types, subject: subject)
            )
            if let last { try history.keepNewest(last) }
            try history.forEachChunk { chunk, lines throws(StandardOutput.Failure) in try printer.print(chunk, lines) }
            try printer.finish()
        } catch let error as JournalError {
            try? printer.finish()
            throw Self.status(of: error, directories: location.directoriesToRead(directory))
        } catch StandardOutput.Failure.readerGone {
            return
        } catch StandardOutput.Failure.errno(let number) {
            Terminal.printError("reachagent: cannot write to standard output: \(String(cString: strerror(number)))")
            throw ExitCode(ExitStatus.tryAgain)
        }
    }

    /// Says on standard error why the journal cannot be read.
    private static func status(of error: JournalError, directories: [String]) -> ExitCode {
        switch error.cause {
        case .errno(ENOENT), .errno(ENOTDIR):
            let places = directories.joined(separator: " or ")
            Terminal.printError(
                "reachagent: there is no journal in \(places); '--directory' names another place"
            )
            return ExitCode(ExitStatus.unavailable)
        case .errno(EACCES), .errno(EPERM):
            Terminal.printError("reachagent: \(error)")
            return ExitCode(ExitStatus.notPermitted)
        default:
            Terminal.printError("reachagent: \(error)")
            return ExitCode(ExitStatus.tryAgain)
        }
    }
}
