internal import FuzzKit

@main
enum FuzzHTTP {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("expectations", maximumLength: 1 << 20, FuzzExpectations.run),
            FuzzTarget("header", FuzzHeaders.run), FuzzTarget("secrets", FuzzSecrets.run),
        ])
    }
}
