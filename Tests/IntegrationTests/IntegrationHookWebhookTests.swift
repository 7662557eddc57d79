import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Requests that are sent when something changes.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookWebhookTests {
    /// A request, as `hook-server.py` tells of it.
    private struct Request: Decodable {
        let method: String
        let path: String
        let status: Int
        let body: String
        let headers: [String: String]
        let signed: Bool
    }

    private static let secret = "not much of a secret"

    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
        try lab.write(Self.secret + "\n", to: "\(lab.path)/secret")
        chmod("\(lab.path)/secret", 0o600)
    }

    /// Starts a server on the machine itself, which answers with these statuses.
    private func server(_ statuses: Int...) async throws -> CommandLines {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "hook-server.py").path()
        let words = [script, "8080", Self.secret] + statuses.map(String.init)
        let lines = try CommandLines(lab.namespace.command("/usr/bin/env", ["python3"] + words))
        try await lines.next(containing: "ready")
        return lines
    }

    private func hook(_ name: String, _ more: String = "") -> String {
        "[hook.\(name)]\nurl = \"http://127.0.0.1:8080/\(name)\"\n\(more)\n\n"
    }

    private func request(_ lines: CommandLines) async throws -> Request {
        let line = try #require(await lines.next())
        return try JSONDecoder().decode(Request.self, from: Data(line.utf8))
    }

    @Test
    func `a webhook sends the event's line, signed`() async throws {
        let server = try await server(204)
        let agent = try await HookAgent.start(
            in: lab,
            hook("signed", "secret_file = \"\(lab.path)/secret\"\nheaders = { X-Site = \"7\" }"),
            more: ["--log-level", "trace"]
        )
        try lab.use(.wifi)
        let event = try await agent.settles(on: "wifi")
        let run = try await agent.completed("signed", for: event)
        let request = try await request(server)
        #expect(request.method == "POST")
        #expect(request.path == "/signed")
        #expect(request.body == event.text)
        #expect(request.signed)
        #expect(request.headers["webhook-id"] == event.id)
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["x-site"] == "7")
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(run.run?.kind == "webhook")
        #expect(run.run?.ending.httpStatus == 204)
        #expect(run.run?.ending.attempts == 1)
        #expect(try await agent.stop() == 0)
        #expect(agent.log.contains("agent stopping") && !agent.log.contains(Self.secret), "\(agent.log)")
    }

    @Test
    func `a body of its own has the event's variables in it, and nothing is signed without a secret`() async throws {
        let server = try await server(200)
        let body = #"body = '{"text": "${REACH_FROM_VIA} is ${REACH_TO_VIA} now: 5 $$"}'"#
        let agent = try await HookAgent.start(in: lab, hook("chat", "method = \"PUT\"\n\(body)"))
        try lab.use(.wifi)
        try await agent.completed("chat", for: agent.settles(on: "wifi"))
        let request = try await request(server)
        #expect(request.method == "PUT")
        #expect(request.body == #"{"text": "wired is wifi now: 5 $"}"#)
        #expect(request.headers["webhook-signature"] == nil)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a request with a temporary error is sent again with the same id, a rejected one is not`() async throws {
        let server = try await server(503, 200, 403)
        let agent = try await HookAgent.start(in: lab, hook("again", "secret_file = \"\(lab.path)/secret\""))
        try lab.use(.wifi)
        let run = try await agent.completed("again", for: agent.settles(on: "wifi"))
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(run.run?.ending.attempts == 2)
        #expect((run.run?.ending.durationMilliseconds ?? 0) >= 1000)
        let requests = [try await request(server), try await request(server)]
        #expect(requests.map(\.status) == [503, 200])
        #expect(requests.map(\.signed) == [true, true])
        #expect(requests[0].headers["webhook-id"] == requests[1].headers["webhook-id"])
        try lab.use(.wired)
        let refused = try await agent.completed("again", for: agent.settles(on: "wired"))
        #expect(refused.run?.ending.outcome == "undelivered")
        #expect(refused.run?.ending.httpStatus == 403)
        #expect(refused.run?.ending.attempts == 1)
        #expect(refused.run?.failures == 1)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `no redirect is followed`() async throws {
        let server = try await server(302)
        let agent = try await HookAgent.start(in: lab, hook("led", "retries = 1"))
        try lab.use(.wifi)
        let run = try await agent.completed("led", for: agent.settles(on: "wifi"))
        #expect(run.run?.ending.outcome == "undelivered")
        #expect(run.run?.ending.httpStatus == 302)
        #expect([try await request(server).path, try await request(server).path] == ["/led", "/led"])
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a webhook waits until the machine is online, and then sends its queue`() async throws {
        let server = try await server(200)
        let agent = try await HookAgent.start(
            in: lab,
            hook("newest") + hook("each", "queue = \"all\"") + "[hook.here]\ncommand = [\"true\"]\n"
        )
        try lab.disconnect()
        let lost = try await agent.settles(on: "none")
        try await agent.completed("here", for: lost)
        #expect(try await agent.status(of: "newest")?.waiting == 1)
        try lab.use(.wifi)
        let back = try await agent.settles(on: "wifi")
        let newest = try await agent.completed("newest", for: back)
        #expect(newest.run?.superseded == 1)
        try await agent.completed("each", for: lost)
        try await agent.completed("each", for: back)
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "newest").count == 1)
        let requests = [try await request(server), try await request(server), try await request(server)]
        #expect(requests.filter { $0.path == "/each" }.map(\.body) == [lost.text, back.text])
        #expect(requests.filter { $0.path == "/newest" }.map(\.body) == [back.text])
    }

    @Test
    func `a webhook that still waits when the agent stops is reported`() async throws {
        let agent = try await HookAgent.start(in: lab, hook("chat"))
        try lab.disconnect()
        let lost = try await agent.settles(on: "none")
        #expect(try await agent.status(of: "chat")?.waitsForNetwork == true)
        #expect(try await agent.stop() == 0)
        let run = try #require(agent.completions(of: "chat").first?.run)
        #expect(run.triggerSequence == lost.seq && run.ending.outcome == "stopped" && run.ending.attempts == 0)
    }

    /// A server that answers the first request with 503 on SIGUSR1, and every later one with 200 at once.
    private static let failingServer = """
        import http.server, signal, threading
        go = threading.Event()
        signal.signal(signal.SIGUSR1, lambda *_: go.set())
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers['content-length']))
                is_first = not go.is_set()
                print(self.path, flush=True)
                go.wait()
                self.send_response(503 if is_first else 200)
                self.send_header('Content-Length', '0')
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 8080), Handler)
        print('ready', flush=True)
        server.serve_forever()
        """

    @Test
    func `a retry waits until the machine is online, and is sent before the later events`() async throws {
        try lab.write(Self.failingServer, to: "\(lab.path)/server.py")
        let server = try CommandLines(lab.namespace.command("/usr/bin/env", ["python3", "\(lab.path)/server.py"]))
        try await server.next(containing: "ready")
        // The other hook is the clock: without waiting, three retries would be made while it runs.
        let agent = try await HookAgent.start(
            in: lab,
            hook("again", "queue = \"all\"")
                + "[hook.clock]\ncommand = [\"sleep\", \"8\"]\nwhen = { to_via = \"none\" }\n"
        )
        try lab.use(.wifi)
        let first = try await agent.settles(on: "wifi")
        try await server.next(containing: "/again")
        try lab.disconnect()
        let lost = try await agent.settles(on: "none")
        server.signal(SIGUSR1)
        try await agent.completed("clock", for: lost)
        #expect(agent.completions(of: "again").isEmpty)
        let status = try #require(try await agent.status(of: "again"))
        #expect(status.running == 1 && status.waiting == 1 && status.attempt?.attempts == 1)
        #expect(status.waitsForNetwork == true)
        try lab.use(.wired)
        let back = try await agent.settles(on: "wired")
        try await agent.completed("again", for: back)
        #expect(try await agent.stop() == 0)
        let runs = agent.completions(of: "again").compactMap(\.run)
        #expect(runs.map(\.triggerSequence) == [first.seq, lost.seq, back.seq])
        #expect(runs.map(\.ending.outcome) == ["succeeded", "succeeded", "succeeded"])
        #expect(runs.map(\.ending.attempts) == [2, 1, 1])
    }

    @Test
    func `a server that hangs delays neither the agent's end nor its other hooks`() async throws {
        let listener = try CommandLines(
            lab.namespace.command(
                "/usr/bin/env",
                [
                    "python3", "-c",
                    """
                    import socket, sys
                    s = socket.create_server(('127.0.0.1', 8080)); print('ready', flush=True)
                    c, _ = s.accept(); print('taken', flush=True); sys.stdin.read(); c.recv(1 << 20); s.accept()
                    """,
                ]
            )
        )
        try await listener.next(containing: "ready")
        let agent = try await HookAgent.start(
            in: lab,
            "[hooks]\nstop_grace = \"200ms\"\n" + hook("hangs") + "[hook.here]\ncommand = [\"true\"]\n"
        )
        try lab.use(.wifi)
        let change = try await agent.settles(on: "wifi")
        try await listener.next(containing: "taken")
        try await agent.completed("here", for: change)
        #expect(try await agent.status(of: "hangs")?.running == 1)
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "hangs").map(\.run?.ending.outcome) == ["stopped"])
    }
}
