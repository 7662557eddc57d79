/// What is wrong with a signature.
public enum SignatureDefect: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none
    /// One bit of it is another.
    case flippedBit
    /// It ends a byte too early.
    case truncated
    /// It has no bytes.
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
