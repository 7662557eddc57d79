internal import AgentEvents
internal import ForeignText
internal import FoundationEssentials
internal import Probes

/// A verdict on certificates as an operator reads it: the answer, each finding with what to do, and the chain.
struct TrustText {
    let style: TerminalStyle

    func text(_ verdict: Probes.TrustVerdict, for name: String?) -> String {
        var block = TextBlock(columns: style.columns)
        let subject = name.map { " for \(ForeignText.line($0))" } ?? ""
        if verdict.isAccepted {
            block.add("accepted\(subject)")
        } else {
            block.add("not accepted\(subject): \(verdict.code?.rawValue ?? "unknown")")
        }
        FindingText(style: style).add(verdict.findings, to: &block)
        let isValidated = !verdict.validatedChain.isEmpty
        let chain = isValidated ? verdict.validatedChain : verdict.presentedChain
        let certificates = CertificateText(style: style, date: verdict.date)
        for (index, certificate) in chain.enumerated() {
            let isAnchor = isValidated && index == chain.count - 1
            block.add()
            certificates.add(
                certificate,
                label: index == 0 ? "certificate" : isAnchor ? "trusted" : "issued by",
                isFull: true,
                to: &block
            )
        }
        if !isValidated, !chain.isEmpty { block.add("  (as presented; no chain was verified)") }
        return block.text
    }
}

/// Certificates and their chains as an operator reads them.
struct CertificateText {
    let style: TerminalStyle
    /// The time from which the remaining days are counted.
    let date: Date

    private static let labelWidth = 13

    /// The chain that was verified, or, when there is none, the one that the server presented.
    func add(_ trust: Probes.TrustVerdict, to block: inout TextBlock) {
        let isValidated = !trust.validatedChain.isEmpty
        let chain = isValidated ? trust.validatedChain : trust.presentedChain
        guard let leaf = chain.first else { return }
        block.add()
        add(leaf, label: "certificate", isFull: true, to: &block)
        for (offset, certificate) in chain.dropFirst().enumerated() {
            let isAnchor = isValidated && offset == chain.count - 2
            add(certificate, label: isAnchor ? "trusted root" : "issued by", isFull: false, to: &block)
        }
        if !isValidated {
            block.add("", "(as presented; no chain was verified)", indent: 2, labelWidth: Self.labelWidth)
        } else if let extra = unused(trust) {
            block.add("", extra, indent: 2, labelWidth: Self.labelWidth)
        }
    }

    /// One certificate with everything that is known of it.
    func add(_ certificate: CertificateDescription, label: String, isFull: Bool, to block: inout TextBlock) {
        func line(_ label: String, _ text: String) {
            block.add(label, ForeignText.line(text), indent: 2, labelWidth: Self.labelWidth)
        }
        line(label, (certificate.subject.isEmpty ? "(no subject)" : certificate.subject))
        line("", validity(certificate))
        guard isFull else { return }
        line("  names", names(certificate))
        line("  issuer", certificate.issuer)
        line("  key", "\(certificate.key), signed with \(certificate.signature)")
        line("  serial", certificate.serialNumber)
        line("  SHA-256", certificate.sha256)
        if let pin = certificate.publicKeyPin { line("  pin", pin.description) }
    }

    private func validity(_ certificate: CertificateDescription) -> String {
        guard let begin = certificate.notValidBefore, let end = certificate.notValidAfter else {
            return "validity cannot be decoded"
        }
        let span = "\(day(begin)) to \(day(end))"
        if begin > date { return "\(span), not valid yet" }
        guard let days = certificate.daysLeft(at: date) else { return span }
        switch days {
        case ..<0: return "\(span), ended \(Self.days(max(1, -days))) ago"
        default: return "\(span), \(Self.days(days)) left"
        }
    }

    private static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }

    private func day(_ date: Date) -> String { String(Timestamp(date).description.prefix(10)) }

    private func names(_ certificate: CertificateDescription) -> String {
        let names = certificate.subjectAlternativeNames
        guard !names.isEmpty else { return "none" }
        let shown = names.prefix(8).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }

    private func unused(_ trust: Probes.TrustVerdict) -> String? {
        let used = Set(trust.validatedChain.map(\.sha256))
        let count = trust.presentedChain.filter { !used.contains($0.sha256) }.count
        guard count > 0 else { return nil }
        return "(\(count) presented \(count == 1 ? "certificate is" : "certificates are") not part of the chain)"
    }
}
