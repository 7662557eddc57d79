import ProbeTestKit
import Probes
import Testing

@testable import Hooks

/// The output that is kept of a response that rejects the webhook.
@Suite
struct WebhookOutputTests {
    private func output(_ response: ScriptedResponse) async throws -> HookOutput {
        let sent = try await WebhookBench.send([[.serve(response)]])
        return try #require(sent.end).output
    }

    @Test(arguments: [
        ("no such channel", "'no such channel'"),
        ("a\u{1b}[2Jb\nc\u{0}", "'a\\u{1b}[2Jb\\nc\\u{0}'"),
        ("{\"token\":\"abc\"}", "'{\"token…'"),
        ("", ""),
    ])
    func `a short body is shown as evidence is`(body: String, text: String) async throws {
        let output = try await output(.text(body, status: 404))
        #expect(output == HookOutput(text: text, bytes: body.utf8.count))
    }

    @Test(arguments: [
        "rejected: abcdefgh-12345678", "rejected: YWJjZGVmZ2gtMTIzNDU2Nzg=", "POST /hooks/T0000-B0000-secret: no",
        String(repeating: ".", count: 74) + "abcdefgh-12345678",
    ])
    func `secrets of the request that a receiver echoes are not shown`(body: String) async throws {
        let sent = try await WebhookBench.send([[.serve(.text(body, status: 403))]], path: "/hooks/T0000-B0000-secret")
        {
            try $0.probe.request.headers.set("X-Auth-Token", "abcdefgh-12345678")
        }
        let end = try #require(sent.end)
        #expect(end.output.text.contains("(not-") || end.output.text.hasSuffix("…'"))
        for secret in ["abcdef", "YWJjZGVm", "B0000"] { #expect(!"\(end)".contains(secret)) }
    }

    @Test
    func `of a long body the beginning is shown`() async throws {
        let long = try await output(.text(String(repeating: "x", count: 70_000), status: 400))
        let beginning = "'" + String(repeating: "x", count: 80) + "'"
        #expect(long == HookOutput(text: beginning, bytes: 70_000, omittedBytes: 69_920))
        // 80 bytes are 26 characters of three bytes, and two bytes of the next one.
        let wide = try await output(.text(String(repeating: "€", count: 40), status: 400))
        #expect(wide == HookOutput(text: "'" + String(repeating: "€", count: 26) + "'", bytes: 120, omittedBytes: 42))
    }

    @Test
    func `a body that fills the room exactly is shown whole`() async throws {
        let output = try await output(.text(String(repeating: "é", count: 40), status: 400))
        #expect(output == HookOutput(text: "'" + String(repeating: "é", count: 40) + "'", bytes: 80))
    }
}
