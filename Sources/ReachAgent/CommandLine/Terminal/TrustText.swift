internal import ForeignText
internal import Probes

/// A verdict on certificates as an operator reads it: the answer, each finding with what to do, and the chain.
struct TrustText {
    let style: TerminalStyle

    func text(_ verdict: TrustVerdict, for name: String?) -> String {
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
