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

    @Test func `the secrets of the serializer are removed, and a changed one is searched again`() throws {
        let target = try ProbeTarget(parsing: "https://example.org/")
        var serializer = RequestSerializer()
        serializer.credentials = try BasicCredentials(user: "me", password: "hunter2-hunter2")
        let trust = TrustEvaluator(anchors: TrustAnchors(certificates: []))
        var probe = Probe(target: target, serializer: serializer, trust: trust)
        let copy = probe
        #expect(copy.secrets.known.removed(from: "got hunter2-hunter2") == "got (not-shown)")
        try probe.serializer.headers.set("X-Api-Key", "abcdefgh")
        #expect(probe.secrets.known.removed(from: "got hunter2-hunter2, abcdefgh") == "got (not-shown), (not-shown)")
        #expect(copy.secrets.known.removed(from: "got abcdefgh") == "got abcdefgh")
        probe.serializer = RequestSerializer()
        #expect(probe.secrets.known.isEmpty)
    }
}
