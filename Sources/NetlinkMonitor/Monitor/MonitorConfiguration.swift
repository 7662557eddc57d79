/// What a monitor watches, and how.
public struct MonitorConfiguration: Sendable, Hashable {
    /// The addresses that stand for "the Internet", in the order of preference per family.
    ///
    /// Nothing is ever sent to them; the kernel is only asked how it would be. The defaults belong to root name servers
    /// (A and K): announced everywhere, stable for decades, and unlike public resolvers hardly ever the subject of a
    /// host route of somebody's fail-over script.
    public var internetAddresses: [IPAddress]
    /// Addresses whose own way is looked up too.
    public var targets: [IPAddress]
    /// The operator's word on the kind of interfaces; the first match counts.
    public var kindOverrides: [KindOverride]
    /// Where sysfs is mounted.
    public var sysfsRoot: String
    /// The size of the receive buffer that is asked for, in bytes.
    ///
    /// Without CAP_NET_ADMIN the kernel gives no more than `net.core.rmem_max` allows.
    public var receiveBufferBytes: Int

    /// The most targets that one monitor takes: each costs two lookups for every change.
    public static let mostTargets = 64

    /// The addresses that stand for the Internet unless others are given.
    public static let defaultInternetAddresses: [IPAddress] = [
        "198.41.0.4", "193.0.14.129", "2001:503:ba3e::2:30", "2001:7fd::1",
    ].compactMap { IPAddress($0) }

    /// A configuration; what is left out has the documented default.
    public init(
        internetAddresses: [IPAddress] = MonitorConfiguration.defaultInternetAddresses,
        targets: [IPAddress] = [],
        kindOverrides: [KindOverride] = [],
        sysfsRoot: String = "/sys",
        receiveBufferBytes: Int = 32 << 20
    ) {
        self.internetAddresses = internetAddresses
        self.targets = Array(targets.prefix(Self.mostTargets))
        self.kindOverrides = kindOverrides
        self.sysfsRoot = sysfsRoot
        self.receiveBufferBytes = receiveBufferBytes
    }

    /// Every address that is looked up, each once.
    var lookedUpAddresses: [IPAddress] {
        var seen: Set<IPAddress> = []
        return (internetAddresses + targets).filter { seen.insert($0).inserted }
    }
}
