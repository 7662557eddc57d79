/// One thing that is wrong in a configuration file.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public var file: String
    /// The line, from 1; nil when it is about the file as a whole.
    public var line: Int?
    /// The key with the tables that it is in: `probe.web.interval`; nil when it is about no key.
    public var key: String?
    /// What is wrong, in lower case and without a full stop.
    public var message: String

    /// An error.
    public init(file: String, line: Int? = nil, key: String? = nil, message: String) {
        self.file = file
        self.line = line
        self.key = key
        self.message = message
    }

    /// `reachagent.toml:7: probe.web.interval: '10x' is no duration; …`.
    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
    }
}

/// Everything that is wrong in the configuration files, in the order of files and lines.
public struct ConfigurationErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one.
    public var errors: [ConfigurationError]

    /// Errors.
    public init(_ errors: [ConfigurationError]) { self.errors = errors }

    /// One line each.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}
