internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// An entry of the hook directories, and its state.
package struct DirectoryEntry: Sendable, Hashable {
    /// The state of an entry.
    package enum State: Sendable, Hashable {
        /// The hook runs.
        case runs
        /// Hidden by a file of the same name, or by an unreadable directory before this one.
        case masked(by: String)
        /// Empty, or a link to `/dev/null`.
        case disabled
        /// Ignored, because its name is that of a backup file of an editor or package manager.
        case leftOver
        /// A directory with an unknown name.
        case unknownDirectory
        /// Its name is not UTF-8, or has control characters.
        case badName
        /// Beyond the maximum number of files in a directory; of a directory itself: it has more names than are read.
        case beyondLimit
        /// Not trusted, or not executable.
        case refused(HookRefusal)
    }

    /// The name as a hook, such as `10-log` or `wifi.d/10-log`; for a directory itself, the name of the occasion, which
    /// may be empty.
    package var name: String
    /// The path.
    package var path: String
    /// The occasion of the hook.
    package var occasion: HookOccasion
    /// The state.
    package var state: State

    /// Creates an entry.
    package init(name: String, path: String, occasion: HookOccasion, state: State) {
        self.name = name
        self.path = path
        self.occasion = occasion
        self.state = state
    }

    /// A short reason that the hook does not run; nil if it runs.
    package var reason: String? {
        switch state {
        case .runs: nil
        case .masked(let path): "hidden by \(ShellWord.quoted(path))"
        case .disabled: "disabled: it is empty or a link to /dev/null"
        case .leftOver: "skipped: its name is that of a backup, hidden or README file"
        case .unknownDirectory: "skipped: the subdirectories of hooks are \(HookOccasion.subdirectories)"
        case .badName: "skipped: its name is not UTF-8 or has control characters"
        case .beyondLimit: "skipped: a directory may have \(HookDirectories.maximumFiles) hooks"
        case .refused(let refusal): refusal.description
        }
    }
}

extension HookOccasion {
    /// The names of the subdirectories, in words.
    static let subdirectories = {
        let names = allCases.map(\.rawValue).filter { !$0.isEmpty }
        return "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
    }()
}

/// The entries of one directory, by name in byte order.
struct DirectoryListing {
    /// The maximum number of names read from a directory, of any kind.
    static let maximumNames = 4096

    /// The type of an entry, after following links.
    enum Kind: Sendable, Hashable {
        case directory
        /// Empty, or `/dev/null`.
        case nothing
        /// Anything else: a file, or an entry of a type that only opening it reveals.
        case file
    }

    struct Item {
        var name: [UInt8]
        var kind: Kind
    }

    var items: [Item] = []
    /// `true` if there are more names than are read.
    var isCut = false

    /// Reads a directory; nil if it does not exist.
    init?(of directory: String) throws(HookRefusal) {
        guard directory.utf8.first == UInt8(ascii: "/"), !directory.utf8.contains(0) else {
            throw .badPath(directory, "is not an absolute path")
        }
        // With O_DIRECTORY only directories are opened, so a FIFO cannot block.
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT where SymbolicLink.target(of: directory) == nil: return nil
            case ENOENT: throw .notOpened(directory, ENOENT)
            case ENOTDIR: throw .noDirectory(directory)
            case let error: throw .notFound(directory, error)
            }
        }
        do throws(SystemError) {
            let stream = try DirectoryStream(adopting: descriptor)
            while let name = try stream.next() {
                guard items.count < Self.maximumNames else {
                    isCut = true
                    break
                }
                items.append(Item(name: name, kind: Self.kind(of: name, in: stream.descriptor)))
            }
        } catch {
            throw .notFound(directory, error.errno)
        }
        items.sort { $0.name.lexicographicallyPrecedes($1.name) }
    }

    private static func kind(of name: [UInt8], in directory: Int32) -> Kind {
        var entry = stat()
        let result = (name + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { fstatat(directory, $0, &entry, 0) } ?? -1
            }
        }
        guard result == 0 else { return .file }
        switch entry.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFREG: return entry.st_size == 0 ? .nothing : .file
        case S_IFCHR: return entry.st_rdev == KernelConstants.nullDevice ? .nothing : .file
        default: return .file
        }
    }
}

extension HookRefusal {
    fileprivate static func noDirectory(_ path: String) -> HookRefusal {
        HookRefusal(.directory, path: path, evidence: "is not a directory", remedy: "put a directory in its place")
    }
}

/// The meaning of names in a hook directory.
enum HookFileName {
    private static let endings = [
        "~", ".bak", ".orig", ".rej", ".swp", ".swo", ".tmp", ".new", ".old", ".disabled",
        ".rpmsave", ".rpmorig", ".rpmnew",
    ].map { Array($0.utf8) }
    private static let parts = [".dpkg-", ".ucf-"].map { Array($0.utf8) }

    /// Returns whether a name is that of a backup or a documentation file.
    static func isLeftOver(_ name: [UInt8]) -> Bool {
        if name.first == UInt8(ascii: ".") || name.starts(with: "README".utf8) { return true }
        if name.count > 1, name.first == UInt8(ascii: "#"), name.last == UInt8(ascii: "#") { return true }
        return endings.contains { name.suffix($0.count).elementsEqual($0) }
            || parts.contains { part in
                name.indices.contains { name[$0] == UInt8(ascii: ".") && name[$0...].starts(with: part) }
            }
    }

    /// Returns the name as a string; nil if it is not UTF-8, or has characters that would disturb a log or a terminal.
    static func text(_ name: [UInt8]) -> String? {
        guard let text = String(validating: name, as: UTF8.self),
            !text.unicodeScalars.contains(where: ShellWord.isControl)
        else { return nil }
        return text
    }

    /// Returns a printable replacement for a name that is not valid text.
    static func readable(_ name: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            text.unicodeScalars.append(ShellWord.isControl(scalar) ? "?" : scalar)
        }
        return text
    }
}
