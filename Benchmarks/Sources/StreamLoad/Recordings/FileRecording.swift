internal import AgentEvents
internal import BenchmarkKit
internal import Glibc

/// The floor: the lines are appended to one file with write(2), and fdatasync(2) follows where the policy has it.
///
/// It knows no segments, no index, no number that is missing, no disk that is full.
final class FileRecording: Recording {
    private let descriptor: Int32
    private let policy: RecordCommand.Policy
    private let sample = SampleEvent(streamID: "00000000000000000000000000000001")
    private var next: UInt64 = 1
    private var lastSync = MonotonicClock.nanoseconds

    init(in directory: String, policy: RecordCommand.Policy) throws {
        mkdir(directory, 0o700)
        descriptor = open("\(directory)/events", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("write \(directory)/events", errno: errno) }
        self.policy = policy
    }

    func record(_ count: Int) throws -> Int {
        var lines: [UInt8] = []
        for _ in 0..<count {
            lines += sample.event(next).line
            lines.append(UInt8(ascii: "\n"))
            next += 1
        }
        guard write(descriptor, lines, lines.count) == lines.count else {
            throw BenchmarkError("write events", errno: errno)
        }
        let isDue =
            switch policy {
            case .always: true
            case .interval: MonotonicClock.nanoseconds - lastSync >= 1_000_000_000
            case .never: false
            }
        if isDue {
            guard fdatasync(descriptor) == 0 else { throw BenchmarkError("sync events", errno: errno) }
            lastSync = MonotonicClock.nanoseconds
        }
        return lines.count
    }

    func finish() {}
}
