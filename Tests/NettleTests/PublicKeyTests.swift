import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import Nettle

/// Signatures that swift-crypto has made.
@Suite struct PublicKeyTests {
    static let message = SHA2Tests.bytes(777)

    /// A key on a curve, with the signature of a hash.
    struct ECSigner: Sendable, CustomTestStringConvertible {
        let curve: ECPublicKey.Curve
        let size: Int
        let sign: @Sendable (SHA2) throws -> (point: [UInt8], compressed: [UInt8], signature: [UInt8])

        var testDescription: String { "\(curve)" }
    }

    static let curves = [
        ECSigner(curve: .p256, size: 32) { function in
            let key = P256.Signing.PrivateKey()
            let signature = try function.digest { try key.signature(for: $0).rawRepresentation }
            return (
                Array(key.publicKey.x963Representation), Array(key.publicKey.compressedRepresentation), Array(signature)
            )
        },
        ECSigner(curve: .p384, size: 48) { function in
            let key = P384.Signing.PrivateKey()
            let signature = try function.digest { try key.signature(for: $0).rawRepresentation }
            return (
                Array(key.publicKey.x963Representation), Array(key.publicKey.compressedRepresentation), Array(signature)
            )
        },
        ECSigner(curve: .p521, size: 66) { function in
            let key = P521.Signing.PrivateKey()
            let signature = try function.digest { try key.signature(for: $0).rawRepresentation }
            return (
                Array(key.publicKey.x963Representation), Array(key.publicKey.compressedRepresentation), Array(signature)
            )
        },
    ]

    @Test(arguments: curves, SHA2.allCases)
    func `a signature on a curve is valid for its key and its hash alone`(
        _ signer: ECSigner,
        _ function: SHA2
    ) throws {
        // Of sixteen keys some have an odd and some an even second coordinate, and some numbers a leading zero.
        for _ in 0..<16 {
            let (point, compressed, signature) = try signer.sign(function)
            let hash = function.hash(Self.message)
            let (r, s) = (Array(signature.prefix(signer.size)), Array(signature.suffix(signer.size)))
            for form in [point, compressed] {
                let key = try #require(ECPublicKey(form, on: signer.curve))
                #expect(key.verifies(hash: hash, r: r, s: s))
                #expect(key.verifies(hash: hash, r: [0, 0] + r, s: [0] + s), "leading zeros are no digits")
                #expect(!key.verifies(hash: function.hash([]), r: r, s: s))
                #expect(!key.verifies(hash: hash, r: s, s: r))
                #expect(!key.verifies(hash: hash, r: r, s: []))
                #expect(!key.verifies(hash: hash, r: [], s: s))
                #expect(!key.verifies(hash: hash, r: [1] + r, s: s))
                #expect(!key.verifies(hash: hash, r: r, s: Array(repeating: 0xFF, count: 5000)))
            }
        }
    }

    @Test(arguments: curves)
    func `only a point of the curve is a key`(_ signer: ECSigner) throws {
        let (point, compressed, _) = try signer.sign(.sha256)
        let zero = [UInt8](repeating: 0, count: signer.size)
        let beyond = [UInt8](repeating: 0xFF, count: signer.size)
        let noPoints: [[UInt8]] = [
            [], [0], [2], [4], point.dropLast(), point + [0], compressed + [0], compressed.dropLast(),
            [6] + point.dropFirst(), [7] + point.dropFirst(), [5] + compressed.dropFirst(),
            [4] + zero + zero, [4] + beyond + beyond, [2] + beyond, [3] + beyond,
            point.dropLast() + [(point.last ?? 0) ^ 1],
        ]
        for bytes in noPoints { #expect(ECPublicKey(bytes, on: signer.curve) == nil, "\(bytes.prefix(40))") }
        for curve in ECPublicKey.Curve.allCases where curve != signer.curve {
            #expect(ECPublicKey(point, on: curve) == nil)
        }
    }

    @Test func `about half of all first coordinates have no point`() {
        for curve in ECPublicKey.Curve.allCases {
            let size = [.p256: 32, .p384: 48, .p521: 66][curve] ?? 0
            let found = (0..<64).filter { number in
                let x = [UInt8](repeating: 0, count: size - 1) + [UInt8(number)]
                return ECPublicKey([2] + x, on: curve) != nil
            }
            #expect((16...48).contains(found.count), "\(curve): \(found)")
        }
    }

    @Test(arguments: [2048, 3072, 4096])
    func `a signature by RSA is valid for its key, hash and padding alone`(_ bits: Int) throws {
        let secret = try _RSA.Signing.PrivateKey(keySize: _RSA.Signing.KeySize(bitCount: bits))
        let primitives = try secret.publicKey.getKeyPrimitives()
        let (modulus, exponent) = (Array(primitives.modulus), Array(primitives.publicExponent))
        let key = try #require(RSAPublicKey(modulus: [0] + modulus, exponent: exponent))
        let other = try #require(
            RSAPublicKey(modulus: modulus.dropLast() + [(modulus.last ?? 0) ^ 2], exponent: exponent)
        )
        for function in SHA2.allCases {
            let hash = function.hash(Self.message)
            for (padding, reference) in [
                (RSAPublicKey.Padding.pkcs1, _RSA.Signing.Padding.insecurePKCS1v1_5), (.pss, .PSS),
            ] {
                let signature = try function.digest {
                    Array(try secret.signature(for: $0, padding: reference).rawRepresentation)
                }
                func verifies(_ signature: [UInt8], _ hash: [UInt8], _ function: SHA2) -> Bool {
                    key.verifies(signature, ofHash: hash, by: function, padding: padding)
                }
                #expect(verifies(signature, hash, function), "\(function), \(padding)")
                #expect(!verifies(signature, function.hash([]), function))
                #expect(!verifies(signature, Array(hash.dropLast()), function))
                #expect(!verifies([0] + signature, hash, function))
                #expect(!verifies(signature.dropLast(), hash, function))
                #expect(!verifies(signature.dropLast() + [(signature.last ?? 0) ^ 1], hash, function))
                #expect(!verifies(modulus, hash, function), "a number as large as the modulus")
                #expect(!verifies(Array(repeating: 0, count: modulus.count), hash, function))
                #expect(!other.verifies(signature, ofHash: hash, by: function, padding: padding))
                let otherPadding: RSAPublicKey.Padding = padding == .pss ? .pkcs1 : .pss
                #expect(!key.verifies(signature, ofHash: hash, by: function, padding: otherPadding))
                for second in SHA2.allCases where second != function {
                    #expect(!verifies(signature, second.hash(Self.message), second))
                }
            }
        }
    }

    @Test func `an even modulus and an exponent that is even, 1, or long are no RSA key`() {
        let modulus = [UInt8](repeating: 0xC5, count: 256)
        #expect(RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]) != nil)
        #expect(RSAPublicKey(modulus: modulus, exponent: [0, 3]) != nil)
        #expect(RSAPublicKey(modulus: modulus, exponent: [1, 0xFF, 0xFF, 0xFF, 0xFF]) != nil)
        #expect(RSAPublicKey(modulus: modulus, exponent: [2, 0, 0, 0, 1]) == nil)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0]] {
            #expect(RSAPublicKey(modulus: modulus, exponent: exponent) == nil, "\(exponent)")
        }
        for modulus: [UInt8] in [[], [0], [0, 0], [3], modulus.dropLast() + [0xC4], Array(repeating: 0, count: 256)] {
            #expect(RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]) == nil, "\(modulus.count) bytes")
        }
    }

    @Test(arguments: [
        (511, false), (512, true), (513, true), (8191, true), (8192, true), (8193, false), (1 << 20, false),
    ])
    func `a modulus of less than 512 bits, or more than 8192, is no RSA key`(_ bits: Int, _ isKey: Bool) {
        let size = (bits + 7) / 8
        let modulus = [UInt8(0x80) >> UInt8(size * 8 - bits)] + Array(repeating: 0, count: size - 2) + [1]
        #expect((RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]) != nil) == isKey)
        #expect((RSAPublicKey(modulus: [0] + modulus, exponent: [1, 0, 1]) != nil) == isKey)
    }

    @Test func `numbers that no signer chooses are no signature`() throws {
        // The order of the group of each base point.
        let orders: [(ECPublicKey.Curve, [UInt8])] = [
            (.p256, Self.bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")),
            (
                .p384,
                Self.bytes(
                    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"
                )
            ),
            (
                .p521,
                Self.bytes(
                    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
                        + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
                )
            ),
        ]
        for (curve, order) in orders {
            let signer = try #require(Self.curves.first { $0.curve == curve })
            let (point, _, signature) = try signer.sign(.sha256)
            let key = try #require(ECPublicKey(point, on: curve))
            let valid = (r: Array(signature.prefix(signer.size)), s: Array(signature.suffix(signer.size)))
            let beyond: [UInt8] = order.dropLast() + [(order.last ?? 0) + 1]
            for hash in [
                SHA2.sha256.hash(Self.message), Array(repeating: 0, count: 32), Array(repeating: 0xFF, count: 64),
            ] {
                for number in [[], [0], [1], order, beyond, Array(repeating: 0xFF, count: signer.size)] {
                    #expect(!key.verifies(hash: hash, r: number, s: valid.s))
                    #expect(!key.verifies(hash: hash, r: valid.r, s: number))
                    #expect(!key.verifies(hash: hash, r: number, s: number))
                }
            }
        }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.utf8.count, by: 2).compactMap {
            UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
        }
    }

    @Test func `a signature by Ed25519 is valid for its key and message alone`() throws {
        let secret = Curve25519.Signing.PrivateKey()
        let key = try #require(Ed25519PublicKey(Array(secret.publicKey.rawRepresentation)))
        for message in [[], [0], Self.message] {
            let signature = Array(try secret.signature(for: message))
            #expect(key.verifies(signature, of: message))
            #expect(!key.verifies(signature, of: message + [0]))
            #expect(!key.verifies(signature + [0], of: message))
            #expect(!key.verifies([], of: message))
            for index in signature.indices {
                var changed = signature
                changed[index] ^= 0x04
                #expect(!key.verifies(changed, of: message), "byte \(index)")
            }
        }
        #expect(Ed25519PublicKey([]) == nil)
        #expect(Ed25519PublicKey(Array(repeating: 1, count: 33)) == nil)
        let noPoint = try #require(Ed25519PublicKey(Array(repeating: 0xFF, count: 32)))
        #expect(!noPoint.verifies(Array(repeating: 0, count: 64), of: []))
    }
}

extension SHA2 {
    /// Calls `body` with the message's digest by swift-crypto.
    fileprivate func digest<Result>(_ body: (any Digest) throws -> Result) rethrows -> Result {
        switch self {
        case .sha256: try body(SHA256.hash(data: PublicKeyTests.message))
        case .sha384: try body(SHA384.hash(data: PublicKeyTests.message))
        case .sha512: try body(SHA512.hash(data: PublicKeyTests.message))
        }
    }
}
