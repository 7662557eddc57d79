/// What reading the configuration again changed: names and keys, never values.
public struct ConfigurationReload: Sendable, Hashable {
    /// The files that were read.
    public var files: [String]
    /// Probes and targets that are new, as `probe.web`, `target.office`.
    public var added: [String]
    /// Those that are gone.
    public var removed: [String]
    /// Those that changed, and sections that changed, as `settle`.
    public var changed: [String]
    /// Sections whose change takes effect with the next start only.
    public var needsRestart: [String]

    /// A reload.
    public init(
        files: [String],
        added: [String] = [],
        removed: [String] = [],
        changed: [String] = [],
        needsRestart: [String] = []
    ) {
        self.files = files
        self.added = added
        self.removed = removed
        self.changed = changed
        self.needsRestart = needsRestart
    }
}
