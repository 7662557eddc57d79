/// What a check came to.
public enum CheckVerdict: Sendable, Hashable {
    /// The target answered as expected.
    case ok
    /// The target, or something on the way to it, is at fault.
    case failed(FindingCode, Phase)
    /// This machine is at fault, so nothing is known about the target.
    case unknown(FindingCode, Phase)

    /// Why the check did not succeed; nil when it did.
    public var code: FindingCode? {
        switch self {
        case .ok: nil
        case .failed(let code, _), .unknown(let code, _): code
        }
    }

    /// Where the check ended when it did not succeed; nil when it did.
    public var phase: Phase? {
        switch self {
        case .ok: nil
        case .failed(_, let phase), .unknown(_, let phase): phase
        }
    }
}
