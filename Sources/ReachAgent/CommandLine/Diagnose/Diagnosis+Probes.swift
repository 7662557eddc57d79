internal import AgentEvents
internal import Hooks
internal import Probes
internal import Reachability

// Connection, TLS and response: the layers that the probes check.

extension Diagnosis {
    /// The sections of the layers that only checks can judge.
    static func probeSections(_ evidence: DiagnosisEvidence) -> [Section] {
        let probes = ProbeEvidence(evidence)
        guard probes.count > 0 else {
            let others = [Layer.tls, .response].map { Section($0, .notChecked, "no check was made") }
            return [Section(.connection, .notChecked, absence(evidence))] + others
        }
        return [connection(probes), tls(probes), response(probes)]
    }

    /// The section of the connection if a requested check has no result; `nil` if each has one, or if others are broken.
    static func unfinished(_ sections: [Section], _ evidence: DiagnosisEvidence) -> Section? {
        guard evidence.checks.contains(where: { $0.report == nil }) else { return nil }
        return sections.first { $0.layer == .connection && $0.verdict == .notChecked }
    }

    /// The reason that no check result is available.
    private static func absence(_ evidence: DiagnosisEvidence) -> String {
        let byHand = "'reachagent diagnose https://www.example.org/' makes a check"
        switch evidence.agent {
        case .success?: return "the agent makes no check: no probe is configured, or none has a path; \(byHand)"
        case .failure(.notPermitted)?: return "this user may not ask the agent; \(byHand)"
        case .failure?: return "no agent answers; \(byHand)"
        case nil: return outOfTime
        }
    }

    private static func connection(_ probes: ProbeEvidence) -> Section {
        let unfinished = probes.unfinished.map { Fact($0, "not checked to its end before the deadline") }
        let section = section(.connection, probes, unfinished)
        if let section, section.verdict == .error || unfinished.isEmpty { return section }
        if let first = probes.unfinished.first {
            let rest = unfinished.count > 1 ? " (and \(unfinished.count - 1) more)" : ""
            return Section(
                .connection,
                .notChecked,
                "\(first)\(rest): not checked to its end before the deadline",
                next: [AgentEvents.ProbePoint(probe: first).command.text],
                facts: section?.facts ?? unfinished
            )
        }
        // A check that fails in a handshake or for its response has a connection.
        let isConnected = probes.upCount > 0 || [Layer.tls, .response].contains { !probes.failures(in: $0).isEmpty }
        guard isConnected else {
            let isUnresolved = probes.failures(in: .resolver).filter(\.isLoss).count == probes.count
            let reason = isUnresolved ? ": the names do not resolve" : ""
            return Section(.connection, .notChecked, "no check got as far\(reason)")
        }
        return Section(.connection, .ok, "\(counted(probes)); no check fails to connect")
    }

    private static func tls(_ probes: ProbeEvidence) -> Section {
        let certificates = probes.certificates.sorted {
            ($0.certificate.daysLeft ?? .max) < ($1.certificate.daysLeft ?? .max)
        }
        let facts = certificates.prefix(4).map { probe, certificate in
            Fact(probe, "\(certificate.subject ?? "a certificate"): \(days(certificate.daysLeft))")
        }
        if let section = section(.tls, probes, facts) { return section }
        if let (probe, certificate) = certificates.first(where: \.certificate.isExpiring),
            let left = certificate.daysLeft
        {
            return Section(
                .tls,
                .warning,
                "the certificate of \(probe) \(expiry(left))",
                code: left < 0 ? FindingCode.tlsExpired.rawValue : ProblemCode.certificateExpiring.rawValue,
                next: ["# \(FindingCode.tlsExpired.remedy)"],
                facts: facts
            )
        }
        guard !certificates.isEmpty || probes.count == probes.upCount else {
            return Section(.tls, .notChecked, "no certificate is known")
        }
        guard !certificates.isEmpty else { return Section(.tls, .ok, "no check fails in a handshake") }
        return Section(.tls, .ok, "the certificates are accepted", facts: facts)
    }

    private static func response(_ probes: ProbeEvidence) -> Section {
        if let section = section(.response, probes) { return section }
        guard probes.upCount > 0 else { return Section(.response, .notChecked, "no check got as far as a response") }
        return Section(.response, .ok, counted(probes))
    }

    private static func counted(_ probes: ProbeEvidence) -> String {
        "\(probes.upCount) of \(probes.count) probes are up" + (probes.isCut ? " (more are not shown)" : "")
    }

    private static func days(_ left: Int?) -> String {
        guard let left else { return "end of validity unknown" }
        return left < 0 ? "expired" : "\(count(left)) left"
    }

    private static func expiry(_ left: Int) -> String { left < 0 ? "has expired" : "expires in \(count(left))" }

    private static func count(_ days: Int) -> String {
        days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }

    /// The section of a layer in which probes fail; `nil` where none does.
    private static func section(_ layer: Layer, _ probes: ProbeEvidence, _ more: [Fact] = []) -> Section? {
        let failures = probes.failures(in: layer).sorted { $0.isLoss && !$1.isLoss }
        guard let first = failures.first else { return nil }
        let code = FindingCode(rawValue: first.code)
        let sentence = code?.sentence ?? ReasonCode(rawValue: first.code)?.sentence ?? first.code
        let rest = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
        var next = first.loginPage.map { ["# log in at \($0)"] } ?? []
        next.append(first.command)
        // A URL of the command line has options, a probe of the configuration has keys.
        let isURL = first.probe.firstRange(of: "://") != nil
        if let code { next.append("# \(isURL ? code.remedy : code.configuredRemedy)") }
        return Section(
            layer,
            first.isLoss ? .error : .warning,
            "\(first.name)\(rest): \(sentence)",
            code: first.code,
            next: next,
            facts: failures.map { Fact($0.name, [$0.code, $0.detail].compactMap(\.self).joined(separator: ": ")) }
                + more
        )
    }
}
