import HTTPSerialization
import ServerTrust
import Testing

@testable import Probes

/// The secrets of a probe, which are not looked for again at the end of each check.
struct ProbeSecretsTests {
    @Test func `copies of a probe share its found secrets, and a changed request is searched again`() throws {
        let url = try HTTPURL(parsing: "https://example.org/")
        var probe = Probe(target: .http(url), trust: TrustEvaluator(anchors: TrustAnchors(certificates: [])))
        let copy = probe
        #expect(copy.secrets === probe.secrets)
        #expect(probe.secrets.known.isEmpty)
        probe.request.hiddenTexts = ["/services/T000"]
        #expect(copy.secrets.known.isEmpty)
        #expect(probe.secrets !== copy.secrets)
        #expect(!probe.secrets.known.isEmpty)
    }

    @Test func `the secrets of a new target are its own`() throws {
        let plain = try ProbeTarget(parsing: "https://example.org/")
        var probe = Probe(target: plain, trust: TrustEvaluator(anchors: TrustAnchors(certificates: [])))
        #expect(probe.secrets.known.isEmpty)
        probe.target = try ProbeTarget(parsing: "https://example.org/?token=abcdefgh")
        #expect(probe.secrets.known.removed(from: "got abcdefgh") == "got (not-shown)")
        probe.target = plain
        #expect(probe.secrets.known.isEmpty)
    }
}
