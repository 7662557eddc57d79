internal import CNATS

/// The public key of a user's seed (<https://docs.nats.io/using-nats/developer/connecting/nkey>): libnats signs with the seed, and
/// has to be told the key.
enum NKey {
    /// The kinds of key that count here, in the upper five bits of a byte.
    private static let seed: UInt8 = 18 << 3
    private static let user: UInt8 = 20 << 3
    private static let keyBytes = 32

    /// Returns the public key (`U…`) of a user's seed (`SU…`); `nil` when the text is none.
    static func publicKey(ofSeed text: String) -> String? {
        guard let bytes = decoded(text), bytes.count == 2 + keyBytes + 2, encoded(bytes) == text else { return nil }
        let (content, sum) = (bytes.dropLast(2), bytes.suffix(2))
        guard sum.elementsEqual(checksum(content)), bytes[0] & 0xF8 == seed,
            (bytes[0] & 0x07) << 5 | (bytes[1] & 0xF8) >> 3 == user,
            let key = publicKey(ofPrivate: Array(content.dropFirst(2)))
        else { return nil }
        let named = [user] + key
        return encoded(named + checksum(named[...]))
    }

    private static func publicKey(ofPrivate bytes: [UInt8]) -> [UInt8]? {
        guard let key = EVP_PKEY_new_raw_private_key(NID_ED25519, nil, bytes, bytes.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        var result = [UInt8](repeating: 0, count: keyBytes)
        var count = result.count
        guard EVP_PKEY_get_raw_public_key(key, &result, &count) == 1, count == keyBytes else { return nil }
        return result
    }

    /// CRC-16 as XMODEM has it, the low byte first.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        }
        return [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Base 32 without padding.
    private static func decoded(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 128 else { return nil }
        var bytes: [UInt8] = []
        var (value, bits): (UInt32, Int) = (0, 0)
        for digit in text.utf8 {
            guard let index = alphabet.firstIndex(of: digit) else { return nil }
            value = value << 5 | UInt32(index)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> bits))
            value &= (1 << bits) - 1
        }
        return bytes
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (value, bits): (UInt32, Int) = (0, 0)
        for byte in bytes {
            value = value << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(value >> bits & 31)])
            }
            value &= (1 << bits) - 1
        }
        if bits > 0 { text.append(alphabet[Int(value << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
