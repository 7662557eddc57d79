public import Probes

/// Reads configuration files.
public enum ConfigurationFile {
    /// A loaded configuration.
    public struct Loaded: Sendable {
        /// The settings.
        public var settings: Settings
        /// The files of the configuration, in the order in which they were read; later ones take precedence.
        public var files: [String]
        /// The first file that defines a probe, enabled or disabled; `nil` without a probe.
        public var probeFile: String?
        /// Every value in effect with its origin, one line each; for `config show`.
        ///
        /// Together the lines are an equivalent configuration file. Empty unless requested.
        public var effective: [String]
        /// Warnings about settings that are accepted but probably not intended.
        public var warnings: [ConfigurationError]

        /// Creates a loaded configuration.
        public init(settings: Settings, files: [String], effective: [String], warnings: [ConfigurationError] = []) {
            self.settings = settings
            self.files = files
            self.effective = effective
            self.warnings = warnings
        }
    }

    /// Reads one file and its drop-ins: beside `NAME.toml` the files `NAME.toml.d/*.toml`, ordered by name.
    ///
    /// For the system's own file the vendor's drop-ins are also read; an administrator's drop-in replaces the vendor's
    /// drop-in of the same name, and a link to `/dev/null` disables it. Tables are merged key by key; any other value
    /// of a later file replaces that of an earlier one.
    ///
    /// - Parameters:
    ///   - path: The file. Relative paths in it are resolved against its directory.
    ///   - serializer: The builder of the probes' requests.
    ///   - listsEffective: True to fill ``Loaded/effective``, which takes far more memory than the settings.
    ///   - checksMachine: True to warn of interfaces, programs, users, groups and directories that this machine does not
    ///     have; accounts may be looked up on a server.
    /// - Throws: All errors at once.
    public static func load(
        _ path: String,
        serializer: RequestSerializer = RequestSerializer(),
        listsEffective: Bool = false,
        checksMachine: Bool = false
    ) throws(ConfigurationErrors) -> Loaded {
        let notes = Notes(listsEffective: listsEffective, checksMachine: checksMachine)
        return try load(path, directories: .system, serializer: serializer, notes: notes)
    }

    /// Returns the configuration without a file: the default of every key.
    public static func defaults() -> Loaded {
        let notes = Notes(listsEffective: true)
        let root = Node(value: .table([:]), origin: Origin(file: ""))
        let settings = SettingsReader.settings(of: root, notes: notes, serializer: RequestSerializer())
        return Loaded(settings: settings, files: [], effective: notes.effective)
    }

    /// Returns the paths to try if none is specified, in order of preference: the administrator's and the vendor's for
    /// root, the user's for others.
    public static func standardPaths(environment: [String: String], isRoot: Bool) -> [String] {
        ConfigurationDirectories.system.standardPaths(environment: environment, isRoot: isRoot)
    }

    /// Returns the first of the ``standardPaths(environment:isRoot:)`` that exists.
    ///
    /// The administrator's path is also returned if only drop-ins exist.
    /// - Returns: `nil` if no configuration exists.
    public static func standardPath(environment: [String: String], isRoot: Bool) -> String? {
        ConfigurationDirectories.system.standardPath(environment: environment, isRoot: isRoot)
    }

    /// Returns the file that an agent reads now: the one that was named, else the first that exists or cannot be looked for.
    ///
    /// For the system's own files drop-ins count as existing, as in ``standardPath(environment:isRoot:)``.
    ///
    /// - Parameters:
    ///   - named: The file of the command line; of no account with files to search for.
    ///   - searched: The standard paths; empty if a file was named or none is to be read, so that nothing else counts.
    /// - Returns: `nil` if no configuration exists.
    public static func path(named: String?, searched: [String]) -> String? {
        ConfigurationDirectories.system.path(named: named, searched: searched)
    }

    static func load(
        _ path: String,
        directories: ConfigurationDirectories,
        serializer: RequestSerializer = RequestSerializer(),
        notes: Notes
    ) throws(ConfigurationErrors) -> Loaded {
        let files = try directories.files(of: path)
        var errors: [ConfigurationError] = []
        var root = Node(value: .table([:]), origin: Origin(file: path))
        for (order, file) in files.enumerated() {
            do throws(ConfigurationErrors) {
                root = root.merging(try TOMLParser.parse(try read(file), order: order))
            } catch {
                errors += error.errors
            }
        }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        let settings = SettingsReader.settings(of: root, notes: notes, serializer: serializer)
        if let errors = notes.allErrors { throw errors }
        var loaded = Loaded(settings: settings, files: files, effective: notes.effective, warnings: notes.allWarnings)
        let probes = root.members?[TOMLKey(RootKeys.keys.probe.facts.name)]?.members?.values.map(\.origin)
        loaded.probeFile = probes?.min(by: Origin.precedes)?.file
        return loaded
    }

    private static func read(_ file: String) throws(ConfigurationErrors) -> SourceText {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.bytes(of: file, max: SourceText.maxBytes)
        } catch {
            throw ConfigurationErrors([ConfigurationError(file: file, message: error.description)])
        }
        return try SourceText(bytes, file: file)
    }
}

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

    /// Returns the file that an agent reads now: the one that was named, or else the one that a start would read; `nil` if there
    /// is none.
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

    private func dropIns(of path: String) throws(ConfigurationErrors) -> [String] {
        // Files in later directories replace those of the same name in earlier ones.
        let directories = isSystem(path) ? [vendor, administrator].map { "\($0)/\(Self.name).d" } : ["\(path).d"]
        // By bytes: two names for the kernel may be equal as strings.
        var files: [[UInt8]: String] = [:]
        for directory in directories {
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
