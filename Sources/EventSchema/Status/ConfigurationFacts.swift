public import EventEnvelope

/// What the agent was configured with.
public struct ConfigurationFacts: Sendable, Hashable {
    /// The files that were read, the main one first.
    public var files: [String]
    /// When they were read last and found good.
    public var loaded: Timestamp

    /// A configuration.
    public init(files: [String], loaded: Timestamp) {
        self.files = files
        self.loaded = loaded
    }
}

extension ConfigurationFacts: JSONRepresentable {
    /// Writes `{"files":[…],"loaded":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.name("files")
            json.array(files) { $0.string($1) }
            json.member("loaded", loaded)
        }
    }
}
