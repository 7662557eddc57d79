internal import Glibc

/// The main function of a program that fuzzes: `$FUZZ_TARGET` chooses one of its targets.
///
/// Built with `-sanitize=fuzzer -DLIBFUZZER` (`Fuzz/run`) its arguments are those of libFuzzer, which is led by coverage.
/// Built as everything else (`Fuzz/run --without-libfuzzer`) it replays a corpus and then goes on with mutations of it:
///
///     FUZZ_TARGET=dns fuzz-probes CORPUS SECONDS INPUT
///
/// With `$FUZZ_SLOW` an input that takes longer than a second is a finding too (`Fuzz/run --slow`).
///
/// INPUT is where a crash leaves the input that led to it.
package enum FuzzProgram {
    /// Runs the chosen target to the end of its time, and ends the process.
    package static func run(_ targets: [FuzzTarget]) -> Never {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = targets.first(where: { $0.name == name }) else {
            complain("FUZZ_TARGET must be one of \(targets.map(\.name).joined(separator: ", "))")
            exit(64)
        }
        #if LIBFUZZER
            chosen = target
            var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
            exit(runFuzzer(&count, &arguments) { fuzzOneInput($0, $1) })
        #else
            let arguments = CommandLine.arguments
            guard arguments.count == 4, let seconds = UInt32(arguments[2]) else {
                complain("usage: FUZZ_TARGET=NAME \(arguments[0]) CORPUS SECONDS INPUT")
                exit(64)
            }
            do {
                let loop = try MutationLoop(
                    corpus: arguments[1],
                    keeping: arguments[3],
                    maximumLength: target.maximumLength
                )
                print("Done \(loop.run(target, for: .seconds(Int(seconds)))) runs")
                exit(0)
            } catch {
                complain("\(error)")
                exit(66)
            }
        #endif
    }
}

#if LIBFUZZER
    /// Set once, before libFuzzer calls for the first time, on the one thread that there is.
    private nonisolated(unsafe) var chosen = FuzzTarget("none") { _ in }

    /// The function that libFuzzer calls for each input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    }

    /// libFuzzer's driver (FuzzerInterface.h): runs the callback until its time is over.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runFuzzer(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#endif
