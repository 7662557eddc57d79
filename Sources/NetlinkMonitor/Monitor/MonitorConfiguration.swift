/// The configuration of a monitor.
public struct MonitorConfiguration: Sendable, Hashable {
    /// The addresses that represent the Internet, in the order of preference per family.
    ///
    /// Nothing is ever sent to them; the monitor only queries the kernel for the route. The defaults are root name
    /// servers (A and K): announced everywhere, stable for decades, and unlike public resolvers hardly ever the subject
    /// of a host route by a failover script.
    public var internetAddresses: [IPAddress]
    /// Additional addresses to look up: the first ``maximumTargets``; further ones are dropped.
    public var targets: [IPAddress] { didSet { targets = Array(targets.prefix(Self.maximumTargets)) } }
    /// The operator's overrides of interface kinds; the first match counts.
    public var kindOverrides: [KindOverride]
    /// The mount point of sysfs.
    public var sysfsRoot: String
    /// The requested size of the receive buffer, in bytes.
    ///
    /// Without CAP_NET_ADMIN the kernel limits it to `net.core.rmem_max`.
    public var receiveBufferBytes: Int

    /// The maximum number of targets of a monitor: each costs two lookups for every change.
    public static let maximumTargets = 64

    /// The default addresses that represent the Internet.
    public static let defaultInternetAddresses: [IPAddress] = [
        "198.41.0.4", "193.0.14.129", "2001:503:ba3e::2:30", "2001:7fd::1",
    ].compactMap { IPAddress($0) }

    /// Creates a configuration.
    public init(
        internetAddresses: [IPAddress] = MonitorConfiguration.defaultInternetAddresses,
        targets: [IPAddress] = [],
        kindOverrides: [KindOverride] = [],
        sysfsRoot: String = "/sys",
        receiveBufferBytes: Int = 32 << 20
    ) {
        self.internetAddresses = internetAddresses
        self.targets = Array(targets.prefix(Self.maximumTargets))
        self.kindOverrides = kindOverrides
        self.sysfsRoot = sysfsRoot
        self.receiveBufferBytes = receiveBufferBytes
    }

    /// All addresses to look up, each once.
    var lookedUpAddresses: [IPAddress] {
        var seen: Set<IPAddress> = []
        return (internetAddresses + targets).filter { seen.insert($0).inserted }
    }
}

/// The lookups for every snapshot.
struct SnapshotQueries {
    /// The targets, and the first address of each family that represents the Internet.
    let first: [LookupQuestion]
    /// The other addresses that represent the Internet: looked up if the first was not answered by a default route.
    let further: [LookupQuestion]
    private let internet: [IPAddress]

    init(_ configuration: MonitorConfiguration) {
        internet = AddressFamily.allCases.compactMap { family in
            configuration.internetAddresses.first { $0.family == family }
        }
        let asked = internet + configuration.targets
        let addresses = configuration.lookedUpAddresses
        first = addresses.filter(asked.contains).map { LookupQuestion(destination: $0) }
        further = addresses.filter { !asked.contains($0) }.map { LookupQuestion(destination: $0) }
    }

    /// Returns whether an address is the first of its family that represents the Internet.
    func standsForInternet(_ address: IPAddress) -> Bool { internet.contains(address) }
}
