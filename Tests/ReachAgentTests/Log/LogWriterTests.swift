import AgentTestKit
import Foundation
import Synchronization
import Testing

@testable import ServiceSupport

/// Lines on their way to a reader who may not read.
@Suite(.onOwnThread) struct LogWriterTests {
    private static func line(_ number: Int, _ length: Int = 1000) -> [UInt8] {
        let text = "\(number) "
        return Array((text + String(repeating: "x", count: length - text.count - 1) + "\n").utf8)
    }

    private static func writer(_ pipe: PrivatePipe) -> LogWriter {
        LogWriter(pipe.fileHandleForWriting.fileDescriptor) { Array("lost \($0)\n".utf8) }
    }

    /// The first words of the lines until the writer's end is closed.
    private static func words(_ pipe: PrivatePipe) throws -> [String] {
        try pipe.fileHandleForWriting.close()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { line in
            line.hasPrefix("lost") ? String(line) : String(line.prefix { $0 != " " })
        }
    }

    @Test func `lines are written in order, however much the reader reads at once`() throws {
        let pipe = try PrivatePipe()
        let writer = Self.writer(pipe)
        // More than a pipe holds, less than the queue does.
        let isRead = DispatchSemaphore(value: 0)
        let read = Mutex(Data())
        for number in 0..<200 { writer.write([Self.line(number)]) }
        Thread.detachNewThread {
            while read.withLock({ $0.count }) < 200 * 1000 {
                let data = pipe.fileHandleForReading.availableData
                read.withLock { $0.append(data) }
            }
            isRead.signal()
        }
        isRead.wait()
        writer.flush(within: .seconds(30))
        #expect(read.withLock { $0 } == Data((0..<200).flatMap { Self.line($0) }))
    }

    @Test func `a reader that does not read blocks no writer, and lost lines are reported in their place`() throws {
        let pipe = try PrivatePipe()
        let writer = Self.writer(pipe)
        // A pipe holds 64 KiB, and the queue 256 KiB.
        for number in 0..<1000 { writer.write([Self.line(number)]) }
        writer.flush(within: .zero)
        let isRead = DispatchSemaphore(value: 0)
        let read = Mutex("")
        Thread.detachNewThread {
            while !read.withLock({ $0.hasSuffix("\n") && $0.contains("lost") }) {
                let data = pipe.fileHandleForReading.availableData
                read.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
            isRead.signal()
        }
        isRead.wait()
        writer.flush(within: .seconds(30))
        writer.write([Self.line(1000)])
        let before = read.withLock { $0 }.split(separator: "\n")
        let lost = try #require(before.last.flatMap { Int($0.dropFirst("lost ".count)) })
        #expect(before.dropLast().map { Int($0.prefix { $0 != " " }) } == Array(0..<(1000 - lost)))
        // The kernel need not take it at once.
        writer.flush(within: .seconds(30))
        let words = try Self.words(pipe)
        #expect(words == ["1000"])
    }

    @Test func `a reader that has gone neither ends the writer nor costs anything`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try PrivatePipe()
        let writer = Self.writer(pipe)
        try pipe.fileHandleForReading.close()
        for number in 0..<10_000 { writer.write([Self.line(number)]) }
        writer.flush(within: .seconds(30))
        // Another reader in its place gets the number of lost lines, and the lines that come now.
        let next = try PrivatePipe()
        dup2(next.fileHandleForWriting.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor)
        writer.write([Self.line(10_000)])
        writer.flush(within: .seconds(30))
        try pipe.fileHandleForWriting.close()
        #expect(try Self.words(next) == ["lost 10000", "10000"])
    }

    @Test func `lines written to an invalid descriptor are counted`() {
        let told = Mutex<[Int]>([])
        let writer = LogWriter(-1) { lost in
            told.withLock { $0.append(lost) }
            return Array("lost\n".utf8)
        }
        for number in 0..<10 { writer.write([Self.line(number)]) }
        #expect(told.withLock { $0 } == Array(1...9))
    }

    @Test func `lines lost on a full disk are reported when there is room again`() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        let pipe = try PrivatePipe()
        let writer = LogWriter(full) { Array("lost \($0)\n".utf8) }
        for number in 0..<3 { writer.write([Self.line(number)]) }
        writer.flush(within: .seconds(30))
        dup2(pipe.fileHandleForWriting.fileDescriptor, full)
        writer.write([Self.line(3)])
        writer.flush(within: .seconds(30))
        close(full)
        // A program that another test has just started may hold the copy: the end need not come.
        var text = ""
        while text.filter({ $0 == "\n" }).count < 2 {
            text += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(text.hasPrefix("lost 3\n3 "))
    }

    @Test func `lines of many threads do not mix, and those of one message stay together`() throws {
        let pipe = try PrivatePipe()
        let writer = Self.writer(pipe)
        let isRead = DispatchSemaphore(value: 0)
        let read = Mutex("")
        Thread.detachNewThread {
            while let data = try? pipe.fileHandleForReading.read(upToCount: 65_536), !data.isEmpty {
                read.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
            isRead.signal()
        }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<20 {
                writer.write([
                    Array("\(thread)-\(number) begins\n".utf8), Array("\(thread)-\(number) ends\n".utf8),
                ])
            }
        }
        writer.flush(within: .seconds(30))
        try pipe.fileHandleForWriting.close()
        isRead.wait()
        let lines = read.withLock { $0 }.split(separator: "\n")
        #expect(lines.count == 320)
        for index in stride(from: 0, to: lines.count, by: 2) {
            #expect(lines[index].replacing("begins", with: "ends") == lines[index + 1])
        }
    }

    @Test func `a file is written completely`() throws {
        let directory = try TemporaryDirectory()
        let descriptor = open("\(directory.path)/log", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let writer = LogWriter(descriptor) { Array("lost \($0)\n".utf8) }
        for number in 0..<100 {
            writer.write([Self.line(number)])
            writer.flush(within: .seconds(30))
        }
        var bytes = [UInt8](repeating: 0, count: 100_001)
        #expect(pread(descriptor, &bytes, bytes.count, 0) == 100_000)
        #expect(Array(bytes.dropLast()) == (0..<100).flatMap { Self.line($0) })
    }
}

/// A pipe that no program which another test starts inherits: its end would come when that program's does.
///
/// It has a name for a moment, because only open(2) gives descriptors that are closed on exec from the beginning.
private final class PrivatePipe: Sendable {
    let fileHandleForReading: FileHandle
    let fileHandleForWriting: FileHandle

    init() throws {
        let directory = try TemporaryDirectory()
        let name = "\(directory.path)/pipe"
        guard mkfifo(name, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { withExtendedLifetime(directory) {} }
        let reader = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writer = open(name, O_WRONLY | O_CLOEXEC)
        guard reader >= 0, writer >= 0, fcntl(reader, F_SETFL, 0) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        fileHandleForReading = FileHandle(fileDescriptor: reader, closeOnDealloc: true)
        fileHandleForWriting = FileHandle(fileDescriptor: writer, closeOnDealloc: true)
    }
}
