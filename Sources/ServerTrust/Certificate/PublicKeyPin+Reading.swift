public import CheckResults
internal import Crypto
internal import FoundationEssentials

extension PublicKeyPin {
    /// Parses `sha256//` and 44 characters of Base64.
    ///
    /// - Throws: ``SecurityPolicyError`` for anything else.
    public init(parsing text: String) throws(SecurityPolicyError) {
        let prefix = "sha256//"
        guard text.hasPrefix(prefix), let data = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            data.count == SHA256.byteCount
        else {
            throw SecurityPolicyError.invalidPublicKeyPin(text)
        }
        self.init(digest: [UInt8](data))
    }

    /// Creates the pin of a SubjectPublicKeyInfo in DER.
    public init(subjectPublicKeyInfo: [UInt8]) {
        self.init(digest: [UInt8](SHA256.hash(data: subjectPublicKeyInfo)))
    }
}
