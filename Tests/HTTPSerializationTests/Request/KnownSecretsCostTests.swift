import AgentTestKit
import Testing

@testable import HTTPSerialization

/// The search for secrets, which takes time in proportion to the text, whatever a server makes of them.
@Suite(.serialized, .onOwnThread) struct KnownSecretsCostTests {
    private static let texts = [
        // Almost a secret, at each index.
        "a", "aaaaaaab", "&#97;", #"\\u0061"#, #"\\"#, "%61", "%", "&#", #"\u{61}"#,
        // A secret, and nothing but its beginning.
        String(repeating: "a", count: 4000) + "b", "aaaaaaaa,",
    ]

    @Test(arguments: texts)
    func `twice the text takes at most two and a half times as long`(text: String) {
        var request = ProbeRequest()
        request.hiddenTexts = Set((0..<64).map { String(repeating: "a", count: 7) + "\($0)" })
        request.hiddenTexts.insert(String(repeating: "a", count: 4000) + "b")
        let known = KnownSecrets(request)
        let inputs = [1 << 11, 1 << 12, 1 << 13].map { size in
            Array(String(repeating: text, count: size / text.utf8.count + 1).utf8)
        }
        let growth = CostGrowth.measure(inputs.count, noise: 0.01) { index in
            CostGrowth.seconds { _ = known.removed(from: inputs[index]) }
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
