internal import Glibc
internal import LinuxSupport

/// The code that only a start needs: command line, configuration, the first reading of everything.
///
/// It is more than half of the code that is ever used, and the kernel maps sixteen pages around each one that is.
struct StartUpCode: Sendable {
    /// The files that were mapped before the parts of the agent were started, which stay mapped where they are.
    ///
    /// What a thread maps later may be gone, or be its memory, before advice about it reaches the kernel: the C library
    /// unmaps its cache of libraries, and lays the data of a module for lookups over the mapping of the whole.
    private let mapped: [MappedFile]

    init(mapped: [MappedFile]) { self.mapped = mapped }

    /// Must be called before a part of the agent is started.
    init() { self.init(mapped: MappedFile.all(inSmaps: Self.smaps())) }

    /// Returns the code and the constants that were used so far to the kernel, which may reclaim them first of all.
    ///
    /// The pages stay in the page cache as long as memory is not short, so that what is needed again is a minor fault. They
    /// are marked cold, and unmapped: otherwise a process that sleeps for weeks would be charged for each.
    func release() {
        let unwritten = mapped.filter(\.isUnwritten)
        // A debugger may have written into the code meanwhile.
        for mapping in MappedFile.all(inSmaps: Self.smaps()) where unwritten.contains(mapping) {
            let start = UnsafeMutableRawPointer(bitPattern: mapping.start)
            // A kernel that does not know the first advice still unmaps the pages.
            madvise(start, mapping.length, MADV_COLD)
            madvise(start, mapping.length, MADV_DONTNEED)
        }
        FreedMemory.release()
    }

    /// Reads all of /proc/self/smaps, which the kernel returns in parts of a page; Foundation takes the first for the whole.
    static func smaps() -> [UInt8] {
        let descriptor = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while text.count < 4 << 20 {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { break }
            text += part[..<count]
        }
        return text
    }
}

/// A part of a file that is mapped into the process, as /proc/PID/smaps shows it (proc(5)).
struct MappedFile: Equatable {
    let start: UInt
    let length: Int
    /// `true` if it is read-only and was never written: every page is the file's own and can be read from it again.
    ///
    /// The loader makes what it has filled in read-only afterwards; only its pages, here or in the swap, tell the two apart.
    let isUnwritten: Bool

    /// The mapped files in the bytes of an smaps; what is not understood is left out.
    static func all(inSmaps bytes: [UInt8]) -> [MappedFile] {
        var mappings: [MappedFile] = []
        var heading: (start: UInt, length: Int, isReadOnly: Bool)?
        // Both counts must be there, and be zero.
        var unwritten = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "Anonymous:".utf8) || line.starts(with: "Swap:".utf8) {
                let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
                if fields.count > 1, fields[1].elementsEqual("0".utf8) { unwritten += 1 }
            } else if line.starts(with: "VmFlags:".utf8) {
                // The last line of each mapping.
                guard let (start, length, isReadOnly) = heading else { continue }
                mappings.append(MappedFile(start: start, length: length, isUnwritten: isReadOnly && unwritten == 2))
                heading = nil
            } else if line.prefix(while: { $0 != UInt8(ascii: " ") }).last != UInt8(ascii: ":") {
                (heading, unwritten) = (Self.heading(line), 0)
            }
        }
        return mappings
    }

    /// `start-end permissions offset device inode path`, of a private mapping of a file.
    private static func heading(_ line: ArraySlice<UInt8>) -> (start: UInt, length: Int, isReadOnly: Bool)? {
        let space = UInt8(ascii: " ")
        let fields = line.split(separator: space, maxSplits: 5)
        guard fields.count == 6, fields[5].first(where: { $0 != space }) == UInt8(ascii: "/") else { return nil }
        let bounds = fields[0].split(separator: UInt8(ascii: "-"))
            .compactMap { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
        guard bounds.count == 2, bounds[0] > 0, bounds[0] < bounds[1] else { return nil }
        guard let length = Int(exactly: bounds[1] - bounds[0]) else { return nil }
        return (bounds[0], length, fields[1].elementsEqual("r-xp".utf8) || fields[1].elementsEqual("r--p".utf8))
    }
}
