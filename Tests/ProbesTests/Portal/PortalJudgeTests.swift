import FoundationEssentials
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct PortalJudgeTests {
    /// One answer, and what it says about a portal.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var response: ResponseReport?
        var verdict = CheckVerdict.failed(.httpStatus, .body)
        var expectsBody = false
        var evidence: PortalEvidence
    }

    static func answer(
        _ status: Int,
        _ headers: [(String, String)] = [],
        bytes: Int = 0,
        decoded: Int? = nil,
        body: String? = nil
    ) -> ResponseReport {
        var response = ResponseReport(
            httpVersion: "1.1",
            status: status,
            headers: headers.map { HeaderField(name: $0.0, value: $0.1) },
            bodyBytes: body?.utf8.count ?? bytes,
            decodedBodyBytes: decoded
        )
        response.body = body.map { Array($0.utf8) }
        return response
    }

    static func report(_ response: ResponseReport?, _ verdict: CheckVerdict) -> CheckReport {
        var hop = CheckHop(url: "http://check.test/a/generate_204")
        hop.response = response
        return CheckReport(
            target: hop.url,
            verdict: verdict,
            findings: [],
            hops: [hop],
            started: Date(timeIntervalSince1970: 0),
            duration: .zero
        )
    }

    static let html = ("Content-Type", "Text/HTML; charset=")

    static let statuses: [Case] = [
        Case(testDescription: "204", response: answer(204), verdict: .ok, evidence: .init(.open)),
        Case(testDescription: "200 without a body", response: answer(200), evidence: .init(.open)),
        Case(testDescription: "200 with one byte", response: answer(200, [html], bytes: 1), evidence: .init(.open)),
        Case(
            testDescription: "200 with nothing in a compressed body",
            response: answer(200, [("content-encoding", "gzip"), ("content-length", "23")], bytes: 23, decoded: 0),
            evidence: .init(.open)
        ),
        Case(
            testDescription: "200 to a HEAD, with a length",
            response: answer(200, [("Content-Length", "512"), html]),
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "a page",
            response: answer(200, [html], bytes: 300),
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "a page that the probe's expectations let pass",
            response: answer(200, [html], bytes: 300),
            verdict: .ok,
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "a page in XHTML with status 203",
            response: answer(203, [("content-type", "application/xhtml+xml")], bytes: 30),
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "a page that does not say that it is one",
            response: answer(200, body: "\u{FEFF} \r\n<!DOCTYPE HTML><title>Log in</title>"),
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "no page",
            response: answer(200, [("content-type", "application/json")], body: "<html>"),
            evidence: .init(.portal, code: .portalContent)
        ),
        Case(
            testDescription: "a body of no known type",
            response: answer(200, bytes: 2),
            evidence: .init(.portal, code: .portalContent)
        ),
        Case(
            testDescription: "a page that is too large",
            response: answer(200, [html], bytes: 1 << 20),
            verdict: .failed(.httpTooLarge, .body),
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "200 that ended before its body",
            response: answer(200),
            verdict: .failed(.httpTruncated, .body),
            evidence: .init(.unclear, code: .httpTruncated)
        ),
        Case(testDescription: "205", response: answer(205), evidence: .init(.portal, code: .portalContent)),
        Case(testDescription: "511", response: answer(511), evidence: .init(.portal, code: .portalAuthentication)),
        Case(testDescription: "404", response: answer(404), evidence: .init(.unclear, code: .httpStatus)),
        Case(
            testDescription: "404 that the probe's expectations let pass",
            response: answer(404),
            verdict: .ok,
            evidence: .init(.unclear, code: .httpStatus)
        ),
        Case(testDescription: "503", response: answer(503, [html]), evidence: .init(.unclear, code: .httpStatus)),
        Case(
            testDescription: "no answer",
            verdict: .failed(.connectTimeout, .connect),
            evidence: .init(.unclear, code: .connectTimeout)
        ),
        Case(
            testDescription: "no resolver",
            verdict: .unknown(.dnsTimeout, .resolve),
            evidence: .init(.unclear, code: .dnsTimeout)
        ),
        Case(testDescription: "another kind of check", verdict: .ok, evidence: .init(.unclear)),
    ]

    static let bodies: [Case] = [
        Case(
            testDescription: "the expected body",
            response: answer(200, [html], bytes: 68),
            verdict: .ok,
            expectsBody: true,
            evidence: .init(.open)
        ),
        Case(
            testDescription: "another body",
            response: answer(200, [html], bytes: 68),
            verdict: .failed(.httpBody, .body),
            expectsBody: true,
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "another type",
            response: answer(200, [("Content-Type", "text/plain")], bytes: 68),
            verdict: .failed(.httpContentType, .body),
            expectsBody: true,
            evidence: .init(.portal, code: .portalContent)
        ),
        Case(
            testDescription: "a body without an end",
            response: answer(200, [html], bytes: 68),
            verdict: .failed(.httpTooLarge, .body),
            expectsBody: true,
            evidence: .init(.portal, code: .portalLoginPage)
        ),
        Case(
            testDescription: "a body that was cut off",
            response: answer(200, [html], bytes: 30),
            verdict: .failed(.httpTruncated, .body),
            expectsBody: true,
            evidence: .init(.unclear, code: .httpTruncated)
        ),
        Case(
            testDescription: "no body at all",
            response: answer(204),
            verdict: .failed(.httpBody, .body),
            expectsBody: true,
            evidence: .init(.unclear, code: .httpBody)
        ),
        Case(
            testDescription: "a redirect",
            response: answer(302, [("Location", "/login")]),
            expectsBody: true,
            evidence: .init(.portal, code: .portalRedirect, url: "http://check.test/login")
        ),
    ]

    @Test(arguments: statuses + bodies)
    func `an answer is judged by its status, its type and its length`(case one: Case) {
        let report = Self.report(one.response, one.verdict)
        #expect(PortalJudge.evidence(in: report, expectsBody: one.expectsBody) == one.evidence)
    }

    @Test(arguments: [
        ("https://portal.test/login?id=1", "https://portal.test/login?id=1"),
        ("http://192.0.2.1:8880/guest/s/default/", "http://192.0.2.1:8880/guest/s/default/"),
        ("//portal.test/x", "http://portal.test/x"), ("login", "http://check.test/a/login"),
        ("?again", "http://check.test/a/generate_204?again"),
        ("https://check.test/a/generate_204", "https://check.test/a/generate_204"),
        ("https://portal.test/#/guest?mac=02:00", "https://portal.test/#/guest?mac=02:00"),
        ("https://portal.test/#a b", "https://portal.test/"),
        ("http://portal.test/\u{E4} \u{1F511}", "http://portal.test/%C3%A4%20%F0%9F%94%91"),
        ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("ftp://portal.test/", nil), ("http://", nil),
        ("http://user:secret@portal.test/", nil), ("http://portal.test/\u{1B}[31m", nil),
        ("http://p\u{430}.test/", nil),
        ("http://portal.test/" + String(repeating: "x", count: 2048), nil),
        ("http://portal.test/#" + String(repeating: "x", count: 2048), nil),
    ])
    func `a redirect is a portal, and its target is shown when that is safe`(location: String, url: String?) {
        let report = Self.report(Self.answer(302, [("location", location)]), .failed(.httpStatus, .body))
        let expected = PortalEvidence(.portal, code: .portalRedirect, url: url)
        #expect(PortalJudge.evidence(in: report) == expected)
    }

    @Test(arguments: [300, 304, 307, 399])
    func `a status of 3xx that leads nowhere is a portal's content`(status: Int) {
        let report = Self.report(Self.answer(status), .failed(.httpStatus, .body))
        #expect(PortalJudge.evidence(in: report) == PortalEvidence(.portal, code: .portalContent))
    }

    @Test(arguments: [
        (FindingCode.httpContentEncoding, false, 0, PortalEvidence(.unclear, code: .httpStatus)),
        (.httpContentEncoding, true, 30, PortalEvidence(.unclear, code: .httpStatus)),
        (.httpTooLarge, true, 1 << 20, PortalEvidence(.portal, code: .portalLoginPage)),
    ])
    func `content that was refused beside its status is not the open Internet, and a portal if it is large`(
        code: FindingCode,
        expectsBody: Bool,
        bytes: Int,
        evidence: PortalEvidence
    ) {
        var report = Self.report(Self.answer(200, [Self.html], bytes: bytes), .failed(.httpStatus, .body))
        report.findings = [.httpStatus, code].map { Finding($0, subject: "host.test", evidence: "as scripted") }
        #expect(PortalJudge.evidence(in: report, expectsBody: expectsBody) == evidence)
    }

    @Test
    func `of a check that follows redirects the first answer counts`() {
        var report = Self.report(Self.answer(302, [("Location", "http://portal.test/")]), .ok)
        report.hops += Self.report(Self.answer(204), .ok).hops
        let expected = PortalEvidence(.portal, code: .portalRedirect, url: "http://portal.test/")
        #expect(PortalJudge.evidence(in: report) == expected)
    }

    @Test(arguments: [
        (answer(204), CheckVerdict.ok, false, PortalEvidence(.unclear)),
        (answer(200, bytes: 68), .ok, true, PortalEvidence(.unclear)),
        (
            answer(200, [html], bytes: 300), .failed(.httpStatus, .body), false,
            PortalEvidence(.unclear, code: .httpStatus)
        ),
        (
            answer(302, [("location", "http://router.test/admin")]), .failed(.httpStatus, .body), false,
            PortalEvidence(.unclear, code: .httpStatus)
        ),
    ])
    func `an answer of this machine itself is no evidence, unless it is meant to be the target`(
        response: ResponseReport,
        verdict: CheckVerdict,
        expectsBody: Bool,
        evidence: PortalEvidence
    ) {
        var report = Self.report(response, verdict)
        report.hops[0].peerAddress = "127.0.0.1:80"
        #expect(PortalJudge.evidence(in: report, expectsBody: expectsBody).verdict != .unclear)
        report.hops[0].lookedUpName = "localhost"
        #expect(PortalJudge.evidence(in: report, expectsBody: expectsBody).verdict != .unclear)
        report.hops[0].lookedUpName = "check.test"
        #expect(PortalJudge.evidence(in: report, expectsBody: expectsBody) == evidence)
        // The first response counts, wherever it has redirected.
        report.hops.append(CheckHop(url: "http://router.test/admin"))
        report.hops[1].peerAddress = "192.0.2.1:80"
        #expect(PortalJudge.evidence(in: report, expectsBody: expectsBody) == evidence)
    }

    @Test
    func `a portal that redirects is seen over the wire, and so is the open Internet`() async throws {
        let responses = ["/captive": ScriptedResponse.redirect(to: "/login"), "/open": ScriptedResponse(204)]
        let server = try await ScriptedServer.start([.serve(responses)])
        let onlyNothing = try StatusCodes(parsing: "204")
        for (path, expected) in [
            ("/captive", PortalEvidence(.portal, code: .portalRedirect, url: server.url("/login"))),
            ("/open", PortalEvidence(.open)),
        ] {
            let report = try await CheckBench().check(server.url(path)) { probe in
                probe.expectations.acceptableStatusCodes = onlyNothing
            }
            #expect(PortalJudge.evidence(in: report) == expected)
        }
        await server.shutDown()
    }

    @Test
    func `certificates that a portal would show are suspicious, and others are not`() {
        let suspicious = FindingCode.allCases.filter(\.isCertificateSuspicious)
        #expect(
            Set(suspicious) == [
                .tlsUntrustedRoot, .tlsSelfSigned, .tlsHostname, .tlsMissingIntermediate, .tlsPinMismatch,
                .tlsSignatureInvalid,
            ]
        )
    }
}
