import AgentTestKit
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct PortalAPITests {
    @Test
    func `an answer with every member is read`() throws {
        let text = """
            {"captive":true,"user-portal-url":"https://portal.test/login","venue-info-url":"http://venue.test/",
             "can-extend-session":false,"seconds-remaining":3600,"bytes-remaining":18446744073709551615,"other":[{}]}
            """
        let expected = PortalAnswer(
            isCaptive: true,
            userPortalURL: "https://portal.test/login",
            venueInfoURL: "http://venue.test/",
            canExtendSession: false,
            secondsRemaining: 3600,
            bytesRemaining: .max
        )
        #expect(try PortalAnswer(parsing: Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        (#"{"captive":false}"#, PortalAnswer(isCaptive: false)),
        (#"{"captive":true,"user-portal-url":null}"#, .init(isCaptive: true)),
        (#"{"captive":true,"user-portal-url":"http://portal.test/"}"#, .init(isCaptive: true)),
        (#"{"captive":true,"user-portal-url":"javascript:alert(1)","venue-info-url":"//x"}"#, .init(isCaptive: true)),
        (#"{"captive":true,"user-portal-url":"https://user:secret@portal.test/"}"#, .init(isCaptive: true)),
        (#"{"captive":false,"captive":true,"seconds-remaining":0}"#, .init(isCaptive: true, secondsRemaining: 0)),
    ])
    func `text that is not fit for display is left out`(text: String, answer: PortalAnswer) throws {
        #expect(try PortalAnswer(parsing: Array(text.utf8)) == answer)
    }

    @Test(arguments: [
        "", "null", "true", "[]", "{}", #"{"captive":"true"}"#, #"{"captive":1}"#, #"{"captive":null}"#,
        #"{"Captive":true}"#, #"{"captive":true"#, #"{"captive":true}}"#, #"{"captive":true,}"#,
        #"{"captive":true,"user-portal-url":7}"#, #"{"captive":true,"can-extend-session":"yes"}"#,
        #"{"captive":true,"seconds-remaining":-1}"#, #"{"captive":true,"seconds-remaining":1.5}"#,
        #"{"captive":true,"seconds-remaining":"60"}"#, #"{"captive":true,"bytes-remaining":18446744073709551616}"#,
        #"{"captive":true,"bytes-remaining":1e999999999}"#,
        #"{"captive":true,"x":"# + String(repeating: "[", count: 100_000),
        #"{"captive":true,"x":"# + String(repeating: "[", count: 17) + String(repeating: "]", count: 17) + "}",
        #"{"captive":true,"x":""# + String(repeating: "x", count: PortalAPI.maximumBytes) + #""}"#,
    ])
    func `an invalid answer is an error`(text: String) {
        #expect(throws: PortalAnswer.ParseError.self) { try PortalAnswer(parsing: Array(text.utf8)) }
    }

    @Test
    func `no bytes end the process`() {
        var random = SplitMix(state: 8908)
        let seed = Array(#"{"captive":true,"user-portal-url":"https://portal.test/#a","seconds-remaining":60}"#.utf8)
        var refusals = 0
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let answer = try? PortalAnswer(parsing: bytes) {
                #expect(answer.userPortalURL?.utf8.allSatisfy { (0x21...0x7E).contains($0) } != false)
            } else {
                refusals += 1
            }
        }
        #expect(refusals > 0)
    }

    @Test(arguments: ["http://portal.test/api", "portal.test", "https://", "urn:ietf:params:capport:unrestricted", ""])
    func `a portal API without TLS is not queried`(uri: String) {
        #expect(throws: PortalAddressError.self) { try PortalAPI.probe(for: uri) }
    }

    @Test
    func `the check requests the RFC's type, follows no redirects, and is bound to the link`() throws {
        let probe = try PortalAPI.probe(for: "https://portal.test/api", interface: "wlan0")
        #expect(probe.request.headers.value(of: "Accept") == "application/captive+json")
        #expect(probe.maximumRedirects == 0)
        #expect(probe.interface == "wlan0")
        #expect(probe.limits.bodyBytes == 65_536)
        #expect(probe.limits.keptBodyBytes == 65_536)
    }

    @Test(arguments: [
        (
            #"{"captive":true,"user-portal-url":"https://portal.test/"}"#, "application/captive+json; charset=utf-8",
            PortalEvidence(.portal, code: .portalAPI, url: "https://portal.test/")
        ),
        (#"{"captive":true}"#, "application/captive+json", .init(.portal, code: .portalAPI)),
        (#"{"captive":false}"#, "application/captive+json", .init(.unclear)),
        (#"{"captive":"no"}"#, "application/captive+json", .init(.unclear, code: .httpUndecodable)),
        (#"{"captive":true}"#, "application/json", .init(.unclear, code: .httpContentType)),
        ("", "application/captive+json", .init(.unclear, code: .httpUndecodable)),
    ])
    func `a portal API is queried over TLS`(body: String, type: String, evidence: PortalEvidence) async throws {
        let response = ScriptedResponse(200, headers: [("Content-Type", type)], body: Array(body.utf8))
        let server = try await ScriptedServer.start([.serve(response)], tls: CheckBench.tls())
        let anchors = TrustAnchors(certificates: [try CheckBench.authority.get().root.der])
        let probe = try PortalAPI.probe(
            for: server.url("/api"),
            trust: TrustEvaluator(anchors: anchors),
            timeout: .seconds(60)
        )
        let report = await CheckBench().check(probe)
        #expect(PortalAPI.evidence(in: report) == evidence, "\(report.findings)")
        #expect(server.requests.first?.header("Accept") == "application/captive+json")
        await server.shutDown()
    }

    @Test(arguments: ["9f83ab21c4", "1234"])
    func `the address of the login page keeps its session, and the rest is redacted`(session: String) async throws {
        let page = "https://portal.test/login?session=\(session)"
        let body = #"{"captive":true,"user-portal-url":"\#(page)","seconds-remaining":12345}"#
        let headers = [("Content-Type", PortalAPI.contentType), ("X-Session", session)]
        let response = ScriptedResponse(200, headers: headers, body: Array(body.utf8))
        let server = try await ScriptedServer.start([.serve(response)], tls: CheckBench.tls())
        let anchors = TrustAnchors(certificates: [try CheckBench.authority.get().root.der])
        let probe = try PortalAPI.probe(
            for: server.url("/api?session=\(session)"),
            trust: TrustEvaluator(anchors: anchors),
            timeout: .seconds(60)
        )
        let report = await CheckBench().check(probe)
        #expect(PortalAPI.evidence(in: report) == PortalEvidence(.portal, code: .portalAPI, url: page))
        let echoed = report.hop.response?.headers.first { $0.name.lowercased() == "x-session" }
        #expect(echoed?.value == "(not-shown)")
        await server.shutDown()
    }

    @Test
    func `a portal API with a wrong certificate gives no result`() async throws {
        let response = ScriptedResponse(200, headers: [("Content-Type", PortalAPI.contentType)], body: [])
        let server = try await ScriptedServer.start([.serve(response)], tls: CheckBench.tls())
        let probe = try PortalAPI.probe(
            for: server.url(),
            trust: TrustEvaluator(anchors: TrustAnchors(certificates: [])),
            timeout: .seconds(60)
        )
        let evidence = PortalAPI.evidence(in: await CheckBench().check(probe))
        #expect(evidence.verdict == .unclear)
        #expect(evidence.code.map(\.isCertificateSuspicious) == true)
        await server.shutDown()
    }

    @Test
    func `a report keeps the requested amount of the body, decoded`() async throws {
        let server = try await ScriptedServer.start([.serve(.gzip("the body"))])
        for (count, kept) in [(0, nil), (3, "the"), (100, "the body")] as [(Int, String?)] {
            let report = try await CheckBench().check(server.url()) { $0.limits.keptBodyBytes = count }
            #expect(report.hop.response?.body == kept.map { Array($0.utf8) })
        }
        await server.shutDown()
    }
}
