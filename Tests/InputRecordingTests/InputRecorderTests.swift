import AgentTestKit
import CClockStep
import Dispatch
import Foundation
import Glibc
import NetlinkMonitor
import Reachability
import Synchronization
import Testing

@testable import InputRecording

/// The recorder: whole files, private ones, and nobody who is disturbed by it.
@Suite struct InputRecorderTests {
    private let start = ObservedTime(instant: .now, microsecondsSince1970: 1_795_244_400_000_000)
    private var header: RecordingHeader {
        RecordingHeader(agent: "0.1.0", stream: "abc", bootID: "boot", nextSequence: 3, source: "/x/y", started: start)
    }

    private func tick(_ number: Int) -> InputRecord {
        .tick(
            ObservedTime(
                instant: start.instant.advanced(by: .nanoseconds(number)),
                microsecondsSince1970: start.microsecondsSince1970
            )
        )
    }

    @Test func `a recording is written as it is documented`() async throws {
        let text = try await onThread {
            let directory = try TemporaryDirectory()
            let recorder = try InputRecorder(path: "\(directory.path)/r", header: header)
            recorder.record(tick(-5), nextSequence: 3)
            recorder.record(.resumed(after: .milliseconds(1500), observed: start))
            recorder.finish()
            recorder.finish()
            recorder.record(tick(6))
            return String(decoding: try directory.bytes("r"), as: UTF8.self)
        }
        let begin = #"{"recording":1,"agent":"0.1.0","stream":"abc","boot_id":"boot","next_seq":3,"source":"/x/y","#
        #expect(
            text == begin + #""started":"2026-11-21T07:00:00.000000Z"}"# + "\n"
                + #"{"at":{"ns":-5,"us":1795244400000000},"input":"tick","seq":3}"# + "\n"
                + #"{"at":{"ns":0,"us":1795244400000000},"input":"resumed","suspended":[0,1500000000000000000]}"# + "\n"
        )
    }

    @Test func `a recording is accessible to its owner only, and never replaces a file`() async throws {
        let (mode, errors) = try await onThread {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/r"
            let old = umask(0)
            let recorder = try InputRecorder(path: path, header: header)
            umask(old)
            recorder.finish()
            var status = stat()
            stat(path, &status)
            symlink("\(directory.path)/nowhere", "\(directory.path)/link")
            let errors = [path, "\(directory.path)/link", "\(directory.path)/no/such"].map { path in
                let error = #expect(throws: RecordingError.self) { try InputRecorder(path: path, header: header) }
                return error?.cause
            }
            return (status.st_mode & 0o7777, errors)
        }
        #expect(mode == 0o600)
        #expect(errors == [.errno(EEXIST), .errno(EEXIST), .errno(ENOENT)])
    }

    @Test func `a recording that is long enough ends with a marker`() async throws {
        let reasons = Mutex<[String]>([])
        let limit = 2000
        let (bytes, path) = try await onThread {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/r"
            let recorder = try InputRecorder(path: path, header: header, limitBytes: limit) { reason in
                reasons.withLock { $0.append(reason) }
            }
            for number in 0..<1000 { recorder.record(tick(number)) }
            recorder.finish()
            return (try directory.bytes("r"), path)
        }
        #expect(reasons.withLock { $0 } == ["\(path) is as long as it may become"])
        #expect((limit - 200...limit).contains(bytes.count))
        var reader = try RecordingReader(bytes: bytes, epoch: start.instant)
        var count = 0
        while let recorded = try reader.next() {
            #expect(recorded.input.observed == tick(count).observed)
            count += 1
        }
        #expect(count > 10 && count < 1000)
        #expect(reader.isTruncated)
    }

    @Test func `a disk that fails ends the recording, and says so once`() async throws {
        let reasons = Mutex<[String]>([])
        let message = try await onThread {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/r"
            // A file that is open for reading only refuses what is written behind the header.
            let file = try RecordingFile(creating: path, limit: 4096)
            let failing = RecordingFile(descriptor: open("/dev/full", O_WRONLY | O_CLOEXEC), limit: 4096)
            let error = #expect(throws: RecordingError.self) {
                try InputRecorder(file: failing, path: path, queue: RecordingQueue(), header: header) { _ in }
            }
            file.close()
            return error?.description.replacing(path, with: "FILE")
        }
        #expect(message == "cannot write FILE: No space left on device")
        try await onThread {
            // A socket's other end that is closed while the recording goes on stands for a disk that fails.
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            signal(SIGPIPE, SIG_IGN)
            let file = RecordingFile(descriptor: ends[0], limit: 1 << 20)
            let recorder = try InputRecorder(file: file, path: "FILE", queue: RecordingQueue(), header: header) {
                reason in
                reasons.withLock { $0.append(reason) }
            }
            close(ends[1])
            for number in 0..<100 { recorder.record(tick(number)) }
            recorder.finish()
            recorder.record(tick(100))
            recorder.finish()
        }
        #expect(reasons.withLock { $0 } == ["cannot write FILE: Broken pipe"])
    }

    @Test func `a recording that fails keeps no input`() async throws {
        let isEmpty = try await onThread {
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            signal(SIGPIPE, SIG_IGN)
            let queue = RecordingQueue()
            // More than the socket holds: the writer waits amid the inputs that it has taken.
            for number in 0..<50_000 { queue.put(tick(number), sequence: nil) }
            let file = RecordingFile(descriptor: ends[0], limit: .max)
            let ended = DispatchSemaphore(value: 0)
            let recorder = try InputRecorder(file: file, path: "FILE", queue: queue, header: header) { _ in
                ended.signal()
            }
            // A byte that is not of the header shows that the writer has taken them.
            var bytes = [UInt8](repeating: 0, count: header.line.count + 2)
            recv(ends[1], &bytes, bytes.count, Int32(MSG_WAITALL))
            recorder.record(tick(50_000))
            close(ends[1])
            ended.wait()
            if case .finish = queue.take() { return true }
            return false
        }
        #expect(isEmpty)
    }

    @Test(.enabled(if: reachagent_can_set_clock_back(), "ThreadSanitizer has a sem_timedwait(3) of its own"))
    func `a wall clock that is set back makes the end wait no longer for the disk`() async {
        await #expect(processExitsWith: .success) {
            let suite = InputRecorderTests()
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            let queue = RecordingQueue()
            // More than the socket holds.
            for number in 0..<50_000 { queue.put(suite.tick(number), sequence: nil) }
            let file = RecordingFile(descriptor: ends[0], limit: .max)
            let recorder = try InputRecorder(file: file, path: "FILE", queue: queue, header: suite.header) { _ in }
            // The timeout of a group is none of the wall clock.
            let finished = DispatchGroup()
            finished.enter()
            reachagent_set_clock_back(3600)
            Thread.detachNewThread {
                recorder.finish(within: .milliseconds(100))
                finished.leave()
            }
            #expect(await onThread { finished.wait(timeout: .now() + 30) == .success })
        }
    }

    @Test func `a full queue ends the recording without a gap`() async throws {
        let reasons = Mutex<[String]>([])
        let bytes = try await onThread {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/r"
            let queue = RecordingQueue(capacity: 10)
            // Everything waits, because nobody takes anything yet.
            for number in 0..<25 { queue.put(tick(number), sequence: nil) }
            let file = try RecordingFile(creating: path, limit: 1 << 20)
            let recorder = try InputRecorder(file: file, path: path, queue: queue, header: header) { reason in
                reasons.withLock { $0.append(reason.replacing(path, with: "FILE")) }
            }
            recorder.finish()
            return try directory.bytes("r")
        }
        #expect(reasons.withLock { $0 } == ["more came than FILE could be written"])
        var reader = try RecordingReader(bytes: bytes, epoch: start.instant)
        for number in 0..<10 { #expect(try reader.next()?.input.observed == tick(number).observed) }
        #expect(try reader.next() == nil)
        #expect(reader.isTruncated)
    }

    @Test func `a moment that cannot be written down ends the recording`() async throws {
        let bytes = try await onThread {
            let directory = try TemporaryDirectory()
            let recorder = try InputRecorder(path: "\(directory.path)/r", header: header)
            recorder.record(tick(1))
            let farAway = start.instant.advanced(by: .seconds(1 << 40))
            recorder.record(.tick(ObservedTime(instant: farAway, microsecondsSince1970: 0)))
            recorder.record(tick(2))
            recorder.finish()
            return try directory.bytes("r")
        }
        var reader = try RecordingReader(bytes: bytes, epoch: start.instant)
        #expect(try reader.next()?.input.observed == tick(1).observed)
        #expect(try reader.next() == nil)
        #expect(reader.isTruncated)
    }
}

extension TemporaryDirectory {
    /// Reads a file of it.
    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }
}
