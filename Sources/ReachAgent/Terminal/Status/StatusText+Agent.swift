internal import EventEnvelope
internal import StateClient

extension StatusText {
    /// What the reader must know before believing the rest.
    var problems: [String] {
        var problems: [String] = []
        if reply.isSynchronized == false, reply.reachability.since != nil {
            problems.append("the view of the kernel is not certain: messages were lost, and all is being read again")
        }
        if reply.reachability.state?.isFlapping == true {
            problems.append("the state changes too often to be relied on [flapping]")
        }
        problems += pinProblems
        // A loss that was long ago, and made up for, is no reason to doubt what is said now.
        if let losses, let last = reply.overruns?.last, clock.now.isWithinAnHour(of: last) { problems.append(losses) }
        if let journal = reply.journal {
            if journal.isDegraded == true {
                let code = journal.code.map { " [\(safe($0))]" } ?? ""
                problems.append(
                    "events are not kept\(code): \(safe(journal.detail ?? "the journal cannot be written"))"
                )
            }
            if let missing = missing(in: journal) { problems.append(missing) }
        }
        if let sockets = reply.sockets, let count = sockets.connections, let limit = sockets.limit, count >= limit {
            problems.append("all \(limit) connections are in use: others are turned away")
        }
        return painted(problems.flatMap { wrapped("! \($0)") }, .yellow)
    }

    /// How often messages of the kernel's were lost; `nil` when none were.
    private var losses: String? {
        guard let overruns = reply.overruns, let count = overruns.count, count > 0 else { return nil }
        let code = overruns.code.map { " [\(safe($0))]" } ?? ""
        let last = moment(overruns.last, age: nil).map { ", last \($0)" } ?? ""
        let since = reply.isSynchronized == true ? "; all was read again" : ""
        return "messages of the kernel were lost \(count == 1 ? "once" : "\(count) times")\(code)\(last)\(since)"
    }

    /// Which events the journal does not have; `nil` when it has them all.
    private func missing(in journal: StatusReply.Journal) -> String? {
        guard !journal.missing.isEmpty else { return nil }
        let shown = journal.missing.suffix(3).map { hole in
            hole.firstSequence == hole.lastSequence
                ? "\(hole.firstSequence)" : kept("\(hole.firstSequence) to \(hole.lastSequence)")
        }
        let earlier = journal.missing.count - shown.count
        return "the journal lacks the events \(shown.joined(separator: ", "))"
            + (earlier > 0 ? ", and others before them" : "")
    }

    /// The agent itself.
    var agent: [String] {
        var rows: [(label: String, text: String)] = []
        if let agent = reply.agent {
            var text = "version \(safe(agent.version ?? "?"))"
            if let process = agent.processID { text += ", process \(process)" }
            if let started = moment(agent.started, age: agent.uptime) { text += ", started \(started)" }
            rows.append(("agent", text))
        }
        rows.append(("events", events))
        if let losses { rows.append(("kernel", losses)) }
        if let schedule { rows.append(("schedule", schedule)) }
        if let hooksCount { rows.append(("hooks", hooksCount)) }
        if let configuration = reply.configuration { rows.append(("configuration", text(configuration))) }
        rows.append(("journal", reply.journal.map { text($0) } ?? "none: nothing outlives the agent"))
        if let sockets = reply.sockets {
            var text = "\(sockets.connections ?? 0) of \(sockets.limit ?? 0) connections"
            if let events = sockets.events { text += ", \(safe(events))" }
            rows.append(("sockets", text))
        }
        return section("AGENT", labelled(rows))
    }

    /// What the scheduler left out; `nil` when that is nothing.
    private var schedule: String? {
        guard let schedule = reply.schedule else { return nil }
        var parts: [String] = []
        if let count = schedule.skipped, count > 0 {
            parts.append(
                "\(ProbeCountText.number(Int(clamping: count))) checks skipped, as the one before was not over"
            )
        }
        if let count = schedule.refused, count > 0 {
            parts.append(
                "\(ProbeCountText.number(Int(clamping: count))) not made: no budget left, or no cellular link allowed"
            )
        }
        guard !parts.isEmpty else { return nil }
        if let delay = schedule.longestDelay, delay > .zero { parts.append("the latest one was \(within(delay)) late") }
        return parts.joined(separator: "; ")
    }

    private func text(_ configuration: StatusReply.Configuration) -> String {
        var text = configuration.files.first.map { safe($0) } ?? "?"
        if configuration.files.count > 1 {
            let others = configuration.files.count - 1
            text += " and \(others) \(others == 1 ? "drop-in" : "drop-ins")"
        }
        if let loaded = moment(configuration.loaded, age: nil) { text += ", read \(loaded)" }
        return text
    }

    private var events: String {
        guard let last = reply.lastSequence else { return "not known" }
        return last == 0 ? "none yet" : "the last one is number \(last)"
    }

    private func text(_ journal: StatusReply.Journal) -> String {
        var text = safe(journal.directory ?? "?")
        if let oldest = journal.oldestSequence, let newest = journal.newestSequence {
            text += ", events \(oldest) to \(newest)"
        } else {
            text += ", empty"
        }
        if let bytes = journal.bytes { text += ", \(ByteCountText.of(bytes))" }
        switch (journal.sync, journal.syncInterval) {
        case ("always", _): text += ", on disk before anybody is told"
        case ("interval", let interval?): text += ", on disk within " + kept(within(interval))
        case ("never", _): text += ", on disk when the kernel sees fit"
        default: break
        }
        return text
    }

    private func within(_ interval: Duration) -> String {
        interval < .seconds(1) ? DurationText.milliseconds(interval) : DurationText.coarse(interval)
    }
}

extension Timestamp {
    /// Whether another moment is at most an hour before this one, or after it.
    fileprivate func isWithinAnHour(of other: Timestamp) -> Bool {
        let (age, overflow) = microsecondsSince1970.subtractingReportingOverflow(other.microsecondsSince1970)
        return !overflow && age < 3_600_000_000
    }
}
