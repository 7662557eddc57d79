import Foundation
import Hooks
import Probes
import Testing

@Suite
struct WebhookSignatureTests {
    private static let published = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func signature(_ content: String, mode: Int = 0o600) throws -> [HeaderField] {
        let file = try SecretFileBench(content, mode: mode)
        let body = Array(#"{"test": 2432232314}"#.utf8)
        return try WebhookSignature(secretFile: file.path)
            .headers(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
    }

    @Test(arguments: [published, published + "\n", published + "\r\n"])
    func `the signature matches the specification's example`(content: String) throws {
        #expect(
            try signature(content) == [
                HeaderField(name: "webhook-id", value: "msg_p5jXN8AQM9LWM0D4loKWxJek"),
                HeaderField(name: "webhook-timestamp", value: "1614265330"),
                HeaderField(name: "webhook-signature", value: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
            ]
        )
    }

    // Made with: printf 'ID.TIMESTAMP.BODY' | openssl dgst -sha256 -hmac 'correct horse' -binary | base64
    @Test(arguments: ["correct horse", "correct horse\n"])
    func `a secret without the prefix is taken as it is`(content: String) throws {
        #expect(try signature(content).last?.value == "v1,ZquVke8vjahY5FUylxSXNumFQQGbjldZLz39AEzazrc=")
        #expect(try signature("\(content)\n\n").last?.value != "v1,ZquVke8vjahY5FUylxSXNumFQQGbjldZLz39AEzazrc=")
    }

    @Test(arguments: [0o600, 0o400, 0o640, 0o660])
    func `the group may read the secret`(mode: Int) throws {
        #expect(try signature(Self.published, mode: mode).count == 3)
    }

    @Test(arguments: [0o644, 0o604, 0o602, 0o606])
    func `a secret that others can read or write is rejected`(mode: Int) throws {
        let error = #expect(throws: RequestError.self) { try signature(Self.published, mode: mode) }
        #expect(error?.description.hasSuffix("/secret can be read or written by others: use chmod o-rw") == true)
    }

    @Test(arguments: [
        ("", "holds no secret"),
        ("\n", "holds no secret"),
        ("whsec_", "holds no secret"),
        ("whsec_sesame!", "does not hold base64 behind 'whsec_'"),
        (String(repeating: "sesame", count: 1000), "is longer than 4096 bytes"),
    ])
    func `a file without a valid secret is an error that does not show it`(content: String, reason: String) throws {
        let error = #expect(throws: RequestError.self) { try signature(content) }
        let text = try #require(error).description
        #expect(text.hasSuffix("/secret \(reason)"))
        #expect(!text.contains("sesame"))
    }

    @Test
    func `only regular files are read, and links are followed`() throws {
        let file = try SecretFileBench(Self.published)
        let (link, fifo) = (file.sibling("link"), file.sibling("fifo"))
        try #require(symlink(file.path, link) == 0 && mkfifo(fifo, 0o600) == 0)
        _ = try WebhookSignature(secretFile: link)
        for path in [fifo, file.sibling(""), file.sibling("missing"), "/dev/null", "", "a\u{0}b"] {
            #expect(throws: RequestError.self) { try WebhookSignature(secretFile: path) }
        }
    }

    @Test
    func `no description and no mirror shows the secret`() throws {
        let file = try SecretFileBench("sesame, open")
        let signature = try WebhookSignature(secretFile: file.path)
        var dumped = "\(signature) \(String(reflecting: signature)) \([signature])"
        dump(signature, to: &dumped)
        #expect(!dumped.contains("sesame"))
        #expect(!dumped.contains("Key"))
    }
}
