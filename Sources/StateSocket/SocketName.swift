/// The sockets.
enum SocketName: String, Sendable, CaseIterable {
    /// The event stream.
    case events
    /// Requests and replies.
    case control
    /// Metrics, the page and the event stream, over HTTP.
    case http

    /// The file's name.
    var fileName: String { "\(rawValue).sock" }
    /// The name of the socket before it has its permissions; not longer than the file's name.
    var temporaryName: String { ".\(rawValue).new" }
}
