/// A file whose bytes are sent, and the length that is announced for it.
public struct FileContent: Sendable, Hashable {
    /// Where the file is.
    public let path: String
    /// How long the file was when it was first looked at, in bytes.
    public let length: Int

    /// Looks at a file and keeps its length.
    ///
    /// - Throws: ``RequestError/file(path:reason:)`` unless it is a regular file that can be opened.
    public init(path: String) throws(RequestError) {
        self.path = path
        length = try OpenFile(path: path).length
    }

    /// Opens the file again.
    ///
    /// - Throws: ``RequestError`` when it cannot be opened or has another length now.
    func open() throws(RequestError) -> OpenFile {
        let file = try OpenFile(path: path)
        guard file.length == length else { throw .fileChanged(path: path, announced: length) }
        return file
    }
}
