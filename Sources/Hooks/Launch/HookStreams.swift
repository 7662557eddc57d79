import CSpawn
import Glibc
import LinuxSupport
import Synchronization

/// The standard input and output of a program.
struct HookStreams: Sendable {
    /// The reason that the streams cannot be created.
    struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        let action: String
        let number: Int32
        var description: String { "cannot \(action): \(SystemError(errno: number))" }
    }

    /// The highest descriptor of a program, which has 0 to 2, and 3 if it is a script.
    static let lastGiven: Int32 = 3

    /// A file in memory with the whole input, so that a program that does not read it blocks nothing.
    let input: Int32
    /// The read end of the output pipe.
    let outputReader: Int32
    /// The write end of the output pipe, for the program.
    let outputWriter: Int32

    /// Creates the streams; all are closed again if one of them cannot be created.
    ///
    /// - Throws: ``Refusal`` if no descriptors or no memory is left.
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
            // A hook that runs as another user needs the permission to open `/dev/stderr`. The pipe has no name but
            // those in /proc of the processes that hold it, which are closed to all other users.
            fchmod(outputWriter, 0o666)
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

/// Reads a program's output as soon as it is available, while the program runs.
///
/// A thread waits for it by poll(2). On an event loop it would take a watch of epoll(7), and NIO ends the process where the
/// user has none left.
final class HookOutputReader: Sendable {
    private struct State: Sendable {
        var buffer = HookOutputBuffer()
        var isFinished = false
    }

    private static let maximumRead = 65_536

    private let descriptor: Int32
    private let wakeup: Wakeup
    private let state = Mutex(State())

    /// Takes ownership of the read end of a pipe, and reads nothing yet.
    ///
    /// - Throws: `HookStreams.Refusal` if no descriptor is left; the pipe is closed then too.
    init(_ reader: Int32) throws(HookStreams.Refusal) {
        do throws(SystemError) {
            wakeup = try Wakeup()
        } catch {
            close(reader)
            throw HookStreams.Refusal(action: "make an event descriptor", number: error.errno)
        }
        descriptor = reader
    }

    deinit { close(descriptor) }

    /// Starts the thread.
    ///
    /// - Throws: `HookStreams.Refusal` if no thread is left.
    func start() throws(HookStreams.Refusal) {
        do throws(SystemError) {
            try NamedThread.start("hook-output") { [self] in
                while wakeup.sleep(untilReady: descriptor, for: POLLIN, deadline: nil) == .ready, take() {}
            }
        } catch {
            throw HookStreams.Refusal(action: "make a thread", number: error.errno)
        }
    }

    /// Reads once; `false` at the end of the output.
    private func take() -> Bool {
        state.withLock { state in
            // Without output the read would block.
            !state.isFinished && read(atMost: Self.maximumRead, into: &state.buffer) > 0
        }
    }

    /// Reads the rest of the pipe, and ends the thread.
    ///
    /// The program has ended, so this includes all of its own output. Later output is not read: processes left behind
    /// may hold the pipe, and write to it, forever.
    func finish() -> HookOutput {
        defer { wakeup.signal() }
        return state.withLock { state in
            state.isFinished = true
            var rest = HookStreams.waiting(in: descriptor)
            while rest > 0 {
                let count = read(atMost: rest, into: &state.buffer)
                guard count > 0 else { break }
                rest -= count
            }
            return state.buffer.output
        }
    }

    /// Reads available bytes, and returns their number; 0 at the end, and after an error.
    private func read(atMost maximum: Int, into buffer: inout HookOutputBuffer) -> Int {
        withUnsafeTemporaryAllocation(byteCount: min(maximum, Self.maximumRead), alignment: 1) { chunk in
            var count = Glibc.read(descriptor, chunk.baseAddress, chunk.count)
            while count < 0, errno == EINTR { count = Glibc.read(descriptor, chunk.baseAddress, chunk.count) }
            guard count > 0 else { return 0 }
            buffer.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            return count
        }
    }
}

/// Keeps the start and the end of a program's output of any length.
struct HookOutputBuffer: Sendable {
    /// The mark for omitted output.
    static let gap = "\n[…]\n"

    private static let half = HookOutput.maximumBytes / 2

    private var head: [UInt8] = []
    private var tail: [UInt8] = []
    /// The total size, in bytes.
    private(set) var count = 0

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let (sum, isOver) = count.addingReportingOverflow(bytes.count)
        count = isOver ? .max : sum
        let split = min(Self.half - head.count, bytes.count)
        head.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<split]))
        let rest = UnsafeRawBufferPointer(rebasing: bytes[split...].suffix(Self.half))
        let excess = tail.count + rest.count - Self.half
        if excess > 0 { tail.removeFirst(excess) }
        tail.append(contentsOf: rest)
    }

    /// The kept output; characters cut at the gap are omitted as a whole.
    var output: HookOutput {
        guard count > head.count + tail.count else {
            return HookOutput(text: String(decoding: head + tail, as: UTF8.self), bytes: count)
        }
        let head = head.dropLast(Self.cutAtEnd(of: head))
        let tail = tail.dropFirst(tail.prefix(3).prefix { Self.isContinuation($0) }.count)
        return HookOutput(
            text: String(decoding: head, as: UTF8.self) + Self.gap + String(decoding: tail, as: UTF8.self),
            bytes: count,
            omittedBytes: count - head.count - tail.count
        )
    }

    /// Returns the number of bytes at the end that begin an incomplete character (RFC 3629).
    private static func cutAtEnd(of bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where !isContinuation(byte) {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
