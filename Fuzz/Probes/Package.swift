// swift-tools-version: 6.2

import PackageDescription

// `Fuzz/run` builds this with -sanitize=fuzzer: without it there is no main function.
let package = Package(
    name: "reachagent-fuzz",
    products: [.executable(name: "fuzz-probes", targets: ["FuzzProbes"])],
    dependencies: [
        .package(name: "reachagent", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "FuzzProbes",
            dependencies: [
                .product(name: "ConfigurationFile", package: "reachagent"),
                .product(name: "EventEnvelope", package: "reachagent"),
                .product(name: "EventJournal", package: "reachagent"),
                .product(name: "Hooks", package: "reachagent"),
                .product(name: "InputRecording", package: "reachagent"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "Probes", package: "reachagent"),
                .product(name: "StateSocket", package: "reachagent"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ]
)
