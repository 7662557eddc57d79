import NIOCore
import ProbeTestKit
import Probes
import Testing

@testable import Hooks

/// The retries of a webhook, and its end.
@Suite
struct WebhookRunTests {
    @Test
    func `a failed request is sent again until it is accepted`() async throws {
        let sent = try await WebhookBench.send([
            [.serve(.text("down", status: 500))], [.reset], [.serve(.text("thanks"))],
        ])
        let end = try #require(sent.end)
        #expect(end.outcome == .succeeded)
        #expect(end.attempts == 3)
        #expect(end.httpStatus == 200)
        #expect(end.output == HookOutput())
        #expect(sent.questions.map(\.failures) == [1, 2])
        #expect(sent.server.requests.count == 2)
    }

    @Test(arguments: [400, 401, 403, 404, 405, 409, 410, 413, 422, 451, 499])
    func `a request that the server rejects is not sent again`(status: Int) async throws {
        let sent = try await WebhookBench.send([[.serve(ScriptedResponse(status))]])
        #expect(sent.end?.outcome == .undelivered(code: "http_status", detail: "expected 200-299, got \(status)"))
        #expect(sent.end?.attempts == 1)
        #expect(sent.end?.httpStatus == status)
        #expect(sent.server.connections == 1)
    }

    @Test(arguments: [302, 408, 425, 429, 500, 502, 503, 504, 511])
    func `a temporary error of the server uses all retries`(status: Int) async throws {
        let sent = try await WebhookBench.send([[.serve(ScriptedResponse(status))]])
        #expect(sent.end?.outcome == .undelivered(code: "http_status", detail: "expected 200-299, got \(status)"))
        #expect(sent.end?.attempts == 3)
        #expect(sent.server.requests.count == 3)
        #expect(sent.questions.map(\.failures) == [1, 2])
    }

    @Test
    func `the probe's expectations decide which response is accepted`() async throws {
        let sent = try await WebhookBench.send([
            [.serve(.text("ok", status: 200))], [.serve(.json(#"{"ok":false}"#))], [.serve(.json(#"{"ok":true}"#))],
        ]) { webhook in
            webhook.probe.expectations = ResponseExpectations(bodyExpectations: [.contains(#""ok":true"#)])
        }
        #expect(sent.end?.outcome == .succeeded)
        #expect(sent.end?.attempts == 3)
        let accepting = try await WebhookBench.send([[.serve(ScriptedResponse(404))]]) { webhook in
            let codes = try StatusCodes(parsing: "404")
            webhook.probe.expectations = ResponseExpectations(acceptableStatusCodes: codes)
        }
        #expect(accepting.end?.outcome == .succeeded)
    }

    @Test
    func `an accepted status is enough, whatever the rest of the response`() async throws {
        let truncated = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthan"
        let large = "HTTP/1.1 202 Accepted\r\nContent-Length: 100000000\r\n\r\n"
        for text in [truncated, large] {
            let sent = try await WebhookBench.send([[.receiveRequest, .send(text), .close]])
            #expect(sent.end?.outcome == .succeeded)
            #expect(sent.server.requests.count == 1)
        }
    }

    @Test(arguments: [
        ("120", Duration.seconds(120)), ("0", .seconds(0)), ("99999999999999999999", .seconds(Int32.max)), ("", nil),
        ("-1", nil), ("1.5", nil), ("soon", nil), ("Fri, 31 Dec 1999 23:59:59 GMT", .zero),
        // The bench's clock shows 22:13:20.
        ("Tue, 14 Nov 2023 22:15:20 GMT", .seconds(120)), ("Tuesday, 14-Nov-23 22:15:20 GMT", .seconds(120)),
        ("Tue Nov 14 22:15:20 2023", .seconds(120)),
    ])
    func `a server says how long to wait before the next attempt`(value: String, asked: Duration?) async throws {
        let busy = ScriptedResponse(429, headers: [("retry-after", value)])
        let sent = try await WebhookBench.send([[.serve(busy)], [.serve(ScriptedResponse(200))]])
        #expect(sent.end?.outcome == .succeeded)
        #expect(sent.questions == [WebhookBench.Question(failures: 1, asked: asked)])
    }

    @Test
    func `a date to wait for is compared with the server's own clock, if it tells it`() async throws {
        for (clock, asked) in [("Sun, 06 Nov 1994 08:49:00 GMT", 37), ("now", 0)] as [(String, Int64)] {
            let headers = [("date", clock), ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]
            let busy = ScriptedResponse(503, headers: headers)
            let sent = try await WebhookBench.send([[.serve(busy)], [.serve(ScriptedResponse(200))]])
            #expect(sent.questions == [WebhookBench.Question(failures: 1, asked: .seconds(asked))])
        }
    }

    @Test
    func `pauses double up to a minute, and are as long as the server asks for up to five`() {
        let pauses = (1...8).map { WebhookPace.standardPause(failures: $0, requested: nil) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(WebhookPace.standardPause(failures: Int.max, requested: nil) == .seconds(60))
        #expect(WebhookPace.standardPause(failures: 0, requested: nil) == .seconds(1))
        #expect(WebhookPace.standardPause(failures: 3, requested: .seconds(2)) == .seconds(4))
        #expect(WebhookPace.standardPause(failures: 3, requested: .seconds(30)) == .seconds(30))
        #expect(WebhookPace.standardPause(failures: 3, requested: .seconds(Int32.max)) == .seconds(300))
    }

    @Test
    func `a server that is down is retried, and given up`() async throws {
        let port = try ClosedPort()
        let bench = WebhookBench()
        let end = try #require(await bench.send(WebhookBench.webhook("http://127.0.0.1:\(port.number)/hook")))
        #expect(end.undeliveredCode == "connect_refused")
        #expect(end.attempts == 3)
        #expect(end.httpStatus == nil)
        withExtendedLifetime(port) {}
    }

    @Test
    func `each attempt has the whole time`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let bench = WebhookBench()
        let webhook = try WebhookBench.webhook(server.url("/hook")) { webhook in
            webhook.retries = 1
            webhook.probe.timeout = .zero
            webhook.probe.request.timeoutInterval = .seconds(600)
            webhook.probe.serializer.timeoutInterval = .seconds(600)
        }
        // Time enough for a busy machine to connect.
        let end = try #require(await bench.send(webhook, timeout: .seconds(2)))
        #expect(end.undeliveredCode == "timeout")
        #expect(end.attempts == 2)
        #expect(end.duration >= .seconds(4))
        #expect(server.connections == 2)
        await server.shutDown()
    }

    @Test
    func `a server with the wrong key is never sent a byte, and is retried`() async throws {
        let pin = PublicKeyPin(subjectPublicKeyInfo: [1, 2, 3])
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [pin])
        let anchors = TrustAnchors(certificates: [try WebhookBench.authority.get().root.der])
        let sent = try await WebhookBench.send([[.serve(ScriptedResponse(200))]], tls: WebhookBench.tls()) { webhook in
            webhook.probe.trust = TrustEvaluator(policy: policy, anchors: anchors)
        }
        #expect(sent.end?.undeliveredCode == "tls_pin_mismatch")
        #expect(sent.end?.attempts == 3)
        #expect(sent.server.connections == 3)
        #expect(sent.server.requests.isEmpty)
    }

    @Test
    func `an untrusted server is never sent a byte, and is retried`() async throws {
        let sent = try await WebhookBench.send([[.serve(ScriptedResponse(200))]], tls: WebhookBench.tls()) { webhook in
            webhook.probe.trust = TrustEvaluator(anchors: TrustAnchors(certificates: []))
        }
        #expect(sent.end?.undeliveredCode == "tls_untrusted_root")
        #expect(sent.end?.attempts == 3)
        #expect(sent.server.requests.isEmpty)
    }

    @Test
    func `a secret that cannot be read keeps the request from being sent`() async throws {
        let readable = try SecretFileBench("sesame", mode: 0o644)
        let expected = [
            (readable.path, "can be read or written by others: use chmod o-rw"),
            (readable.sibling("missing"), "cannot be opened: No such file or directory"),
        ]
        for (path, reason) in expected {
            let sent = try await WebhookBench.send([[.serve(ScriptedResponse(200))]]) { $0.secretFile = path }
            #expect(sent.end?.outcome == .undelivered(code: "request_invalid", detail: "\(path) \(reason)"))
            #expect(sent.end?.attempts == 0)
            #expect(sent.server.connections == 0)
        }
    }

    @Test
    func `a request that cannot be built is not tried again`() async throws {
        let sent = try await WebhookBench.send([[.serve(ScriptedResponse(200))]]) { webhook in
            webhook.probe.request.method = "NO METHOD"
        }
        #expect(sent.end?.undeliveredCode == "request_invalid")
        #expect(sent.end?.attempts == 1)
        #expect(sent.server.connections == 0)
    }
}
