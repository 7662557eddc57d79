import AgentEvents
import AgentTestKit
import Testing

@testable import Hooks

@Suite
struct ShellWordTests {
    @Test(arguments: [
        ("/etc/reachagent/hooks.d/10-log", "/etc/reachagent/hooks.d/10-log"), ("", "''"), ("a b", "'a b'"),
        ("$(reboot)", "'$(reboot)'"), ("it's", #"'it'\''s'"#), ("a\nb", #"$'a\x0ab'"#),
        ("'\\\u{1B}[m", #"$'\'\\\x1b[m'"#), ("~root", "'~root'"),
        ("'\u{301}$(reboot)'", "''\\''\u{301}$(reboot)'\\'''"), ("é", "'é'"), ("\u{85}", #"$'\xc2\x85'"#),
    ])
    func `a shell reads quoted text back`(word: String, quoted: String) async throws {
        #expect(ShellWord.quoted(word) == quoted)
        let shell = try await FinishedCommand.run(["-c", "printf %s \(quoted)"], of: "/bin/bash")
        #expect(shell.output == word)
    }
}
