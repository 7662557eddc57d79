import ProbeTestKit
import Probes
import Testing

@testable import Hooks

/// The request on the wire.
@Suite
struct WebhookRequestTests {
    private static let line = String(decoding: WebhookBench.event.line, as: UTF8.self)

    private func head(_ sent: WebhookBench.Sent, _ fields: [String]) -> String {
        (["POST /hook HTTP/1.1", "Host: 127.0.0.1:\(sent.server.port)"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(arguments: [false, true])
    func `the event is sent byte for byte`(isSecured: Bool) async throws {
        let sent = try await WebhookBench.send(
            [[.serve(ScriptedResponse(204))]],
            tls: isSecured ? WebhookBench.tls() : nil
        )
        let request = try #require(sent.server.requests.first)
        let fields = [
            "Content-Type: application/json", "Content-Length: \(WebhookBench.event.line.count)", "Connection: close",
        ]
        #expect(String(decoding: request.head, as: UTF8.self) == head(sent, fields))
        #expect(request.body == WebhookBench.event.line)
        #expect(sent.server.requests.count == 1)
        #expect(sent.end?.outcome == .succeeded)
        #expect(sent.end?.attempts == 1)
        #expect(sent.end?.httpStatus == 204)
        #expect(sent.end?.output == HookOutput())
    }

    @Test
    func `the signature is added to the configured fields, and takes precedence`() async throws {
        let secret = try SecretFileBench("correct horse\n")
        let sent = try await WebhookBench.send(
            [[.serve(ScriptedResponse(500))], [.serve(ScriptedResponse(200))]],
            tls: WebhookBench.tls()
        ) { webhook in
            webhook.secretFile = secret.path
            try webhook.probe.request.headers.set("X-Place", "cellar")
            try webhook.probe.request.headers.set("Webhook-Id", "mine")
        }
        #expect(sent.end?.outcome == .succeeded)
        let heads = sent.server.requests.map { String(decoding: $0.head, as: UTF8.self) }
        // Made with: printf 'ID.TIMESTAMP.BODY' | openssl dgst -sha256 -hmac 'correct horse' -binary | base64
        let signed = [
            ("1700000000", "v1,IZKBEOSLXDBH9q3aEJVqqig6IIPS5p3BRZfPXSlZziM="),
            ("1700000001", "v1,T/Kolfowo1x17ZYBTAoiNGxH/rUT4HNmJyUAqXff+PA="),
        ]
        #expect(
            heads
                == signed.map { timestamp, signature in
                    head(
                        sent,
                        [
                            "X-Place: cellar", "webhook-id: evt-1", "webhook-timestamp: \(timestamp)",
                            "webhook-signature: \(signature)", "Content-Type: application/json",
                            "Content-Length: \(WebhookBench.event.line.count)", "Connection: close",
                        ]
                    )
                }
        )
        #expect(sent.server.requests.allSatisfy { $0.body == WebhookBench.event.line })
    }

    /// Sends to a receiver that refuses the first request, and calls a closure with the number of failed attempts before
    /// each one.
    private static func send(
        signedBy secret: SecretFileBench,
        before attempt: @escaping @Sendable (_ failures: Int) -> Void
    ) async throws -> WebhookBench.Sent {
        let server = try await ScriptedServer.start(scripts: [
            [.serve(ScriptedResponse(503))], [.serve(ScriptedResponse(200))],
        ])
        let bench = WebhookBench()
        bench.start(
            try WebhookBench.webhook(server.url("/hook")) { $0.secretFile = secret.path },
            isExcluded: {
                attempt(bench.questions.count)
                return false
            }
        )
        let end = await bench.end()
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
        return WebhookBench.Sent(end: end, server: server, questions: bench.questions)
    }

    @Test
    func `each attempt is signed by the secret of its time`() async throws {
        let secret = try SecretFileBench("old\n")
        let former = try WebhookSignature(secretFile: secret.path)
        let sent = try await Self.send(signedBy: secret) { failures in
            if failures == 1 { try? secret.replace("new\n") }
        }
        #expect(sent.end?.outcome == .succeeded)
        let present = try WebhookSignature(secretFile: secret.path)
        let expected = [(former, 1_700_000_000), (present, 1_700_000_001)].map { signature, timestamp in
            signature.headers(id: WebhookBench.event.id, timestamp: timestamp, body: WebhookBench.event.line).last?
                .value
        }
        #expect(sent.server.requests.map { $0.header("webhook-signature") } == expected)
    }

    @Test
    func `a secret that is away between two attempts costs one of the retries`() async throws {
        let secret = try SecretFileBench("secret\n")
        let sent = try await Self.send(signedBy: secret) { failures in
            if failures == 1 { try? secret.replace("") }
            if failures == 2 { try? secret.replace("secret\n") }
        }
        #expect(sent.end?.outcome == .succeeded)
        #expect(sent.end?.attempts == 3)
        #expect(sent.server.requests.count == 2)
    }

    @Test
    func `HTTP 2 carries the same`() async throws {
        var tls = try WebhookBench.tls()
        tls.applicationProtocols = ["h2"]
        let sent = try await WebhookBench.send([[.serve(ScriptedResponse(200))]], tls: tls)
        let request = try #require(sent.server.requests.first)
        #expect(request.version == "2")
        #expect(request.method == "POST")
        #expect(request.header("content-type") == "application/json")
        #expect(request.body == WebhookBench.event.line)
        #expect(sent.end?.outcome == .succeeded)
    }

    @Test
    func `method, type and text are the configuration's`() async throws {
        let sent = try await WebhookBench.send(
            [[.serve(ScriptedResponse(200))]],
            variables: ["REACH_TO_VIA": #"a "wifi""#]
        ) { webhook in
            webhook.body = try WebhookBody(parsing: #"{"text":"now ${REACH_TO_VIA}"}"#)
            webhook.probe.request.method = "PUT"
            webhook.probe.request.parameters = .dictionary(["a": .string("b")])
            try webhook.probe.request.headers.set("Content-Type", "text/plain")
        }
        let request = try #require(sent.server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.header("Content-Type") == "text/plain")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"text":"now a \"wifi\""}"#)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `redirects are not followed`(status: Int) async throws {
        let sent = try await WebhookBench.send([[.serve(.redirect(to: "/elsewhere", status: status))]]) { webhook in
            webhook.retries = 0
            webhook.probe.maximumRedirects = 5
        }
        #expect(sent.server.requests.map(\.target) == ["/hook"])
        #expect(sent.end?.undeliveredCode == "http_status")
        #expect(sent.end?.httpStatus == status)
    }
}
