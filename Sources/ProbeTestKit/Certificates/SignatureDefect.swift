/// A defect of a signature.
public enum SignatureDefect: Sendable, Hashable, CaseIterable {
    /// No defect.
    case none
    /// One bit is flipped.
    case flippedBit
    /// The last byte is missing.
    case truncated
    /// The signature is empty.
    case empty

    func apply(to signature: [UInt8]) -> [UInt8] {
        var signature = signature
        switch self {
        case .none: break
        case .flippedBit:
            if let last = signature.popLast() { signature.append(last ^ 0x01) }
        case .truncated: _ = signature.popLast()
        case .empty: signature = []
        }
        return signature
    }
}
