internal import BenchmarkKit
internal import NetworkTestbed
internal import StreamTestbed

/// The report for people.
extension HTTPReport {
    /// A table for each measurement, the targets last.
    var text: String {
        var parts = [environmentText]
        if !scrapes.isEmpty { parts.append(scrapesText) }
        if !streams.isEmpty { parts += [throughputText, pacedText] }
        if !idle.isEmpty { parts.append(idleText) }
        if !verdicts.isEmpty { parts.append("Targets\n" + Verdict.table(verdicts)) }
        return parts.joined(separator: "\n\n")
    }

    private var environmentText: String {
        let lines = peers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return ([environment.text] + lines).joined(separator: "\n")
    }

    private var scrapesText: String {
        var table = TextTable([
            "/metrics, \(probes) probes", "samples", "bytes", "scrapes/s", "lowest", "highest", "CPU us/scrape",
            "lowest", "highest", "CPU ns/sample", "p50 us", "p99 us", "RSS kB",
        ])
        for row in scrapes {
            table.add([
                row.server, "\(row.samples)", "\(row.bytes)", Figure.text(row.scrapesPerSecond.median, digits: 0),
                Figure.text(row.scrapesPerSecond.lowest, digits: 0),
                Figure.text(row.scrapesPerSecond.highest, digits: 0),
                Figure.text(row.cpuMicroseconds.median, digits: 0), Figure.text(row.cpuMicroseconds.lowest, digits: 0),
                Figure.text(row.cpuMicroseconds.highest, digits: 0),
                Figure.text(row.cpuMicroseconds.median * 1000 / Double(row.samples), digits: 0),
                Figure.text(row.p50Microseconds, digits: 0), Figure.text(row.p99Microseconds, digits: 0),
                "\(row.residentKilobytes)",
            ])
        }
        return ([table.text] + ratios).joined(separator: "\n")
    }

    /// Our CPU time for a scrape beside each peer's.
    private var ratios: [String] {
        scrapes.filter(\.isOurs).map { row in
            let peers = scrapes.filter { !$0.isOurs }.map { peer in
                let ratio = row.cpuMicroseconds.median / peer.cpuMicroseconds.median
                return "\(Figure.text(ratio, digits: 2)) of \(peer.server)'s"
            }
            return "  CPU for a scrape, \(row.server): \(peers.isEmpty ? "-" : peers.joined(separator: ", "))"
        }
    }

    private static func streams(_ row: FanOutResult) -> String {
        row.stopped == 0 ? "\(row.subscribers)" : "\(row.subscribers)+\(row.stopped)"
    }

    private var throughputText: String {
        var table = TextTable([
            "As many as possible", "streams", "window", "lines/s", "CPU us/line", "lowest", "highest", "lines/CPU s",
            "of events.sock's", "bytes/line", "kB/stream", "after load",
        ])
        for row in streams {
            guard case .window(let window) = row.load else { continue }
            table.add([
                row.contender.name, Self.streams(row), "\(window)", Figure.text(row.linesPerSecond.median, digits: 0),
                Figure.text(row.cpuMicrosecondsPerLine.median, digits: 3),
                Figure.text(row.cpuMicrosecondsPerLine.lowest, digits: 3),
                Figure.text(row.cpuMicrosecondsPerLine.highest, digits: 3),
                Figure.text(row.linesPerCPUSecond, digits: 0), Figure.text(ratioToEvents(row), digits: 2),
                Figure.text(row.bytesPerLine, digits: 0), Figure.text(row.kilobytesPerSubscriber, digits: 1),
                Figure.text(row.kilobytesPerSubscriberAfterwards, digits: 1),
            ])
        }
        return table.text
    }

    private var pacedText: String {
        var table = TextTable(["Paced", "events/s", "streams", "lines/s", "p50 us", "p99 us", "max us", "CPU us/line"])
        for row in streams {
            guard case .paced(let rate) = row.load else { continue }
            table.add([
                row.contender.name, "\(rate)", Self.streams(row), Figure.text(row.linesPerSecond.median, digits: 0),
                Figure.text(row.p50Microseconds, digits: 0), Figure.text(row.p99Microseconds, digits: 0),
                Figure.text(row.maxMicroseconds, digits: 0), Figure.text(row.cpuMicrosecondsPerLine.median, digits: 2),
            ])
        }
        return table.text
    }

    private var idleText: String {
        var table = TextTable([
            "Idle, medians", "RSS kB", "lowest", "highest", "PSS kB", "dirty kB", "lowest", "highest", "threads",
            "wake-ups in \(idleSeconds) s, all together",
        ])
        for row in idle {
            let resident = row.residentKilobytes
            let dirty = row.privateDirtyKilobytes
            let figures = [
                resident.median, resident.lowest, resident.highest, row.proportionalKilobytes.median, dirty.median,
                dirty.lowest, dirty.highest,
            ]
            table.add(
                [row.port.rawValue] + figures.map { Figure.text($0, digits: 0) } + ["\(row.threads)", "\(row.wakeUps)"]
            )
        }
        return table.text
    }
}
