// swift-tools-version: 6.2

import PackageDescription

// `make check` sets REACHAGENT_STRICT: a warning in our own code then fails the build. It is not the default, because
// a newer compiler's new warning must not keep a newcomer from building.
let strict: [SwiftSetting] = Context.environment["REACHAGENT_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + strict

let package = Package(
    name: "reachagent",
    products: [
        .executable(name: "reachagent", targets: ["ReachAgent"]),
        .library(name: "NetlinkMonitor", targets: ["NetlinkMonitor"]),
        .library(name: "NetlinkTestKit", targets: ["NetlinkTestKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibNL",
            pkgConfig: "libnl-route-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]
        ),
        .target(name: "NetlinkMonitor", dependencies: ["CLibNL"], swiftSettings: settings),
        .target(name: "Reachability", dependencies: ["NetlinkMonitor"], swiftSettings: settings),
        .target(name: "NotificationBus", swiftSettings: settings),
        .target(name: "EventSchema", dependencies: ["NetlinkMonitor", "Reachability"], swiftSettings: settings),
        .executableTarget(
            name: "ReachAgent",
            dependencies: [
                "CLibNL", "EventSchema", "NetlinkMonitor", "NotificationBus", "Reachability",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(name: "NetlinkTestKit", dependencies: ["NetlinkMonitor"], swiftSettings: settings),

        .testTarget(
            name: "NetlinkMonitorTests",
            dependencies: ["CLibNL", "NetlinkMonitor", "NetlinkTestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachabilityTests",
            dependencies: ["NetlinkMonitor", "Reachability"],
            swiftSettings: settings
        ),
        .testTarget(name: "NotificationBusTests", dependencies: ["NotificationBus"], swiftSettings: settings),
        .testTarget(
            name: "EventSchemaTests",
            dependencies: ["EventSchema", "NetlinkMonitor", "Reachability"],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReachAgentTests",
            dependencies: [
                "EventSchema", "NetlinkMonitor", "ReachAgent", "Reachability",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(name: "AgentTestKit", path: "Tests/AgentTestKit", swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["AgentTestKit", "NetlinkMonitor", "ReachAgent"],
            exclude: ["without-netlink.py"],
            swiftSettings: settings
        ),
        .testTarget(name: "SystemTests", dependencies: ["AgentTestKit", "ReachAgent"], swiftSettings: settings),
    ]
)
