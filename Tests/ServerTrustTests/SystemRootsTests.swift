import AgentTestKit
import FoundationEssentials
import Glibc
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The system's bundle of roots when it cannot be read: a fault of this machine, and not of the server.
@Suite struct SystemRootsTests {
    /// A bundle that has no roots, or cannot be read, also by root.
    enum Obstacle: CaseIterable {
        case missing, directory, loop, empty, noCertificate

        /// The end of the evidence, after the path.
        var reason: String {
            switch self {
            case .missing: " cannot be read: No such file or directory"
            case .directory: " cannot be read: Is a directory"
            case .loop: " cannot be read: Too many levels of symbolic links"
            case .empty, .noCertificate: " holds no certificate"
            }
        }
    }

    private let directory: TemporaryDirectory
    private var bundle: String { "\(directory.path)/bundle.crt" }

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ roots: IssuedCertificate...) throws {
        try? FileManager.default.removeItem(atPath: bundle)
        try directory.file("bundle.crt", roots.map(\.pem).joined())
    }

    private func put(_ obstacle: Obstacle) throws {
        try? FileManager.default.removeItem(atPath: bundle)
        switch obstacle {
        case .missing: break
        case .directory: try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
        case .loop: try FileManager.default.createSymbolicLink(atPath: bundle, withDestinationPath: bundle)
        case .empty: try write()
        case .noCertificate: try directory.file("bundle.crt", "# none\n")
        }
    }

    private func verdict(
        _ presented: [[UInt8]],
        by evaluator: TrustEvaluator,
        host: String? = "host.test",
        at date: Date = TestDate.present
    ) async -> TrustVerdict {
        await evaluator.evaluate(presented: presented, identity: host.map { .name($0) }, at: date)
    }

    @Test(arguments: Obstacle.allCases)
    func `without roots a good chain is refused for a fault of this machine, until the bundle is there`(
        _ obstacle: Obstacle
    ) async throws {
        let chain = try TestAuthority.standard()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(bundles: [bundle]))
        try put(obstacle)
        for _ in 0..<2 {
            let verdict = await verdict(chain.presented, by: evaluator)
            #expect(!verdict.isAccepted)
            #expect(verdict.findings.map(\.code) == [.tlsRootsUnavailable])
            #expect(verdict.findings.first?.evidence == bundle + obstacle.reason)
        }
        try write(chain.root)
        #expect(await verdict(chain.presented, by: evaluator).findings == [])
    }

    @Test(arguments: [Obstacle.directory, .loop])
    func `after a failed read the roots of the last one are used`(_ obstacle: Obstacle) async throws {
        let (chain, other) = (try TestAuthority.standard(), try TestAuthority.standard())
        let evaluator = TrustEvaluator(anchors: TrustAnchors(bundles: [bundle]))
        try write(chain.root)
        #expect(await verdict(chain.presented, by: evaluator).findings == [])
        try put(obstacle)
        for _ in 0..<2 {
            let accepted = await verdict(chain.presented, by: evaluator)
            #expect(accepted.isAccepted)
            #expect(accepted.warnings == [.tlsRootsUnavailable])
            #expect(
                accepted.findings.first?.evidence
                    == "\(bundle)\(obstacle.reason); the roots that were read before are used"
            )
            // The root may be among those that could not be read.
            #expect(await verdict(other.presented, by: evaluator).refusals == [.tlsRootsUnavailable])
        }
        #expect(await verdict(chain.presented, by: evaluator, at: TestDate.utc(2040)).code == .tlsExpired)
        try write(other.root)
        #expect(await verdict(other.presented, by: evaluator).findings == [])
        // The other root has the same name.
        #expect(await verdict(chain.presented, by: evaluator).code == .tlsSignatureInvalid)
    }

    @Test(arguments: [Obstacle.missing, .empty, .noCertificate])
    func `a bundle that has no roots any more leaves none in use`(_ obstacle: Obstacle) async throws {
        let chain = try TestAuthority.standard()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(bundles: [bundle]))
        try write(chain.root)
        #expect(await verdict(chain.presented, by: evaluator).isAccepted)
        try put(obstacle)
        #expect(await verdict(chain.presented, by: evaluator).refusals == [.tlsRootsUnavailable])
    }

    @Test func `a shortage of descriptors at the first read does not last`() async throws {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let chain = try TestAuthority.standard()
            let path = try directory.file("bundle.crt", chain.root.pem)
            let evaluator = TrustEvaluator(anchors: TrustAnchors(bundles: [path]))
            let shortage = try DescriptorShortage()
            let short = evaluator.anchors.current()
            try shortage.end()
            #expect(short.obstacle == .unreadable(path: path, reason: "Too many open files"))
            #expect(short.certificates.isEmpty)
            #expect(evaluator.anchors.current().obstacle == nil)
            let verdict = await evaluator.evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: TestDate.present
            )
            #expect(verdict.findings == [])
        }
    }

    @Test func `a bundle whose permissions changed is read again`() throws {
        try write(try TestAuthority.standard().root)
        let anchors = TrustAnchors(bundles: [bundle])
        let generation = anchors.current().generation
        #expect(anchors.current().generation == generation)
        // The clock of a file system may be as coarse as 10 ms.
        let deadline = ContinuousClock.now + .seconds(60)
        while anchors.current().generation == generation, .now < deadline { chmod(bundle, 0o644) }
        #expect(anchors.current().generation != generation)
    }

    @Test func `a bundle that does not exist is named with all others`() async throws {
        let evaluator = TrustEvaluator(anchors: TrustAnchors(bundles: ["/nowhere/a", "/nowhere/b"]))
        let verdict = await verdict(try TestAuthority.standard().presented, by: evaluator)
        #expect(
            verdict.findings.first?.evidence == "/nowhere/a, /nowhere/b cannot be read: No such file or directory"
        )
    }
}
