internal import AgentEvents
internal import Configuration
internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// The result of validating a configuration.
struct ConfigurationCheck {
    /// The maximum number of commands.
    private static let maximumSteps = 8

    private let files: AgentFiles
    private let reader: AgentUser?
    private var loaded: ConfigurationFile.Loaded
    private var errors: [ConfigurationError]
    /// The files that the agent's user cannot read, although this one can.
    private var unreadable: [String] = []

    /// Reads the files.
    ///
    /// - Parameter reader: The agent's user, which must be able to read the files too.
    init(of files: AgentFiles, listsEffective: Bool = false, reader: AgentUser? = nil) {
        self.files = files
        self.reader = reader
        do throws(ConfigurationErrors) {
            loaded = try files.load(listsEffective: listsEffective, checksMachine: true)
            errors = []
        } catch {
            loaded = ConfigurationFile.Loaded(settings: Settings(), files: [], effective: [])
            errors = error.errors
        }
        if let path = files.configuration, let user {
            loaded.warnings += ConfigurationFile.accessWarnings(of: path, files: loaded.files, user: user)
        }
        if errors.isEmpty, let reader { checkPermissions(of: reader) }
    }

    /// The user of the agent that reads the files; `nil` if only root could find it out.
    private var user: UInt32? { reader?.user ?? (geteuid() == 0 || files.agent == nil ? geteuid() : nil) }

    /// Reads the files again with the permissions of the agent's user.
    private mutating func checkPermissions(of reader: AgentUser) {
        let refused = reader.run { [files] () -> [ConfigurationError] in
            do throws(ConfigurationErrors) {
                _ = try files.load()
                return []
            } catch {
                return error.errors.filter(Self.isPermissionMissing)
            }
        }
        guard let refused, !refused.isEmpty else { return }
        unreadable = refused.map(Self.file)
        // A running agent rejects the files; the service may have other rights than its user.
        if files.agent == nil { loaded.warnings += refused } else { errors = refused }
    }

    /// Returns whether an error is that of a file that this user may not read.
    static func isPermissionMissing(_ error: ConfigurationError) -> Bool {
        error.message.hasSuffix(": \(notPermitted)")
    }

    /// The file that cannot be read: the configuration's own, or one that it names.
    private static func file(of error: ConfigurationError) -> String {
        guard let end = error.message.firstRange(of: " cannot be ")?.lowerBound, error.message.hasPrefix("/") else {
            return error.file
        }
        return String(error.message[..<end])
    }

    /// True if there is no error.
    var isValid: Bool { errors.isEmpty }
    /// True if there is a probe, enabled or disabled.
    var hasProbes: Bool { !loaded.settings.probes.isEmpty || loaded.settings.disabledProbes > 0 }
    /// The first file with a probe.
    var probeFile: String? { loaded.probeFile }
    /// Every value in effect, one line each.
    var effective: [String] { loaded.effective }
    /// The errors and warnings, one line each.
    var problems: [String] {
        errors.map { ForeignText.line($0.description) }
            + loaded.warnings.map { ForeignText.line("warning: \($0)") }
    }

    /// The result on one line, followed by the files that were checked.
    var verdict: [String] {
        let origin = files.origin(files: loaded.files).map { "  \($0)" }
        return ([headline] + origin + next.map { "  \($0)" }).map(ForeignText.line)
    }

    private var headline: String {
        guard isValid else { return Self.count(errors.count, "error") }
        guard let path = files.configuration else {
            return "there is no configuration file: the defaults apply, and nothing is probed"
        }
        return "\(path): ok, \(counts)"
    }

    private var counts: String {
        let settings = loaded.settings
        let disabled = settings.disabledProbes > 0 ? " (and \(settings.disabledProbes) disabled)" : ""
        let hooks = settings.hooks.definitions.count
        return Self.count(settings.probes.count, "probe") + disabled
            + ", \(Self.count(settings.targets.count, "target"))" + (hooks > 0 ? ", \(Self.count(hooks, "hook"))" : "")
            + (settings.sinks.isEmpty ? "" : ", \(Self.count(settings.sinks.count, "sink"))")
    }

    /// The next step, where there is one.
    private var next: [String] {
        if let reader, !unreadable.isEmpty {
            var seen: Set<String> = []
            return unreadable.filter { seen.insert($0).inserted }.prefix(Self.maximumSteps).map(reader.remedy)
        }
        if !isValid {
            if errors.contains(where: Self.isPermissionMissing), geteuid() != 0 {
                let file = files.agent == nil ? files.configuration.map { " " + ShellWord.quoted($0) } ?? "" : ""
                return ["not every file can be read by this user; try: sudo reachagent config check\(file)"]
            }
            return files.agent == nil ? [] : ["the agent keeps the configuration that it has read before"]
        }
        if files.isNewer(loaded.files) {
            return ["the agent has not read this yet; apply it with: reachagent reload"]
        }
        if hasProbes { return [] }
        // An agent that reads no file cannot be given one while it runs.
        let isFixed = files.agent?.status.readsNoConfiguration == true
        return [isFixed ? "start it with '--config' or '--probe'" : "add two probes with: reachagent config init"]
    }

    private static var notPermitted: String { SystemError(errno: EACCES).description }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension ConfigurationCheck: JSONRepresentable {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("valid", isValid)
            json.member("path", ifPresent: files.configuration)
            json.member("agent", ifPresent: files.agent?.status.agent?.processID) { $0.number($1) }
            json.name("files")
            json.array(loaded.files) { $0.string($1) }
            json.name("searched")
            json.array(files.searched) { $0.string($1) }
            json.member("newer_than_agent", files.isNewer(loaded.files))
            json.member("probes", loaded.settings.probes.count)
            json.member("disabled_probes", loaded.settings.disabledProbes)
            json.member("targets", loaded.settings.targets.count)
            json.member("hooks", loaded.settings.hooks.definitions.count)
            json.member("sinks", loaded.settings.sinks.count)
            json.name("errors")
            json.array(errors, Self.write)
            json.name("warnings")
            json.array(loaded.warnings, Self.write)
        }
    }

    private static func write(_ json: inout JSONWriter, _ error: ConfigurationError) {
        json.object { json in
            json.member("file", error.file)
            json.member("line", ifPresent: error.line) { $0.number($1) }
            json.member("column", ifPresent: error.column) { $0.number($1) }
            json.member("key", ifPresent: error.key)
            json.member("message", error.message)
        }
    }
}
