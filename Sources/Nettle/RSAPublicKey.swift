internal import CNettle

/// A public RSA key, which verifies signatures (RFC 8017).
package struct RSAPublicKey: Sendable {
    /// The paddings of a signature.
    package enum Padding: Sendable, Hashable {
        /// RSASSA-PKCS1-v1_5.
        case pkcs1
        /// RSASSA-PSS with one hash for both uses, and a salt as long as the hash.
        case pss
    }

    /// The bounds that BoringSSL has: verifying takes a multiplication of the modulus' size for each bit of the exponent.
    private static let maximumExponentBits = 33
    private static let modulusBits = 512...8192

    private let modulus: [UInt8]
    private let exponent: [UInt8]

    /// Creates a key; `nil` when the modulus is even or has fewer than 512 or more than 8192 bits, or when the exponent is even,
    /// 1, or has more than 33 bits.
    ///
    /// - Parameters:
    ///   - modulus: The bytes of the modulus, the highest first.
    ///   - exponent: The bytes of the public exponent, the highest first.
    package init?(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = Array(modulus.drop { $0 == 0 })
        self.exponent = Array(exponent.drop { $0 == 0 })
        // Nettle and GMP divide by the modulus, and expect it to be odd.
        guard Self.modulusBits.contains(Self.bitCount(self.modulus)), Self.isOdd(self.modulus),
            Self.isOdd(self.exponent),
            (2...Self.maximumExponentBits).contains(Self.bitCount(self.exponent))
        else { return nil }
    }

    /// The number of bits of a magnitude without leading zeros.
    private static func bitCount(_ magnitude: [UInt8]) -> Int {
        magnitude.count * 8 - (magnitude.first?.leadingZeroBitCount ?? 0)
    }

    private static func isOdd(_ magnitude: [UInt8]) -> Bool { (magnitude.last ?? 0) & 1 == 1 }

    /// Returns whether the holder of the key signed a hash.
    package func verifies(_ signature: [UInt8], ofHash hash: [UInt8], by function: SHA2, padding: Padding) -> Bool {
        guard signature.count == modulus.count, hash.count == function.byteCount else { return false }
        return BigIntegers.with(3) { numbers in
            numbers.set(0, to: modulus)
            numbers.set(1, to: exponent)
            numbers.set(2, to: signature)
            guard let modulus = numbers[0], let exponent = numbers[1] else { return false }
            var key = rsa_public_key(size: self.modulus.count, n: modulus.pointee, e: exponent.pointee)
            let result: Int32
            switch (padding, function) {
            case (.pkcs1, _):
                let info = function.digestInfoPrefix + hash
                result = nettle_rsa_pkcs1_verify(&key, info.count, info, numbers[2])
            case (.pss, .sha256): result = nettle_rsa_pss_sha256_verify_digest(&key, hash.count, hash, numbers[2])
            case (.pss, .sha384): result = nettle_rsa_pss_sha384_verify_digest(&key, hash.count, hash, numbers[2])
            case (.pss, .sha512): result = nettle_rsa_pss_sha512_verify_digest(&key, hash.count, hash, numbers[2])
            }
            return result == 1
        }
    }
}

extension SHA2 {
    /// The DER of a DigestInfo up to the hash (RFC 8017, section 9.2, note 1).
    fileprivate var digestInfoPrefix: [UInt8] {
        let size = UInt8(byteCount)
        let arc: UInt8 =
            switch self {
            case .sha256: 1
            case .sha384: 2
            case .sha512: 3
            }
        return [
            0x30, 17 + size, 0x30, 13, 0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, arc, 0x05, 0, 0x04,
            size,
        ]
    }
}
