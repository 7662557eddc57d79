internal import Glibc

/// The file that says "numbers up to this one may have been used" while no line can say so.
///
/// It has its bytes on the disk from the start and is overwritten in place, so that a full disk does not prevent it.
final class JournalLease: Sendable {
    private static let name = "lease"
    /// How far ahead of what is used the lease is written: that often it has to be.
    static let step: UInt64 = 4096

    private let file: OpenFile
    private let system: JournalSystem

    private init(_ file: OpenFile, _ system: JournalSystem) {
        self.file = file
        self.system = system
    }

    /// What the file says; `nil` when there is none, or it says nothing that can be understood.
    static func read(in directory: JournalDirectory) -> UInt64? {
        guard let content = directory.read(name, atMost: 21), content.count == 21, content.last == UInt8(ascii: "\n")
        else { return nil }
        guard let number = UInt64(String(decoding: content.dropLast(), as: UTF8.self)) else { return nil }
        return number <= JournalRecord.mostSequence ? number : nil
    }

    /// Opens the file; makes it, saying `value`, where it is missing or damaged.
    static func open(in directory: JournalDirectory, saying value: UInt64) throws(JournalError) -> JournalLease {
        if read(in: directory) != value { try directory.replace(name, with: text(value), syncs: true) }
        return JournalLease(try directory.open(name, O_WRONLY), directory.system)
    }

    private static func text(_ value: UInt64) -> [UInt8] {
        let digits = String(value)
        return Array((String(repeating: "0", count: 20 - digits.utf8.count) + digits + "\n").utf8)
    }

    /// Overwrites the file; `false` when that failed.
    func write(_ value: UInt64, syncs: Bool) -> Bool {
        let text = Self.text(value)
        guard pwrite(file.descriptor, text, text.count, 0) == text.count else { return false }
        return !syncs || system.sync(file.descriptor) == 0
    }

    /// Whether the file is still the one in the directory.
    func isCurrent(in directory: JournalDirectory) -> Bool {
        file.identity()?.isSameFile(as: directory.identity(of: Self.name)) ?? false
    }
}
