internal import FuzzKit

@main
enum FuzzTrust {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("certificate", maximumLength: 1 << 17, FuzzCertificates.run),
            FuzzTarget("chain", maximumLength: 1 << 17, FuzzChains.run),
        ])
    }
}
