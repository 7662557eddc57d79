import Foundation
import NetlinkMonitor
import Reachability
import Testing

@testable import InputRecording

/// The seeds that the fuzzer of recordings begins with: all of them can be read to the end, or to the line that is damaged.
///
/// With `REACHAGENT_WRITE_CORPUS=1` in the environment the seeds of random lives are written anew.
@Suite struct FuzzCorpusTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzz/Corpus/recording")

    /// A short life with one input of each sort that a seed leads to.
    private static func seed(_ seed: UInt64) throws -> [UInt8] {
        let epoch = ContinuousClock.now
        let started = ObservedTime(instant: epoch, microsecondsSince1970: 1_795_000_000_000_000)
        let header = RecordingHeader(agent: "0.1.0", stream: "seed", nextSequence: seed, started: started)
        let coder = InputCoder(epoch: epoch)
        var random = RandomInputs(seed: seed, epoch: epoch)
        let configuration = random.configuration()
        var machine = ReachabilityMachine(configuration)
        var records: [InputRecord] = [.configuration(configuration, observed: started)]
        for _ in 0..<100 where Set(records.map(\.name)).count < 5 {
            let input = random.next(points: machine.points)
            _ = machine.take(input)
            if !records.dropFirst().contains(where: { $0.name == input.name }) { records.append(input) }
        }
        let lines = [header.line] + (try records.enumerated().map { try coder.line($1, sequence: UInt64($0)) })
        return Array(lines.joined(separator: [0x0A])) + [0x0A]
    }

    @Test func `every seed can be read`() throws {
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_CORPUS"] == "1" {
            for number: UInt64 in 1...6 {
                try Data(Self.seed(number)).write(to: Self.directory.appending(path: "life-\(number)"))
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path()).sorted()
        #expect(files.count >= 8)
        for file in files {
            let bytes = Array(try Data(contentsOf: Self.directory.appending(path: file)))
            let outcome = Result { () throws -> Int in
                var replay = RecordingReplay(try RecordingReader(bytes: bytes))
                var count = 0
                while try replay.next() != nil { count += 1 }
                return count
            }
            switch outcome {
            case .success(let count): #expect(count > 0 && !file.hasPrefix("damaged"), "\(file)")
            case .failure: #expect(file.hasPrefix("damaged"), "\(file)")
            }
        }
    }
}
