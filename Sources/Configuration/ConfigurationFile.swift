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

    /// Returns the path of a drop-in of a file; for the vendor's file, the drop-in is in the administrator's directory.
    public static func dropIn(named name: String, of path: String) -> String {
        let directories = ConfigurationDirectories.system
        let isVendors = path == "\(directories.vendor)/\(ConfigurationDirectories.name)"
        return "\(isVendors ? "\(directories.administrator)/\(ConfigurationDirectories.name)" : path).d/\(name)"
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
