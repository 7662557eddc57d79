package import AgentEvents
internal import Glibc

/// The hook directories in order of precedence.
///
/// They are read for each event, so a new file runs without a reload. A file hides those of the same name in later
/// directories, including subdirectories, even if it does not run itself because it is empty or refused. A directory
/// that cannot be read hides all later ones, because the files that it would have hidden are unknown.
package struct HookDirectories: Sendable, Hashable {
    /// The maximum number of files that run in a directory or subdirectory: the first ones by name.
    package static let maximumFiles = 256

    private static let subdirectories = Set(HookOccasion.allCases.map { Array($0.rawValue.utf8) })

    /// The directories.
    package let directories: [String]

    /// Creates a list of directories, given as absolute paths in order of precedence.
    package init(_ directories: [String]) {
        self.directories = directories
    }

    /// The contents of the directories.
    package struct Contents: Sendable, Hashable {
        /// The files that run, in the order of their start: by the bytes of the file name, then by the name of the
        /// subdirectory.
        package var hooks: [DirectoryHook]
        /// The reasons that directories could not be read.
        package var refusals: [HookRefusal]
    }

    /// Returns the files that run on these occasions, in the order of their start.
    package func hooks(for occasions: Set<HookOccasion>) -> [DirectoryHook] { contents(for: occasions).hooks }

    /// Returns the contents for these occasions.
    ///
    /// Only the needed directories are read. The files are not checked: see ``HookFile/open(_:runAs:)``.
    ///
    /// - Parameter entering: Called before each access of a directory, which may hang; `false` skips it.
    package func contents(
        for occasions: Set<HookOccasion>,
        entering: (String) -> Bool = { _ in true }
    ) -> Contents {
        var found: [(base: [UInt8], hook: DirectoryHook)] = []
        var refusals: [HookRefusal] = []
        // Most machines lack at least one directory, and each event would otherwise look for all of its subdirectories.
        let present = HookDirectories(directories.filter { entering($0) && mayExist($0) })
        for occasion in HookOccasion.allCases where occasions.contains(occasion) {
            for entry in present.scan(occasion, entering: entering) {
                switch entry.state {
                case .runs:
                    let base = Array(entry.name.utf8.dropFirst(occasion.prefix.utf8.count))
                    found.append((base, DirectoryHook(name: entry.name, path: entry.path, occasion: occasion)))
                case .refused(let refusal): refusals.append(refusal)
                default: break
                }
            }
        }
        let hooks = found.sorted {
            if $0.base != $1.base { return $0.base.lexicographicallyPrecedes($1.base) }
            return $0.hook.occasion.rawValue.utf8.lexicographicallyPrecedes($1.hook.occasion.rawValue.utf8)
        }.map(\.hook)
        return Contents(hooks: hooks, refusals: refusals)
    }

    /// Returns whether the path of a file that runs on an occasion is in one of the directories.
    package func contain(_ path: String, for occasion: HookOccasion) -> Bool {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        let directory = path.utf8[..<end]
        return directories.contains { self.path(of: occasion, in: $0).utf8.elementsEqual(directory) }
    }

    /// Returns whether a directory may exist; a dangling symbolic link counts as existing.
    private func mayExist(_ directory: String) -> Bool {
        let path = path(of: .every, in: directory)
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return true }
        var entry = stat()
        return lstat(path, &entry) == 0 || errno != ENOENT
    }

    /// Returns all entries with their states; each file that would run is opened and checked.
    ///
    /// Ordered by occasion, then by directory, then by name. A directory itself is listed only if something is wrong
    /// with it.
    package func entries() -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        for occasion in HookOccasion.allCases {
            for directory in directories {
                guard let refusal = mistrust(path(of: occasion, in: directory)) else { continue }
                // A problem of a parent directory is already reported for the hook directory itself.
                if occasion != .every, refusal == mistrust(path(of: .every, in: directory)) { continue }
                entries.append(directoryItself(occasion, in: directory, .refused(refusal)))
            }
            entries += scan(occasion).map(checked)
        }
        return entries
    }

    /// Returns the entries for an occasion, whose files are not checked; directories that cannot be read are refused.
    private func scan(_ occasion: HookOccasion, entering: (String) -> Bool = { _ in true }) -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        var hiding: [[UInt8]: String] = [:]
        var blind: String?
        for root in directories where entering(root) {
            let directory = path(of: occasion, in: root)
            let listing: DirectoryListing
            do throws(HookRefusal) {
                guard let found = try DirectoryListing(of: directory) else { continue }
                listing = found
            } catch {
                entries.append(directoryItself(occasion, in: root, .refused(error)))
                blind = blind ?? directory
                continue
            }
            var count = 0
            for item in listing.items where occasion != .every || !Self.subdirectories.contains(item.name) {
                var entry = entry(for: item, in: directory, occasion)
                if entry.state == .runs || entry.state == .disabled {
                    if let path = blind ?? hiding[item.name] {
                        entry.state = .masked(by: path)
                    } else {
                        hiding[item.name] = entry.path
                        if entry.state == .runs { count += 1 }
                        if count > Self.maximumFiles { entry.state = .beyondLimit }
                    }
                }
                entries.append(entry)
            }
            if listing.isCut { entries.append(directoryItself(occasion, in: root, .beyondLimit)) }
        }
        return entries
    }

    private func entry(for item: DirectoryListing.Item, in directory: String, _ occasion: HookOccasion)
        -> DirectoryEntry
    {
        let text = HookFileName.text(item.name)
        let name = text ?? HookFileName.readable(item.name)
        let state: DirectoryEntry.State =
            if HookFileName.isLeftOver(item.name) {
                .leftOver
            } else if text == nil {
                .badName
            } else {
                switch item.kind {
                case .directory: .unknownDirectory
                case .nothing: .disabled
                case .file: .runs
                }
            }
        return DirectoryEntry(
            name: occasion.prefix + name,
            path: directory + "/" + name,
            occasion: occasion,
            state: state
        )
    }

    private func checked(_ entry: DirectoryEntry) -> DirectoryEntry {
        guard entry.state == .runs else { return entry }
        var entry = entry
        do throws(HookRefusal) {
            _ = try HookFile.open(entry.path, runAs: nil)
        } catch {
            entry.state = .refused(error)
        }
        return entry
    }

    /// Returns the reason that a directory is not trusted; nil if it is trusted or does not exist.
    private func mistrust(_ directory: String) -> HookRefusal? {
        guard directory.utf8.first == UInt8(ascii: "/"), access(directory, F_OK) == 0 else { return nil }
        do throws(HookRefusal) {
            var path = TrustedPath(agent: geteuid())
            _ = try path.follow(directory)
            return nil
        } catch {
            // A missing or unreadable directory is detected when it is read.
            return error.code == .directory || error.code == .owner ? error : nil
        }
    }

    private func directoryItself(_ occasion: HookOccasion, in directory: String, _ state: DirectoryEntry.State)
        -> DirectoryEntry
    {
        DirectoryEntry(
            name: occasion.rawValue,
            path: path(of: occasion, in: directory),
            occasion: occasion,
            state: state
        )
    }

    private func path(of occasion: HookOccasion, in directory: String) -> String {
        var bytes = Substring(directory).utf8
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let directory = String(Substring(bytes))
        return occasion == .every ? directory : directory + "/" + occasion.rawValue
    }
}

extension HookOccasion {
    /// The prefix of the hooks' names.
    fileprivate var prefix: String { self == .every ? "" : rawValue + "/" }
}

/// A file of the hook directories to run.
package struct DirectoryHook: Sendable, Hashable {
    /// The hook's name, such as `10-log` or `wifi.d/10-log`.
    package var name: String
    /// The path of the file.
    package var path: String
    /// The occasion.
    package var occasion: HookOccasion

    /// Creates a hook.
    package init(name: String, path: String, occasion: HookOccasion) {
        self.name = name
        self.path = path
        self.occasion = occasion
    }
}

/// The occasion on which the hooks of a directory run: the names of the subdirectories and their meanings.
package enum HookOccasion: String, Sendable, Hashable, CaseIterable {
    /// The directory itself: every settled change of the default path.
    case every = ""
    /// The path was lost.
    case none = "none.d"
    /// The path changed to Wi-Fi.
    case wifi = "wifi.d"
    /// The path changed to a cellular network.
    case wwan = "wwan.d"
    /// The path changed to a wired network.
    case wired = "wired.d"
    /// The path changed to another medium.
    case other = "other.d"
    /// The connectivity became full.
    case online = "online.d"
    /// The connectivity is no longer full.
    case offline = "offline.d"
    /// An uplink, used or standby, changed.
    case uplink = "uplink.d"

    /// The types of event for which the hooks of directories run.
    package static let types: Set<EventType> = [.reachabilityChanged, .uplinkChanged]

    /// The type of event for which the hooks of this directory run.
    package var type: EventType { self == .uplink ? .uplinkChanged : .reachabilityChanged }

    /// The pace of this directory's hooks: only the newest state of the default path matters, but the change of one
    /// uplink does not replace that of another.
    var pace: HookPace { HookPace(queue: self == .uplink ? .all : .latest) }

    /// Returns the directories whose hooks run for an event; empty unless it is a settled change of the default path or
    /// of an uplink.
    package static func occasions(of event: HookEvent) -> Set<HookOccasion> {
        if event.type == .uplinkChanged { return [.uplink] }
        guard event.type == .reachabilityChanged else { return [] }
        var occasions: Set<HookOccasion> = [.every]
        if let via = event.to.via, via != event.from.via, let occasion = become[via] { occasions.insert(occasion) }
        if event.to.connectivity == "full", event.from.connectivity != "full" { occasions.insert(.online) }
        if let from = event.from.connectivity, ["full", "unknown"].contains(from),
            let to = event.to.connectivity, ["none", "local", "portal", "partial"].contains(to)
        {
            occasions.insert(.offline)
        }
        return occasions
    }

    /// The directory for a new `via`.
    private static var become: [String: HookOccasion] {
        ["none": .none, "wifi": .wifi, "wwan": .wwan, "wired": .wired, "other": .other]
    }
}
