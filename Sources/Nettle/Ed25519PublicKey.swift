internal import CNettle

/// A public key on Ed25519, which verifies signatures of whole messages (RFC 8032).
package struct Ed25519PublicKey: Sendable {
    private let bytes: [UInt8]

    /// Creates a key of 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Int(ED25519_KEY_SIZE) else { return nil }
        self.bytes = bytes
    }

    /// Returns whether the holder of the key signed a message.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        signature.count == Int(ED25519_SIGNATURE_SIZE)
            && nettle_ed25519_sha512_verify(bytes, message.count, message, signature) == 1
    }
}
