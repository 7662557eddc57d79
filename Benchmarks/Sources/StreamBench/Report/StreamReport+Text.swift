internal import BenchmarkKit
internal import NetworkTestbed
internal import StreamTestbed

/// The report for people.
extension StreamReport {
    /// A table for each measurement, the targets last.
    var text: String {
        var parts = [environmentText]
        if !fanOut.isEmpty { parts += [throughputText, pacedText] }
        if !edges.isEmpty { parts.append(edgesText) }
        if !recording.isEmpty { parts.append(recordingText) }
        if !replay.isEmpty { parts.append(replayText) }
        if !history.isEmpty { parts.append(historyText) }
        if !verdicts.isEmpty { parts.append("Targets\n" + Verdict.table(verdicts)) }
        return parts.joined(separator: "\n\n")
    }

    private var environmentText: String {
        var lines = [
            "Linux \(kernel), \(cores) x \(cpu), \(memoryMegabytes) MB", "\(fileSystem) at \(directory)",
        ]
        lines += peers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        lines.append("load \(loadBefore) before, \(loadAfter) after")
        return lines.joined(separator: "\n")
    }

    private static func subscribers(_ row: FanOutResult) -> String {
        row.stopped == 0 ? "\(row.subscribers)" : "\(row.subscribers)+\(row.stopped)"
    }

    private var throughputText: String {
        var table = TextTable([
            "As many as possible", "subscribers", "window", "lines/s", "lowest", "highest", "CPU us/line",
            "to the loop",
            "lines/CPU s", "bytes/line", "kB/subscriber", "after load",
        ])
        for row in fanOut {
            guard case .window(let window) = row.load else { continue }
            let floor = fanOut.first {
                $0.contender == .writeLoop && $0.subscribers == row.subscribers && $0.load == row.load
            }
            let ratio = row.cpuMicrosecondsPerLine.median / (floor?.cpuMicrosecondsPerLine.median ?? .nan)
            table.add(
                [
                    row.contender.name, Self.subscribers(row), "\(window)",
                    Figure.text(row.linesPerSecond.median, digits: 0),
                    Figure.text(row.linesPerSecond.lowest, digits: 0),
                    Figure.text(row.linesPerSecond.highest, digits: 0),
                    Figure.text(row.cpuMicrosecondsPerLine.median, digits: 2), Figure.text(ratio, digits: 2),
                    Figure.text(row.linesPerCPUSecond, digits: 0), Figure.text(row.bytesPerLine, digits: 0),
                ] + memory(row)
            )
        }
        return table.text
    }

    /// Shared by a few subscribers, the server's own memory would say nothing.
    private func memory(_ row: FanOutResult) -> [String] {
        guard row.subscribers + row.stopped >= 1000 else { return [] }
        return [
            Figure.text(row.kilobytesPerSubscriber, digits: 1),
            Figure.text(row.kilobytesPerSubscriberAfterwards, digits: 1),
        ]
    }

    private var pacedText: String {
        var table = TextTable([
            "Paced", "events/s", "subscribers", "lines/s", "p50 us", "p99 us", "max us", "CPU us/line",
        ])
        for row in fanOut {
            guard case .paced(let rate) = row.load else { continue }
            table.add([
                row.contender.name, "\(rate)", Self.subscribers(row), Figure.text(row.linesPerSecond.median, digits: 0),
                Figure.text(row.p50Microseconds, digits: 0),
                Figure.text(row.p99Microseconds, digits: 0), Figure.text(row.maxMicroseconds, digits: 0),
                Figure.text(row.cpuMicrosecondsPerLine.median, digits: 2),
            ])
        }
        return table.text
    }

    private var edgesText: String {
        var table = TextTable(["Through the agent", "socket", "subscribers", "p50 us", "p99 us", "max us", "missed"])
        for row in edges {
            table.add([
                row.edge.rawValue, row.contender.name, "\(row.subscribers)",
                Figure.text(row.p50Microseconds, digits: 0),
                Figure.text(row.p99Microseconds, digits: 0), Figure.text(row.maxMicroseconds, digits: 0),
                "\(row.missed)",
            ])
        }
        return table.text
    }

    private var recordingText: String {
        var table = TextTable([
            "Journal, fsync policy", "how", "batch", "events/s", "lowest", "highest", "of the file's", "CPU us/event",
            "MB/s",
        ])
        for row in recording {
            table.add([
                row.policy, row.kind, "\(row.batch)", Figure.text(row.appendsPerSecond.median, digits: 0),
                Figure.text(row.appendsPerSecond.lowest, digits: 0),
                Figure.text(row.appendsPerSecond.highest, digits: 0),
                Figure.text(ratioToFile(row), digits: 2), Figure.text(row.cpuMicrosecondsPerAppend, digits: 2),
                Figure.text(row.megabytesPerSecond, digits: 1),
            ])
        }
        return table.text
    }

    /// The events a second over those that are written to a file by hand.
    func ratioToFile(_ row: RecordingResult) -> Double {
        let file = recording.first { $0.kind == "file" && $0.policy == row.policy && $0.batch == row.batch }
        return row.appendsPerSecond.median / (file?.appendsPerSecond.median ?? .nan)
    }

    private var replayText: String {
        var table = TextTable([
            "Replay", "journal", "clients", "MB/s", "lowest", "highest", "CPU s", "private MB", "live p99 ms", "faults",
        ])
        for row in replay {
            table.add([
                row.name, row.form.rawValue, "\(row.clients)", Figure.text(row.megabytesPerSecond.median, digits: 0),
                Figure.text(row.megabytesPerSecond.lowest, digits: 0),
                Figure.text(row.megabytesPerSecond.highest, digits: 0),
                Figure.text(row.cpuSeconds, digits: 2), Figure.text(row.privateMegabytes, digits: 1),
                Figure.text(row.liveP99Milliseconds, digits: 2), "\(row.faults)",
            ])
        }
        return table.text
    }

    private var historyText: String {
        var table = TextTable(["To the first line", "journal", "ms", "lowest", "highest"])
        for row in history {
            table.add([
                row.name, row.form.rawValue, Figure.text(row.milliseconds.median, digits: 1),
                Figure.text(row.milliseconds.lowest, digits: 1), Figure.text(row.milliseconds.highest, digits: 1),
            ])
        }
        return table.text
    }
}
