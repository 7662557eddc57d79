// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "reachagent-benchmarks",
    products: [
        .executable(name: "hook-bench", targets: ["HookBench"]),
        .executable(name: "http-bench", targets: ["HTTPBench"]),
        .executable(name: "netlink-bench", targets: ["NetlinkBench"]),
        .executable(name: "probe-bench", targets: ["ProbeBench"]),
        .executable(name: "probe-load", targets: ["ProbeLoad"]),
        .executable(name: "schedule-bench", targets: ["ScheduleBench"]),
        .executable(name: "service-bench", targets: ["ServiceBench"]),
        .executable(name: "sink-bench", targets: ["SinkBench"]),
        .executable(name: "stream-bench", targets: ["StreamBench"]),
        .executable(name: "stream-load", targets: ["StreamLoad"]),
        .executable(name: "transfer-bench", targets: ["TransferBench"]),
    ],
    dependencies: [
        .package(name: "reachagent", path: ".."),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CTestbed"),
        // What the benchmarks share.
        .target(
            name: "BenchmarkKit",
            dependencies: [
                "CTestbed",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: settings
        ),
        // What the benchmarks' command lines share.
        .target(
            name: "BenchmarkCommand",
            dependencies: ["BenchmarkKit", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: settings
        ),
        // Network namespaces in which paths come and go.
        .target(name: "NetworkTestbed", dependencies: ["BenchmarkKit", "CTestbed"], swiftSettings: settings),
        .executableTarget(
            name: "NetlinkBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "CTestbed", "NetworkTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "HookBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "CTestbed", "NetworkTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // An nginx over TLS on the loopback interface, and its certificates.
        .target(
            name: "WebTestbed",
            dependencies: ["BenchmarkKit", .product(name: "ProbeTestKit", package: "reachagent")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ProbeBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "WebTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // Our library's part in probe-bench, a process of its own as every contender's.
        .executableTarget(
            name: "ProbeLoad",
            dependencies: [
                "BenchmarkKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Probes", package: "reachagent"),
            ],
            swiftSettings: settings
        ),
        // The scheduler beside a thread for each probe; it runs itself as the process that is measured.
        .executableTarget(
            name: "ScheduleBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "WebTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Probes", package: "reachagent"),
            ],
            swiftSettings: settings
        ),
        // The agent as a service: its start, its memory, its wake-ups.
        .executableTarget(
            name: "ServiceBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "CTestbed", "NetworkTestbed", "WebTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // A thousand devices, each with an engine and a connection of its own, on one nats-server; and the program at rest.
        .executableTarget(
            name: "SinkBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "WebTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AgentEvents", package: "reachagent"),
                .product(name: "_Shipping", package: "reachagent"),
            ],
            swiftSettings: settings
        ),
        // Events on their way to many subscribers that check and time them.
        .target(name: "StreamTestbed", dependencies: ["BenchmarkKit", "CTestbed"], swiftSettings: settings),
        .executableTarget(
            name: "StreamBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "CTestbed", "NetworkTestbed", "StreamTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // The agent's HTTP server beside exporters, and beside its other sockets.
        .executableTarget(
            name: "HTTPBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "CTestbed", "NetworkTestbed", "StreamTestbed", "WebTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // Who is measured by stream-bench and http-bench: our libraries and the floors below them, each in a process of its own.
        .executableTarget(
            name: "StreamLoad",
            dependencies: [
                "BenchmarkKit", "CTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "_EventStream", package: "reachagent"),
            ],
            swiftSettings: settings
        ),
        // Bounded transfers beside curl, and what they do to other probes; it runs itself as the process that is measured.
        .executableTarget(
            name: "TransferBench",
            dependencies: [
                "BenchmarkCommand", "BenchmarkKit", "WebTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Probes", package: "reachagent"),
            ],
            swiftSettings: settings
        ),
    ]
)
