/// A response as it came from the wire, its body complete and its content encoding undone.
public struct ReceivedResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order in which they came.
    public var headers: [HeaderField]
    /// The body after its content encoding was undone.
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

    /// The values of all fields of this name, in the order in which they came; names are compared without case.
    public func values(of name: String) -> [String] {
        headers.filter { $0.isNamed(name) }.map(\.value)
    }
}
