internal import HTTPSerialization

/// Sanitizes addresses from the network for display.
///
/// They are written by anybody on the way, and a user will open them: only `http` and `https` pass, without
/// credentials, in printable ASCII, and of bounded length.
enum PortalURL {
    /// The maximum length of an address, in bytes.
    static let maximumLength = 2048

    /// Resolves a reference against a base address; nil when the result cannot be shown.
    static func resolved(_ reference: String, at place: String) -> String? {
        guard let base = try? HTTPURL(parsing: place), let url = try? base.resolving(reference: reference) else {
            return nil
        }
        return shown(url, fragmentOf: reference)
    }

    /// Returns an absolute address in its normal form; nil when it cannot be shown.
    static func absolute(_ text: String, overTLS needsTLS: Bool = false) -> String? {
        guard let url = try? HTTPURL(parsing: text), url.scheme == .https || !needsTLS else { return nil }
        return shown(url, fragmentOf: text)
    }

    /// Returns the address with its fragment, in which some portals keep the device's state.
    private static func shown(_ url: HTTPURL, fragmentOf text: String) -> String? {
        let mark = UInt8(ascii: "#")
        let fragment = Array(text.utf8.drop { $0 != mark })
        var bytes = Array(url.description.utf8)
        if fragment.count > 1, fragment.allSatisfy({ (0x21...0x7E).contains($0) }) { bytes += fragment }
        guard bytes.count <= maximumLength, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
