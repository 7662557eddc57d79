internal import ArgumentParser
internal import NetlinkMonitor

/// The addresses to look up and the kinds of interfaces: the same for every command that queries the kernel.
struct WatchOptions: ParsableArguments {
    @Option(
        name: .customLong("interface-kind"),
        help: ArgumentHelp(
            """
            Set the kind of interfaces by name, such as 'usb*=wwan' (repeatable; the first that fits counts). Kinds: \
            \(InterfaceKind.allCases.map(\.rawValue).joined(separator: ", ")).
            """,
            valueName: "pattern=kind"
        ),
        transform: Arguments.kindOverride
    )
    var kindOverrides: [KindOverride] = []

    @Option(
        name: .customLong("internet-address"),
        help: ArgumentHelp(
            """
            An address that represents the Internet: its route is looked up in the kernel, and nothing is sent. Of each \
            family the first one with a default route counts (repeatable; replaces the defaults of its \
            family: \(MonitorConfiguration.defaultInternetAddresses.map(\.description).joined(separator: ", "))).
            """,
            valueName: "address"
        ),
        transform: Arguments.address
    )
    var internetAddresses: [IPAddress] = []

    @Option(help: ArgumentHelp("The mount point of sysfs.", valueName: "dir"), completion: .directory)
    var sysfsRoot = "/sys"

    func validate() throws {
        guard internetAddresses.count <= 16 else {
            throw ValidationError(
                "\(internetAddresses.count) addresses stand for the Internet; at most 16 are accepted"
            )
        }
    }

    /// The monitor's configuration for these options; options that are not given are taken from the settings.
    func monitorConfiguration(
        targets: [IPAddress] = [],
        kindOverrides others: [KindOverride] = [],
        internetAddresses fallback: [IPAddress] = []
    ) -> MonitorConfiguration {
        Self.monitorConfiguration(
            targets: targets,
            kindOverrides: kindOverrides + others,
            internetAddresses: internetAddresses.isEmpty ? fallback : internetAddresses,
            sysfsRoot: sysfsRoot
        )
    }

    /// The monitor's configuration; each family without an address that stands for the Internet has the defaults.
    static func monitorConfiguration(
        targets: [IPAddress],
        kindOverrides: [KindOverride],
        internetAddresses given: [IPAddress],
        sysfsRoot: String = "/sys"
    ) -> MonitorConfiguration {
        let kept = MonitorConfiguration.defaultInternetAddresses.filter { standard in
            !given.contains { $0.family == standard.family }
        }
        return MonitorConfiguration(
            internetAddresses: given + kept,
            targets: targets,
            kindOverrides: kindOverrides,
            sysfsRoot: sysfsRoot
        )
    }
}
