import Testing

@testable import AgentEvents

@Suite
struct TransferTests {
    private static func transfer(down: Int64?, up: Int64? = nil, added: (Int64?, Int64?) = (nil, nil)) -> Transfer {
        func leg(_ rate: Int64?, _ added: Int64?) -> Transfer.Leg? {
            guard let rate else { return nil }
            return Transfer.Leg(
                bytes: 1,
                wantedBytes: 1,
                durationMicroseconds: 1,
                goodput: .init(p50: rate, p95: rate, mean: rate, windows: 3, slowStartMicroseconds: 0),
                loaded: .init(addedMicroseconds: added, perMinute: 60)
            )
        }
        return Transfer(download: leg(down, added.0), upload: leg(up, added.1))
    }

    @Test(
        arguments: [
            (0, "0 bit/s"), (-5, "0 bit/s"), (850, "850 bit/s"), (999, "999 bit/s"), (1000, "1.00 kbit/s"),
            (9994, "9.99 kbit/s"), (9996, "10.0 kbit/s"), (99_949, "99.9 kbit/s"), (99_951, "100 kbit/s"),
            (999_499, "999 kbit/s"), (999_501, "1.00 Mbit/s"), (38_214_999, "38.2 Mbit/s"),
            (1_250_000_000, "1.25 Gbit/s"), (2_500_000_000_000, "2.50 Tbit/s"), (.max, "999 Tbit/s"),
        ] as [(Int64, String)]
    )
    func `a rate has three digits`(_ rate: Int64, _ text: String) {
        #expect(SummaryText.bitRate(rate) == text)
    }

    @Test
    func `a transfer in words has its rates and the latency of the direction that adds more`() {
        let transfer = Self.transfer(down: 38_214_999, up: 9_400_000, added: (24_512, 3000))
        #expect(transfer.summary == "38.2 Mbit/s down, 9.40 Mbit/s up, +24.5 ms under load")
        #expect(Self.transfer(down: nil, up: 900).summary == "900 bit/s up")
        #expect(Transfer().summary.isEmpty)
        let seam = Transfer.Seam(offset: 5, code: "path_changed", pauseMicroseconds: 1)
        #expect(Transfer(seams: [seam, seam]).summary == "resumed 2 times")
    }

    @Test(
        arguments: [
            ("download", 3_145_728, 5_000_000, 38_214_999, 24_512, "download 62 %, 38.2 Mbit/s, +24.5 ms"),
            ("upload", 0, 0, nil, nil, "upload 100 %"), ("upload", -7, 5, nil, nil, "upload 0 %"),
            ("download", .max, 5, nil, nil, "download 100 %"), ("started", 0, 0, nil, nil, "started after 1.2 s"),
            ("completed", 5, 5, 900, nil, "completed after 1.2 s"),
        ] as [(String, Int, Int, Int64?, Int64?, String)]
    )
    func `a progress has a share of the direction`(
        _ phase: String,
        _ bytes: Int,
        _ total: Int,
        _ rate: Int64?,
        _ added: Int64?,
        _ text: String
    ) {
        let progress = ProbeProgress(
            point: ProbePoint(probe: "speed"),
            phase: phase,
            bytes: bytes,
            totalBytes: total,
            bitsPerSecond: rate,
            addedMicroseconds: added,
            elapsedMicroseconds: 1_200_000
        )
        #expect(progress.summary == text)
    }

    @Test
    func `sketches add up, and summarize their contents`() {
        var sketches = TransferSketches()
        #expect(sketches.isEmpty && sketches.summary == nil)
        sketches.add(Self.transfer(down: 38_000_000, added: (20_000, nil)))
        var later = TransferSketches()
        later.add(Self.transfer(down: 42_000_000, up: 9_000_000, added: (20_000, 30_000)))
        later.goodBitsPerSecond = 100_000_000
        sketches.merge(later)
        sketches.merge(TransferSketches())
        #expect(sketches.goodBitsPerSecond == 100_000_000)
        #expect(sketches.download.count == 2 && sketches.download.minimum == 38_000_000)
        #expect(sketches.upload.quantile(0.5) == 9_000_000)
        #expect(sketches.added.maximum == 30_000)
        #expect(sketches.judged == sketches.download)
        #expect(sketches.summary == "38.0 Mbit/s down, 9.00 Mbit/s up, +20 ms under load")
    }

    @Test
    func `the sketches of several points are the same in any order, with the highest good rate`() {
        let points = ([(60, 50), (6, 5), (7, nil)] as [(Int64, Int64?)]).map { rate, good in
            var sketches = TransferSketches()
            sketches.add(Self.transfer(down: rate))
            sketches.goodBitsPerSecond = good
            return sketches
        }
        func sum(_ order: [Int]) -> TransferSketches {
            order.reduce(into: TransferSketches()) { $0.combine(with: points[$1]) }
        }
        #expect(sum([0, 1, 2]) == sum([2, 1, 0]) && sum([0, 1, 2]) == sum([1, 2, 0]))
        #expect(sum([0, 1, 2]).goodBitsPerSecond == 50)
    }

    @Test(arguments: [(60, 50, nil), (40, 50, 50), (40, nil, nil)] as [(Int64, Int64?, Int64?)])
    func `a good rate is missed by a median below it`(rate: Int64, good: Int64?, missed: Int64?) {
        var sketches = TransferSketches()
        sketches.add(Self.transfer(down: rate))
        sketches.goodBitsPerSecond = good
        #expect(sketches.missedBitsPerSecond == missed)
    }

    @Test(arguments: [100, 5_000, 1_000_000, 38_214_999, 2_500_000_000, 1_000_000_000_000] as [Int64])
    func `a rate is recovered from its bucket`(rate: Int64) throws {
        var sketches = TransferSketches()
        for factor in [1, 3, 9] as [Int64] { sketches.add(Self.transfer(down: rate * factor)) }
        let median = try #require(sketches.download.quantile(0.5))
        #expect(abs(Double(median) / Double(rate * 3) - 1) < 0.045 || rate * 3 > 1_000_000_000_000)
        let bucket = try #require(sketches.download.buckets.first?.index)
        let upper = ExponentialHistogram.upperBound(ofBucket: bucket) * 1_000_000
        #expect(Double(rate) <= upper && Double(rate) > upper / 1.0906)
    }

    @Test
    func `a status has the last transfer and the medians of the day`() throws {
        typealias Status = AgentStatus.TransferStatus
        var day = TransferSketches()
        #expect(Status(last: nil, day: day) == nil)
        let transfer = Self.transfer(down: 38_214_999, added: (24_512, nil))
        day.add(transfer)
        let time = Timestamp(microsecondsSince1970: 1_795_244_400_123_456)
        let first = try #require(Status(last: (transfer, time), day: day))
        #expect(first.summary == "38.2 Mbit/s down, +24.5 ms under load")
        day.add(Self.transfer(down: 94_000_000))
        day.add(Self.transfer(down: 95_000_000))
        let later = try #require(Status(last: (transfer, time), day: day))
        #expect(later.summary.hasPrefix("38.2 Mbit/s down, +24.5 ms under load; 24 h: 9"))
        // After a restart of the agent the journal has the day.
        let restarted = try #require(Status(last: nil, day: day))
        #expect(restarted.last == nil && restarted.summary.hasPrefix("24 h: "))
        let text = JSONWriter.text(of: first)
        #expect(
            String(decoding: text, as: UTF8.self) == #"""
                {"last":"2026-11-21T07:00:00.123456Z","download_bps":38214999,"added_us":24512,\#
                "day":{"count":1,"download_p50_bps":38214999,"added_p50_us":24512}}
                """#
        )
        let decoded = try EventDecoder.decode(Status.self, from: text)
        #expect(decoded == first)
    }
}
