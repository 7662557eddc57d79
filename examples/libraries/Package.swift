// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "reachagent-examples",
    dependencies: [
        // In a package of your own: .package(url: "…/reachagent.git", from: "0.1.0")
        .package(name: "reachagent", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "path-monitor",
            dependencies: [.product(name: "NetlinkMonitor", package: "reachagent")]
        ),
        .executableTarget(
            name: "pinned-check",
            dependencies: [.product(name: "Probes", package: "reachagent")]
        ),
    ]
)
