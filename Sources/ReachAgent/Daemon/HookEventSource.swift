internal import AgentEvents
internal import ArgumentParser
internal import EventJournal
internal import Glibc
internal import Hooks
internal import LinuxSupport
internal import NetlinkMonitor

/// The source of an event for hooks: a file, or the journal.
struct HookEventSource {
    /// The maximum number of events of the right types that are read, from the newest back.
    private static let maximumLookedAt = 1000

    /// `last`, `-` for standard input, or a file.
    let argument: String
    /// The journal's directory; nil for the running agent's.
    let directory: String?
    /// The agent's control socket; nil for the usual ones.
    let socket: String?

    /// Reads the event.
    ///
    /// - Parameters:
    ///   - types: The types that `last` may have; empty for those that hooks can have.
    ///   - isWanted: Returns whether an event is preferred; if none is, the newest is used.
    func event(of types: Set<EventType>, preferring isWanted: (HookEvent) -> Bool) throws -> HookEvent {
        // An event has no alternative names: the present ones count.
        let interfaces = InterfaceNames.read()
        if argument == "last" {
            return try last(types.isEmpty ? Set(HookTrigger.types) : types, interfaces, isWanted)
        }
        var event = try EventFile.event(argument)
        event.addAlternativeNames(interfaces.alternatives)
        return event
    }

    private func last(
        _ types: Set<EventType>,
        _ interfaces: InterfaceNames,
        _ isWanted: (HookEvent) -> Bool
    ) throws -> HookEvent {
        let directories = try AgentFiles.journals(named: directory, socket: socket)
        var (newest, wanted): (HookEvent?, HookEvent?)
        do {
            var history = History(
                reader: try JournalReader(directory: JournalLocation.existing(directories)),
                since: nil,
                until: nil,
                filter: EventFilter(types: types.map(\.rawValue), subject: nil)
            )
            try history.keepNewest(Self.maximumLookedAt)
            try history.forEachChunk { chunk, lines in
                for line in lines {
                    guard var event = HookEvent(line: Array(chunk.bytes[line.range])) else { continue }
                    event.addAlternativeNames(interfaces.alternatives)
                    newest = event
                    if isWanted(event) { wanted = event }
                }
            }
        } catch let error as JournalError {
            throw JournalLocation.status(of: error, directories: directories)
        }
        if let event = wanted ?? newest { return event }
        let names = types.map(\.shortName).sorted().joined(separator: ", ")
        Terminal.printError("reachagent: the journal has no event of \(names); give one with '--event FILE'")
        throw ExitCode(ExitStatus.unavailable)
    }
}

/// A file with one event.
private enum EventFile {
    /// Reads the event; prints an error on standard error, and exits with the matching status.
    static func event(_ path: String) throws -> HookEvent {
        let name = path == "-" ? "standard input" : path
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            // The number of an event looks like an argument that should work.
            let advice = number == ENOENT ? "; accepted are a file with one event, '-' and 'last'" : ""
            Terminal.printError("reachagent: cannot read \(name): \(SystemError(errno: number))\(advice)")
            throw ExitCode(
                number == EACCES || number == EPERM ? ExitStatus.notPermitted : ExitStatus.badConfiguration
            )
        }
        defer { if path != "-" { close(descriptor) } }
        guard let bytes = bytes(of: descriptor) else {
            Terminal.printError("reachagent: \(name) cannot be read, or is longer than an event can be")
            throw ExitCode(ExitStatus.badConfiguration)
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { line in
            !line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
        }
        guard lines.count == 1, let line = lines.first, let event = event(in: line) else {
            let found = lines.count == 1 ? "a line that is not an event" : "\(lines.count) lines"
            Terminal.printError(
                "reachagent: \(name) must hold one event, as one line of 'reachagent history --json'; got \(found)"
            )
            throw ExitCode(ExitStatus.badConfiguration)
        }
        return event
    }

    private static func event(in line: ArraySlice<UInt8>) -> HookEvent? {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
        let start = line.drop(while: isBlank)
        let end = (start.lastIndex { !isBlank($0) } ?? start.startIndex) + 1
        return HookEvent(line: Array(start[..<min(end, start.endIndex)]))
    }

    /// Everything up to the longest line that is accepted; nil for more, or for what cannot be read.
    private static func bytes(of descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= ScannedLine.maximumBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                return nil
            }
            bytes += buffer.prefix(count)
        }
        return nil
    }
}
