import FoundationEssentials
import ProbeTestKit
import Testing

@testable import Probes

/// A server that is refused is described all the same: an expired certificate is when its facts are wanted most.
@Suite
struct RefusedChainTests {
    enum Refusal: CaseIterable {
        case expired, notYetValid, untrusted, selfSigned, missingIntermediate, hostname, pinMismatch, revocationUnknown
    }

    /// The server and the probe for a refusal, and the code that it ends with.
    private func scene(_ refusal: Refusal, _ probe: inout Probe) throws -> (ServerTLS, FindingCode) {
        let authority = try CheckBench.authority.get()
        let anchors = TrustAnchors(certificates: [authority.root.der])
        let tls = try CheckBench.tls()
        switch refusal {
        case .expired:
            probe.evaluationDate = .distantFuture
            return (tls, .tlsExpired)
        case .notYetValid:
            probe.evaluationDate = Date(timeIntervalSince1970: 0)
            return (tls, .tlsNotYetValid)
        case .untrusted:
            probe.trust = TrustEvaluator(anchors: TrustAnchors(certificates: []))
            return (tls, .tlsUntrustedRoot)
        case .selfSigned:
            return (ServerTLS(try IssuedCertificate.selfSigned(.server(names: ["host.test"]))), .tlsSelfSigned)
        case .missingIntermediate: return (ServerTLS(authority.leaf), .tlsMissingIntermediate)
        case .hostname:
            let leaf = try authority.intermediate.issue(.server(names: ["other.test"]))
            return (ServerTLS(leaf, intermediates: [authority.intermediate]), .tlsHostname)
        case .pinMismatch:
            let stranger = try PublicKeyPin(parsing: "sha256//" + String(repeating: "A", count: 43) + "=")
            let policy = SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [stranger])
            probe.trust = TrustEvaluator(policy: policy, anchors: anchors)
            return (tls, .tlsPinMismatch)
        case .revocationUnknown:
            let other = try TestAuthority.standard()
            let list = try CertificateRevocationList(der: other.root.revocationList(RevocationListTemplate()))
            probe.trust = TrustEvaluator(anchors: anchors, revocationLists: [list])
            return (tls, .tlsRevocationUnknown)
        }
    }

    @Test(arguments: Refusal.allCases, [ServerTLS.Version.tls12, .tls13])
    func `the certificates of a rejected server are in the report`(
        refusal: Refusal,
        version: ServerTLS.Version
    ) async throws {
        var probe = try CheckBench.probe("https://host.test/")
        var (tls, code) = try scene(refusal, &probe)
        tls.maximumVersion = version
        let server = try await ScriptedServer.start([.silence], tls: tls)
        probe.target = try ProbeTarget(parsing: server.url(host: "host.test"))
        let report = await CheckBench().check(probe)
        #expect(report.verdict == .failed(code, .tls), "\(report.findings)")
        let trust = try #require(report.hop.tls?.trust)
        #expect(!trust.isAccepted)
        #expect(trust.presentedChain == tls.chain.map { CertificateDescription(der: $0) })
        let leaf = try #require(trust.presentedChain.first)
        #expect(leaf.notValidAfter != nil && leaf.publicKeyPin != nil && !leaf.sha256.isEmpty)
        await server.shutDown()
    }

    @Test
    func `a check without the system's roots decides nothing about the server`() async throws {
        let anchors = TrustAnchors(bundles: ["/nowhere/bundle"])
        for (host, verdict) in [
            ("host.test", CheckVerdict.unknown(.tlsRootsUnavailable, .tls)),
            ("other.test", .failed(.tlsHostname, .tls)),
        ] {
            let (report, _) = try await CheckBench().check([.silence], tls: CheckBench.tls(), host: host) {
                $0.trust = TrustEvaluator(anchors: anchors)
            }
            #expect(report.verdict == verdict, "\(report.findings)")
            #expect(report.hop.tls?.trust?.isAccepted == false)
            #expect(report.findings.contains { $0.evidence.hasPrefix("/nowhere/bundle cannot be read: ") })
        }
    }

    @Test
    func `the certificates of a server that rejects the client are in the report`() async throws {
        let tls = try CheckBench.tls { $0.clientCertificate = .required }
        let (report, _) = try await CheckBench().check([.silence], tls: tls, host: "host.test")
        #expect(report.verdict != .ok)
        #expect(report.hop.tls?.trust?.presentedChain.count == tls.chain.count)
    }
}
