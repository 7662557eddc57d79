internal import AgentEvents

extension Report {
    /// Returns one JSON object on one line.
    ///
    /// Durations are whole microseconds; members that do not apply are absent.
    public func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("from", account.window.start)
            json.member("to", account.window.end)
            json.member("window_us", account.window.duration)
            json.name("journal")
            write(account.coverage, to: &json)
            json.name("subjects")
            json.array(all) { write($1, to: &$0) }
            json.name("certificates")
            json.array(account.certificates) { json, notice in
                json.object { json in
                    json.member("probe", notice.probe)
                    json.member("subject", notice.subject)
                    json.member("sha256", notice.sha256)
                    json.member("not_after", notice.notAfter)
                    json.member("threshold", notice.threshold)
                    json.member("reported", notice.reported)
                    json.member("seq", notice.sequence)
                }
            }
        }
        return json.bytes
    }

    private func write(_ coverage: Coverage, to json: inout JSONWriter) {
        json.object { json in
            json.member("first", ifPresent: coverage.first) { $1.write(to: &$0) }
            json.member("last", ifPresent: coverage.last) { $1.write(to: &$0) }
            json.member("events", coverage.events)
            json.member("missing", coverage.missing)
            json.member("duplicates", coverage.duplicates)
            json.member("crashes", coverage.crashes)
            json.member("clock_steps", coverage.clockSteps)
            json.member("repeated_us", coverage.repeated)
            json.member("streams_changed", coverage.streams)
            if coverage.isDegraded { json.member("degraded", true) }
            if account.subjectsOmitted { json.member("subjects_omitted", true) }
        }
    }

    private func write(_ account: SubjectAccount, to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", account.subject.kind.rawValue)
            json.member("name", account.subject.name)
            json.member("interface", ifPresent: account.subject.interface)
            json.member("family", ifPresent: account.subject.family)
            json.name("time_us")
            write(account.tally, to: &json)
            json.member("availability_percent", decimal: account.tally.percent)
            json.member("availability_with_unknown_percent", decimal: account.tally.lowestPercent)
            json.member("outage_count", account.outageCount)
            json.member("longest_us", ifPresent: account.longest?.duration) { $0.number($1) }
            json.member("mtbf_us", ifPresent: account.meanTimeBetweenFailures) { $0.number($1) }
            json.member("mttr_us", ifPresent: account.meanTimeToRepair) { $0.number($1) }
            json.member("error_budget", ifPresent: budget(of: account)) { json, budget in
                json.object { json in
                    json.member("objective_percent", decimal: budget.objective.percent)
                    json.member("allowed_us", budget.allowed)
                    json.member("spent_us", budget.spent)
                    json.member("left_us", budget.left)
                }
            }
            json.member("checks", ifPresent: account.checks) { write($1, to: &$0) }
            json.member("transfers", ifPresent: account.checks?.transfers) { write($1, to: &$0) }
            json.name("days")
            json.array(zip(self.account.window.days, account.days)) { json, day in
                json.object { json in
                    json.member("day", day.0.description)
                    json.name("time_us")
                    write(day.1, to: &json)
                }
            }
            json.name("outages")
            json.array(account.outages) { write($1, to: &$0) }
        }
    }

    private func write(_ tally: Tally, to json: inout JSONWriter) {
        json.object { json in
            for condition in Condition.allCases.prefix(5) {
                json.name(of: condition.word)
                json.number(tally[condition])
            }
            json.member("unknown", tally.unknown)
            guard tally.unknown > 0 else { return }
            json.name("unknown_by_reason")
            json.object { json in
                for reason in Condition.UnknownReason.allCases where tally[.unknown(reason)] > 0 {
                    json.name(of: reason.rawValue)
                    json.number(tally[.unknown(reason)])
                }
            }
        }
    }

    private func write(_ checks: CheckFigures, to json: inout JSONWriter) {
        json.object { json in
            json.member("ok", checks.succeeded)
            json.member("failed", checks.failed)
            json.member("not_checked", checks.notChecked)
            json.member("loss_percent", decimal: Figures.loss(checks))
            guard checks.latency.count > 0 else { return }
            json.member("p50_us", ifPresent: checks.latency.quantile(0.5)) { $0.number($1) }
            json.member("p95_us", ifPresent: checks.latency.quantile(0.95)) { $0.number($1) }
            json.member("p99_us", ifPresent: checks.latency.quantile(0.99)) { $0.number($1) }
            json.member("latency", encoding: checks.latency)
        }
    }

    private func write(_ transfers: TransferFigures, to json: inout JSONWriter) {
        json.object { json in
            writeMeasures(of: transfers.all, to: &json)
            if !transfers.evening.isEmpty {
                json.name("evening")
                json.object { writeMeasures(of: transfers.evening, to: &$0) }
            }
            json.member("evenings", ifPresent: transfers.delivery) { json, delivery in
                json.object { json in
                    json.member("count", delivery.evenings)
                    json.member("short", delivery.shortEvenings)
                    json.member("good_bps", delivery.good)
                    json.member("delivered_bps", delivery.delivered)
                }
            }
            json.member("sketches", encoding: transfers.all)
        }
    }

    private func writeMeasures(of sketches: TransferSketches, to json: inout JSONWriter) {
        func write(_ name: StaticString, _ values: ExponentialHistogram, isRate: Bool) {
            guard let median = values.quantile(0.5), let high = values.quantile(0.95) else { return }
            json.name(name)
            json.object { json in
                json.member("count", values.count)
                json.member(isRate ? "p50_bps" : "p50_us", median)
                json.member(isRate ? "p95_bps" : "p95_us", high)
            }
        }
        write("download", sketches.download, isRate: true)
        write("upload", sketches.upload, isRate: true)
        write("added_latency", sketches.added, isRate: false)
    }

    private func write(_ outage: Outage, to json: inout JSONWriter) {
        json.object { json in
            json.member("begin", outage.begin)
            json.member("end", outage.end)
            json.member("duration_us", outage.duration)
            if outage.isContinued { json.member("continued", true) }
            json.member("ending", outage.ending.word)
            json.member("segment", outage.attribution.segment.rawValue)
            json.member("code", outage.attribution.code)
            json.member("interface", ifPresent: outage.attribution.interface)
            json.name("evidence")
            json.array(outage.attribution.evidence) { json, fact in
                json.object { json in
                    json.member("kind", fact.kind.rawValue)
                    json.member("code", fact.code)
                    json.member("subject", ifPresent: fact.subject)
                    json.member("seq", fact.sequence)
                }
            }
            guard !outage.attribution.missing.isEmpty else { return }
            json.name("missing")
            json.array(outage.attribution.missing) { $0.string($1.rawValue) }
        }
    }
}

extension JSONWriter {
    /// Writes a member whose value is a number with exactly these digits, or nothing.
    package mutating func member(_ name: StaticString, decimal digits: String?) {
        member(name, ifPresent: digits) { $0.value(Array($1.utf8)) }
    }
}
