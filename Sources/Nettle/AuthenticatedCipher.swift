internal import CNettle

/// The ciphers of TLS 1.3, which authenticate what they encrypt (RFC 5116; RFC 8446, appendix B.4).
package enum AuthenticatedCipher: Sendable, Hashable, CaseIterable {
    case aes128GCM, aes256GCM, chaCha20Poly1305

    /// The size of a tag, in bytes.
    package static let tagSize = 16
    /// The size of a nonce, in bytes.
    package static let nonceSize = 12

    private var functions: nettle_aead {
        switch self {
        case .aes128GCM: nettle_gcm_aes128
        case .aes256GCM: nettle_gcm_aes256
        case .chaCha20Poly1305: nettle_chacha_poly1305
        }
    }

    /// The size of a key, in bytes.
    package var keySize: Int { Int(functions.key_size) }

    /// Decrypts a text with its tag behind it.
    ///
    /// Returns `nil` unless it was encrypted with this key, nonce and associated data, and each has its size.
    package func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.tagSize, key.count == keySize, nonce.count == Self.nonceSize else { return nil }
        let (functions, count) = (functions, sealed.count - Self.tagSize)
        return withUnsafeTemporaryAllocation(byteCount: Int(functions.context_size), alignment: 16) { buffer in
            let context = buffer.baseAddress
            var text = [UInt8](repeating: 0, count: count)
            var tag = [UInt8](repeating: 0, count: Self.tagSize)
            functions.set_encrypt_key(context, key)
            functions.set_nonce(context, nonce)
            functions.update(context, data.count, data)
            functions.decrypt(context, count, &text, sealed)
            functions.digest(context, tag.count, &tag)
            return nettle_memeql_sec(tag, Array(sealed.suffix(Self.tagSize)), Self.tagSize) == 1 ? text : nil
        }
    }
}
