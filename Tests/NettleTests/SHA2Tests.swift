import Crypto
import Testing

@testable import Nettle

/// The hashes beside those of swift-crypto, at each length about the limits of the functions' blocks.
@Suite struct SHA2Tests {
    static let lengths = Array(0...130) + [255, 256, 257, 4096]

    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) } }

    static func reference(_ function: SHA2, _ bytes: [UInt8]) -> [UInt8] {
        switch function {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    static func referenceCode(_ function: SHA2, _ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        return switch function {
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }

    static func referenceExpansion(_ function: SHA2, _ key: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
        let key = SymmetricKey(data: key)
        let expanded =
            switch function {
            case .sha256: HKDF<SHA256>.expand(pseudoRandomKey: key, info: info, outputByteCount: count)
            case .sha384: HKDF<SHA384>.expand(pseudoRandomKey: key, info: info, outputByteCount: count)
            case .sha512: HKDF<SHA512>.expand(pseudoRandomKey: key, info: info, outputByteCount: count)
            }
        return expanded.withUnsafeBytes { Array($0) }
    }

    @Test(arguments: SHA2.allCases)
    func `a hash is that of swift-crypto at every length`(_ function: SHA2) {
        for length in Self.lengths {
            let bytes = Self.bytes(length)
            #expect(function.hash(bytes) == Self.reference(function, bytes), "\(length) bytes")
        }
    }

    @Test func `the hash of three letters is that of FIPS 180-4's examples`() {
        let words = SHA2.sha256.hash(Array("abc".utf8)).prefix(8)
        #expect(Array(words) == [0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA])
    }

    @Test func `other boundaries between the same bytes give another hash`() {
        let lists: [[[UInt8]]] = [
            [], [[]], [[], []], [[1, 2, 3]], [[1], [2, 3]], [[1, 2], [3]], [[1], [2], [3]],
        ]
        #expect(Set(lists.map { SHA2.sha256.hash(each: $0) }).count == lists.count)
    }

    @Test(arguments: SHA2.allCases)
    func `an authentication code is that of swift-crypto with keys of every length`(_ function: SHA2) {
        for length in Self.lengths {
            let (message, key) = (Self.bytes(200 - min(length, 200)), Self.bytes(length))
            let code = function.authenticationCode(for: message, key: key)
            #expect(code == Self.referenceCode(function, message, key: key), "a key of \(length) bytes")
        }
    }

    @Test(arguments: SHA2.allCases)
    func `an expansion is that of swift-crypto over several blocks`(_ function: SHA2) {
        let key = Self.bytes(function.byteCount)
        for count in [1, 12, function.byteCount, function.byteCount + 1, 255 * function.byteCount] {
            let info = Self.bytes(count % 40)
            let expected = Self.referenceExpansion(function, key, info, count)
            #expect(function.expand(key, info: info, count: count) == expected, "\(count) bytes")
        }
    }
}
