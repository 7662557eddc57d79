internal import Glibc
internal import LinuxSupport

/// The entries of one directory, by name in byte order.
struct FolderListing {
    /// The maximum number of names read from a directory, of any kind.
    static let maximumNames = 4096

    /// The type of an entry, after following links.
    enum Kind: Sendable, Hashable {
        case folder
        /// Empty, or `/dev/null`.
        case nothing
        /// Anything else: a file, or something that only opening it will tell.
        case file
    }

    struct Item {
        var name: [UInt8]
        var kind: Kind
    }

    var items: [Item] = []
    /// `true` if there were more names.
    var isCut = false

    /// Reads a directory; nil if it does not exist.
    init?(of folder: String) throws(HookRefusal) {
        guard folder.utf8.first == UInt8(ascii: "/"), !folder.utf8.contains(0) else {
            throw .badPath(folder, "is no absolute path")
        }
        // With O_DIRECTORY nothing else is opened, so a FIFO cannot block.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT where SymbolicLink.target(of: folder) == nil: return nil
            case ENOENT: throw .notOpened(folder, ENOENT)
            case ENOTDIR: throw .noFolder(folder)
            case let error: throw .notFound(folder, error)
            }
        }
        guard let stream = fdopendir(descriptor) else {
            let error = errno
            close(descriptor)
            throw .notFound(folder, error)
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .notFound(folder, errno) }
                break
            }
            let name = Self.name(entry)
            if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
            guard items.count < Self.maximumNames else {
                isCut = true
                break
            }
            items.append(Item(name: name, kind: Self.kind(of: name, in: descriptor)))
        }
        items.sort { $0.name.lexicographicallyPrecedes($1.name) }
    }

    private static func name(_ entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
    }

    private static func kind(of name: [UInt8], in folder: Int32) -> Kind {
        var entry = stat()
        let result = (name + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { fstatat(folder, $0, &entry, 0) } ?? -1
            }
        }
        guard result == 0 else { return .file }
        switch entry.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: return entry.st_size == 0 ? .nothing : .file
        case S_IFCHR: return entry.st_rdev == KernelConstants.nullDevice ? .nothing : .file
        default: return .file
        }
    }
}

extension HookRefusal {
    static func noFolder(_ path: String) -> HookRefusal {
        HookRefusal(.folder, path: path, evidence: "is no folder", remedy: "put a folder in its place")
    }
}
