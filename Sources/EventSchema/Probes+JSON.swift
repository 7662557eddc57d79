internal import EventEnvelope
internal import NetlinkMonitor
internal import Probes
internal import Reachability

extension Vantage {
    /// The family, unless it is any.
    var family: String? { families == .any ? nil : families.rawValue }
}

extension ProbePoint {
    /// Writes which probe, and from where; what is the usual is left out.
    func writeMembers(to json: inout JSONWriter) {
        json.member("probe", probe)
        json.member("interface", ifPresent: vantage.interface)
        json.member("family", ifPresent: vantage.family)
    }
}

extension ProbeStanding {
    /// Writes the verdict's members into an object that is open.
    func writeMembers(to json: inout JSONWriter) {
        json.member("verdict", verdict.rawValue)
        json.member("code", ifPresent: code?.rawValue)
        json.member("portal_url", ifPresent: portalURL)
        if isFlapping { json.member("flapping", true) }
    }
}

extension ConnectivityReason {
    /// Writes `{"code":…,"probe":…,"portal_url":…}`.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code)
            json.member("probe", ifPresent: probe)
            json.member("portal_url", ifPresent: portalURL)
        }
    }
}

extension Uplink {
    /// Writes `{"interface":…,"ifindex":…,"kind":…,"connectivity":…,"reason":{…},"used":…}`.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("interface", interface.name)
            json.member("ifindex", interface.index)
            json.member("kind", interface.kind.rawValue)
            if interface.kindIsGuess { json.member("kind_is_guess", true) }
            json.member("connectivity", connectivity.rawValue)
            json.member("reason", ifPresent: reason) { $1.write(to: &$0) }
            json.member("used", isUsed)
        }
    }
}

extension ProbeScheduler.Statistics {
    /// Writes `{"checks":…,"shared":…,"skipped":…,"refused":…,"longest_delay_ms":…,"bytes":{…}}`.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("checks", checks)
            json.member("shared", shared)
            json.member("skipped", skipped)
            json.member("refused", refused)
            json.member("longest_delay_ms", longestDelay.milliseconds)
            json.name("bytes")
            json.object { json in
                for (account, count) in bytes.sorted(by: { $0.key < $1.key }) {
                    json.name(of: account)
                    json.number(count)
                }
            }
        }
    }
}
