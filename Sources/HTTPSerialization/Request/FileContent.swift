/// A file to send, and its announced length.
public struct FileContent: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// The length of the file when the value was created, in bytes.
    public let length: Int

    /// Opens a file and records its length.
    ///
    /// - Throws: ``RequestError/file(path:reason:)`` unless it is a regular file that can be opened.
    public init(path: String) throws(RequestError) {
        self.path = path
        length = try OpenFile(path: path).length
    }

    /// Opens the file again.
    ///
    /// - Throws: ``RequestError`` when it cannot be opened or its length has changed.
    func open() throws(RequestError) -> OpenFile {
        let file = try OpenFile(path: path)
        guard file.length == length else { throw .fileChanged(path: path, announced: length) }
        return file
    }
}
