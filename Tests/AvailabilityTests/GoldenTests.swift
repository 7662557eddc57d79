import AgentEvents
import Foundation
import Testing

@testable import Availability

@Suite
struct GoldenTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    /// Five days with everything that a report has, in Central European Time.
    private static func journal() throws -> Journal {
        let day: Int64 = 86_400
        var journal = Journal()
        let full = Journal.path(.full)
        journal.start(at: -3600)
        journal.path(at: -3590, from: Journal.path(.unknown), to: full)
        for name in ["dns", "web"] { journal.probe(name, at: -3590, from: "unknown", to: "up") }
        journal.probe("web", over: "wwan0", at: -3580, from: "unknown", to: "up")
        journal.uplink("wwan0", at: -3580, from: .unknown, to: .full)
        journal.uplink("wlan0", at: -3580, from: .unknown, to: .full)
        journal.summary("web", from: 0, checks: 57, failed: 3, latency: 20_833)
        journal.summary("dns", from: 0, checks: 60, failed: 0, latency: 4100)
        journal.summary("web", over: "wwan0", from: 0, checks: 60, failed: 0, latency: 240_000)
        journal.summary("web", from: 3600, checks: 60, failed: 0, latency: 41_000)
        journal.path(at: 20_000, from: full, to: Journal.path(.none, reason: "link_down"))
        journal.uplink("wlan0", at: 20_000, from: .full, to: .none, reason: "link_down")
        journal.path(at: 20_754, from: Journal.path(.none, reason: "link_down"), to: full)
        journal.uplink("wlan0", at: 20_760, from: .none, to: .full)
        journal.suspend(28_985, until: day + 25_000)
        journal.probe("web", at: 2 * day, from: "up", to: "down", code: "connect_timeout")
        journal.probe("dns", at: 2 * day + 1, from: "up", to: "down", code: "dns_timeout")
        let local = Journal.path(.local, reason: "connect_timeout")
        journal.path(at: 2 * day + 2, from: full, to: local)
        let portal = Journal.path(.portal, reason: "portal_redirect")
        journal.path(at: 2 * day + 7000, from: local, to: portal)
        journal.path(at: 2 * day + 7100, from: portal, to: Journal.path(.partial, reason: "http_status"))
        journal.probe("web", at: 2 * day + 7100, from: "down", to: "up")
        journal.probe("dns", at: 2 * day + 7200, from: "down", to: "up")
        journal.path(at: 2 * day + 9000, from: Journal.path(.partial, reason: "http_status"), to: full)
        try journal.certificate(at: 3 * day, subject: "CN=<script>alert(1)</script>&'|*x*")
        journal.probe("a\u{1B}[31m<b>|=1+1", at: 3 * day, from: "unknown", to: "down", code: "http_status")
        journal.start(at: 4 * day)
        journal.path(at: 4 * day + 1, from: Journal.path(.unknown), to: full)
        journal.sequence += 3
        journal.other(at: 4 * day + 500)
        journal.path(at: 4 * day + 600, from: full, to: Journal.path(.none, reason: "no_route", kind: "wired"))
        return journal
    }

    private static func window() throws -> Window {
        let zone = CivilTime { $0 < 1_792_890_000 ? 7200 : 3600 }
        return try Journal.window(-2 * 3600, 5 * 86_400 - 7200, in: zone)
    }

    private static func report(slo: String? = "99.5") throws -> Report {
        let account = try journal().account(window(), aliveUntil: 5 * 86_400)
        return try #require(Report(account, objective: slo.flatMap { Objective(percent: $0) }))
    }

    private static let formats: [(String, @Sendable (Report) -> String)] = [
        ("report.txt", { $0.text() }), ("report.json", { String(decoding: $0.json(), as: UTF8.self) + "\n" }),
        ("report.csv", { $0.csv() }), ("report.md", { $0.markdown() }), ("report.html", { $0.html() }),
    ]

    @Test(arguments: 0..<5)
    func `a report in each format is the golden one`(_ number: Int) throws {
        let (name, render) = Self.formats[number]
        let text = render(try Self.report())
        #expect(text == render(try Self.report()))
        let file = Self.directory.appending(path: name)
        if ProcessInfo.processInfo.environment["REACHAGENT_RECORD_GOLDEN"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test
    func `without the verdict of a probe no format has an availability, an error budget or an MTBF`() throws {
        var journal = Journal()
        let (path, down) = (Journal.path(.unknown), Journal.path(.none, reason: "link_down"))
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: path)
        journal.path(at: 100, from: path, to: down)
        journal.path(at: 160, from: down, to: path)
        let account = try journal.account(Journal.window(0, 1000), aliveUntil: 1000)
        let report = try #require(Report(account, objective: Objective(percent: "99.5")))
        let text = report.text()
        #expect(text.contains("availability   unknown: no probe had a verdict; only losses of the path are known\n"))
        #expect(text.contains("outages        1, 1m in all"))
        #expect(!text.contains("MTBF") && !text.contains("error budget"))
        for (name, render) in Self.formats { #expect(!render(report).contains("0.000 %"), "\(name)") }
        #expect(report.markdown().contains("| default path | — | — | 1 | 1m | 1m |  | 1m | — |"))
        let json = String(decoding: report.json(), as: UTF8.self)
        for member in ["availability_percent", "availability_with_unknown_percent", "mtbf_us", "error_budget"] {
            #expect(!json.contains(member))
        }
    }

    @Test
    func `a day without a verdict has a share if another day has verdicts`() throws {
        var journal = Journal()
        let (day, down): (Int64, _) = (86_400, Journal.path(.none, reason: "link_down"))
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.path(at: day, from: Journal.path(.full), to: down)
        journal.path(at: 2 * day - 5, from: down, to: Journal.path(.unknown))
        let account = try journal.account(Journal.window(0, 2 * day), aliveUntil: 2 * day)
        let report = try #require(Report(account))
        #expect(report.text().contains("    0.000 %  23h59m"))
        #expect(report.html().contains(">0.000 %</text>"))
    }

    @Test(arguments: [(Int64(1), Int64(2)), (31, 64)])
    func `a day or month before the first probe has a loss and no share`(_ first: Int64, _ days: Int64) throws {
        var journal = Journal()
        let (path, down) = (Journal.path(.unknown), Journal.path(.none, reason: "link_down"))
        let day: Int64 = 86_400
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: path)
        journal.path(at: 100, from: path, to: down)
        journal.path(at: 160, from: down, to: path)
        journal.path(at: first * day, from: path, to: Journal.path(.full))
        let account = try journal.account(Journal.window(0, days * day), aliveUntil: days * day)
        let report = try #require(Report(account))
        let lines = report.text().split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("2026-10-01") && $0.hasSuffix("         -  1m") })
        #expect(!report.text().contains(" 0.000 %"))
        #expect(report.html().contains(">—</text>") && !report.html().contains(">0.000 %</text>"))
        #expect(report.html().contains(">100.000 %</text>"))
    }

    @Test
    func `a window in an outage has 0 per cent although no probe had a verdict in it`() throws {
        var journal = Journal()
        let (path, down) = (Journal.path(.unknown), Journal.path(.none, reason: "link_down"))
        journal.start(at: -1000)
        journal.path(at: -999, from: path, to: Journal.path(.full))
        journal.path(at: -10, from: Journal.path(.full), to: down)
        journal.path(at: 50, from: down, to: path)
        journal.path(at: 55, from: path, to: down)
        let account = try journal.account(Journal.window(0, 100), aliveUntil: 100)
        #expect(try #require(account.subjects.first).tally.percent == "0.000")
    }

    @Test
    func `a report for people and the JSON say when the agent cannot record events`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        for isDegraded in [true, false] {
            let report = try #require(Report(journal.account(Journal.window(0, 100), isDegraded: isDegraded)))
            let note = "the agent cannot record events, and nothing is known after 2026-10-01 00:00:01"
            let text = report.text().split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for rendered in [text, report.markdown(), report.html()] {
                #expect(rendered.contains("Journal: \(note)") == isDegraded, "\(rendered)")
            }
            let json = String(decoding: report.json(), as: UTF8.self)
            #expect(json.contains(#""streams_changed":0,"degraded":true}"#) == isDegraded)
        }
    }

    @Test(arguments: [Report.Selection.uplink("wlan0"), .uplink("wwan0"), .probe("web"), .probe("dns")])
    func `an account of one uplink or probe is that of all of them`(selection: Report.Selection) throws {
        let (journal, window) = (try Self.journal(), try Self.window())
        let selected = try #require(Report(journal.account(window, selection), selection))
        let all = try #require(Report(journal.account(window), selection))
        #expect(selected.all == all.all)
    }

    @Test
    func `lines add up as the events in them do`() throws {
        let journal = try Self.journal()
        var accountant = Accountant(window: try Self.window())
        for event in journal.events {
            guard let sequence = event.sequence else { continue }
            if event.content == .unknown {
                accountant.add(sequence: sequence, time: event.time)
            } else {
                let line = JSONWriter.text(of: event)
                accountant.add(line.span, type: event.knownType, sequence: sequence, time: event.time)
            }
        }
        let account = accountant.account(aliveUntil: Journal.moment(5 * 86_400))
        let expected = try Self.report().account
        #expect(account.subjects == expected.subjects)
        #expect(account.certificates == expected.certificates)
        #expect(account.coverage == expected.coverage)
    }

    @Test
    func `no line of the text is longer than 80 columns`() throws {
        for line in try Self.report().text().split(separator: "\n") { #expect(String(line).width <= 80, "\(line)") }
    }

    @Test
    func `foreign text is escaped in every format`() throws {
        let report = try Self.report()
        #expect(!report.html().contains("<script"))
        #expect(!report.html().contains("<b>"))
        #expect(!report.markdown().contains("<script"))
        for text in [report.text(), report.csv(), report.html(), report.markdown()] {
            #expect(!text.unicodeScalars.contains("\u{1B}"))
        }
        #expect(report.csv().contains("\r\nday,probe,a"))
    }

    @Test
    func `the sum of the days is the window, to the microsecond`() throws {
        let account = try Self.report().account
        for subject in account.subjects {
            #expect(subject.tally.total == account.window.duration)
            #expect(subject.days.reduce(0) { $0 + $1.total } == account.window.duration)
        }
    }

    @Test
    func `a budget is of the known time, and can be exceeded`() throws {
        let report = try Self.report(slo: "99.9")
        let tally = report.main.tally
        let objective = try #require(report.objective)
        let budget = ErrorBudget(objective, of: tally)
        #expect(budget.allowed == tally.known / 1000)
        #expect(budget.spent == tally.unavailable)
        #expect(budget.left < 0)
        #expect(report.text().contains("exceeded by"))
    }

    @Test
    func `a report on a probe has the figures and the outages of each of its points`() throws {
        var journal = Journal()
        journal.start(at: 0)
        for family in ["ipv4", "ipv6"] { journal.probe("web", family: family, at: 1, from: "unknown", to: "up") }
        journal.probe("web", family: "ipv6", at: 100, from: "up", to: "down", code: "dns_timeout")
        journal.probe("web", family: "ipv6", at: 5500, from: "down", to: "up")
        let account = try journal.account(Journal.window(0, 2 * 86_400), aliveUntil: 86_400)
        let report = try #require(Report(account, .probe("web")))
        let (text, markdown, html) = (report.text(), report.markdown(), report.html())
        #expect(text.hasPrefix("Availability of probe web\n"))
        #expect(text.contains("\nweb (ipv4)\navailability   100.000 % of the known time\n"))
        #expect(text.contains("\nweb (ipv6)\navailability   93.749 % of the known time\n"))
        #expect(text.contains("\nDAYS: web (ipv4)\n2026-10-01  ="))
        #expect(text.contains("\nDAYS: web (ipv6)\n2026-10-01  ="))
        #expect(text.contains("\nOUTAGES: web (ipv4)\nnone\n"))
        #expect(text.contains("\nOUTAGES: web (ipv6)\n 2026-10-01 00:01:40    1h30m  undetermined dns_timeout"))
        #expect(markdown.contains("\n## Outages: web (ipv4)\n\nNone.\n"))
        #expect(markdown.contains("\n## Outages: web (ipv6)\n\n| Begin |"))
        #expect(html.contains("<h2>web (ipv4)</h2>\n<dl>"))
        #expect(html.contains("<h2>Days: web (ipv6)</h2>\n<p"))
        #expect(html.contains("<h2>Outages: web (ipv4)</h2>\n<p>None."))
        #expect(html.contains("<td>dns_timeout</td>"))
    }

    /// Daylight saving ends at 01:00 UTC of 25 October, when 03:00 becomes 02:00.
    @Test(arguments: [
        (-48, "2026-10-25 02:50:00 +02:00", "2026-10-25 02:10:00 +01:00"),
        (0, "2026-10-25 02:50:00", "2026-10-25 03:10:00"),
    ])
    func `times of outages have the offset where it changes within the window`(
        _ start: Int64,
        _ begin: String,
        _ end: String
    ) throws {
        let (change, hour): (Int64, _) = (1_792_890_000, Int64(3600))
        let zone = CivilTime { $0 < change ? 2 * hour : hour }
        var journal = Journal()
        let (full, down) = (Journal.path(.full), Journal.path(.none, reason: "link_down"))
        let moment = change - Journal.epoch
        let outage = start < 0 ? moment - 600 : moment + 3000
        journal.start(at: moment - 48 * hour)
        journal.path(at: moment - 48 * hour, from: Journal.path(.unknown), to: full)
        journal.path(at: outage, from: full, to: down)
        journal.path(at: outage + 1200, from: down, to: full)
        let window = try Journal.window(moment + start * hour, moment + 24 * hour, in: zone)
        let report = try #require(Report(journal.account(window, aliveUntil: moment + 24 * hour)))
        #expect(report.text().contains("\n \(begin)      20m  wifi"))
        #expect(report.markdown().contains("| \(begin) | \(end) | 20m |"))
        #expect(report.html().contains("<td>\(begin)</td><td>\(end)</td>"))
    }

    @Test
    func `an outage says in every format whether it began earlier and how it ended`() throws {
        var journal = Journal()
        let (full, down) = (Journal.path(.full), Journal.path(.none, reason: "link_down"))
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: full)
        journal.path(at: 100, from: full, to: down)
        journal.path(at: 300, from: down, to: full)
        journal.path(at: 400, from: full, to: down)
        journal.stop(at: 500)
        journal.start(at: 600)
        let reason = "a_long_code_of_a_later_version"
        journal.path(at: 601, from: full, to: Journal.path(.none, reason: reason))
        let report = try #require(Report(journal.account(Journal.window(200, 700), aliveUntil: 700)))
        let (text, markdown, html) = (report.text(), report.markdown(), report.html())
        let lines = [
            "<2026-10-01 00:03:20    1m40s  wifi         link_down",
            " 2026-10-01 00:06:40    1m40s  wifi         link_down, then unknown: agent off",
            " 2026-10-01 00:10:01    1m39s  undetermined \(reason),",
            "                                            still going on at the end",
            "< began before the time of the report",
        ]
        for line in lines { #expect(text.contains("\(line)\n"), "\(text)") }
        #expect(markdown.contains("| 2026-10-01 00:03:20 (began earlier) | 2026-10-01 00:05:00 | 1m40s |"))
        #expect(markdown.contains("| 2026-10-01 00:06:40 | 2026-10-01 00:08:20 (then unknown: agent off) |"))
        #expect(markdown.contains("| 2026-10-01 00:11:40 (still going on at the end) |"))
        #expect(html.contains("<td>2026-10-01 00:03:20 <small>(began earlier)</small></td>"))
        #expect(html.contains("<td>2026-10-01 00:08:20 <small>(then unknown: agent off)</small></td>"))
        let records = report.csv().split(separator: "\r\n")
        #expect(records.first?.hasSuffix(",count,continued,ending") == true)
        let ends = records.filter { $0.hasPrefix("outage,") }.map { $0.split(separator: ",").suffix(2) }
        #expect(ends == [["true", "recovered"], ["false", "agent_off"], ["false", "window_end"]])
    }

    @Test
    func `a report for people says why time is unknown, the longest time first`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.suspend(60, until: 100)
        journal.stop(at: 200)
        journal.start(at: 500)
        journal.path(at: 500, from: Journal.path(.unknown), to: Journal.path(.full))
        let report = try #require(Report(journal.account(Journal.window(0, 3600), aliveUntil: 600)))
        let reasons = "50m no data, 5m agent off, 1m suspended"
        #expect(report.text().contains("\nunknown        \(reasons)\noutages        0\n"))
        #expect(report.markdown().contains("\n\nUnknown time: \(reasons)\n\n## Time\n"))
        #expect(report.html().contains("</dl>\n<p>Unknown time: \(reasons)</p>\n"))
        for reason in ["agent was off", "crashed", "suspended", "no probe", "not checked", "not set", "no data"] {
            #expect(report.html().split(separator: "<footer>").last?.contains(reason) == true, "\(reason)")
        }
        let known = try #require(Report(journal.account(Journal.window(500, 600), aliveUntil: 600)))
        #expect(!known.text().contains("\nunknown ") && !known.markdown().contains("Unknown time"))
    }

    @Test
    func `a selection has its own subjects, and one without any has no report`() throws {
        let account = try Self.report().account
        #expect(Report(account, .uplink("wwan0"))?.main.subject.kind == .uplink)
        #expect(Report(account, .uplink("wwan0"))?.others.map(\.subject.name) == ["web"])
        #expect(Report(account, .probe("web"))?.others.count == 1)
        #expect(Report(account, .probe("nothing")) == nil)
    }
}
