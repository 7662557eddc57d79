internal import Glibc

/// The file that records which numbers may have been used while events cannot be written.
///
/// It is allocated on the disk from the start and overwritten in place, so that a full disk does not prevent it.
final class JournalLease: Sendable {
    /// The name of the writer's own lease.
    static let name = "lease"
    /// The distance by which the lease is ahead of the used numbers, which determines how often it is written.
    static let step: UInt64 = 4096

    private let name: String
    private let file: OpenFile
    private let system: JournalSystem

    private init(_ name: String, _ file: OpenFile, _ system: JournalSystem) {
        self.name = name
        self.file = file
        self.system = system
    }

    /// Returns the numbers in the file; `nil` if there are none, or the file is invalid.
    ///
    /// Earlier versions wrote only the last number; the range then starts at 0.
    static func read(_ name: String = name, in directory: JournalDirectory) -> ClosedRange<UInt64>? {
        guard let content = directory.read(name, atMost: 42), content.last == UInt8(ascii: "\n") else { return nil }
        let words = content.dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count <= 2, words.allSatisfy({ $0.count == 20 }) else { return nil }
        let numbers = words.compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == words.count, let last = numbers.last, (1...JournalRecord.maximumSequence).contains(last)
        else { return nil }
        let first = numbers.count == 2 ? numbers[0] : 0
        return first <= last ? first...last : nil
    }

    /// Opens the file; creates it with these numbers if it is missing or different.
    static func open(
        _ name: String = name,
        in directory: JournalDirectory,
        saying numbers: ClosedRange<UInt64>?
    ) throws(JournalError) -> JournalLease {
        let text = text(numbers)
        if directory.read(name, atMost: text.count) != text { try directory.replace(name, with: text, syncs: true) }
        return JournalLease(name, try directory.open(name, O_WRONLY), directory.system)
    }

    /// Returns the content of the file: the first and the last number, or 0 twice.
    static func text(_ numbers: ClosedRange<UInt64>?) -> [UInt8] {
        func digits(_ number: UInt64) -> String {
            let digits = String(number)
            return String(repeating: "0", count: 20 - digits.utf8.count) + digits
        }
        return Array("\(digits(numbers?.lowerBound ?? 0)) \(digits(numbers?.upperBound ?? 0))\n".utf8)
    }

    /// Overwrites the file; `false` on failure.
    func write(_ numbers: ClosedRange<UInt64>?, syncs: Bool) -> Bool {
        let text = Self.text(numbers)
        guard pwrite(file.descriptor, text, text.count, 0) == text.count else { return false }
        return !syncs || system.sync(file.descriptor) == 0
    }

    /// Returns whether the file is still the one in the directory.
    func isCurrent(in directory: JournalDirectory) -> Bool {
        file.status()?.isSameFile(as: directory.status(of: name)) ?? false
    }
}
