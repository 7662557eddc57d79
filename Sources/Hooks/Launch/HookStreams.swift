import CSpawn
import Glibc

/// The standard input and output of a program.
struct HookStreams: Sendable {
    /// The reason there are none.
    struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        let action: String
        let number: Int32
        var description: String { "cannot \(action): \(String(cString: strerror(number)))" }
    }

    /// The highest descriptor of a program: 0 to 2, and 3 for a script.
    static let lastGiven: Int32 = 3

    /// A file in memory with the whole input: a program that does not read it blocks nothing.
    let input: Int32
    /// The read end of the output pipe.
    let outputReader: Int32
    /// The write end of the output pipe, for the program.
    let outputWriter: Int32

    /// Creates the streams; all are closed again when one of them cannot be created.
    ///
    /// - Throws: ``Refusal`` when there are no descriptors or no memory left.
    init(input bytes: [UInt8]) throws(Refusal) {
        var opened: [Int32] = []
        do throws(Refusal) {
            input = try Self.memory(holding: bytes)
            opened.append(input)
            var (reader, writer): (Int32, Int32) = (-1, -1)
            guard reachagent_pipe(&reader, &writer) == 0 else { throw Refusal(action: "make a pipe", number: errno) }
            opened.append(reader)
            outputReader = reader
            outputWriter = try Self.aboveStandard(writer)
        } catch {
            for descriptor in opened { close(descriptor) }
            throw error
        }
    }

    /// Closes the descriptors that only the program needs.
    func closeProgramsEnds() {
        close(input)
        close(outputWriter)
    }

    /// Closes all descriptors.
    func closeAll() {
        closeProgramsEnds()
        close(outputReader)
    }

    /// Returns the number of bytes in a pipe.
    static func waiting(in reader: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(reader, UInt(FIONREAD), &count) == 0 ? Int(max(0, count)) : 0
    }

    private static func memory(holding bytes: [UInt8]) throws(Refusal) -> Int32 {
        let descriptor = try aboveStandard(reachagent_memory_file("reachagent-hook-input"))
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let refusal = Refusal(action: "keep the input", number: errno)
                close(descriptor)
                throw refusal
            }
            written += count
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    /// Duplicates a descriptor to a number above those of the program (0 to 3), where it would be overwritten before it
    /// is copied: an agent started with closed standard descriptors gets such numbers.
    private static func aboveStandard(_ descriptor: Int32) throws(Refusal) -> Int32 {
        guard descriptor >= 0 else { throw Refusal(action: "make a file in memory", number: errno) }
        guard descriptor <= Self.lastGiven else { return descriptor }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.lastGiven + 1)
        let number = errno
        close(descriptor)
        guard copy >= 0 else { throw Refusal(action: "copy a descriptor", number: number) }
        return copy
    }
}
