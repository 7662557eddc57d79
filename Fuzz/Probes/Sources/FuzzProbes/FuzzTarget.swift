internal import Glibc

/// The parsers that are fuzzed, by the name of their corpus; `FUZZ_TARGET` chooses one.
enum FuzzTarget: String, CaseIterable {
    case certificate
    case config
    case control
    case dns
    case expectations
    case header
    case hook
    case journal
    case portal
    case recording
    case response
    case url

    static let chosen: FuzzTarget = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            fail("FUZZ_TARGET must be one of \(names)", status: 64)
        }
        return target
    }()

    func run(_ input: [UInt8]) {
        switch self {
        case .certificate: FuzzCertificates.run(input)
        case .config: FuzzConfiguration.run(input)
        case .control: FuzzControl.run(input)
        case .dns: FuzzDNS.run(input)
        case .expectations: FuzzExpectations.run(input)
        case .header: FuzzHeaders.run(input)
        case .hook: FuzzHooks.run(input)
        case .journal: FuzzJournal.run(input)
        case .portal: FuzzPortal.run(input)
        case .recording: FuzzRecording.run(input)
        case .response: FuzzResponse.run(input)
        case .url: FuzzURLs.run(input)
        }
    }
}

/// What libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// libFuzzer's driver (FuzzerInterface.h): runs the callback until it is told to stop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The main function under the name that SwiftPM makes the linker look for, in place of libFuzzer's.
@_cdecl("FuzzProbes_main")
public func fuzzProbesMain(
    _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    var (count, arguments) = (count, arguments)
    return runFuzzer(&count, &arguments) { fuzzOneInput($0, $1) }
}

/// A property that does not hold: the fuzzer keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    guard !condition else { return }
    fail("property violated: \(message())", status: nil)
}

/// Writes a message to standard error and ends the process: with a status, or as a crash.
private func fail(_ message: String, status: Int32?) -> Never {
    let line = Array("\(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    if let status { exit(status) }
    abort()
}
