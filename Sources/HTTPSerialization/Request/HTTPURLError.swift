internal import ForeignText

/// The reason a string is not a valid URL for a check.
///
/// No case contains the part of the string that may be a password.
public enum HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The string, or its normal form, is longer than ``HTTPURL/maximumLength``.
    case tooLong
    /// The string contains a control character; the value is its code point.
    case controlCharacter(UInt32)
    /// The string does not begin with a scheme and `://`.
    case notAbsolute
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The string contains a user name or a password.
    case userInformation
    /// There is no host.
    case emptyHost
    /// The host is neither a usable name nor an address; the second value is the reason.
    case invalidHost(String, reason: String)
    /// The name has letters beyond ASCII.
    case internationalizedHost(String)
    /// The IPv6 address has a zone.
    case zone(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)

    /// The error, as a clause without a full stop.
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
