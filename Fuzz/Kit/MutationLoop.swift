internal import Foundation
internal import Glibc

/// A loop that runs a target with each of its seeds, then with mutations of them, without guidance by coverage.
///
/// For toolchains without libFuzzer, and for CI, where instrumenting everything would need another build tree. The
/// random numbers are the same each time, so that a crash can be reproduced.
struct MutationLoop {
    /// The reason that the loop cannot run.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The maximum CPU time of an input, in seconds; `nil` unless slow inputs are findings (`$FUZZ_SLOW`).
    private static let slow = getenv("FUZZ_SLOW") == nil ? nil : 1.0

    private let maximumLength: Int
    private let seeds: [[UInt8]]
    private let kept: UnsafeMutableRawBufferPointer
    private let keptPath: String

    /// Reads a corpus.
    ///
    /// - Parameters:
    ///   - path: A file that holds the current input. It is mapped, so that it outlives a trap, and removed when the
    ///     loop ends.
    ///   - maximumLength: The maximum length of an input, in bytes.
    init(corpus: String, keeping path: String, maximumLength: Int) throws {
        self.maximumLength = maximumLength
        seeds = try FileManager.default.contentsOfDirectory(atPath: corpus).sorted()
            .map { [UInt8](try Data(contentsOf: URL(filePath: "\(corpus)/\($0)"))) }
        guard !seeds.isEmpty else { throw Failure(description: "\(corpus) has no seeds") }
        let size = max(maximumLength, seeds.map(\.count).max() ?? 0)
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, off_t(size)) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { throw Failure(description: "\(path): \(String(cString: strerror(errno)))") }
        close(descriptor)
        kept = UnsafeMutableRawBufferPointer(start: memory, count: size)
        keptPath = path
    }

    /// Runs a target for some time; returns the number of inputs.
    func run(_ target: FuzzTarget, for duration: Duration) -> Int {
        var random = SplitMix64(state: 1)
        var executions = 0
        for seed in seeds { execute(target, seed, &executions) }
        let end = ContinuousClock.now.advanced(by: duration)
        while ContinuousClock.now < end { execute(target, mutation(&random), &executions) }
        munmap(kept.baseAddress, kept.count)
        unlink(keptPath)
        return executions
    }

    private func execute(_ target: FuzzTarget, _ input: [UInt8], _ executions: inout Int) {
        // The file is truncated to the length of the input, so that a crash leaves exactly the input.
        kept.copyBytes(from: input)
        truncate(keptPath, off_t(input.count))
        let start = clock()
        target.run(input)
        let seconds = Double(clock() - start) / 1_000_000
        if let slow = Self.slow { require(seconds <= slow, "\(input.count) bytes take \(seconds) s") }
        truncate(keptPath, off_t(kept.count))
        executions += 1
    }

    /// Returns a seed, perhaps with another one appended, with a few bytes changed, and perhaps truncated.
    ///
    /// Now and then a part of it is repeated up to the maximum length, an input for which parsers may need a long time.
    private func mutation(_ random: inout SplitMix64) -> [UInt8] {
        var input = seeds[Int.random(in: seeds.indices, using: &random)]
        if Bool.random(using: &random) { input += seeds[Int.random(in: seeds.indices, using: &random)] }
        let interesting: [UInt8] = [0, 1, 3, 4, 5, 7, 8, 15, 16, 127, 128, 255]
        for _ in 0..<Int.random(in: 0...8, using: &random) where !input.isEmpty {
            let byte =
                Bool.random(using: &random)
                ? interesting.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            input[Int.random(in: input.indices, using: &random)] = byte
        }
        if Bool.random(using: &random) { input = Array(input.prefix(Int.random(in: 0...input.count, using: &random))) }
        if !input.isEmpty, Int.random(in: 0..<(Self.slow == nil ? 256 : 4), using: &random) == 0 {
            let start = Int.random(in: input.indices, using: &random)
            let part = input[start...].prefix(Int.random(in: 1...64, using: &random))
            let count = Int.random(in: 1...maximumLength, using: &random)
            input.insert(contentsOf: (0..<count / part.count).flatMap { _ in part }, at: start)
        }
        return Array(input.prefix(maximumLength))
    }
}

private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
