/// Makes the addresses that a network gives fit to be shown to a person.
///
/// Whoever is on the way writes them, and somebody will open them: only `http` and `https` come through, without
/// credentials, in printable ASCII, and of bounded length.
enum PortalURL {
    /// The longest address, in bytes.
    static let maximumLength = 2048

    /// Where a reference leads that was found at a place; nil when that cannot be shown.
    static func resolved(_ reference: String, at place: String) -> String? {
        guard let base = try? HTTPURL(parsing: place), let url = try? base.resolving(reference: reference) else {
            return nil
        }
        return shown(url, fragmentOf: reference)
    }

    /// An absolute address in its normal form; nil when it cannot be shown.
    static func absolute(_ text: String, overTLS needsTLS: Bool = false) -> String? {
        guard let url = try? HTTPURL(parsing: text), url.scheme == .https || !needsTLS else { return nil }
        return shown(url, fragmentOf: text)
    }

    /// The address with its fragment, which is where some portals keep what they know of the device.
    private static func shown(_ url: HTTPURL, fragmentOf text: String) -> String? {
        let mark = UInt8(ascii: "#")
        let fragment = Array(text.utf8.drop { $0 != mark })
        var bytes = Array(url.description.utf8)
        if fragment.count > 1, fragment.allSatisfy({ (0x21...0x7E).contains($0) }) { bytes += fragment }
        guard bytes.count <= maximumLength, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
