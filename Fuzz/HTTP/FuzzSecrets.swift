internal import CheckResults
internal import FuzzKit

/// A secret, and after a line feed a text that may echo it in any escape.
enum FuzzSecrets {
    static func run(_ input: [UInt8]) {
        let halves = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let secret = Array((halves.first ?? []).prefix(4096))
        let text = Array(halves.dropFirst().first ?? [])
        let matcher = SecretMatcher([secret])
        guard secret.count >= SecretMatcher.shortest else {
            return require(matcher.isEmpty, "a secret that is too short is searched for")
        }
        for isCut in [false, true] {
            let shown = matcher.replaced(in: text, by: "\u{0}", isCut: isCut)
            require(shown.count <= text.count, "the text grows")
            // Beside a placeholder a secret may begin or end anew.
            for piece in shown.split(separator: 0) {
                require(!contains(piece, secret), "the secret is shown")
            }
        }
        let digits = Array("0123456789abcdef".utf8)
        func escaped(_ introducer: String) -> [UInt8] {
            secret.flatMap { Array(introducer.utf8) + [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        }
        for escape in [escaped("%"), escaped("\\x")] {
            require(matcher.replaced(in: escape, by: "-", isCut: false) == [UInt8(ascii: "-")], "an escape is shown")
        }
    }

    /// Returns whether a text contains a secret, in whatever case.
    private static func contains(_ text: ArraySlice<UInt8>, _ secret: [UInt8]) -> Bool {
        let lowered = secret.map(lowercased)
        guard !lowered.contains(0), text.count >= lowered.count else { return false }
        let bytes = text.map(lowercased)
        return (0...(bytes.count - lowered.count)).contains { bytes[$0...].starts(with: lowered) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
