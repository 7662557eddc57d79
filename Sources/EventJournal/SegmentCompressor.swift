internal import CLibZstd
internal import Glibc

/// Compresses closed segments.
enum SegmentCompressor {
    static func compress(_ name: SegmentName, in directory: String) throws(JournalError) -> Int {
        let files = JournalDirectory(path: directory, system: .real)
        guard let text = files.read(name.plain, atMost: 64 << 20) else {
            throw JournalError(operation: "read", path: files.path(of: name.plain), cause: .errno(errno))
        }
        var compressed = [UInt8](repeating: 0, count: ZSTD_compressBound(text.count))
        let size = ZSTD_compress(&compressed, compressed.count, text, text.count, 3)
        guard ZSTD_isError(size) == 0 else {
            throw JournalError(operation: "compress", path: files.path(of: name.plain), cause: .malformed("zstd"))
        }
        try files.replace(name.compressed, with: Array(compressed.prefix(size)), syncs: true)
        files.remove(name.plain)
        return size
    }
}
