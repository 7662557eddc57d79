internal import Glibc

/// An open directory, and the names in it that have not been read yet (readdir(3)).
package struct DirectoryStream: ~Copyable {
    private let stream: OpaquePointer

    /// Opens a directory.
    ///
    /// - Throws: The error of opendir(3).
    package init(of path: String) throws(SystemError) {
        guard let stream = opendir(path) else { throw SystemError(errno: errno) }
        self.stream = stream
    }

    /// Takes over the open descriptor of a directory, which is closed even if this fails.
    ///
    /// - Throws: The error of fdopendir(3).
    package init(adopting descriptor: Int32) throws(SystemError) {
        guard let stream = fdopendir(descriptor) else {
            let error = SystemError(errno: errno)
            close(descriptor)
            throw error
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    /// The descriptor of the directory; closed with this value.
    package var descriptor: Int32 { dirfd(stream) }

    /// Returns the bytes of the next name, in the directory's order; `nil` after the last one.
    ///
    /// `.` and `..` are left out. Files that are created or removed meanwhile may be left out too.
    ///
    /// - Throws: The error of readdir(3).
    package func next() throws(SystemError) -> [UInt8]? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError(errno: errno) }
                return nil
            }
            let name = Self.name(of: entry)
            if name != [UInt8(ascii: ".")], name != [UInt8(ascii: "."), UInt8(ascii: ".")] { return name }
        }
    }

    /// Returns the name of an entry.
    ///
    /// An entry ends with its name, which is shorter than the 256 bytes of its type: a copy of the whole member reads
    /// past the entry, and for the last one past the buffer, which may be the end of mapped memory.
    static func name(of entry: UnsafePointer<dirent>) -> [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let name = UnsafeRawPointer(entry) + offset
        return Array(UnsafeRawBufferPointer(start: name, count: strlen(name.assumingMemoryBound(to: CChar.self))))
    }
}

extension DirectoryStream {
    /// Returns all names in a directory, in the directory's order, without `.` and `..`.
    ///
    /// - Throws: The error of opendir(3) or readdir(3).
    package static func names(in path: String) throws(SystemError) -> [[UInt8]] {
        let stream = try DirectoryStream(of: path)
        var names: [[UInt8]] = []
        while let name = try stream.next() { names.append(name) }
        return names
    }

    /// Returns the names in a directory up to the first error, for one in which any name is better than none.
    package static func readableNames(in path: String) -> [[UInt8]] {
        guard let stream = try? DirectoryStream(of: path) else { return [] }
        var names: [[UInt8]] = []
        while let name = try? stream.next() { names.append(name) }
        return names
    }
}
