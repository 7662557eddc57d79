internal import Glibc

/// The segments in a directory.
enum SegmentDirectory {
    /// Returns the segments, oldest first; files of other names are ignored.
    ///
    /// It lists twice, because readdir(3) is not atomic: of a segment that is compressed meanwhile, the new name may
    /// come where the directory was already read, and the old name be gone before it is reached. The second listing
    /// has the new name; a segment is compressed only once.
    static func segments(in directory: String) throws(JournalError) -> [SegmentName] {
        try listing(of: directory).union(listing(of: directory)).sorted()
    }

    private static func listing(of directory: String) throws(JournalError) -> Set<SegmentName> {
        guard let stream = opendir(directory) else {
            throw JournalError(operation: "open", path: directory, cause: .errno(errno))
        }
        defer { closedir(stream) }
        var names: Set<SegmentName> = []
        while let entry = readdir(stream) {
            // The name is shorter than its type declares: only its own characters are read.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { break }
            let characters = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let fileName = String(cString: characters)
            guard let name = SegmentName(fileName: fileName), fileName != name.index else { continue }
            names.insert(name)
        }
        return names
    }
}
