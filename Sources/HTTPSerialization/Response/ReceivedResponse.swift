public import CheckResults

/// A complete response, with its content encoding decoded.
public struct ReceivedResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order of arrival.
    public var headers: [HeaderField]
    /// The decoded body.
    public var body: [UInt8]
    /// The protocol version: `1.0`, `1.1`, `2`.
    public var httpVersion: String

    /// Creates a response from its parts.
    public init(status: Int, headers: [HeaderField] = [], body: [UInt8] = [], httpVersion: String = "1.1") {
        self.status = status
        self.headers = headers
        self.body = body
        self.httpVersion = httpVersion
    }

    /// Returns the values of all fields of this name in order, ignoring the case of names.
    public func values(of name: String) -> [String] {
        headers.filter { $0.isNamed(name) }.map(\.value)
    }
}
