import AgentEvents
import Testing

@testable import Availability

/// The names of uplinks and probes in reports for people: no two of them are alike.
@Suite struct SubjectNameTests {
    private static func report(_ selection: Report.Selection = .everything) throws -> Report {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        for interface in [nil, "wwan0"] {
            for family in ["ipv4", "ipv6"] {
                journal.probe("example.org", over: interface, family: family, at: 1, from: "unknown", to: "up")
            }
        }
        journal.uplink("wan", at: 1, from: .unknown, to: .full)
        journal.probe("wan", at: 1, from: "unknown", to: "up")
        journal.probe("wan", over: "wwan0", at: 1, from: "unknown", to: "up")
        journal.probe("default path", at: 1, from: "unknown", to: "up")
        for name in [String(repeating: "x", count: 200), "无线网络探测器名称很长很长无线网络探测器名称很长很长无线网络探测器名称"] {
            for family in ["ipv4", "ipv6"] { journal.probe(name, family: family, at: 1, from: "unknown", to: "up") }
            journal.summary(name, from: 10, checks: 60, failed: 1, latency: 240_000)
        }
        return try #require(Report(journal.account(Journal.window(0, 1000), aliveUntil: 1000), selection))
    }

    @Test
    func `each subject has a name of its own, and a probe its interface and family`() throws {
        let report = try Self.report()
        let names = report.all.map { report.name($0.subject, TextTable.columns) }
        #expect(Set(names).count == names.count)
        #expect(
            names.prefix(9) == [
                "default path", "wan (uplink)", "default path (probe)", "example.org (ipv4)", "example.org (ipv6)",
                "example.org (over wwan0, ipv4)", "example.org (over wwan0, ipv6)", "wan (probe)", "wan (over wwan0)",
            ]
        )
        for text in [report.text(), report.markdown(), report.html()] {
            for name in names.prefix(9) { #expect(text.contains(name), "\(name)") }
        }
    }

    @Test
    func `a long name has a line of its own above its figures, and no line is too long`() throws {
        let lines = try Self.report().text().split(separator: "\n").map(String.init)
        let part = String(repeating: "x", count: 36)
        let long = try #require(lines.firstIndex(of: "\(part)~\(part) (ipv6)"))
        #expect(lines[long + 1].hasSuffix("  100.000"))
        #expect(lines.contains { $0.hasPrefix("无线") && $0.hasSuffix("称 (ipv4)") })
        for line in lines { #expect(line.width <= TextTable.columns, "\(line)") }
    }

    @Test
    func `a title names the probe and fits`() throws {
        let names = ["example.org": "probe example.org", "default path": "probe default path (probe)"]
        for (name, title) in names { #expect(try Self.report(.probe(name)).title == "Availability of \(title)") }
        #expect(try Self.report(.uplink("wan")).title == "Availability of uplink wan")
        #expect(try Self.report(.uplink("wwan0")).title == "Availability of the probes over wwan0")
    }

    @Test(arguments: [
        ("short", 5, "short"), ("abcdefghij", 5, "ab~ij"), ("abcdefghij", 6, "abc~ij"), ("日本語日本語", 6, "日~語"),
    ])
    func `a name is shortened in its middle`(name: String, columns: Int, shortened: String) {
        #expect(name.shortened(to: columns) == shortened)
    }

    @Test
    func `text is wrapped by its width, and words keep their spaces`() {
        let wide = String(repeating: "日", count: 50)
        let lines = TextTable.wrapped("2026-11-20  \(wide) end", indent: 12)
        #expect(lines.count == 3)
        #expect(lines[0] == "2026-11-20 ")
        #expect(lines[1] == String(repeating: " ", count: 12) + String(repeating: "日", count: 34))
        #expect(lines[2] == String(repeating: " ", count: 12) + String(repeating: "日", count: 16) + " end")
    }
}
