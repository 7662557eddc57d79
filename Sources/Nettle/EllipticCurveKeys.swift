internal import CNettle

/// A public key on an elliptic curve, which verifies ECDSA signatures (FIPS 186-5).
package struct ECPublicKey: Sendable {
    /// The curves; each is y² = x³ − 3x + b in a prime field (SEC 2, version 2.0).
    package enum Curve: Sendable, Hashable, CaseIterable {
        case p256, p384, p521
    }

    private let curve: Curve
    /// The coordinates, the highest byte first.
    private let x: [UInt8]
    private let y: [UInt8]

    /// Decodes a point in its uncompressed or compressed form (SEC 1, section 2.3.4); `nil` unless it is one of the curve.
    package init?(_ bytes: [UInt8], on curve: Curve) {
        let size = curve.coordinateSize
        self.curve = curve
        x = Array(bytes.dropFirst().prefix(size))
        switch (bytes.first, bytes.count) {
        case (0x02, 1 + size), (0x03, 1 + size): y = curve.secondCoordinate(of: x, isOdd: bytes.first == 0x03)
        case (0x04, 1 + 2 * size): y = bytes.suffix(size)
        default: return nil
        }
        guard withPoint({ _ in true }) == true else { return nil }
    }

    /// Returns whether the holder of the key signed a hash.
    ///
    /// - Parameters:
    ///   - hash: The hash of the message.
    ///   - r: The magnitude of the signature's first number, the highest byte first.
    ///   - s: The magnitude of its second number.
    package func verifies(hash: [UInt8], r: [UInt8], s: [UInt8]) -> Bool {
        BigIntegers.with(2) { numbers in
            numbers.set(0, to: r)
            numbers.set(1, to: s)
            guard let r = numbers[0], let s = numbers[1] else { return false }
            var signature = dsa_signature(r: r.pointee, s: s.pointee)
            return withPoint { nettle_ecdsa_verify($0, hash.count, hash, &signature) == 1 } == true
        }
    }

    /// Calls `body` with the point; returns `nil` when it is not on the curve.
    private func withPoint<Result>(_ body: (UnsafePointer<ecc_point>) -> Result) -> Result? {
        var point = ecc_point()
        nettle_ecc_point_init(&point, curve.parameters)
        defer { nettle_ecc_point_clear(&point) }
        let isOnCurve = BigIntegers.with(2) { numbers in
            numbers.set(0, to: x)
            numbers.set(1, to: y)
            return nettle_ecc_point_set(&point, numbers[0], numbers[1]) == 1
        }
        return isOnCurve ? body(&point) : nil
    }
}

extension ECPublicKey.Curve {
    /// The size of a coordinate, in bytes.
    fileprivate var coordinateSize: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    fileprivate var parameters: OpaquePointer? {
        switch self {
        case .p256: nettle_get_secp_256r1()
        case .p384: nettle_get_secp_384r1()
        case .p521: nettle_get_secp_521r1()
        }
    }

    /// The prime of the field, in hexadecimal digits.
    private var prime: String {
        switch self {
        case .p256: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        case .p384: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff"
        case .p521: "1ff" + String(repeating: "f", count: 128)
        }
    }

    /// The constant b, in hexadecimal digits.
    private var constant: String {
        switch self {
        case .p256: "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
        case .p384: "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"
        case .p521:
            "51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109"
                + "e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00"
        }
    }

    /// Returns the second coordinate of the point with this first one; any bytes when there is no such point.
    fileprivate func secondCoordinate(of x: [UInt8], isOdd: Bool) -> [UInt8] {
        BigIntegers.with(4) { numbers in
            numbers.set(0, to: x)
            numbers.set(1, hexadecimal: prime)
            numbers.set(2, hexadecimal: constant)
            let (x, prime, constant, y) = (numbers[0], numbers[1], numbers[2], numbers[3])
            // (x² − 3) · x + b
            __gmpz_mul(y, x, x)
            __gmpz_sub_ui(y, y, 3)
            __gmpz_mul(y, y, x)
            __gmpz_add(y, y, constant)
            __gmpz_mod(y, y, prime)
            // Each of the primes is 3 modulo 4: a root of a square is its power of (p + 1) / 4.
            __gmpz_add_ui(x, prime, 1)
            __gmpz_tdiv_q_2exp(x, x, 2)
            __gmpz_powm(y, y, x, prime)
            if (__gmpz_tstbit(y, 0) == 1) != isOdd { __gmpz_sub(y, prime, y) }
            return [UInt8](unsafeUninitializedCapacity: coordinateSize) { bytes, count in
                nettle_mpz_get_str_256(coordinateSize, bytes.baseAddress, y)
                count = coordinateSize
            }
        }
    }
}

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
