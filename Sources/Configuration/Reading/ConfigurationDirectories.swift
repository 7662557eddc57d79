/// The directories of the system's configuration files.
struct ConfigurationDirectories {
    /// The name of the configuration file.
    static let name = "reachagent.toml"
    /// The maximum number of drop-ins.
    static let maxDropIns = 64

    /// The directory of the administrator.
    let administrator: String
    /// The directory of the vendor.
    let vendor: String

    /// The directories of a Linux system (file-hierarchy(7)).
    static let system = ConfigurationDirectories(administrator: "/etc/reachagent", vendor: "/usr/lib/reachagent")

    /// Returns the paths to try if none is specified, in order of preference.
    func standardPaths(environment: [String: String], isRoot: Bool) -> [String] {
        // systemd sets the first variable for a service of any user (`ConfigurationDirectory=` in systemd.exec(5)).
        let given = environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        if let given, given.hasPrefix("/"), given != administrator { return ["\(given)/\(Self.name)"] }
        if isRoot || given == administrator { return [administrator, vendor].map { "\($0)/\(Self.name)" } }
        // Paths that are not absolute must be ignored (XDG Base Directory Specification).
        let variables = [environment["XDG_CONFIG_HOME"], environment["HOME"].map { "\($0)/.config" }]
        let directory = variables.compactMap(\.self).first { $0.hasPrefix("/") }
        return directory.map { ["\($0)/reachagent/\(Self.name)"] } ?? []
    }

    /// Returns the file to read if none is specified; `nil` if no file exists.
    func standardPath(environment: [String: String], isRoot: Bool) -> String? {
        existing(of: standardPaths(environment: environment, isRoot: isRoot))
    }

    /// Returns the file that an agent reads now: the one that was named, or else the one that a start would read; `nil`
    /// if there is none.
    func path(named: String?, searched: [String]) -> String? { searched.isEmpty ? named : existing(of: searched) }

    /// Returns the first file that exists or cannot be looked for; the first path of all also if only drop-ins exist.
    private func existing(of paths: [String]) -> String? {
        if let path = paths.first(where: { !RegularFile.isMissing($0) }) { return path }
        guard let own = paths.first, isSystem(own) else { return nil }
        do throws(ConfigurationErrors) {
            return try dropIns(of: own).isEmpty ? nil : own
        } catch {
            // A directory that cannot be listed is an error to report on reading, not a missing configuration.
            return own
        }
    }

    /// Returns a file and its drop-ins, in the order in which they are read.
    ///
    /// The system's file may be missing if it has drop-ins, and a link to `/dev/null` counts as an empty file.
    func files(of path: String) throws(ConfigurationErrors) -> [String] {
        let dropIns = try dropIns(of: path)
        if RegularFile.isMask(path) || isSystem(path) && RegularFile.isMissing(path) && !dropIns.isEmpty {
            return dropIns
        }
        return [path] + dropIns
    }

    private func isSystem(_ path: String) -> Bool {
        [administrator, vendor].contains { path == "\($0)/\(Self.name)" }
    }

    /// Returns the directories of a file's drop-ins, which need not exist; later ones take precedence.
    func dropInDirectories(of path: String) -> [String] {
        isSystem(path) ? [vendor, administrator].map { "\($0)/\(Self.name).d" } : ["\(path).d"]
    }

    private func dropIns(of path: String) throws(ConfigurationErrors) -> [String] {
        // Files in later directories replace those of the same name in earlier ones. By bytes: two names for the kernel
        // may be equal as strings.
        var files: [[UInt8]: String] = [:]
        for directory in dropInDirectories(of: path) {
            for name in try Self.names(in: directory) {
                let bytes = Array(name.utf8)
                guard bytes.suffix(5).elementsEqual(".toml".utf8), bytes.first != UInt8(ascii: ".") else { continue }
                files[bytes] = "\(directory)/\(name)"
            }
        }
        let used = files.filter { !RegularFile.isMask($0.value) }
        guard used.count <= Self.maxDropIns else {
            throw ConfigurationErrors([
                ConfigurationError(
                    file: path,
                    message: "has \(used.count) drop-ins; at most \(Self.maxDropIns) are accepted"
                )
            ])
        }
        return used.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Returns the names in a directory of drop-ins, which need not exist; one that cannot be listed is an error,
    /// because it may hide drop-ins.
    private static func names(in directory: String) throws(ConfigurationErrors) -> [String] {
        do throws(RegularFile.Failure) {
            return try RegularFile.listing(of: directory)
        } catch {
            throw ConfigurationErrors([ConfigurationError(file: directory, message: error.description)])
        }
    }
}
