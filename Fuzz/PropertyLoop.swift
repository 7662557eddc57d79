internal import Foundation

// Where the toolchain has no libFuzzer: the same checks on inputs that are changed at random, without coverage to lead
// the way. The seed is fixed, so that a crash comes again.

@main
enum PropertyLoop {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seconds = Double(arguments[2]) else {
            print("usage: property-loop CORPUS SECONDS")
            exit(64)
        }
        let seeds = try FileManager.default.contentsOfDirectory(atPath: arguments[1]).sorted()
            .map { [UInt8](try Data(contentsOf: URL(filePath: "\(arguments[1])/\($0)"))) }
        guard !seeds.isEmpty else {
            print("\(arguments[1]) has no seeds")
            exit(66)
        }
        var random = SplitMix64(state: 1)
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        var executions = 0
        for seed in seeds { run(seed, &executions) }
        while ContinuousClock.now < end {
            for _ in 0..<1000 { run(mutate(seeds, &random), &executions) }
        }
        print("Done \(executions) runs without libFuzzer")
    }

    private static func run(_ input: [UInt8], _ executions: inout Int) {
        input.withUnsafeBytes { exerciseNetlink($0) }
        executions += 1
    }

    /// A seed, perhaps another one behind it, with a few bytes changed, and perhaps cut off.
    private static func mutate(_ seeds: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
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
        return Array(input.prefix(8192))
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
