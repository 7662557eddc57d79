// swift-tools-version: 6.2

import PackageDescription

// `make check` sets REACHAGENT_STRICT: a warning in our own code then fails the build. It is not the default, because
// a newer compiler's new warning must not keep a newcomer from building.
let strict: [SwiftSetting] = Context.environment["REACHAGENT_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// For what uses NIO or Foundation together with C types such as `stat`: those belong to several modules and to Glibc, and
/// which of them the compiler takes for the owner of a member depends on the order in which it built them.
let cTypesSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + strict

let settings = cTypesSettings + [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "reachagent",
    products: [
        .executable(name: "reachagent", targets: ["ReachAgent"]),
        // Makes the manual and the completions; not shipped.
        .executable(name: "reachagent-manual", targets: ["ReachAgentManual"]),
        .executable(name: "reachagent-sink", targets: ["ReachAgentSink"]),
        .executable(name: "reachagent-fleet", targets: ["ReachAgentFleet"]),
        .library(name: "AgentEvents", targets: ["AgentEvents"]),
        .library(name: "NetlinkMonitor", targets: ["NetlinkMonitor"]),
        .library(name: "NetlinkTestKit", targets: ["NetlinkTestKit"]),
        .library(name: "Probes", targets: ["Probes"]),
        .library(name: "ProbeTestKit", targets: ["ProbeTestKit"]),
        .library(name: "ServerTrust", targets: ["ServerTrust"]),
        .library(name: "StateClient", targets: ["StateClient"]),
        // For the benchmarks, which are a package of their own and can import products only: no promise to anybody else.
        .library(name: "_Shipping", targets: ["Brokers", "Sinks"]),
        .library(name: "_EventStream", targets: ["AgentEvents", "EventJournal", "NotificationBus", "StateSocket"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibNL",
            pkgConfig: "libnl-route-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]
        ),
        .target(name: "NetlinkMonitor", dependencies: ["CLibNL", "LinuxSupport"], swiftSettings: settings),
        .target(name: "ForeignText", swiftSettings: settings),
        .target(name: "CLinux"),
        .target(name: "LinuxSupport", dependencies: ["CLinux"], swiftSettings: settings),
        .target(
            name: "EventLoopExecutor",
            dependencies: [
                "LinuxSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLibExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CLibZ", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CNettle", pkgConfig: "hogweed", providers: [.apt(["nettle-dev", "libgmp-dev"])]),
        .target(name: "Nettle", dependencies: ["CNettle"], swiftSettings: settings),
        // Values alone: what reads and writes results stands on no NIO and no BoringSSL.
        .target(name: "CheckResults", dependencies: ["ForeignText"], swiftSettings: settings),
        .target(
            name: "ServerTrust",
            dependencies: [
                "CheckResults", "ForeignText", "Nettle",
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "HTTPSerialization",
            dependencies: ["CheckResults", "CLibExpat", "CPCRE2", "ForeignText"],
            swiftSettings: cTypesSettings
        ),
        .target(
            name: "Probes",
            dependencies: [
                "CheckResults", "CLibZ", "EventLoopExecutor", "ForeignText", "HTTPSerialization", "LinuxSupport",
                "Nettle", "ServerTrust",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: cTypesSettings
        ),
        .target(name: "Reachability", dependencies: ["CheckResults", "NetlinkMonitor"], swiftSettings: settings),
        .target(name: "NotificationBus", swiftSettings: settings),
        .target(name: "AgentEvents", swiftSettings: settings),
        .target(
            name: "Availability",
            dependencies: ["AgentEvents", "ForeignText", "LinuxSupport"],
            swiftSettings: settings
        ),
        .target(
            name: "StatePages",
            dependencies: ["AgentEvents", "Availability", "ForeignText", "Nettle"],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLibCrypt", providers: [.apt(["libcrypt-dev"])]),
        .target(
            name: "PortAccess",
            dependencies: [
                "CLibCrypt", "Nettle",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        .target(name: "CSpawn"),
        .target(
            name: "Hooks",
            dependencies: [
                "AgentEvents", "CSpawn", "EventLoopExecutor", "ForeignText", "LinuxSupport", "NetlinkMonitor",
                "Nettle", "Probes",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: cTypesSettings
        ),
        .systemLibrary(name: "CLibZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(
            name: "EventJournal",
            dependencies: ["AgentEvents", "CLibZstd", "LinuxSupport", "NotificationBus"],
            swiftSettings: settings
        ),
        .target(
            name: "StateSocket",
            dependencies: [
                "AgentEvents", "EventJournal", "EventLoopExecutor", "ForeignText", "LinuxSupport", "Nettle",
                "NotificationBus", "PortAccess",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: cTypesSettings
        ),
        .target(
            name: "StateClient",
            dependencies: ["AgentEvents", "ForeignText", "LinuxSupport"],
            swiftSettings: settings
        ),
        // Pure: the agent reads its settings from here, and links nothing of a broker's.
        .target(name: "Sinks", dependencies: ["AgentEvents", "ForeignText", "LinuxSupport"], swiftSettings: settings),
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(
            name: "Brokers",
            dependencies: [
                "AgentEvents", "CMosquitto", "CNATS", "CheckResults", "ForeignText", "LinuxSupport", "ServerTrust",
                "Sinks",
            ],
            swiftSettings: cTypesSettings
        ),
        // Shared by the long-lived programs: the log, and the service manager's socket.
        .target(
            name: "ServiceSupport",
            dependencies: [
                "AgentEvents", "CommandText", "ForeignText", "LinuxSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: cTypesSettings
        ),
        .executableTarget(
            name: "ReachAgentSink",
            dependencies: [
                "AgentEvents", "Brokers", "CommandText", "ForeignText", "LinuxSupport", "ServiceSupport", "Sinks",
                "StateClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: cTypesSettings
        ),
        .executableTarget(
            name: "ReachAgentFleet",
            dependencies: [
                "AgentEvents", "Availability", "Brokers", "CNATS", "CommandText", "ForeignText", "LinuxSupport",
                "Sinks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: cTypesSettings
        ),
        // The text of all programs' commands passes here on its way to a terminal, and nowhere else.
        .target(
            name: "CommandText",
            dependencies: [
                "AgentEvents", "Availability", "ForeignText", "LinuxSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: cTypesSettings
        ),
        .target(
            name: "Configuration",
            dependencies: [
                "AgentEvents", "EventJournal", "ForeignText", "Hooks", "LinuxSupport", "NetlinkMonitor", "Nettle",
                "PortAccess", "Probes", "Reachability", "Sinks",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "InputRecording",
            dependencies: ["AgentEvents", "LinuxSupport", "NetlinkMonitor", "Reachability"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ReachAgent",
            dependencies: [
                "AgentEvents", "Availability", "CommandText", "Configuration", "EventJournal", "ForeignText", "Hooks",
                "InputRecording",
                "LinuxSupport", "NetlinkMonitor", "NotificationBus", "PortAccess", "Probes", "Reachability",
                "ServiceSupport", "Sinks", "StateClient", "StatePages", "StateSocket",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: cTypesSettings
        ),
        .executableTarget(
            name: "ReachAgentManual",
            dependencies: [
                "Configuration", "StatePages",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(name: "NetlinkTestKit", dependencies: ["NetlinkMonitor"], swiftSettings: settings),
        .target(
            name: "ProbeTestKit",
            dependencies: [
                "CheckResults", "Probes",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),

        // Built with everything else, so that they stay true; `Fuzz/run` says how they run.
        .target(name: "FuzzKit", path: "Fuzz/Kit", swiftSettings: settings),
        .executableTarget(
            name: "FuzzNetlink",
            dependencies: ["FuzzKit", "NetlinkMonitor"],
            path: "Fuzz/Netlink",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzJournal",
            dependencies: ["AgentEvents", "EventJournal", "FuzzKit"],
            path: "Fuzz/Journal",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzControl",
            dependencies: [
                "ForeignText", "FuzzKit", "StateSocket",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Fuzz/Control",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzRecording",
            dependencies: ["FuzzKit", "InputRecording"],
            path: "Fuzz/Recording",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzSettings",
            dependencies: ["AgentEvents", "Configuration", "FuzzKit", "Hooks", "Probes"],
            path: "Fuzz/Settings",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzSinks",
            dependencies: ["Brokers", "FuzzKit", "Sinks"],
            path: "Fuzz/Sinks",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzTrust",
            dependencies: ["CheckResults", "ForeignText", "FuzzKit", "ServerTrust"],
            path: "Fuzz/Trust",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzHTTP",
            dependencies: ["CheckResults", "ForeignText", "FuzzKit", "HTTPSerialization"],
            path: "Fuzz/HTTP",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzProbes",
            dependencies: [
                "CheckResults", "FuzzKit", "Probes",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Fuzz/Probes",
            swiftSettings: settings
        ),

        .testTarget(
            name: "NetlinkMonitorTests",
            dependencies: ["AgentTestKit", "CLibNL", "NetlinkMonitor", "NetlinkTestKit"],
            swiftSettings: settings
        ),
        .testTarget(name: "ForeignTextTests", dependencies: ["ForeignText"], swiftSettings: settings),
        .testTarget(
            name: "LinuxSupportTests",
            dependencies: ["AgentTestKit", "CDescriptorCheck", "LinuxSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CheckResultsTests",
            dependencies: ["CheckResults"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServerTrustTests",
            dependencies: [
                "AgentTestKit", "ForeignText", "ProbeTestKit", "ServerTrust",
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NettleTests",
            dependencies: [
                "Nettle",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPSerializationTests",
            dependencies: ["AgentTestKit", "CheckResults", "ForeignText", "HTTPSerialization"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProbesTests",
            dependencies: [
                "AgentTestKit", "CheckResults", "EventLoopExecutor", "ForeignText", "HTTPSerialization", "LinuxSupport",
                "ProbeTestKit", "Probes", "ServerTrust",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProbeTestKitTests",
            dependencies: [
                "AgentTestKit", "ProbeTestKit", "Probes",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "Configuration", "ForeignText", "Hooks", "NetlinkMonitor", "PortAccess",
                "ProbeTestKit", "Probes", "Reachability", "Sinks",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HooksTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "EventLoopExecutor", "Hooks", "LinuxSupport", "ProbeTestKit",
                "Probes",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Examples/stand-in.sh"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "InputRecordingTests",
            dependencies: [
                "AgentTestKit", "CClockStep", "CheckResults", "InputRecording", "NetlinkMonitor", "Reachability",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachabilityTests",
            dependencies: ["AgentTestKit", "CheckResults", "NetlinkMonitor", "Reachability"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PortAccessTests",
            dependencies: ["AgentTestKit", "PortAccess", "ProbeTestKit"],
            swiftSettings: settings
        ),
        .testTarget(name: "NotificationBusTests", dependencies: ["NotificationBus"], swiftSettings: settings),
        .testTarget(
            name: "StatePagesTests",
            dependencies: ["AgentEvents", "AgentTestKit", "Availability", "StatePages"],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(name: "AgentEventsTests", dependencies: ["AgentEvents", "AgentTestKit"], swiftSettings: settings),
        .testTarget(
            name: "AvailabilityTests",
            dependencies: ["AgentEvents", "AgentTestKit", "Availability"],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EventJournalTests",
            dependencies: ["AgentEvents", "AgentTestKit", "CClockStep", "EventJournal", "NotificationBus"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StateSocketTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "EventJournal", "EventLoopExecutor", "ForeignText", "LinuxSupport",
                "NotificationBus", "PortAccess", "ProbeTestKit", "StateSocket",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StateClientTests",
            dependencies: ["AgentEvents", "AgentTestKit", "LinuxSupport", "StateClient"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SinksTests",
            dependencies: ["AgentEvents", "AgentTestKit", "Sinks"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BrokersTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "Brokers", "CNATS", "CheckResults", "LinuxSupport", "ProbeTestKit",
                "ServerTrust", "Sinks",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentSinkTests",
            dependencies: ["AgentEvents", "AgentTestKit", "LinuxSupport", "ReachAgentSink", "Sinks"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentFleetTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "Availability", "CommandText", "ForeignText", "LinuxSupport",
                "ReachAgentFleet",
                "Sinks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Golden", "example.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EventSchemaTests",
            dependencies: [
                "AgentEvents", "CheckResults", "Hooks", "NetlinkMonitor", "Probes", "ReachAgent", "Reachability",
                "ServerTrust",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "Availability", "CClockStep", "Configuration", "EventJournal",
                "ForeignText", "Hooks", "InputRecording", "LinuxSupport", "NetlinkMonitor", "NotificationBus",
                "ProbeTestKit", "Probes", "ReachAgent", "Reachability", "ServiceSupport", "Sinks", "StateClient",
                "StatePages", "StateSocket",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentManualTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "Configuration", "Hooks", "NetlinkMonitor", "Probes", "ReachAgent",
                "ReachAgentManual", "Reachability",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AgentTestKit",
            dependencies: ["AgentEvents", "CDescriptorCheck"],
            path: "Tests/AgentTestKit",
            swiftSettings: settings
        ),
        .target(name: "CDescriptorCheck", path: "Tests/CDescriptorCheck"),
        .target(name: "CClockStep", path: "Tests/CClockStep"),
        // A link with a delay, a loss and a queue, for kernels without netem and fq_codel; not shipped.
        .executableTarget(
            name: "link-forwarder",
            path: "Tests/LinkForwarder",
            linkerSettings: [.linkedLibrary("m")]
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "AgentEvents", "AgentTestKit", "EventJournal", "LinuxSupport", "NetlinkMonitor", "ProbeTestKit",
                "Probes", "ReachAgent",
            ],
            exclude: [
                "background-job.py", "far-end.py", "greedy-clients.py", "history-crash.py", "hook-server.py",
                "hostile-http-clients.py", "patient-client.py", "prometheus-queries.py", "service-manager.py",
                "stopped-thread.py", "textfile-collector.py", "transfer-server.py", "unread-terminal.py",
                "web-server.py", "without-netlink.py",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SystemTests",
            dependencies: ["AgentEvents", "AgentTestKit", "ProbeTestKit", "ReachAgent"],
            exclude: ["peak-memory.py", "stream-crash.py"],
            swiftSettings: settings
        ),
    ]
)

// After an edit, the tests of one module, or of some, are compiled and linked without the others (see CONTRIBUTING.md).
if let tests = Context.environment["REACHAGENT_TESTS"] {
    package.targets.removeAll { $0.type == .test && !tests.split(separator: ",").map(String.init).contains($0.name) }
}

// `scripts/build-release` sets both. They are here and not on SwiftPM's command line, where they would be those of the packages
// that ours stand on as well, or the compiler's: then everything would be compiled once for the programs and once for the tests.
if Context.environment["REACHAGENT_TESTABLE"] != nil {
    for target in package.targets where target.swiftSettings != nil {
        // A test runs once: it is compiled fast, and not optimized. A job of its own for a module's interface would read the
        // whole module a second time.
        let flags =
            target.type == .test
            ? ["-no-emit-module-separately-wmo", "-Xfrontend", "-Onone", "-Xfrontend", "-gnone"] : ["-enable-testing"]
        target.swiftSettings?.append(.unsafeFlags(flags))
    }
}
if let flags = Context.environment["REACHAGENT_LINKING"] {
    for target in package.targets where target.type == .executable {
        let own = target.linkerSettings ?? []
        target.linkerSettings = own + [.unsafeFlags(flags.split(separator: "\n").map(String.init))]
    }
}
