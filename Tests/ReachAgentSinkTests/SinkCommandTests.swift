import AgentTestKit
import Foundation
import Testing

/// The command line of the built program.
@Suite struct SinkCommandTests {
    @Test(arguments: [
        ("--hlp", "there is no option '--hlp'; did you mean '--help'?"),
        ("--state-dir", "there is no option '--state-dir'; did you mean '--state-directory'?"),
        (
            "--log-level notise",
            "'--log-level <level>': expected debug, info, notice, warning or error, got 'notise'; did you mean 'notice'?"
        ),
        ("plant", "Unexpected argument 'plant'"),
    ])
    func `a mistake is answered in one sentence, with the correction`(_ words: String, _ sentence: String) async throws
    {
        let path = BuiltAgent.productsDirectory.appending(path: "reachagent-sink").path()
        let result = try await FinishedCommand.run(words.split(separator: " ").map(String.init), of: path)
        #expect(result.status == 64)
        #expect(result.error == "reachagent-sink: \(sentence)\nhelp:  reachagent-sink --help\n")
    }
}
