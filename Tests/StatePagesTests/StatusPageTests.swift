import AgentEvents
import Availability
import Testing

@testable import StatePages

/// The page for people.
@Suite struct StatusPageTests {
    private static func page(_ content: PageContent) -> String {
        String(decoding: StatusPage.bytes(of: content, local: \.description), as: UTF8.self)
    }

    private static func page(_ status: AgentStatus) -> String { page(PageContent(status: status)) }

    @Test func `the page shows the same as the status, without a script too`() {
        let page = Self.page(Samples.page)
        for words in [
            "<title>! edge-7: PARTIAL over wifi wlan0 (IPv4, IPv6)</title>",
            "PARTIAL over wifi wlan0 (IPv4, IPv6)</h1>",
            "wlan0<span class=\"tag\">wifi</span>", "standby, full", "portal_redirect", "#48211</small>",
            "reachagent 1.4.0",
            "9 d left", "99.976 %", "1 outage of 30 min (machine, 2026-11-23 10:00:00)", "28 ms",
            "2026-11-23: 97.916 %",
            "full → partial (http_status api)",
        ] {
            #expect(page.contains(words), "\(words)")
        }
    }

    @Test func `the page names the interface of each family where they differ`() {
        var status = Samples.status
        status.reachability.state?.path.ipv6?.interface = "eth0"
        status.reachability.state?.path.ipv6?.via = .wired
        let page = Self.page(status)
        #expect(page.contains("PARTIAL over wifi wlan0 (IPv4), wired eth0 (IPv6)</h1>"))
        #expect(page.contains("Default path</h3><p>wifi wlan0 (IPv4), wired eth0 (IPv6)</p>"))
    }

    @Test func `foreign text is escaped, and links only to the web`() {
        var content = Samples.page
        content.status.reachability.state?.portalURL = "javascript:alert(1)"
        content.status.probes[0].detail = "<script>alert(1)</script>\u{202E}'\""
        content.status.uplinks[0].interface = "\"><img src=x onerror=alert(1)>"
        content.timeline[0].interfaces = ["\"><img src=x onerror=alert(1)>"]
        content.timeline[0].summary.detail = "<svg onload=alert(1)>"
        content.status.agent?.host = "</title><script>"
        let page = Self.page(content)
        #expect(!page.contains("<script>alert") && !page.contains("href=\"javascript") && !page.contains("\u{202E}"))
        #expect(!page.contains("<img") && !page.contains("<svg onload") && !page.contains("</title><script>"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}&#39;&quot;"))
        content.status.reachability.state?.portalURL = "https://login.example/?a=\"><b>"
        #expect(Self.page(content).contains("href=\"https://login.example/?a=&quot;&gt;&lt;b&gt;\""))
    }

    @Test func `the policy allows the page's own style and script, and no others`() {
        let policy = StatusPage.contentSecurityPolicy
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(!policy.contains("unsafe") && !policy.contains("\n"))
        #expect(!StatusPage.script.contains("</") && !StatusPage.style.contains("</"))
        #expect(!Self.page(Samples.page).contains(" style=") && !Self.page(Samples.page).contains(" onclick"))
    }

    @Test func `the version of the page is a part of it, and not what an extension adds to the document`() throws {
        let page = Self.page(Samples.page)
        let code = try #require(page.firstMatch(of: /<main [^>]*data-code="([A-Za-z0-9+\/=]{44})"/)).1
        #expect(Self.page(Samples.status).contains(" data-code=\"\(code)\""))
        #expect(StatusPage.script.contains("fresh.dataset.code !== main.dataset.code"))
        // The first style or script of a document may be that of an extension: the page would load itself without end.
        #expect(!StatusPage.script.contains("'style'") && !StatusPage.script.contains("'script'"))
    }

    @Test(arguments: [("Z", 0), ("+00:00", 0), ("+01:00", 3_600_000), ("+05:45", 20_700_000), ("-09:30", -34_200_000)])
    func `the script has the agent's time zone, and uses no other`(zone: String, milliseconds: Int) {
        let page = StatusPage.bytes(of: Samples.page) { "\($0.description.dropLast())\(zone)" }
        #expect(String(decoding: page, as: UTF8.self).contains(" data-offset=\"\(milliseconds)\""))
        #expect(!StatusPage.script.contains("Intl") && !StatusPage.script.contains("toLocale"))
    }

    @Test func `an agent that knows nothing yet has a page too`() {
        var status = Samples.status
        status.reachability = .init(
            state: ReachabilityState(via: .unknown, afStatus: -1, path: .init(Path(via: .unknown)))
        )
        (status.probes, status.uplinks, status.journal) = ([], [], nil)
        let page = Self.page(status)
        #expect(page.contains("UNKNOWN: the kernel has not answered yet"))
        #expect(page.contains("No probe is configured"))
        #expect(page.contains("no history yet") && page.contains("No change yet"))
        #expect(page.contains("none: events are lost when the agent ends"))
        // A number that is not known is not made up.
        let main = page.split(separator: "<main").last?.split(separator: "<script>").first ?? ""
        #expect(!main.isEmpty && !main.contains(" %"))
    }

    @Test func `a page says that the journal is being read, and that there will be more`() {
        let page = Self.page(PageContent(status: Samples.status, isReading: true))
        #expect(page.contains(" data-reading>") && page.contains("The journal is being read."))
        #expect(!page.contains("no history yet") && !page.contains("No change yet"))
        #expect(!Self.page(Samples.page).contains(" data-reading"))
    }

    @Test func `problems of the agent have the words of the status`() {
        var status = Samples.status
        status.isSynchronized = false
        status.journal?.isDegraded = true
        status.journal?.code = "no_space"
        status.journal?.detail = "No space left on device"
        let page = Self.page(status)
        #expect(page.contains("kernel messages were lost: resynchronizing, the state may be out of date"))
        #expect(page.contains("events are not recorded [no_space]: No space left on device; see "))
        #expect(page.contains("<code>df -h /var/lib/reachagent/journal</code>"))
        #expect(!Self.page(Samples.status).contains("Problems of the agent"))
    }

    @Test func `sinks are shown with their shipped events`() {
        var status = Samples.status
        status.sinks = [
            SinkStatus(
                name: "a<b",
                broker: "tls://nats.example.org",
                state: .connected,
                acknowledged: 41,
                pending: 2,
                lost: 1
            ),
            SinkStatus(name: "home", broker: "mqtt://mqtt.example.org", state: .waiting, code: "broker_denied"),
        ]
        let page = Self.page(status)
        #expect(
            page.contains(
                "<dt>Sink a&lt;b</dt><dd>connected to tls://nats.example.org, shipped through #41, 2 waiting, 1 lost</dd>"
            )
        )
        #expect(page.contains("<dt>Sink home</dt><dd>waiting for mqtt://mqtt.example.org [broker_denied]</dd>"))
        #expect(page.contains("no connection to the broker of the sink home [broker_denied]"))
        #expect(!Self.page(Samples.status).contains("Sink "))
    }

    @Test func `lists are bounded, and say how many are not shown`() {
        var status = Samples.status
        status.probes = (0..<500).map { Samples.probe("p\($0)", verdict: "up", latency: 1) }
        status.probesOmitted = 9500
        status.uplinks = (0..<100).map {
            Uplink(interface: "eth\($0)", interfaceIndex: UInt32($0), kind: "wired", connectivity: .full, isUsed: false)
        }
        let page = Self.page(status)
        #expect(page.contains("9,800 more: reachagent status probes"))
        #expect(page.contains("80 more: reachagent status uplinks"))
        #expect(page.utf8.count < 700_000)
    }
}

/// The figures of the page, as shapes and as words.
@Suite struct PageFigureTests {
    private static func bars(_ calendar: AvailabilityCalendar) -> String {
        var html = HTMLText()
        AvailabilityBars(calendar).write(to: &html)
        return String(decoding: html.bytes, as: UTF8.self)
    }

    @Test func `a day without data, one with an outage and a good one have different shapes`() throws {
        let calendar = try Samples.calendar(days: [nil, 0.5, 1, 0])
        let svg = Self.bars(calendar)
        #expect(
            svg.contains("<rect class=\"none\" x=\"0\" y=\"15\" width=\"3\" height=\"2\"><title>2026-11-20: no data<")
        )
        #expect(svg.contains("<rect class=\"less\" x=\"4\" y=\"18\" width=\"3\" height=\"14\">"))
        #expect(svg.contains("<title>2026-11-21: 50.000 %, outages 12 h</title>"))
        #expect(svg.contains("<rect class=\"full\" x=\"8\" y=\"0\" width=\"3\" height=\"32\">"))
        #expect(svg.contains("<rect class=\"less\" x=\"12\" y=\"29\" width=\"3\" height=\"3\">"))
        let words = "50.000 % available in 4 days; 2 days with outages, 1 day without data"
        #expect(svg.contains("role=\"img\" aria-label=\"\(words)\""))
    }

    @Test func `a day with the shortest outage is shorter than one without`() throws {
        let svg = Self.bars(try Samples.calendar(days: [0.999_999]))
        #expect(svg.contains("height=\"24\"><title>2026-11-23: 99.999 %, outages less than a second"))
    }

    @Test(arguments: [
        (1000, 0, "0 %"), (100_000, 1, "&lt; 0.1 %"), (99, 1, "1.0 %"), (1, 100_000, "&gt; 99.9 %"), (0, 3, "100 %"),
        (0, 0, "–"),
    ])
    func `loss is never rounded to none or to all`(_ succeeded: Int, _ failed: Int, _ text: String) {
        var content = Samples.page
        let point = ProbePoint(probe: "api", interface: nil, family: nil)
        content.latency[point] = [
            RecentLatency.Hour(start: Samples.hour(0), succeeded: succeeded, failed: failed, latency: .init())
        ]
        let page = String(decoding: StatusPage.bytes(of: content, local: \.description), as: UTF8.self)
        let row = page.split(separator: "id=\"probe-api\"").last?.prefix(6000) ?? ""
        #expect(row.contains("data-label=\"Loss\">\(text)</td>"))
    }

    @Test func `an hour has its band, a failure a triangle, and an hour without a check a dash`() {
        var latency = ExponentialHistogram()
        for duration in [20_000, 21_000, 22_000, 90_000] as [Int64] { latency.add(microseconds: duration) }
        let hours = [RecentLatency.Hour(start: Samples.hour(0), succeeded: 4, failed: 2, latency: latency)]
        var html = HTMLText()
        LatencyBand(hours, PageClock(now: Samples.time, local: \.description)).write(to: &html)
        let svg = String(decoding: html.bytes, as: UTF8.self)
        #expect(svg.contains("<title>14:00: p50 21"))
        #expect(svg.contains("6 checks, 2 failed</title><rect class=\"range\" x=\"92\" y=\"2\""))
        #expect(svg.contains("<path class=\"fail\""))
        #expect(svg.split(separator: "class=\"none\"").count == 24)
        #expect(svg.contains("aria-label=\"last 24 hours: median 21"))
        #expect(svg.contains("loss 33.3 %"))
    }
}

/// The newest changes.
@Suite struct TimelineTests {
    private static func edge(_ sequence: UInt64) -> AgentEvent {
        let up = Path(via: .wired, interface: "eth0", kind: "wired")
        let down = Path(via: .none, reason: "link_down", interface: "eth0", kind: "wired")
        let change = StateChange(
            from: ReachabilityState(via: .wired, afStatus: 2, path: .init(up)),
            to: ReachabilityState(via: .none, afStatus: 0, reason: "link_down", path: .init(down)),
            cause: ChangeCause(kind: "link", code: "link_down", interface: "eth0"),
            observed: Samples.time
        )
        return Samples.event("path.changed", sequence, .pathChanged(change))
    }

    @Test func `a storm of edges evicts no settled change`() throws {
        var timeline = Timeline()
        for entry in Samples.changes.reversed() { timeline.add(entry) }
        for sequence in 50_000..<60_000 as Range<UInt64> { timeline.add(Self.edge(sequence)) }
        let entries = timeline.entries
        #expect(entries.count == Samples.changes.count + Timeline.maximumFrequent)
        #expect(entries.first?.sequence == 59_999)
        #expect(entries.map(\.sequence) == entries.map(\.sequence).sorted(by: >))
        #expect(Set(Samples.changes.compactMap(\.sequence)).isSubset(of: entries.map(\.sequence)))
    }

    @Test func `an entry names its kind, its uplinks and its probe`() throws {
        let entries = Samples.changes.compactMap(TimelineEntry.init)
        let probe = try #require(entries.first { $0.kind == "probe" })
        #expect(probe.probe == "api" && probe.interfaces == ["wwan0"])
        let path = try #require(TimelineEntry(Self.edge(1)))
        #expect(path.kind == "path" && path.interfaces == ["eth0"])
    }

    @Test func `entries with summaries keep the order of their events`() {
        var timeline = Timeline()
        for event in Samples.changes.reversed() { timeline.add(event) }
        let entries = timeline.entries
        timeline.keep(entries)
        timeline.add(Self.edge(60_000))
        #expect(timeline.entries == [TimelineEntry(Self.edge(60_000))].compactMap(\.self) + entries)
    }

    @Test func `summaries and events without a number are not shown`() {
        var event = Self.edge(1)
        event.sequence = nil
        #expect(TimelineEntry(event) == nil)
        #expect(!Timeline.shows(.probeSummary) && !Timeline.shows(.agentHello) && !Timeline.shows(nil))
    }
}
