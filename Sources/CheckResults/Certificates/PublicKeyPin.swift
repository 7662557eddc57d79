internal import FoundationEssentials

/// The SHA-256 hash of a DER-encoded SubjectPublicKeyInfo, written `sha256//BASE64` as curl and RFC 7469 do.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let digest: [UInt8]

    /// A pin of a hash, which the caller has made or checked.
    package init(digest: [UInt8]) { self.digest = digest }

    /// The pin as it is written.
    public var description: String { "sha256//" + Data(digest).base64EncodedString() }
}
