internal import CNettle

/// The ciphers of TLS 1.3, which authenticate what they encrypt (RFC 5116; RFC 8446, appendix B.4).
package enum AuthenticatedCipher: Sendable, Hashable, CaseIterable {
    case aes128GCM, aes256GCM, chaCha20Poly1305

    /// The size of a tag, in bytes.
    package static let tagSize = 16
    /// The size of a nonce, in bytes.
    package static let nonceSize = 12

    /// The size of a key, in bytes.
    package var keySize: Int { self == .aes128GCM ? 16 : 32 }

    /// Decrypts a text with its tag behind it.
    ///
    /// Returns `nil` unless it was encrypted with this key, nonce and associated data, and each has its size.
    package func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.tagSize, key.count == keySize, nonce.count == Self.nonceSize else { return nil }
        let count = sealed.count - Self.tagSize
        var text = [UInt8](repeating: 0, count: count)
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        switch self {
        case .aes128GCM:
            var context = gcm_aes128_ctx()
            nettle_gcm_aes128_set_key(&context, key)
            nettle_gcm_aes128_set_iv(&context, nonce.count, nonce)
            nettle_gcm_aes128_update(&context, data.count, data)
            nettle_gcm_aes128_decrypt(&context, count, &text, sealed)
            nettle_gcm_aes128_digest(&context, tag.count, &tag)
        case .aes256GCM:
            var context = gcm_aes256_ctx()
            nettle_gcm_aes256_set_key(&context, key)
            nettle_gcm_aes256_set_iv(&context, nonce.count, nonce)
            nettle_gcm_aes256_update(&context, data.count, data)
            nettle_gcm_aes256_decrypt(&context, count, &text, sealed)
            nettle_gcm_aes256_digest(&context, tag.count, &tag)
        case .chaCha20Poly1305:
            var context = chacha_poly1305_ctx()
            nettle_chacha_poly1305_set_key(&context, key)
            nettle_chacha_poly1305_set_nonce(&context, nonce)
            nettle_chacha_poly1305_update(&context, data.count, data)
            nettle_chacha_poly1305_decrypt(&context, count, &text, sealed)
            nettle_chacha_poly1305_digest(&context, tag.count, &tag)
        }
        return nettle_memeql_sec(tag, Array(sealed.suffix(Self.tagSize)), Self.tagSize) == 1 ? text : nil
    }
}
