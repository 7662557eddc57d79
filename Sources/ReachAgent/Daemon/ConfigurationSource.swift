internal import Configuration
internal import FoundationEssentials
internal import Glibc

/// The source of the settings: a file, and the command line, whose word wins.
struct ConfigurationSource: Sendable {
    /// The file; `nil` when there was none at the start.
    let path: String?
    /// The files that a reload looks for while there is none; empty when no file is to be read at all.
    var searched: [String] = []
    /// Puts in what the command line says.
    let override: @Sendable (inout Settings) throws(ConfigurationErrors) -> Void

    /// Reads the file, if there is one.
    ///
    /// - Throws: Everything that is wrong with it.
    func load() throws(ConfigurationErrors) -> ConfigurationFile.Loaded { try load(path) }

    /// Reads a file, if there is one.
    func load(_ path: String?) throws(ConfigurationErrors) -> ConfigurationFile.Loaded {
        var loaded = ConfigurationFile.Loaded(settings: Settings(), files: [], effective: [])
        if let path { loaded = try ConfigurationFile.load(path, serializer: RequestOptions.serializer()) }
        try override(&loaded.settings)
        return loaded
    }

    /// The file that there is now; one that was found once is not given up for another.
    func find() -> String? {
        if path != nil || searched.isEmpty { return path }
        return ConfigurationFile.standardPath(
            environment: ProcessInfo.processInfo.environment,
            isRoot: geteuid() == 0
        )
    }
}
