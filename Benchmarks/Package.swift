// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "reachagent-benchmarks",
    products: [
        .executable(name: "netlink-bench", targets: ["NetlinkBench"])
    ],
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CTestbed"),
        .executableTarget(
            name: "NetlinkBench",
            dependencies: [
                "CTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        ),
    ]
)
