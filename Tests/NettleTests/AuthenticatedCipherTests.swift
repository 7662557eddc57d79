import Crypto
import Testing

@testable import Nettle

/// Texts that swift-crypto has encrypted.
@Suite struct AuthenticatedCipherTests {
    struct Sealed {
        let key: [UInt8]
        let nonce: [UInt8]
        let data: [UInt8]
        let text: [UInt8]
        let bytes: [UInt8]
    }

    static func seal(_ cipher: AuthenticatedCipher, count: Int) throws -> Sealed {
        let (key, nonce) = (SHA2Tests.bytes(cipher.keySize), SHA2Tests.bytes(12))
        let (data, text) = (SHA2Tests.bytes(count % 20), SHA2Tests.bytes(count))
        let symmetric = SymmetricKey(data: key)
        let bytes: [UInt8]
        switch cipher {
        case .aes128GCM, .aes256GCM:
            let box = try AES.GCM.seal(text, using: symmetric, nonce: .init(data: nonce), authenticating: data)
            bytes = Array(box.ciphertext) + Array(box.tag)
        case .chaCha20Poly1305:
            let box = try ChaChaPoly.seal(text, using: symmetric, nonce: .init(data: nonce), authenticating: data)
            bytes = Array(box.ciphertext) + Array(box.tag)
        }
        return Sealed(key: key, nonce: nonce, data: data, text: text, bytes: bytes)
    }

    @Test(arguments: AuthenticatedCipher.allCases)
    func `a text of any length is decrypted`(_ cipher: AuthenticatedCipher) throws {
        for count in [0, 1, 15, 16, 17, 63, 64, 65, 1000, 16_401] {
            let sealed = try Self.seal(cipher, count: count)
            let text = cipher.open(sealed.bytes, key: sealed.key, nonce: sealed.nonce, authenticating: sealed.data)
            #expect(text == sealed.text, "\(count) bytes")
        }
    }

    @Test(arguments: AuthenticatedCipher.allCases)
    func `nothing is decrypted after a change of any byte`(_ cipher: AuthenticatedCipher) throws {
        let sealed = try Self.seal(cipher, count: 35)
        func open(_ bytes: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8]) -> [UInt8]? {
            cipher.open(bytes, key: key, nonce: nonce, authenticating: data)
        }
        for index in sealed.bytes.indices {
            var bytes = sealed.bytes
            bytes[index] ^= 0x10
            #expect(open(bytes, sealed.key, sealed.nonce, sealed.data) == nil, "byte \(index)")
        }
        #expect(open(sealed.bytes.dropLast(), sealed.key, sealed.nonce, sealed.data) == nil)
        #expect(open(sealed.bytes, sealed.key.reversed(), sealed.nonce, sealed.data) == nil)
        #expect(open(sealed.bytes, sealed.key, sealed.nonce.reversed(), sealed.data) == nil)
        #expect(open(sealed.bytes, sealed.key, sealed.nonce, sealed.data + [0]) == nil)
        #expect(open(sealed.bytes, sealed.key, sealed.nonce, sealed.data) == sealed.text)
    }

    @Test(arguments: AuthenticatedCipher.allCases)
    func `a key, nonce or tag of another size opens nothing`(_ cipher: AuthenticatedCipher) throws {
        let sealed = try Self.seal(cipher, count: 3)
        let (key, nonce, data) = (sealed.key, sealed.nonce, sealed.data)
        #expect(cipher.open(sealed.bytes, key: key + [0], nonce: nonce, authenticating: data) == nil)
        #expect(cipher.open(sealed.bytes, key: [], nonce: nonce, authenticating: data) == nil)
        #expect(cipher.open(sealed.bytes, key: key, nonce: nonce.dropLast(), authenticating: data) == nil)
        #expect(cipher.open(Array(sealed.bytes.prefix(15)), key: key, nonce: nonce, authenticating: data) == nil)
        #expect(cipher.open([], key: key, nonce: nonce, authenticating: data) == nil)
    }
}
