internal import ForeignText
internal import FoundationEssentials
internal import FuzzKit

@testable import ServerTrust

/// Whole chains, in PEM or as DER in a row: the server's certificate first, the trusted root last.
enum FuzzChains {
    private static let date = Date(timeIntervalSince1970: 1_798_761_600)

    static func run(_ input: [UInt8]) {
        let blocks = CertificateFile.blocks(in: input)
        let presented = blocks.isEmpty ? split(input) : blocks
        guard let root = presented.last else { return }
        let plain = evaluate(presented, root, SecurityPolicy())
        let pins = [presented.first, root].compactMap(\.self).compactMap { try? PinnedCertificate(der: $0) }
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            let pinned = evaluate(presented, root, SecurityPolicy(pinningMode: mode, pinnedCertificates: pins))
            require(plain.isAccepted || !pinned.isAccepted, "pins of mode \(mode) accept what is refused without them")
        }
        let lenient = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: pins,
            allowsInvalidCertificates: true,
            validatesDomainName: false
        )
        _ = evaluate(presented, root, lenient)
        _ = evaluate(presented, root, SecurityPolicy(isStrict: true))
    }

    private static func evaluate(_ presented: [[UInt8]], _ root: [UInt8], _ policy: SecurityPolicy) -> TrustVerdict {
        let evaluator = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: [root]))
        func verdict(_ budget: WorkBudget) -> TrustVerdict {
            evaluator.evaluate(presented: presented, identity: .name("host.test"), at: date, within: budget)
        }
        // Cut short first, so that nothing is remembered.
        let short = verdict(WorkBudget(deadline: nil, steps: 150_000))
        let whole = verdict(.unlimited())
        require(
            short.code == .tlsPathBudget || short.isAccepted == whole.isAccepted,
            "an evaluation that was cut short guessed"
        )
        require((whole.code == nil) == whole.isAccepted, "a verdict without its code")
        require(!whole.isAccepted || policy.allowsInvalidCertificates || !whole.validatedChain.isEmpty, "no path")
        for finding in whole.findings + short.findings {
            require(
                finding.subject.utf8.count <= 4003 && finding.evidence.utf8.count <= 4003,
                "a finding without a bound"
            )
            require(
                !"\(finding)".unicodeScalars.contains(where: ForeignText.isActive),
                "a finding that acts: \(finding)"
            )
        }
        return whole
    }

    /// DER values one behind the other; what has no length that fits is the last one.
    private static func split(_ input: [UInt8]) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var rest = input[...]
        while rest.count >= 2 {
            let first = Int(rest[rest.startIndex + 1])
            let width = first < 0x80 ? 0 : first & 0x7F
            let digits = rest.dropFirst(2).prefix(width)
            let length = first < 0x80 ? first : digits.reduce(0) { min($0 << 8 | Int($1), input.count) }
            let size = min(rest.count, 2 + width + length)
            values.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return values
    }
}
