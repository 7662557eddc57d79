internal import Crypto
internal import FoundationEssentials

/// The SHA-256 hash of a DER-encoded SubjectPublicKeyInfo, written `sha256//BASE64` as curl and RFC 7469 do.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let digest: [UInt8]

    /// Reads `sha256//` and 44 characters of Base64.
    ///
    /// - Throws: ``SecurityPolicyError`` when the text is anything else.
    public init(parsing text: String) throws(SecurityPolicyError) {
        let prefix = "sha256//"
        guard text.hasPrefix(prefix), let data = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            data.count == SHA256.byteCount
        else {
            throw SecurityPolicyError.invalidPublicKeyPin(text)
        }
        digest = [UInt8](data)
    }

    /// The pin of a SubjectPublicKeyInfo in DER.
    public init(subjectPublicKeyInfo: [UInt8]) {
        digest = [UInt8](SHA256.hash(data: subjectPublicKeyInfo))
    }

    /// The pin as it is written.
    public var description: String { "sha256//" + Data(digest).base64EncodedString() }
}
