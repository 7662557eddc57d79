import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct TransferCheckTests {
    @Test(arguments: TransferBench.Wire.allCases)
    func `a transfer measures both directions`(wire: TransferBench.Wire) async throws {
        let log = ProgressLog()
        var bench = TransferBench()
        bench.plan.progress = log.closure
        bench.uploadPath = "/sink"
        let (report, server) = try await bench.transfer(
            [[.serve(["/large": TransferBench.object(), "/sink": ScriptedResponse(204)])]],
            tls: TransferBench.tls(wire)
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        let transfer = try #require(report.transfer)
        #expect(transfer.idle?.count == 8)
        let download = try #require(transfer.download)
        #expect(download.bytes == TransferBench.size && download.isComplete)
        #expect(download.goodput.map { $0.p50 > 0 } == true)
        #expect(download.timeToFirstByte.map { $0 > .zero } == true)
        let upload = try #require(transfer.upload)
        #expect(upload.bytes == 1_000_000 && upload.isComplete)
        #expect(upload.timeToFirstByte == nil)
        #expect(transfer.seams.isEmpty)
        #expect(server.requests.contains { $0.method == "POST" && $0.body.count == 1_000_000 })
        #expect(log.phases == [.started, .download, .upload, .completed])
        #expect(log.all.first { $0.phase == .download }?.interface == "lo")
        #expect(report.phases.contains(.body) && report.phases.contains(.firstByte))
        #expect(report.bytesReceived >= TransferBench.size)
        #expect(report.bytesOnWire <= bench.plan.bytesOnWire)
        #expect(report.hop.response?.status == 200)
    }

    @Test(arguments: TransferBench.Wire.allCases)
    func `a slow server is probed for its responsiveness meanwhile`(wire: TransferBench.Wire) async throws {
        let body = TransferBench.object(60_000)
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 60_000)
        let slowly: [ServerStep] = [
            .receiveRequest, .send(body.head), .receiveRequest, .send(body.head),
            .sendSlowly(body.body, piece: 2000, interval: .milliseconds(20)),
        ]
        let scripts: [[ServerStep]] = wire == .http2 ? [[.serve(body)]] : [slowly, [.serve(body)]]
        let (report, _) = try await bench.transfer(scripts, tls: TransferBench.tls(wire))
        #expect(report.verdict == .ok, "\(report.findings)")
        let download = try #require(report.transfer?.download)
        #expect(download.bytes == 60_000)
        guard wire != .http2 else { return }
        let loaded = try #require(download.loaded)
        #expect(loaded.separate.map { $0.count > 0 } == true)
        #expect(loaded.same == nil)
        #expect(loaded.added != nil)
        #expect(loaded.perMinute > 0)
        #expect(download.duration > .milliseconds(300))
        #expect(download.goodput.map { $0.windows >= 3 } == true)
    }

    @Test
    func `over HTTP/2 the transfer's own connection is probed too`() async throws {
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 60_000_000)
        let (report, server) = try await bench.transfer(
            [[.serve(TransferBench.object(60_000_000))]],
            tls: TransferBench.tls(.http2)
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        let loaded = try #require(report.transfer?.download?.loaded)
        #expect(loaded.same.map { $0.count > 0 && $0.p50 > .zero } == true)
        #expect(loaded.separate.map { $0.count > 0 } == true)
        #expect(loaded.perMinute > 0)
        // One connection for the transfer, and one for the small requests.
        #expect(server.connections == 2)
    }

    @Test
    func `an object larger than requested is cut off, or requested in part`() async throws {
        for ranges in [true, false] {
            for wire in TransferBench.Wire.allCases {
                var bench = TransferBench()
                bench.plan = TransferPlan(downloadBytes: 100_000, uploadBytes: 1000)
                // The server ignores the range, and must be cut off.
                let object = TransferBench.object(150_000, ranges: ranges)
                bench.uploadPath = "/sink"
                let script: [ServerStep] = [.serve(["/large": object, "/sink": ScriptedResponse(204)])]
                let (report, server) = try await bench.transfer([script], tls: TransferBench.tls(wire))
                #expect(report.verdict == .ok, "\(report.findings)")
                #expect(report.transfer?.download?.bytes == 100_000)
                #expect(report.transfer?.download?.isComplete == true)
                #expect(report.transfer?.upload?.bytes == 1000)
                let get = try #require(server.requests.first { $0.method == "GET" })
                #expect(get.header("Range") == "bytes=0-99999")
            }
        }
    }

    @Test
    func `an object smaller than requested is complete, and noted`() async throws {
        for wire in TransferBench.Wire.allCases {
            var bench = TransferBench()
            bench.plan = TransferPlan(downloadBytes: 100_000)
            let (report, _) = try await bench.transfer(
                [[.serve(TransferBench.object(500))]],
                tls: TransferBench.tls(wire)
            )
            #expect(report.verdict == .ok, "\(report.findings)")
            #expect(report.transfer?.download?.wantedBytes == 500)
            #expect(report.transfer?.download?.isComplete == true)
            #expect(report.findings.contains { $0.severity == .note && $0.code == .httpBody })
        }
    }

    @Test(arguments: [true, false])
    func `a server that sends only the start of a range is asked for the rest`(isKept: Bool) async throws {
        let object = TransferBench.object(300_000, ranges: true)
        func part(_ range: String) -> [ServerStep] {
            let head =
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(range)/300000\r\nContent-Length: 100000\r\n"
                + (isKept ? "\r\n" : "Connection: close\r\n\r\n")
            return [.receiveRequest, .send(head), .send([UInt8](repeating: 7, count: 100_000))]
        }
        let start = [.receiveRequest, .send(object.head)] + part("0-99999")
        let rest = part("100000-199999")
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 200_000)
        let (report, server) = try await bench.transfer(
            isKept ? [start + rest, [.serve(object)]] : [start, [.serve(object)], rest]
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 200_000)
        #expect(report.transfer?.download?.wantedBytes == 200_000)
        #expect(!report.findings.contains { $0.code == .httpBody })
        let parts = server.requests.filter { $0.method == "GET" }
        #expect(parts.map { $0.header("Range") } == ["bytes=0-199999", "bytes=100000-199999"])
        #expect(parts.map { $0.header("If-Range") } == [nil, "\"one\""])
    }

    @Test
    func `a redirect is followed before the transfer begins`() async throws {
        let object = TransferBench.object(50_000)
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 50_000)
        let script: [ServerStep] = [.serve(["/large": .redirect(to: "/other"), "/other": object])]
        let (report, _) = try await bench.transfer([script]) { $0.maximumRedirects = 3 }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hops.count == 2)
        #expect(report.transfer?.download?.bytes == 50_000)
    }

    @Test
    func `without HEAD one byte is requested from the server instead`() async throws {
        let object = TransferBench.object(50_000)
        let byte = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-0/50000\r\nContent-Length: 1\r\n\r\nx"
        let refusal = "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 50_000)
        let small: [ServerStep] = (0..<200).flatMap { _ in [.receiveRequest, .send(byte)] }
        let (report, server) = try await bench.transfer([
            [.receiveRequest, .send(refusal), .receiveRequest, .send(byte), .receiveRequest, .respond(object)], small,
        ])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.idle?.count == 8)
        #expect(report.transfer?.download?.bytes == 50_000)
        #expect(server.requests.filter { $0.header("Range") == "bytes=0-0" }.count >= 9)
    }

    @Test
    func `an upload may have another address`() async throws {
        let sink = try await ScriptedServer.start([.serve(ScriptedResponse(204))])
        var bench = TransferBench()
        bench.plan = TransferPlan(uploadBytes: 200_000, uploadURL: try HTTPURL(parsing: sink.url("/sink")))
        let standard = try HeaderFields([HeaderField(name: "User-Agent", value: "agent")])
        let own = try HeaderFields([HeaderField(name: "X-Token", value: "secret")])
        let (report, server) = try await bench.transfer([[.serve(TransferBench.object(10))]]) { probe in
            probe.serializer.credentials = try? BasicCredentials(user: "user", password: "secret")
            probe.serializer.headers = standard
            probe.request.headers = own
        }
        await sink.shutDown()
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.upload?.bytes == 200_000)
        #expect(report.transfer?.download == nil)
        let post = try #require(sink.requests.first)
        #expect(post.body.count == 200_000)
        #expect(post.header("Authorization") == nil)
        #expect(post.header("X-Token") == nil)
        #expect(post.header("User-Agent") == "agent")
        #expect(post.header("Host") == (try HTTPURL(parsing: sink.url("/sink")).authority))
        #expect(server.requests.first?.header("Authorization") != nil)
        #expect(server.requests.first?.header("X-Token") == "secret")
    }

    @Test
    func `an upload to the server of the target has the fields of the probe`() async throws {
        var bench = TransferBench()
        bench.uploadPath = "/sink"
        bench.plan = TransferPlan(uploadBytes: 1000)
        let own = try HeaderFields([HeaderField(name: "X-Token", value: "own")])
        let script: [ServerStep] = [.serve(["/large": TransferBench.object(10), "/sink": ScriptedResponse(204)])]
        let (report, server) = try await bench.transfer([script]) { $0.request.headers = own }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(server.requests.first { $0.method == "POST" }?.header("X-Token") == "own")
    }

    @Test
    func `a large answer to an upload is not awaited`() async throws {
        for wire in TransferBench.Wire.allCases {
            var bench = TransferBench()
            bench.plan = TransferPlan(uploadBytes: 100_000)
            let (report, _) = try await bench.transfer([[.serve(TransferBench.object())]], tls: TransferBench.tls(wire))
            #expect(report.transfer?.upload?.bytes == 100_000, "\(report.findings)")
        }
    }

    @Test
    func `an upload never leaves TLS`() async throws {
        var bench = TransferBench()
        bench.plan = TransferPlan(uploadBytes: 1000, uploadURL: try HTTPURL(parsing: "http://host.test/sink"))
        let (report, server) = try await bench.transfer([[.silence]], tls: TransferBench.tls(.tls))
        #expect(report.verdict == .unknown(.requestInvalid, .resolve))
        #expect(server.connections == 0)
    }

    @Test
    func `a transfer of low priority works like any other`() async throws {
        var bench = TransferBench()
        bench.plan.priority = .low
        bench.plan.uploadBytes = 0
        let (report, _) = try await bench.transfer([[.serve(TransferBench.object())]])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.isComplete == true)
    }
}
