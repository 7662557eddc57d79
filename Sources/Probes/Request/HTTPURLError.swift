internal import ForeignText

/// Why a text is not an address that a check can ask.
///
/// No case ever holds the part of the text that may carry a password.
public enum HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text, or its normal form, is longer than ``HTTPURL/maximumLength``.
    case tooLong
    /// There is a control character in the text; the value is its code point.
    case controlCharacter(UInt32)
    /// The text does not begin with a scheme and `://`.
    case notAbsolute
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The text holds a user name or a password.
    case userInformation
    /// There is no host.
    case emptyHost
    /// The host is neither a usable name nor an address; the second value is the reason.
    case invalidHost(String, reason: String)
    /// The name is written in other than ASCII letters.
    case internationalizedHost(String)
    /// The IPv6 address has a zone.
    case zone(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)

    /// What is wrong, as a clause without a full stop.
    public var description: String {
        switch self {
        case .tooLong: "the URL is longer than \(HTTPURL.maximumLength) bytes"
        case .controlCharacter(let value):
            "the URL holds the control character U+\(value < 16 ? "000" : "00")\(String(value, radix: 16, uppercase: true))"
        case .notAbsolute: "the URL does not begin with 'http://' or 'https://'"
        case .unsupportedScheme(let scheme):
            "the URL's scheme is '\(ForeignText.shown(scheme))'; 'http' and 'https' are supported"
        case .userInformation:
            "the URL holds a user name or a password, which others can see: give them with --basic-auth-file"
        case .emptyHost: "the URL has no host"
        case .invalidHost(let host, let reason): "the URL's host '\(ForeignText.shown(host))' \(reason)"
        case .internationalizedHost(let host):
            "the URL's host '\(ForeignText.shown(host))' is not in ASCII: give the A-label form of each label ('xn--…')"
        case .zone(let address):
            "the URL's host '[\(ForeignText.shown(address))]' has a zone: leave it out and give the interface with --interface"
        case .invalidPort(let port): "the URL's port '\(ForeignText.shown(port))' is not a number from 1 to 65535"
        }
    }
}
