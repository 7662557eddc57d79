internal import AgentEvents
internal import Availability

/// The uplinks as cards, with a bar for each of the last 90 days.
extension StatusPage {
    private static let maximumCards = 20
    private static let maximumOutageDays = 30

    func writeUplinks(_ html: inout HTMLText) {
        html.raw(
            "<section id=\"all-uplinks\" aria-labelledby=\"uplinks\"><h2 id=\"uplinks\">Uplinks</h2><div class=\"grid\">"
        )
        writeDefaultPath(&html)
        let ranked = status.rankedUplinks
        for (uplink, route) in ranked.prefix(Self.maximumCards) { writeCard(of: uplink, route, &html) }
        for interface in status.unusedInterfaces.prefix(max(0, Self.maximumCards - ranked.count)) {
            writeCard(of: interface, &html)
        }
        html.raw("</div>")
        let rest = ranked.count + status.unusedInterfaces.count - Self.maximumCards
        if rest > 0 { html.element("p class=\"dim\"", "\(SummaryText.number(rest)) more: reachagent status uplinks") }
        if !content.calendars.isEmpty {
            html.raw(
                "<p class=\"dim\">A full bar is a day without an outage, a shorter one a day with outages, a dash a"
            )
            html.raw(" day without data. Shares are of the time of which something is known.</p>")
        }
        if !content.transfers.isEmpty {
            html.raw(
                "<p class=\"dim\">Throughput: the height is the median rate, a narrow bar is below the rate that is"
            )
            html.raw(" configured as good, a dash is a time without a transfer.</p>")
        }
        html.raw("</section>")
    }

    private func writeCard(
        of uplink: Uplink,
        _ route: (route: DefaultRoute, hop: DefaultRoute.NextHop)?,
        _ html: inout HTMLText
    ) {
        let metric = status.path(over: uplink)?.metric ?? route?.route.metric
        let gateway = status.path(over: uplink)?.gateway ?? route?.hop.gateway
        html.raw("<article class=\"card\"")
        html.attribute("id", "uplink-\(uplink.interface)")
        html.raw("><h3>")
        html.mark(status.obstacle(of: uplink) == nil ? Grade(uplink.connectivity) : .bad)
        html.text(uplink.interface)
        html.element("span class=\"tag\"", uplink.kind + (uplink.kindIsGuess ? "?" : ""))
        html.raw("</h3><p>")
        html.text("\(uplink.role), \(status.summary(of: uplink))")
        if let reason = uplink.reason?.probe { html.text(" (probe \(reason))") }
        html.raw("</p><p class=\"dim\">")
        let parts = [gateway.map { "gateway \($0)" }, metric.map { "metric \($0)" }].compactMap { $0 }
        html.text(parts.joined(separator: ", "))
        html.raw("</p>")
        if let url = uplink.reason?.portalURL {
            html.raw("<p>")
            html.link(url, "Log in at the captive portal")
            html.raw("</p>")
        }
        writeCalendar(content.calendars.first { $0.uplink == uplink.interface }, &html)
        writeTransfers(content.transfers[uplink.interface], &html)
        html.raw("</article>")
    }

    private func writeCard(of interface: Interface, _ html: inout HTMLText) {
        html.raw("<article class=\"card\"")
        html.attribute("id", "uplink-\(interface.name)")
        html.raw("><h3>")
        html.sign("–", "unknown")
        html.text(interface.name)
        html.element("span class=\"tag\"", interface.kind + (interface.kindIsGuess ? "?" : ""))
        html.raw("</h3><p>")
        html.text("unused, \(interface.obstacle ?? "no default route")")
        html.raw("</p>")
        writeCalendar(content.calendars.first { $0.uplink == interface.name }, &html)
        html.raw("</article>")
    }

    private func writeDefaultPath(_ html: inout HTMLText) {
        let state = status.reachability.state
        html.raw("<article class=\"card\" id=\"default-path\"><h3>")
        html.mark(Grade(connectivity: state))
        html.raw("Default path</h3><p>")
        html.text(state?.pathSummary ?? "not known yet")
        html.raw("</p><p class=\"dim\">")
        let families = [("IPv4", state?.path.ipv4), ("IPv6", state?.path.ipv6)].compactMap { name, path in
            path.map { "\(name) \($0.source ?? $0.reason ?? "")" }
        }
        html.text(families.joined(separator: ", "))
        html.raw("</p>")
        writeCalendar(content.calendars.first { $0.uplink == nil }, &html)
        writeTransfers(content.transfers[nil], &html)
        html.raw("</article>")
    }

    private func writeCalendar(_ calendar: AvailabilityCalendar?, _ html: inout HTMLText) {
        guard let calendar, let percent = calendar.share?.percent else {
            let isUnprobed = calendar?.outageCount ?? 0 > 0
            let reason = isUnprobed ? "availability unknown: no probe had a verdict" : "no history yet"
            html.element("p class=\"dim\"", content.isReading ? "the journal is being read" : reason)
            return
        }
        let bars = AvailabilityBars(calendar)
        bars.write(to: &html)
        html.raw("<p class=\"row\"><span class=\"dim\">")
        html.text("\(calendar.days.count) days")
        html.raw("</span>")
        html.element("b", "\(percent) %")
        html.raw("</p><p class=\"dim\">")
        guard calendar.outageCount > 0 else { return html.raw("no outage</p>") }
        html.text(calendar.outageCount == 1 ? "1 outage" : "\(SummaryText.number(calendar.outageCount)) outages")
        if let longest = calendar.longest {
            let duration = SummaryText.coarse(longest.duration / 1_000_000)
            let segment = longest.attribution.segment.rawValue.replacing("_", with: " ")
            html.text(calendar.outageCount == 1 ? " of " : ", longest ")
            html.text("\(duration) (\(segment), \(clock.full(longest.begin)))")
        }
        html.raw("</p>")
        writeOutageDays(bars.daysWithOutages, &html)
    }

    /// Writes the days with outages as a list, for people who cannot point at a bar.
    private func writeOutageDays(_ days: [AvailabilityCalendar.Day], _ html: inout HTMLText) {
        guard !days.isEmpty else { return }
        html.raw("<details><summary>")
        html.text(days.count == 1 ? "1 day with outages" : "\(days.count) days with outages")
        html.raw("</summary><ul>")
        for day in days.prefix(Self.maximumOutageDays) { html.element("li", AvailabilityBars.words(day)) }
        if days.count > Self.maximumOutageDays {
            html.raw("<li>")
            html.element("code", "reachagent report")
            html.raw(" has the others")
        }
        html.raw("</ul></details>")
    }
}
