import LinuxSupport
import Testing

@Suite struct ProgramArgumentsTests {
    @Test func `the arguments are those that the kernel shows of the process, in their order`() {
        #expect(ProgramArguments.afterName == Array(CommandLine.arguments.dropFirst()))
        #expect(!ProgramArguments.afterName.isEmpty)
    }
}
