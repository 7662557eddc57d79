import AgentEvents
import Probes
import Testing

@testable import ReachAgent

/// The results of `reachagent check` on a terminal.
@Suite struct CompletedCheckTextTests {
    private static func check(
        _ probe: String,
        _ verdict: String,
        _ code: String?,
        redirect location: String? = nil
    ) -> AgentEvents.CompletedCheck {
        let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)
        let finding = AgentEvents.Finding(
            code: code ?? "",
            severity: "refusal",
            subject: "status",
            evidence: "expected 204, got 302"
        )
        var hop = AgentEvents.CheckHop(url: "http://\(probe).test/")
        hop.response = location.map { location in
            let header = AgentEvents.CheckHop.Response.Header(name: "Location", value: location)
            return AgentEvents.CheckHop.Response(httpVersion: "1.1", status: 302, headers: [header], bodyBytes: 0)
        }
        let report = AgentEvents.CheckReport(
            target: "http://\(probe).test/",
            verdict: verdict,
            code: code,
            phase: code.map { _ in "body" },
            started: time,
            durationMicroseconds: 17_200,
            bytesSent: 0,
            bytesReceived: 0,
            bytesOnWire: 0,
            findings: code == nil ? [] : [finding],
            hops: location == nil ? [] : [hop]
        )
        return AgentEvents.CompletedCheck(
            point: AgentEvents.ProbePoint(probe: probe, family: "ipv4"),
            cadence: "steady",
            due: time,
            delayMilliseconds: 0,
            isShared: false,
            report: report
        )
    }

    private static let checks = [
        check("open", "failed", "http_status"), check("web", "failed", "http_status"), check("dns", "ok", nil),
    ]

    private static func status(_ probes: String...) throws -> AgentStatus {
        let json = #"{"probes":[\#(probes.joined(separator: ","))]}"#
        return try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8))
    }

    private static func lines(_ values: [some Encodable]) -> [String] {
        values.map { String(decoding: JSONWriter.text(of: $0), as: UTF8.self) }
    }

    @Test func `behind a known captive portal the portal is named, not the server`() throws {
        let status = try Self.status(
            #"{"probe":"open","family":"ipv4","verdict":"portal","code":"portal_redirect","portal_url":"http://login.test/"}"#,
            #"{"probe":"web","family":"ipv4","verdict":"unknown","code":"behind_portal"}"#,
            #"{"probe":"dns","family":"ipv4","verdict":"unknown","code":"behind_portal"}"#
        )
        let results = CompletedCheckResult.results(Self.checks, status: status)
        let lines = CompletedCheckText(style: .plain).text(results).split(separator: "\n").map(String.init)
        #expect(lines.first == "portal       open IPv4  portal_redirect, after 17.2 ms")
        #expect(lines.contains("  do    Log in at http://login.test/"))
        #expect(lines.contains("not checked  web IPv4   behind_portal, after 17.2 ms"))
        #expect(lines.last == "ok           dns IPv4   in 17.2 ms")
        #expect(!lines.contains { $0.contains("Look at the server") || $0.contains("302") })
    }

    @Test func `without a portal at the point the failure is the target's`() throws {
        let status = try Self.status(
            #"{"probe":"open","interface":"wwan0","family":"ipv4","verdict":"portal","code":"portal_redirect"}"#,
            #"{"probe":"web","family":"ipv4","verdict":"down","code":"http_status"}"#
        )
        let results = CompletedCheckResult.results(Self.checks, status: status)
        let lines = CompletedCheckText(style: .plain).text(results).split(separator: "\n").map(String.init)
        #expect(lines.first == "failed       open IPv4  http_status in phase body, after 17.2 ms")
        #expect(lines.count { $0.hasPrefix("failed") } == 2)
        #expect(lines.contains("  seen  status: expected 204, got 302"))
    }

    @Test(arguments: [
        (
            "http://login.cafe.test/start", FindingCode.httpStatus,
            " Or a captive portal answers: `reachagent probe open --ipv4` shows it."
        ),
        // The usual redirect to TLS.
        ("https://www.open.test/", .httpStatus, ""), ("http://login.cafe.test/start", .httpContentType, ""),
    ])
    func `a redirect to another host is one to follow, or that of a portal that the agent does not know of yet`(
        location: String,
        code: FindingCode,
        addition: String
    ) {
        let remedy = code.configuredRemedy + addition
        let checks = [Self.check("open", "failed", code.rawValue, redirect: location)]
        let text = CompletedCheckText(style: .plain).text(CompletedCheckResult.results(checks, status: nil))
        #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").hasSuffix("do \(remedy)"), "\(text)")
    }

    @Test func `the JSON has the portal's verdict beside the report`() throws {
        let status = try Self.status(
            #"{"probe":"open","family":"ipv4","verdict":"portal","code":"portal_redirect","portal_url":"http://login.test/"}"#,
            #"{"probe":"web","family":"ipv4","verdict":"unknown","code":"behind_portal"}"#,
            #"{"probe":"dns","family":"ipv4","verdict":"unknown","code":"behind_portal"}"#
        )
        let lines = Self.lines(CompletedCheckResult.results(Self.checks, status: status))
        let portals = [
            #","portal":{"verdict":"portal","code":"portal_redirect","url":"http://login.test/"}}"#,
            #","portal":{"verdict":"unknown","code":"behind_portal"}}"#,
            "}",
        ]
        let reports = Self.lines(Self.checks)
        #expect(lines == zip(reports, portals).map { $0.dropLast() + $1 })
        #expect(Self.lines(CompletedCheckResult.results(Self.checks, status: nil)) == reports)
    }

    @Test func `beside a long name without room a result starts on the next line`() {
        let name = "the-gateway-of-the-branch-office-in-the-north-of-the-country"
        let checks = [Self.check(name, "failed", "http_status"), Self.check("web", "ok", nil)]
        let results = CompletedCheckResult.results(checks, status: nil)
        let lines = CompletedCheckText(style: .plain).text(results).split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["failed       \(name) IPv4", "  http_status in phase body, after 17.2 ms"])
        #expect(lines.suffix(2) == ["ok           web IPv4", "  in 17.2 ms"])
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}
