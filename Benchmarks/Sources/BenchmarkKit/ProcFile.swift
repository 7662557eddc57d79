internal import Glibc

/// Small files of the kernel's, read and written in one go.
package enum ProcFile {
    /// The file's text; `nil` when it cannot be read.
    package static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += chunk[..<count]
        }
    }

    package static func write(_ text: String, to path: String) throws(BenchmarkError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("open \(path)", errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw BenchmarkError("write '\(text)' to \(path)", errno: errno)
        }
    }

    /// The names in a directory but those that begin with a dot; empty when it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The number behind `key:` in a file of `key: value` lines such as /proc/PID/status.
    package static func number(_ key: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
            return line.dropFirst(key.count + 1).split { $0 == " " || $0 == "\t" }.first.flatMap { UInt64($0) }
        }
        return nil
    }
}
