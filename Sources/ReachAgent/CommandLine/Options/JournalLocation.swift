internal import ArgumentParser
internal import EventJournal
internal import FoundationEssentials
internal import Glibc

/// The places of the journal where the command line names none.
struct JournalLocation {
    /// The places of services.
    static let system = "/var/lib/reachagent/journal"

    private let environment: [String: String]
    private let isRoot: Bool

    /// The locations that an environment makes; by default the process's.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, isRoot: Bool = geteuid() == 0) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// The directories in which a journal is looked for, best first: the first one that exists is read.
    var directoriesToRead: [String] {
        if let service { return [service] }
        return [user, Self.system].compactMap(\.self)
    }

    /// The first directory that exists; the last one where none does.
    static func existing(_ directories: [String]) -> String {
        directories.first { access($0, F_OK) == 0 || errno != ENOENT } ?? directories.last ?? system
    }

    /// The directory that an agent writes; `nil` when the user has no home directory.
    func directoryToWrite(_ directory: String?) -> String? {
        if let directory { return directory }
        if let service { return service }
        return isRoot && absolute("XDG_STATE_HOME") == nil ? Self.system : user
    }

    /// The directory that systemd gives a service; of several directories the first one is ours.
    private var service: String? {
        guard let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return nil }
        return first.hasPrefix("/") ? "\(first)/journal" : nil
    }

    private var user: String? {
        if let state = absolute("XDG_STATE_HOME") { return "\(state)/reachagent/journal" }
        return absolute("HOME").map { "\($0)/.local/state/reachagent/journal" }
    }

    /// A directory that a variable names; the specification of XDG tells us to ignore relative ones.
    private func absolute(_ name: String) -> String? {
        guard let value = environment[name], value.hasPrefix("/") else { return nil }
        return value
    }
}

extension JournalLocation {
    /// Says on standard error why the journal cannot be read.
    static func status(of error: JournalError, directories: [String]) -> ExitCode {
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
