internal import Glibc

/// Warnings about the group, the directories and the file of `[agent]` that the next start would need and not find.
struct StartWarnings {
    /// The maximum length of a socket's path in the kernel, without the terminating zero, in bytes.
    private static let maximumSocketPath = 107

    let settings: AgentSettings
    /// The table `[agent]`.
    let table: TableReader

    /// Adds the warnings.
    func add() {
        if settings.sockets != false { addSockets() }
        if settings.journal != false, let directory = settings.journalDirectory { addJournal(directory) }
        if let file = settings.metricsFile { addMetricsFile(file) }
    }

    private func addSockets() {
        if let group = settings.socketGroup, Account.isUnknown(group: group) {
            table.warn("socket_group", "there is no group '\(group)' here: the agent would not start")
        }
        guard let directory = settings.socketDirectory else { return }
        if "\(directory)/control.sock".utf8.count > Self.maximumSocketPath {
            let limit = "a socket's path has at most \(Self.maximumSocketPath) bytes"
            return table.warn("socket_directory", "is too long, \(limit): the agent would not start")
        }
        // All missing parents are created.
        guard let nearest = Self.nearest(to: directory), !nearest.isDirectory else { return }
        table.warn("socket_directory", "'\(nearest.path)' is not a directory: the agent would not start")
    }

    private func addJournal(_ directory: String) {
        guard let nearest = Self.nearest(to: directory) else { return }
        guard nearest.isDirectory else {
            return table.warn("journal_directory", "'\(nearest.path)' is not a directory: the agent would not start")
        }
        let parent = Self.parent(of: directory[...])
        // The parents that the journal creates itself; the user's state directory may be another one for the agent.
        let home = getenv("XDG_STATE_HOME").map { String(cString: $0) } ?? ""
        guard nearest.missing > (parent.hasSuffix("/reachagent") ? 2 : 1), !directory.contains("/.local/state/"),
            home.isEmpty || !directory.hasPrefix("\(home)/")
        else { return }
        let missing = "there is no directory '\(parent)', and the agent does not create it"
        table.warn("journal_directory", "\(missing): it would not start")
    }

    private func addMetricsFile(_ file: String) {
        let directory = Self.parent(of: file[...])
        guard let nearest = Self.nearest(to: String(directory)), !nearest.isDirectory || nearest.missing > 0 else {
            return
        }
        table.warn("metrics_file", "there is no directory '\(directory)': no metrics would be written")
    }

    /// Returns the path, or its nearest parent that exists, and the number of missing levels; `nil` if that is not known.
    private static func nearest(to path: String) -> (path: String, isDirectory: Bool, missing: Int)? {
        var rest = path[...]
        var missing = 0
        while !rest.isEmpty {
            var status = stat()
            if stat(String(rest), &status) == 0 {
                return (String(rest), status.st_mode & S_IFMT == S_IFDIR, missing)
            }
            guard errno == ENOENT || errno == ENOTDIR else { return nil }
            rest = parent(of: rest)
            missing += 1
        }
        return nil
    }

    /// Returns the path without its last component; `/` is the parent of what lies in it.
    private static func parent(of path: Substring) -> Substring {
        var rest = path
        while rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "" }
        return slash == rest.startIndex ? "/" : rest[..<slash]
    }
}
