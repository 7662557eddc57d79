internal import FoundationEssentials

extension SecretMatcher {
    /// The maximum number of secrets, and of bytes of each, to search for, which bounds their memory.
    private static let maximumCount = 512
    private static let longest = 4096

    /// Creates a matcher of texts as they are, in hexadecimal digits, and in base64 at any offset.
    package init(of secrets: some Sequence<String>) {
        var seen: Set<[UInt8]> = []
        let secrets = secrets.map { Array($0.utf8.prefix(Self.longest)) }.filter {
            $0.count >= Self.shortest && seen.insert($0).inserted
        }
        self.init(secrets.prefix(Self.maximumCount).flatMap(Self.forms))
    }

    /// Returns the secret itself, in hexadecimal digits, and in base64.
    private static func forms(of secret: [UInt8]) -> [[UInt8]] {
        var forms = [secret, secret.flatMap { Array(hexadecimal($0).utf8) }]
        for offset in 0..<3 {
            // Only the digits that do not depend on the bytes around the secret.
            let text = Array(Data([UInt8](repeating: 0, count: offset) + secret).base64EncodedString().utf8)
            let inside = text[((offset * 8 + 5) / 6)..<((offset + secret.count) * 8 / 6)]
            forms += [
                Array(inside), inside.map { $0 == UInt8(ascii: "+") ? 0x2D : $0 == UInt8(ascii: "/") ? 0x5F : $0 },
            ]
        }
        return forms
    }

    private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
