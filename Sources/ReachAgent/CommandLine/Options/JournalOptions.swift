internal import ArgumentParser
internal import Configuration
internal import EventJournal
internal import ForeignText
internal import FoundationEssentials
internal import Glibc
internal import LinuxSupport

/// The journal: its location and its size.
struct JournalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The directory of the journal (default: $STATE_DIRECTORY/journal; for root without XDG_STATE_HOME \
            /var/lib/reachagent/journal; else $XDG_STATE_HOME/reachagent/journal).
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var journalDirectory: String?

    @Flag(help: "Keep no journal: numbers start at 1 on each run, and nothing can be replayed.")
    var noJournal = false

    @Option(
        help: ArgumentHelp(
            """
            The sync policy, by which events survive a loss of power: they are forced to disk before they are published \
            with 'always', at most so long after they were written with a time, and a change of the reachability at \
            once; with 'never' the kernel writes them back (default: 1s).
            """,
            valueName: "when"
        ),
        completion: .list(["always", "never"]),
        transform: JournalOptions.syncPolicy
    )
    var journalSync: SyncPolicy?

    @Option(
        help: ArgumentHelp("The maximum size of the journal (default: 64M).", valueName: "size"),
        transform: Arguments.byteCount
    )
    var journalSize: Int?

    @Option(
        help: ArgumentHelp("The maximum age of events (default: 30d).", valueName: "time"),
        transform: Arguments.longDuration
    )
    var journalAge: Duration?

    @Option(
        help: ArgumentHelp(
            "The maximum size of a journal file (default: 8M, or an eighth of a smaller journal's).",
            valueName: "size"
        ),
        transform: Arguments.byteCount
    )
    var journalSegmentSize: Int?

    @Option(
        help: ArgumentHelp("The time after which a new journal file is started (default: 7d).", valueName: "time"),
        transform: Arguments.longDuration
    )
    var journalSegmentAge: Duration = .seconds(7 * 86_400)

    @Flag(help: "Compress complete journal files (zstd).")
    var compressJournal = false

    func validate() throws {
        let (size, smallest) = (journalSize ?? Self.standardSize, 4096)
        guard journalSegmentSize ?? smallest >= smallest else {
            throw ValidationError("'--journal-segment-size' is too small; at least 4K is needed")
        }
        guard journalSegmentSize != nil || size / 8 >= smallest else {
            throw ValidationError("'--journal-size' is too small; at least 32K is needed")
        }
        guard journalSegmentAge >= .seconds(1) else {
            throw ValidationError("'--journal-segment-age' is too short; at least 1s is needed")
        }
        guard size >= journalSegmentSize ?? smallest else {
            throw ValidationError("'--journal-size' is smaller than '--journal-segment-size'")
        }
    }

    private static let standardSize = 64 << 20
    private static let standardSegmentSize = 8 << 20
    private static let standardAge: Duration = .seconds(30 * 86_400)

    private static func syncPolicy(_ text: String) throws -> SyncPolicy {
        switch text {
        case "always": .always
        case "never": .never
        default: .interval(try Arguments.duration(text))
        }
    }

    /// The journal's configuration in a directory; options that are not given are taken from the file.
    func configuration(in directory: String, _ settings: AgentSettings) -> JournalConfiguration {
        let size = journalSize ?? settings.journalBytes ?? Self.standardSize
        return JournalConfiguration(
            directory: directory,
            sync: journalSync ?? settings.journalSync ?? .standard,
            // The oldest file makes room for the newest one: an eighth of the events, not all of them.
            segmentBytes: min(journalSegmentSize ?? min(Self.standardSegmentSize, size / 8), size),
            segmentAge: journalSegmentAge,
            totalBytes: size,
            totalAge: journalAge ?? settings.journalAge ?? Self.standardAge,
            historyAge: settings.historyAge,
            historyBytes: settings.historyBytes,
            compressesClosedSegments: compressJournal || settings.compressesJournal ?? false
        )
    }
}

/// The locations of the journal if the command line names none.
struct JournalLocation {
    /// The location for services.
    static let system = "/var/lib/reachagent/journal"

    private let environment: [String: String]
    private let isRoot: Bool

    /// Creates the locations for an environment, by default that of this process.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, isRoot: Bool = geteuid() == 0) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// The directories in which a journal is looked for, best first: see ``existing(_:)``.
    var directoriesToRead: [String] {
        isAgentService ? [service].compactMap(\.self) : [service, user, Self.system].compactMap(\.self)
    }

    /// True for a service whose state directory has a journal, or is named for an agent that has none yet.
    ///
    /// systemd sets the variable for any service with a state directory, also for one that only runs commands.
    var isAgentService: Bool {
        guard let service else { return false }
        return service.hasSuffix("/reachagent/journal") || access(service, F_OK) == 0
    }

    /// The first directory with a journal, or that cannot be listed, which is an error to report; without one the first
    /// that exists, and the last one where none does.
    static func existing(_ directories: [String]) -> String {
        let present = directories.filter { access($0, F_OK) == 0 || errno != ENOENT }
        return present.first { hasJournal($0) != false } ?? present.first ?? directories.last ?? system
    }

    /// The directory that an agent writes; `nil` when the user has no home directory.
    func directoryToWrite(_ directory: String?) -> String? {
        if let directory { return directory }
        if let service { return service }
        return isRoot && AbsolutePath.named("XDG_STATE_HOME", in: environment) == nil ? Self.system : user
    }

    /// The state directory that systemd sets for a service; the first of several is used.
    private var service: String? {
        guard let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return nil }
        return first.hasPrefix("/") ? "\(first)/journal" : nil
    }

    private var user: String? {
        if let state = AbsolutePath.named("XDG_STATE_HOME", in: environment) { return "\(state)/reachagent/journal" }
        return AbsolutePath.named("HOME", in: environment).map { "\($0)/.local/state/reachagent/journal" }
    }

    /// Returns whether an agent has recorded in a directory, where it has left at least the name of its stream.
    static func isJournal(_ directory: String) -> Bool { hasJournal(directory) ?? false }

    /// Returns whether a directory has a journal; `nil` for one that cannot be listed.
    private static func hasJournal(_ directory: String) -> Bool? {
        guard let names = try? DirectoryStream.names(in: directory) else { return nil }
        return names.contains { $0.elementsEqual("stream".utf8) || $0.starts(with: "events-".utf8) }
    }

    /// Prints on standard error that the directories have no journal, and names one that lies a level below.
    static func missing(_ directories: [String]) -> ExitCode {
        let below = directories.map { "\($0.hasSuffix("/") ? $0.dropLast() : $0[...])/journal" }.first(where: isJournal)
        let advice = below.map { "did you mean '\($0)'?" } ?? "'--directory' names another place"
        Terminal.printError(
            "reachagent: there is no journal in \(directories.joined(separator: " or ")); \(advice)"
        )
        return ExitCode(ExitStatus.unavailable)
    }

    /// Prints on standard error why the journal cannot be read.
    static func status(of error: JournalError, directories: [String]) -> ExitCode {
        switch error.cause {
        // Something else in it may be missing or of another kind.
        case .errno(ENOENT) where directories.contains(error.path),
            .errno(ENOTDIR) where directories.contains(error.path):
            return missing(directories)
        case .errno(EACCES), .errno(EPERM):
            Terminal.printError("reachagent: \(error)")
            let path = JournalLocation.existing(directories)
            for line in AgentQuestion.permissionAdvice(path, S_IRGRP, to: "read") {
                Terminal.printError("  \(ForeignText.line(line))")
            }
            return ExitCode(ExitStatus.notPermitted)
        default:
            Terminal.printError("reachagent: \(error)")
            return ExitCode(ExitStatus.tryAgain)
        }
    }
}
