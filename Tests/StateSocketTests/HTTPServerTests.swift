import AgentEvents
import AgentTestKit
import Dispatch
import Foundation
import NotificationBus
import Synchronization
import Testing

@testable import StateSocket

/// The server of http.sock, as a client sees it.
@Suite(.timeLimit(.minutes(2)))
struct HTTPServerTests {
    @Test func `documents have their type, a policy and are not cached`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            let page = try client.get("/")
            #expect(page.status == 200 && page.body == "the page\n")
            #expect(page.headers["content-security-policy"] == "sandbox")
            #expect(page.headers["cache-control"] == "no-store" && page.headers["x-content-type-options"] == "nosniff")
            // The connection is kept.
            let metrics = try client.get("/metrics", ["Accept: application/openmetrics-text"])
            #expect(metrics.body == "the openMetrics\n")
            let status = try client.get("/api/status")
            #expect(status.body == #"{"connections":1}"# && status.headers["content-type"] == "application/json")
            #expect(status.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            try client.send("/", method: "HEAD", ["Connection: close"])
            #expect(try client.response(isHead: true).headers["content-length"] == "9")
            #expect(try client.client.line() == nil)
        }
    }

    @Test func `a target may be a whole URI, as a proxy sends it, and its host counts`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            #expect(try client.get("http://localhost/healthz").body == "ok\n")
            #expect(try client.get("http://localhost/healthz", host: "a.b").body == "ok\n")
            #expect(try client.get("http://a.b/healthz").status == 421)
        }
    }

    @Test func `pipelined requests are answered in order, and too many are an error`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            let request = "GET /metrics HTTP/1.1\r\nHost: a.b\r\n\r\n"
            try client.client.send(
                "GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + request
            )
            #expect(try client.response().body.hasPrefix("{"))
            #expect(try client.response().body == "the page\n")
            // A refused request is the last of its connection.
            #expect(try client.response().status == 421)
            #expect(try client.client.line() == nil)
            let hasty = try HTTPClient(stream.http)
            try hasty.client.send(String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 100))
            var statuses: [Int] = []
            while let status = try? hasty.response().status, status > 0 { statuses.append(status) }
            #expect(statuses == Array(repeating: 200, count: 4) + [429])
        }
    }

    @Test func `a thread without an answer makes the agent unhealthy, by its name`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            #expect(try client.get("/healthz").body == "ok\n")
            stream.agent.silentThread.withLock { $0 = "netlink" }
            let response = try client.get("/healthz")
            #expect(response.status == 503 && response.body == "no answer from netlink\n")
        }
    }

    @Test func `history has the past events as lines, and ends`() async throws {
        let journal = MemoryJournal()
        try await ServedStream.run(firstSequence: 5, replay: journal) { stream in
            let old = (2...4).map { stream.agent.event(.pathChanged, number: $0) }
            journal.record(old)
            let new = stream.publish(.probeChanged)
            let expected = (old + [new].compactMap { $0 }).map { String(decoding: $0.line, as: UTF8.self) }
            let all = try HTTPClient(stream.http).get("/api/history")
            #expect(all.body == expected.joined(separator: "\n"))
            #expect(try HTTPClient(stream.http).get("/api/history?since_seq=4").body == expected[3])
            #expect(try HTTPClient(stream.http).get("/api/history?types=probe.*").body == expected[3])
            let beyond = try HTTPClient(stream.http).get("/api/history?since_seq=900")
            #expect(beyond.status == 410)
            let sentence = "the newest event is #5; after a reset, numbers begin again (sequence_unknown)"
            #expect(beyond.body.contains(sentence), "\(beyond.body)")
        }
    }

    @Test(arguments: [
        ("/api/history", 200), ("/api/history?since_seq=4", 200), ("/api/history?since_seq=900", 410), ("/events", 200),
        ("/events?since_seq=900", 200),
    ])
    func `a request of HEAD for a stream has the head of its answer to GET`(target: String, status: Int) async throws {
        let journal = MemoryJournal()
        try await ServedStream.run(firstSequence: 5, replay: journal) { stream in
            journal.record((2...4).map { stream.agent.event(.pathChanged, number: $0) })
            stream.publish(.probeChanged)
            let client = try HTTPClient(stream.http)
            try client.send(target, method: "HEAD")
            let response = try client.response(isHead: true)
            #expect(response.status == status)
            #expect((response.headers["content-length"] == nil) == (status == 200))
            #expect(try client.client.line() == nil)
        }
    }

    @Test func `a head that is too long, not HTTP or with a body is an error, and others are served`() async throws {
        try await ServedStream.run { stream in
            func answer(_ text: String) throws -> Int {
                let client = try HTTPClient(stream.http)
                try? client.client.send(text)
                let response = try client.response()
                let limits = "the head of a request has at most 16384 bytes and 64 fields\n"
                #expect(response.status != 431 || response.body == limits)
                return response.status
            }
            let field = "X-A: \(String(repeating: "a", count: 1000))\r\n"
            #expect(try answer("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: field, count: 17)) == 431)
            #expect(try answer("GET /\(String(repeating: "a", count: 20_000))") == 431)
            #expect(try answer("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "A:\r\n", count: 65)) == 431)
            #expect(try answer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == 400)
            #expect(try answer("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}") == 400)
            #expect(try answer("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc") == 400)
            #expect(
                try answer("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 200
            )
            let other = try HTTPClient(stream.http)
            #expect(try other.get("/").status == 200)
        }
    }

    @Test func `an endless head is an error, and a client without a further request is closed without a word`()
        async throws
    {
        try await onThread {
            let stream = try ServedStream(accepting: false, { $0.requestPatience = .milliseconds(300) })
            defer { stream.stop() }
            // Their time begins when they are accepted.
            let (endless, idle) = (try HTTPClient(stream.http), try HTTPClient(stream.http))
            try endless.client.send("GET / HTTP/1.1\r\nHost: local")
            try idle.send("/")
            stream.server.accept()
            #expect(try endless.response().status == 408)
            #expect(try idle.response().status == 200)
            #expect(try idle.client.line() == nil)
        }
    }

    @Test func `unread pages are kept for four connections of a user, and a client that reads is served`()
        async throws
    {
        try await ServedStream.run(configure: { $0.answerMemory = 1 }) { stream in
            stream.agent.documentPadding.withLock { $0 = 1 << 20 }
            let greedy = try (0..<20).map { _ in try HTTPClient(stream.http) }
            for client in greedy { try client.send("/") }
            #expect(stream.waitForConnections(4))
            let reader = try HTTPClient(stream.http)
            for _ in 0..<3 { #expect(try reader.get("/").body.utf8.count > 1 << 20) }
            withExtendedLifetime(greedy) {}
        }
    }

    @Test func `a port of this machine is for the agent's own user, also by a socket of IPv6`() async throws {
        try await onThread {
            let free = try FreePort()
            defer { withExtendedLifetime(free) {} }
            let port = free.number
            let stream = try ServedStream { $0.http.listen = [HTTPPort(address: "127.0.0.1", port: port)] }
            defer { stream.stop() }
            #expect(try HTTPClient(port: port).get("/").status == 200)
            #expect(try HTTPClient(portOverIPv6: port).get("/").status == 200)
        }
    }

    @Test func `a port that is in use is reported once, and served as soon as it is free`() async throws {
        try await onThread {
            let free = try FreePort()
            defer { withExtendedLifetime(free) {} }
            let port = HTTPPort(address: "127.0.0.1", port: free.number)
            let first = try ServedStream { $0.http.listen = [port] }
            let causes = Mutex<[StateSocketError.Cause?]>([])
            let isOpen = DispatchSemaphore(value: 0)
            let report: @Sendable (HTTPPort, StateSocketError?) -> Void = { reported, error in
                #expect(reported == port)
                causes.withLock { $0.append(error?.cause) }
                if error == nil { isOpen.signal() }
            }
            let retrying: (inout StateSocketConfiguration) -> Void = {
                $0.http.listen = [port]
                $0.portRetryInterval = .milliseconds(5)
            }
            let second = try ServedStream(retrying, portReport: report)
            defer { second.stop() }
            #expect(causes.withLock { $0 } == [.errno(EADDRINUSE)])
            #expect(try HTTPClient(second.http).get("/").status == 200)
            first.stop()
            #expect(isOpen.wait(timeout: .now() + 30) == .success)
            #expect(try HTTPClient(port: port.port).get("/").status == 200)
            #expect(causes.withLock { $0 } == [.errno(EADDRINUSE), nil])
        }
    }

    @Test func `a server that retries a port ends at once`() async throws {
        try await onThread {
            // An address of documentation (RFC 5737), which no machine has.
            let port = HTTPPort(address: "192.0.2.1", port: 9718)
            let stream = try ServedStream {
                $0.http.listen = [port]
                $0.portRetryInterval = .milliseconds(1)
            }
            #expect(try HTTPClient(stream.http).get("/").status == 200)
            stream.stop()
        }
    }

    @Test(arguments: [false, true])
    func `a history that waits for the event which its opening shows ends with it`(isHalfClosed: Bool) async throws {
        let lines = try await ServedStream.run { stream in
            stream.agent.shownSequence.withLock { $0 = 1 }
            let client = try HTTPClient(stream.http)
            try client.send("/api/history")
            // The event loop has handled the request before that of another client, and likewise the end of the input.
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            if isHalfClosed {
                client.client.shutSending()
                #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            }
            stream.publish()
            return try client.response().body.split(separator: "\n").count
        }
        #expect(lines == 1)
    }

    @Test func `a request to change the protocol is answered, and is the last one of its connection`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            let upgrade = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]
            let response = try client.get("/api/status", upgrade)
            #expect(response.status == 200 && response.headers["connection"] == "close")
            #expect(try client.client.line() == nil)
        }
    }

    @Test func `the kernel watches whether a client of a port still lives`() async throws {
        try await onThread {
            let free = try FreePort()
            defer { withExtendedLifetime(free) {} }
            let port = free.number
            let stream = try ServedStream { $0.http.listen = [HTTPPort(address: "127.0.0.1", port: port)] }
            defer { stream.stop() }
            let client = try HTTPClient(port: port)
            try client.send("/events")
            _ = try client.head()
            // proc(5): the server's end is the established one with this local port, and timer 2 is the keep-alive.
            let digits = String(port, radix: 16, uppercase: true)
            let place = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
            // Foundation's own reading ends with the first page.
            let table = try #require(FileHandle(forReadingAtPath: "/proc/self/net/tcp"))
            var text = Data()
            while let part = try table.read(upToCount: 4096), !part.isEmpty { text += part }
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
                .map { $0.split(separator: " ").map(String.init) }
            let established = lines.filter { $0[1] == place && $0[3] == "01" }
            // The kernel may list a connection twice when others end between two reads.
            #expect(!established.isEmpty && established.allSatisfy { $0[5].hasPrefix("02:") })
        }
    }

    @Test func `a report has the parameters of its command, and its errors have a status`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            #expect(try client.get("/api/report").body == "{}\n")
            let path = "/api/report?month=2026-10&slo=99.5&uplink=wlan%30"
            #expect(try client.get(path).body == "{month=2026-10 slo=99.5 uplink=wlan0}\n")
            #expect(try HTTPClient(stream.http).get("/api/report?month=never").status == 400)
            #expect(try HTTPClient(stream.http).get("/api/report?probe=none").status == 404)
            #expect(try HTTPClient(stream.http).get("/api/report?format=html").status == 400)
            #expect(try HTTPClient(stream.http).get("/api/report?month=1&month=2").status == 400)
        }
    }

    @Test func `a user gets one report at a time, and the report of a disconnected client is abandoned`() async throws {
        try await ServedStream.run { stream in
            var slow: HTTPClient? = try HTTPClient(stream.http)
            try slow?.send("/api/report?month=slow")
            try #require(stream.agent.waitForReport(.begun))
            let second = try HTTPClient(stream.http).get("/api/report")
            #expect(second.status == 429 && second.headers["retry-after"] != nil)
            // Nobody else waits.
            #expect(try HTTPClient(stream.http).get("/").status == 200)
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            slow = nil
            try #require(stream.agent.waitForReport(.cancelled))
            var status = 429
            while status == 429 { status = try HTTPClient(stream.http).get("/api/report").status }
            #expect(status == 200)
        }
    }

    @Test func `documents of disconnected clients are not made`() async throws {
        try await ServedStream.run { stream in
            let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            stream.agent.whenMakingDocument.withLock {
                $0 = {
                    begun.signal()
                    gate.wait()
                    gate.signal()
                }
            }
            let patient = try (0..<2).map { _ in try HTTPClient(stream.http) }
            for client in patient { try client.send("/metrics") }
            for _ in patient { begun.wait() }
            var others = try (0..<20).map { _ in try HTTPClient(stream.http) }
            for client in others { try client.send("/metrics") }
            // The event loop has taken their requests before it accepts another client.
            #expect(try HTTPClient(stream.http).get("/api/status").status == 200)
            others = []
            try #require(stream.waitForConnections(2))
            gate.signal()
            for client in patient { #expect(try client.response().status == 200) }
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            #expect(stream.agent.documentCount == 3)
        }
    }

    @Test func `a report reaches a client that has closed its side after the request`() async throws {
        let response = try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/api/report?month=held")
            try #require(stream.agent.waitForReport(.begun))
            client.client.shutSending()
            // The event loop has seen the end of the input before it accepts another client.
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            stream.agent.releaseReports()
            return try client.response()
        }
        #expect(response.status == 200)
        #expect(response.body == "{month=held}\n")
    }

    @Test func `another user is denied with the command that gives access`() {
        let rights = SocketRights(path: "/run/reachagent/http.sock", owner: 4_000_000_001, group: 1, mode: 0o660)
        #expect(rights.refusal(of: 4_000_000_001) == nil)
        // The user 'nobody' (65534) is not a member of the group 'daemon' (1).
        #expect(rights.refusal(of: 65534)?.contains("usermod -aG daemon nobody") == true)
        let open = SocketRights(path: rights.path, owner: 0, group: 0, mode: 0o666)
        #expect(open.refusal(of: 65534) == nil)
    }
}
