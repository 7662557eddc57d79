internal import ConfigurationFile

/// Where the settings come from: a file, and the command line, whose word wins.
struct ConfigurationSource: Sendable {
    /// The file; `nil` when there is none.
    let path: String?
    /// Puts in what the command line says.
    let override: @Sendable (inout Settings) throws(ConfigurationErrors) -> Void

    /// Reads the file, if there is one.
    ///
    /// - Throws: Everything that is wrong with it.
    func load() throws(ConfigurationErrors) -> ConfigurationFile.Loaded {
        var loaded = ConfigurationFile.Loaded(settings: Settings(), files: [], effective: [])
        if let path { loaded = try ConfigurationFile.load(path, serializer: RequestOptions.serializer()) }
        try override(&loaded.settings)
        return loaded
    }
}
