internal import AgentEvents

extension Report {
    /// Returns RFC 4180 records: a `total` and a `day` for each condition that occurred, `checks` and `latency`,
    /// `download`, `upload` and `added_latency` of transfers, and each `outage`.
    public func csv() -> String {
        var records = [
            [
                "record", "kind", "subject", "begin", "end", "seconds", "condition", "segment", "code", "evidence",
                "count", "continued", "ending",
            ]
        ]
        let window = account.window
        for subject in all {
            let name = [subject.subject.kind.rawValue, subject.subject.title]
            records += Self.times("total", name, [window.start.description, window.end.description], subject.tally)
            var begin = window.start
            for (index, day) in subject.days.enumerated() {
                let end = Timestamp(microsecondsSince1970: window.end(ofDay: index))
                records += Self.times("day", name, [begin.description, end.description], day)
                begin = end
            }
            if let checks = subject.checks { records += Self.checks(checks, name, window) }
            if let transfers = subject.checks?.transfers { records += Self.transfers(transfers, name, window) }
            for outage in subject.outages {
                records.append(
                    ["outage"] + name + [
                        outage.begin.description, outage.end.description, Figures.seconds(outage.duration), "",
                        outage.attribution.segment.rawValue, outage.attribution.code,
                        Figures.evidence(outage.attribution), "", outage.isContinued ? "true" : "false",
                        outage.ending.word,
                    ]
                )
            }
        }
        let width = records[0].count
        return records.map { record in
            // The other records have nothing in the last columns.
            let fields = record.map(Self.field) + [String](repeating: "", count: width - record.count)
            return fields.joined(separator: ",") + "\r\n"
        }.joined()
    }

    private static func times(_ record: String, _ name: [String], _ times: [String], _ tally: Tally) -> [[String]] {
        Condition.allCases.compactMap { condition in
            guard tally[condition] > 0 else { return nil }
            var word = condition.word
            if case .unknown(let reason) = condition { word += ":" + reason.rawValue }
            return [record] + name + times + [Figures.seconds(tally[condition]), word, "", "", "", ""]
        }
    }

    private static func checks(_ checks: CheckFigures, _ name: [String], _ window: Window) -> [[String]] {
        let times = [window.start.description, window.end.description]
        let counts = [("ok", checks.succeeded), ("failed", checks.failed), ("not_checked", checks.notChecked)]
        let quantiles = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]
        return counts.map { ["checks"] + name + times + ["", $0.0, "", "", "", "\($0.1)"] }
            + quantiles.compactMap { word, share in
                checks.latency.quantile(share).map {
                    ["latency"] + name + times + [Figures.seconds($0), word, "", "", "", ""]
                }
            }
    }

    /// Returns the records of transfers: rates in bits per second in the column `count`, latencies in `seconds`.
    private static func transfers(_ transfers: TransferFigures, _ name: [String], _ window: Window) -> [[String]] {
        let times = [window.start.description, window.end.description]
        return [("", transfers.all), (":evening", transfers.evening)].flatMap { suffix, sketches in
            [("p50", 0.5), ("p95", 0.95)].flatMap { word, share -> [[String]] in
                let rates = [("download", sketches.download), ("upload", sketches.upload)]
                return rates.compactMap { record, rates in
                    rates.quantile(share).map { [record] + name + times + ["", word + suffix, "", "", "", "\($0)"] }
                }
                    + [sketches.added.quantile(share)].compactMap(\.self).map {
                        ["added_latency"] + name + times + [Figures.seconds($0), word + suffix, "", "", "", ""]
                    }
            }
        }
    }

    /// Returns a field of a report.
    static func field(_ text: String) -> String { CSVField.of(text, limit: 4096) }
}
