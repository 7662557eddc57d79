/// A certificate revocation list (RFC 5280, section 5).
public struct CertificateRevocationList: Sendable, Hashable {
    /// The list in DER.
    public let der: [UInt8]
    let content: RevocationListContent

    /// Decodes a list in DER.
    ///
    /// A list that RFC 5280 allows but that is not supported here (a delta list, or a partial one) is not an error: the
    /// evaluation treats it as inconclusive.
    ///
    /// - Throws: ``SecurityPolicyError/undecodableRevocationList(source:reason:)``.
    public init(der: [UInt8]) throws(SecurityPolicyError) {
        do {
            content = try RevocationListContent(der: der)
        } catch {
            throw .undecodableRevocationList(source: "the list", reason: error.description)
        }
        self.der = der
    }

    /// Reads the lists of a file: one in DER, or any number in PEM.
    ///
    /// - Throws: ``SecurityPolicyError`` when the file cannot be read, contains no list, or an invalid one.
    public static func lists(at path: String) throws(SecurityPolicyError) -> [CertificateRevocationList] {
        try lists(decoding: try CertificateFile.bytes(of: path), source: path)
    }

    /// Decodes one list in DER, or any number in PEM.
    ///
    /// - Parameters:
    ///   - bytes: The list or the lists.
    ///   - source: The name of the source in errors.
    /// - Throws: ``SecurityPolicyError`` when there is no list, or an invalid one.
    public static func lists(
        decoding bytes: [UInt8],
        source: String = "the text"
    ) throws(SecurityPolicyError) -> [CertificateRevocationList] {
        var encoded: [[UInt8]] = [bytes]
        if let blocks = try PEMBlocks.blocks(in: bytes, named: ["X509 CRL"], source: source) {
            encoded = blocks.map(\.der)
        }
        guard !encoded.isEmpty else {
            throw .undecodableRevocationList(source: source, reason: "it holds no block named X509 CRL")
        }
        var lists: [CertificateRevocationList] = []
        for der in encoded {
            do throws(SecurityPolicyError) {
                lists.append(try CertificateRevocationList(der: der))
            } catch .undecodableRevocationList(_, let reason) {
                throw .undecodableRevocationList(source: source, reason: reason)
            }
        }
        return lists
    }

    /// Compares the bytes of the lists.
    public static func == (left: Self, right: Self) -> Bool { left.der == right.der }

    /// Hashes the bytes of the list.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
