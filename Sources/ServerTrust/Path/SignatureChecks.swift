internal import CheckResults
internal import ForeignText

/// The signatures that one evaluation verifies: each once, a limited number, and none after the evaluation.
///
/// A signature is the same for all certificates of one key: authorities of one name and key that sign each other in a
/// loop cost one verification for each certificate, and not one for each pair.
final class SignatureChecks {
    private struct Edge: Hashable {
        let child: ObjectIdentifier
        let key: PublicKeyPin?
    }

    static let maximum = 256
    /// The cost of a verification besides its message: some hundred microseconds.
    private static let steps = 100_000

    let budget: WorkBudget
    private var verdicts: [Edge: SignatureVerdict] = [:]

    init(budget: WorkBudget) { self.budget = budget }

    /// Verifies that the holder of the issuer's key signed `child`; nil when the budget is exceeded.
    func verdict(on child: DecodedCertificate, by issuer: DecodedCertificate) -> SignatureVerdict? {
        let edge = Edge(child: ObjectIdentifier(child), key: issuer.publicKeyPin)
        if let known = verdicts[edge] { return known }
        guard verdicts.count < Self.maximum, budget.allows(Self.steps + child.signedBytes.count) else { return nil }
        let verdict = issuer.verifiesSignature(of: child)
        verdicts[edge] = verdict
        return verdict
    }
}
