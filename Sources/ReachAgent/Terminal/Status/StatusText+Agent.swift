internal import EventEnvelope
internal import StateClient

extension StatusText {
    /// What the reader must know before believing the rest.
    var problems: [String] {
        var problems: [String] = []
        if reply.isSynchronized == false {
            problems.append("the view of the kernel is not certain: messages were lost, and all is being read again")
        }
        if let overruns = reply.overruns, let count = overruns.count, count > 0 {
            let last = overruns.last.map { ", last \(clock.text($0)), \(clock.age(of: $0))" } ?? ""
            let code = overruns.code.map { " [\(safe($0))]" } ?? ""
            problems.append("messages of the kernel were lost \(count == 1 ? "once" : "\(count) times")\(code)\(last)")
        }
        if let journal = reply.journal {
            if journal.isDegraded == true {
                let code = journal.code.map { " [\(safe($0))]" } ?? ""
                problems.append(
                    "events are not kept\(code): \(safe(journal.detail ?? "the journal cannot be written"))"
                )
            }
            if let last = journal.missing.last {
                let ranges = journal.missing.count
                let which = "\(last.firstSequence) to \(last.lastSequence)"
                let more = ranges > 1 ? " and \(ranges - 1) earlier holes" : ""
                problems.append("the journal does not have the events \(which)\(more)")
            }
        }
        if let sockets = reply.sockets, let count = sockets.connections, let limit = sockets.limit, count >= limit {
            problems.append("all \(limit) connections are in use: others are turned away")
        }
        return painted(problems.flatMap { wrapped("! \($0)", label: 2) }, .yellow)
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
        rows.append(("events", reply.lastSequence.map { "the last one is number \($0)" } ?? "not known"))
        rows.append(("journal", reply.journal.map { text($0) } ?? "none: nothing outlives the agent"))
        if let sockets = reply.sockets {
            var text = "\(sockets.connections ?? 0) of \(sockets.limit ?? 0) connections"
            if let events = sockets.events { text += ", \(safe(events))" }
            rows.append(("sockets", text))
        }
        return section("AGENT", labelled(rows))
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
        case ("interval", let interval?): text += ", on disk within \(DurationText.coarse(interval))"
        case ("never", _): text += ", on disk when the kernel sees fit"
        default: break
        }
        return text
    }

    private func wrapped(_ text: String, label: Int) -> [String] {
        var block = TextBlock(columns: style.columns)
        block.add(String(text.prefix(label)), String(text.dropFirst(label)), indent: 0, labelWidth: label)
        return block.lines
    }
}
