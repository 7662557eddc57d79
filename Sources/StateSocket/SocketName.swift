/// The two sockets.
enum SocketName: String, Sendable, CaseIterable {
    /// Connect and read.
    case events
    /// Ask.
    case control

    /// The file's name.
    var fileName: String { "\(rawValue).sock" }
    /// The name under which the socket is made before it has its permissions; not longer than the file's name.
    var temporaryName: String { ".\(rawValue).new" }
}
