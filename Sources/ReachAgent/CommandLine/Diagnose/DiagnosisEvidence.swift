internal import AgentEvents
internal import NetlinkMonitor
internal import Probes
internal import StateClient

/// Everything that a diagnosis is derived from; `nil` for what was not read within the deadline.
struct DiagnosisEvidence: Sendable {
    /// A name that was looked up in the system's resolver.
    struct Lookup: Sendable {
        let name: String
        let result: Result<[IPAddress], HostLookupFailure>
        let duration: Duration
    }

    /// A check that the command itself has made.
    struct Check: Sendable {
        let name: String
        let report: Probes.CheckReport
    }

    /// The configuration files that were looked for.
    enum Configuration: Sendable {
        case none
        case read(files: [String], probes: Int)
        case rejected(errors: [String])
    }

    /// The evidence that the clock is right.
    struct Clock: Sendable {
        /// True when the kernel or systemd-timesyncd says that a time server keeps the clock right.
        let isSynchronized: Bool
        /// True when the clock is behind the modification time of the program's own file.
        let isBehindProgram: Bool
    }

    /// The moment at which the evidence was complete.
    var time = Timestamp.now
    /// The versions of the programs and of the kernel.
    var versions: [Diagnosis.Fact] = []
    /// The clock.
    var clock: Clock?
    /// The configuration of the C library's resolver.
    var resolver: ResolverConfiguration?
    /// The running agent's status, or the reason that there is none.
    var agent: Result<AgentStatus, ClientError>?
    /// True when the service of the package is installed.
    var hasService = false
    /// The configuration.
    var configuration: Configuration?
    /// The sentence for a target that is neither a URL nor a name of the configuration; nothing is read after it.
    var unknownTarget: String?
    /// The kernel's view.
    var kernel: Result<NetlinkMonitor.NetworkSnapshot, NetlinkError>?
    /// The configured targets.
    var targets: [(name: String, address: IPAddress)] = []
    /// The neighbour entries of the next hops.
    var neighbours: [NextHop: NeighbourState] = [:]
    /// The names of the configured probes' hosts that were looked up.
    var lookups: [Lookup] = []
    /// The checks that were asked for.
    var checks: [Check] = []
    /// True when everything was read within the deadline.
    var isComplete = false
}
