public import Probes

/// Reads configuration files.
public enum ConfigurationFile {
    /// What was read.
    public struct Loaded: Sendable {
        /// The settings.
        public var settings: Settings
        /// The files that they come from, in the order in which they were read; later ones win.
        public var files: [String]
        /// Every value that is in effect, one line each, with where it comes from; for `check-config --show`.
        ///
        /// Together the lines are a configuration file that means the same. Empty unless they were asked for.
        public var effective: [String]
        /// What is no error, but will surprise.
        public var warnings: [ConfigurationError]

        /// What was read.
        public init(settings: Settings, files: [String], effective: [String], warnings: [ConfigurationError] = []) {
            self.settings = settings
            self.files = files
            self.effective = effective
            self.warnings = warnings
        }
    }

    /// Reads one file and its drop-ins: beside `NAME.toml` the files `NAME.toml.d/*.toml`, ordered by name.
    ///
    /// For the system's own file the vendor's drop-ins count too; one of the administrator's replaces the vendor's of the
    /// same name, and a link to `/dev/null` switches it off. Tables are joined key by key; everything else of a later file
    /// replaces what an earlier one says.
    ///
    /// - Parameters:
    ///   - path: The file. Relative paths in it begin at its folder.
    ///   - serializer: How the requests of the probes are built.
    ///   - listsEffective: Whether ``Loaded/effective`` is wanted: it takes far more memory than the settings.
    ///   - looksUpAccounts: Whether users and groups that this machine does not know are warned of; a server may be asked.
    /// - Throws: Everything that is wrong, all at once.
    public static func load(
        _ path: String,
        serializer: RequestSerializer = RequestSerializer(),
        listsEffective: Bool = false,
        looksUpAccounts: Bool = false
    ) throws(ConfigurationErrors) -> Loaded {
        let notes = Notes(listsEffective: listsEffective, looksUpAccounts: looksUpAccounts)
        return try load(path, folders: .system, serializer: serializer, notes: notes)
    }

    /// The file that is read when none is named: the administrator's, else the vendor's, for root; the user's for others.
    ///
    /// For root it is the administrator's too when there are only drop-ins.
    /// - Returns: nil where there is none.
    public static func standardPath(environment: [String: String], isRoot: Bool) -> String? {
        ConfigurationFolders.system.standardPath(environment: environment, isRoot: isRoot)
    }

    static func load(
        _ path: String,
        folders: ConfigurationFolders,
        serializer: RequestSerializer = RequestSerializer(),
        notes: Notes
    ) throws(ConfigurationErrors) -> Loaded {
        let files = try folders.files(of: path)
        var errors: [ConfigurationError] = []
        var root = Node(value: .table([:]), origin: Origin(file: path))
        for (order, file) in files.enumerated() {
            do throws(ConfigurationErrors) {
                root = root.merging(try TOMLDocument.parse(try read(file), order: order))
            } catch {
                errors += error.errors
            }
        }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        let settings = SettingsReader.settings(of: root, notes: notes, serializer: serializer)
        if let errors = notes.allErrors { throw errors }
        return Loaded(settings: settings, files: files, effective: notes.effective, warnings: notes.allWarnings)
    }

    private static func read(_ file: String) throws(ConfigurationErrors) -> SourceText {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.bytes(of: file, atMost: SourceText.mostBytes)
        } catch {
            throw ConfigurationErrors([ConfigurationError(file: file, message: error.description)])
        }
        return try SourceText(bytes, file: file)
    }
}
