internal import FuzzKit

@main
enum FuzzSinks {
    static func main() { FuzzProgram.run([FuzzTarget("jetstream", FuzzJetStream.run)]) }
}
