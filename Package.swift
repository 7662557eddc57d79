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
        .library(name: "AgentEvents", targets: ["AgentEvents"]),
        .library(name: "ConfigurationFile", targets: ["ConfigurationFile"]),
        .library(name: "EventEnvelope", targets: ["EventEnvelope"]),
        .library(name: "EventJournal", targets: ["EventJournal"]),
        .library(name: "Hooks", targets: ["Hooks"]),
        .library(name: "InputRecording", targets: ["InputRecording"]),
        .library(name: "NetlinkMonitor", targets: ["NetlinkMonitor"]),
        .library(name: "NetlinkTestKit", targets: ["NetlinkTestKit"]),
        .library(name: "Probes", targets: ["Probes"]),
        .library(name: "ProbeTestKit", targets: ["ProbeTestKit"]),
        .library(name: "StateClient", targets: ["StateClient"]),
        .library(name: "StateSocket", targets: ["StateSocket"]),
        // For the benchmarks, which are a package of their own and can import products only.
        .library(name: "EventStream", targets: ["EventEnvelope", "EventJournal", "NotificationBus", "StateSocket"]),
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
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibNL",
            pkgConfig: "libnl-route-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]
        ),
        .target(name: "NetlinkMonitor", dependencies: ["CLibNL"], swiftSettings: settings),
        .target(name: "ForeignText", swiftSettings: settings),
        .target(name: "ServiceManager", swiftSettings: settings),
        .target(name: "DetachedThread", swiftSettings: settings),
        .target(
            name: "EventLoopExecutor",
            dependencies: [.product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLibExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CLibZ", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .target(
            name: "Probes",
            dependencies: [
                "CLibExpat", "CLibZ", "CPCRE2", "DetachedThread", "ForeignText",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: cTypesSettings
        ),
        .target(name: "Reachability", dependencies: ["NetlinkMonitor", "Probes"], swiftSettings: settings),
        .target(name: "NotificationBus", swiftSettings: settings),
        .target(name: "EventEnvelope", swiftSettings: settings),
        .target(name: "AgentEvents", dependencies: ["EventEnvelope"], swiftSettings: settings),
        .target(name: "CSpawn"),
        .target(
            name: "Hooks",
            dependencies: [
                "CSpawn", "DetachedThread", "EventEnvelope", "EventLoopExecutor", "ForeignText", "NetlinkMonitor",
                "Probes",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: cTypesSettings
        ),
        .target(
            name: "EventSchema",
            dependencies: ["EventEnvelope", "ForeignText", "Hooks", "NetlinkMonitor", "Probes", "Reachability"],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLibZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(
            name: "EventJournal",
            dependencies: ["CLibZstd", "DetachedThread", "EventEnvelope", "NotificationBus"],
            swiftSettings: settings
        ),
        .target(
            name: "StateSocket",
            dependencies: [
                "EventEnvelope", "EventJournal", "EventLoopExecutor", "ForeignText", "NotificationBus",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: cTypesSettings
        ),
        .target(
            name: "StateClient",
            dependencies: ["AgentEvents", "DetachedThread", "EventEnvelope"],
            swiftSettings: settings
        ),
        .target(
            name: "ConfigurationFile",
            dependencies: [
                "EventEnvelope", "EventJournal", "Hooks", "NetlinkMonitor", "Probes", "Reachability",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "InputRecording",
            dependencies: ["DetachedThread", "EventEnvelope", "NetlinkMonitor", "Probes", "Reachability"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ReachAgent",
            dependencies: [
                "CLibNL", "ConfigurationFile", "DetachedThread", "EventEnvelope", "EventJournal", "EventSchema",
                "ForeignText", "Hooks", "InputRecording", "NetlinkMonitor", "NotificationBus", "Probes",
                "Reachability", "ServiceManager", "StateClient", "StateSocket",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: cTypesSettings
        ),
        .executableTarget(
            name: "ReachAgentManual",
            dependencies: [
                "ConfigurationFile",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(name: "NetlinkTestKit", dependencies: ["NetlinkMonitor"], swiftSettings: settings),
        .target(
            name: "ProbeTestKit",
            dependencies: [
                "Probes",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
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
            dependencies: ["EventEnvelope", "EventJournal", "FuzzKit"],
            path: "Fuzz/Journal",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzControl",
            dependencies: [
                "ForeignText", "FuzzKit", "StateSocket", .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Fuzz/Control",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzSettings",
            dependencies: ["ConfigurationFile", "FuzzKit", "Hooks", "InputRecording", "Probes"],
            path: "Fuzz/Settings",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzProbes",
            dependencies: [
                "ForeignText", "FuzzKit", "Probes",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Fuzz/Probes",
            swiftSettings: settings
        ),

        .testTarget(
            name: "NetlinkMonitorTests",
            dependencies: ["CLibNL", "NetlinkMonitor", "NetlinkTestKit"],
            swiftSettings: settings
        ),
        .testTarget(name: "ForeignTextTests", dependencies: ["ForeignText"], swiftSettings: settings),
        .testTarget(
            name: "ProbesTests",
            dependencies: [
                "AgentTestKit", "ForeignText", "ProbeTestKit", "Probes",
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
            name: "ConfigurationFileTests",
            dependencies: ["ConfigurationFile", "EventEnvelope", "Hooks", "NetlinkMonitor", "Probes", "Reachability"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HooksTests",
            dependencies: [
                "AgentTestKit", "DetachedThread", "EventEnvelope", "EventLoopExecutor", "Hooks", "ProbeTestKit",
                "Probes",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Examples/stand-in.sh"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "InputRecordingTests",
            dependencies: ["AgentTestKit", "InputRecording", "NetlinkMonitor", "Probes", "Reachability"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachabilityTests",
            dependencies: ["NetlinkMonitor", "Probes", "Reachability"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServiceManagerTests",
            dependencies: ["AgentTestKit", "ServiceManager"],
            swiftSettings: settings
        ),
        .testTarget(name: "NotificationBusTests", dependencies: ["NotificationBus"], swiftSettings: settings),
        .testTarget(
            name: "AgentEventsTests",
            dependencies: ["AgentEvents", "EventEnvelope"],
            swiftSettings: settings
        ),
        .testTarget(name: "EventEnvelopeTests", dependencies: ["EventEnvelope"], swiftSettings: settings),
        .testTarget(
            name: "EventJournalTests",
            dependencies: ["AgentTestKit", "EventEnvelope", "EventJournal", "NotificationBus"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StateSocketTests",
            dependencies: [
                "AgentTestKit", "EventEnvelope", "EventJournal", "ForeignText", "NotificationBus", "StateSocket",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StateClientTests",
            dependencies: ["AgentEvents", "AgentTestKit", "EventEnvelope", "StateClient"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EventSchemaTests",
            dependencies: ["EventEnvelope", "EventSchema", "Hooks", "NetlinkMonitor", "Probes", "Reachability"],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentTests",
            dependencies: [
                "AgentTestKit", "ConfigurationFile", "EventEnvelope", "EventSchema", "ForeignText", "Hooks",
                "InputRecording",
                "NetlinkMonitor", "NotificationBus", "ProbeTestKit", "Probes", "ReachAgent", "Reachability",
                "StateClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentManualTests",
            dependencies: [
                "AgentTestKit", "ConfigurationFile", "EventEnvelope", "Hooks", "NetlinkMonitor", "Probes", "ReachAgent",
                "ReachAgentManual", "Reachability",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(name: "AgentTestKit", path: "Tests/AgentTestKit", swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["AgentTestKit", "NetlinkMonitor", "ProbeTestKit", "Probes", "ReachAgent"],
            exclude: ["far-end.py", "hook-server.py", "service-manager.py", "web-server.py", "without-netlink.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SystemTests",
            dependencies: ["AgentTestKit", "ProbeTestKit", "ReachAgent"],
            exclude: ["peak-memory.py", "stream-crash.py"],
            swiftSettings: settings
        ),
    ]
)

// After an edit, one module's tests are compiled and linked alone, without the others (see CONTRIBUTING.md).
if let tests = Context.environment["REACHAGENT_TESTS"] {
    package.targets.removeAll { $0.type == .test && $0.name != tests }
}
