internal import FuzzKit

@main
enum FuzzFiles {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("config", FuzzConfiguration.run), FuzzTarget("hook", FuzzHooks.run),
        ])
    }
}
