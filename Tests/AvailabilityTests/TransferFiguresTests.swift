import AgentEvents
import Testing

@testable import Availability

@Suite
struct TransferFiguresTests {
    private static let day: Int64 = 86_400
    /// Evening by UTC: 19:00.
    private static let evening: Int64 = 19 * 3600

    private static let point = ProbePoint(probe: "speed")

    private static func figures(_ transfers: [(second: Int64, down: Int64, good: Int64?)]) -> TransferFigures {
        var figures = TransferFigures()
        for (second, down, good) in transfers {
            figures.add(Journal.transfers(down: down, good: good), of: point, at: Journal.moment(second), in: .utc)
        }
        return figures
    }

    @Test
    func `an evening is short when its median is below the good rate`() throws {
        var transfers: [(second: Int64, down: Int64, good: Int64?)] = []
        for evening in 0..<30 as Range<Int64> {
            let rate: Int64 = evening < 12 ? 38_000_000 : 101_000_000
            // The best of an evening is not its median, and neither is noon.
            for (hour, factor) in [(0, 1), (1, 1), (2, 3), (-7, 9)] as [(Int64, Int64)] {
                transfers.append((evening * Self.day + Self.evening + hour * 3600, rate * factor, 100_000_000))
            }
        }
        let delivery = try #require(Self.figures(transfers).delivery)
        #expect(delivery.evenings == 30 && delivery.shortEvenings == 12 && delivery.good == 100_000_000)
        #expect(abs(Double(delivery.delivered) / 38_000_000 - 1) < 0.045)
    }

    @Test(
        arguments: [
            (60, 6, .init(evenings: 30, shortEvenings: 0, good: 50, delivered: 60)),
            (70, 6, .init(evenings: 30, shortEvenings: 0, good: 5, delivered: 6)),
            (40, 6, .init(evenings: 30, shortEvenings: 30, good: 50, delivered: 40)),
            (60, 3, .init(evenings: 30, shortEvenings: 30, good: 5, delivered: 3)),
            (10, 4, .init(evenings: 30, shortEvenings: 30, good: 50, delivered: 10)),
        ] as [(Int64, Int64, TransferFigures.Delivery)]
    )
    func `each probe over a path is judged by its own good rate, and the worst one has the figures`(
        down: Int64,
        up: Int64,
        delivery: TransferFigures.Delivery
    ) throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        for day in 0..<30 as Range<Int64> {
            journal.transfer("down", at: day * Self.day + Self.evening, down: down, good: 50)
            journal.transfer("up", at: day * Self.day + Self.evening, up: up, good: 5)
        }
        let account = journal.account(try Journal.window(0, 30 * Self.day), aliveUntil: 30 * Self.day)
        #expect(account.subjects.first?.checks?.transfers?.delivery == delivery)
    }

    @Test
    func `the order of the points does not matter for any figure`() {
        let rates: [(Int64, Int64?)] = [(60, 50), (6, 5), (7, nil)]
        let parts = rates.enumerated().map { index, rates in
            var figures = TransferFigures()
            figures.add(
                Journal.transfers(down: rates.0, good: rates.1),
                of: ProbePoint(probe: "speed-\(index)"),
                at: Journal.moment(Self.evening),
                in: .utc
            )
            return figures
        }
        func sum(_ order: [Int]) -> TransferFigures {
            order.reduce(into: TransferFigures()) { $0.merge(parts[$1]) }
        }
        #expect(sum([0, 1, 2]) == sum([2, 1, 0]) && sum([0, 1, 2]) == sum([1, 2, 0]))
    }

    @Test(arguments: [
        (
            TransferFigures.Delivery(evenings: 30, shortEvenings: 12, good: 100_000_000, delivered: 38_000_000),
            "the provider delivered 38 of 100 Mbit/s on 12 of 30 evenings (18 to 23 h)"
        ),
        (
            .init(evenings: 1, shortEvenings: 1, good: 5_000_000, delivered: 829_999),
            "the provider delivered 0.82 of 5 Mbit/s on 1 of 1 evening (18 to 23 h)"
        ),
        (
            .init(evenings: 3, shortEvenings: 0, good: 5_000_000, delivered: 9_000_000),
            "the provider delivered at least 5.00 Mbit/s on all 3 evenings (18 to 23 h)"
        ),
        (
            .init(evenings: 1, shortEvenings: 0, good: 5_000_000, delivered: 9_000_000),
            "the provider delivered at least 5.00 Mbit/s on the only evening (18 to 23 h)"
        ),
    ])
    func `the evenings have a sentence`(_ delivery: TransferFigures.Delivery, _ sentence: String) {
        #expect(delivery.sentence == sentence)
    }

    /// At noon, and on two evenings of which one is short of what is good.
    private static func report(_ selection: Report.Selection) throws -> Report {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.uplink("wwan0", at: 1, from: .unknown, to: .full)
        journal.probe("speed", over: "wwan0", at: 1, from: "unknown", to: "up")
        let good: Int64 = 90_000_000
        for (second, down) in [(43_200, 94_000_000), (evening, 38_214_999), (day + evening, 95_000_000)]
            as [(Int64, Int64)]
        {
            journal.transfer("speed", over: "wwan0", at: second, down: down, up: 9_400_000, added: 8100, good: good)
        }
        let account = journal.account(try Journal.window(0, 2 * day), aliveUntil: 2 * day)
        return try #require(Report(account, selection))
    }

    @Test
    func `a report of an uplink has its transfers in each format`() throws {
        let report = try Self.report(.uplink("wwan0"))
        let sentence = "the provider delivered 38.2 of 90 Mbit/s on 1 of 2 evenings (18 to 23 h)"
        for text in [report.text(), report.html()] { #expect(text.contains("wwan0: \(sentence)")) }
        #expect(report.markdown().contains(sentence))
        let lines = report.text().split(separator: "\n").filter { $0.hasPrefix("wwan0 ") || $0.hasPrefix("speed ") }
        #expect(lines.contains { $0.contains("download") && $0.contains("Mbit/s") })
        #expect(lines.contains { $0.contains("added latency") && $0.hasSuffix("8.1 ms") })
        #expect(report.text().split(separator: "\n").allSatisfy { $0.count <= 80 })
        let json = String(decoding: report.json(), as: UTF8.self)
        #expect(json.contains(#""evenings":{"count":2,"short":1,"good_bps":90000000,"delivered_bps":38214999}"#))
        #expect(json.contains(#""upload":{"count":3,"p50_bps":9400000,"p95_bps":9400000}"#))
        #expect(report.csv().contains("added_latency,uplink,wwan0,"))
        #expect(report.csv().contains(",p95:evening,,,,9400000,,\r\n"))
    }

    @Test
    func `a probe has its transfers in its own report, and the default path those that are bound to nothing`() throws {
        #expect(try Self.report(.probe("speed")).text().contains("TRANSFERS"))
        let whole = try Self.report(.everything)
        #expect(whole.transferred.map(\.subject.name) == ["wwan0"])
    }

    @Test
    func `without a good rate no evening is judged`() {
        let figures = Self.figures([(Self.evening, 38_000_000, nil)])
        #expect(figures.delivery == nil && figures.evening.download.count == 1)
        #expect(Self.figures([(12 * 3600, 38_000_000, 100)]).delivery == nil)
    }

    @Test(arguments: [(17 * 3600 + 3599, 0), (18 * 3600, 1), (23 * 3600 - 1, 1), (23 * 3600, 0)] as [(Int64, Int)])
    func `the evening lasts from 18 to 23 h of local time`(_ second: Int64, _ count: Int) {
        #expect(Int(Self.figures([(second, 5, nil)]).evening.download.count) == count)
        var figures = TransferFigures()
        let zone = CivilTime { _ in -5400 }
        figures.add(Journal.transfers(down: 5), of: Self.point, at: Journal.moment(second + 5400), in: zone)
        #expect(Int(figures.evening.download.count) == count)
    }

    @Test
    func `the order of points and hours does not matter`() {
        var transfers: [(second: Int64, down: Int64, good: Int64?)] = []
        for number in 0..<40 as Range<Int64> {
            let good: Int64? = number % 3 == 0 ? nil : 6_000_000
            transfers.append((number * 7 * 3600, 1_000_000 * (number % 11 + 1), good))
        }
        var left = Self.figures(Array(transfers.prefix(13)))
        left.merge(Self.figures(Array(transfers.dropFirst(13))))
        var right = Self.figures(Array(transfers.dropFirst(13)))
        right.merge(Self.figures(Array(transfers.prefix(13))))
        #expect(left.delivery == right.delivery && left.delivery == Self.figures(transfers).delivery)
        #expect(left.evening.download == right.evening.download && left.all.download == right.all.download)
    }
}

@Suite
struct RecentTransfersTests {
    private static func summary(
        _ interface: String? = "wwan0",
        at second: Int64,
        down: Int64
    ) -> ScannedSummary {
        var summary = ProbeSummary(
            point: ProbePoint(probe: "speed", interface: interface),
            from: Journal.moment(second),
            to: Journal.moment(second)
        )
        summary.transfer = Journal.transfers(down: down, good: 7)
        return ScannedSummary(summary)
    }

    @Test
    func `hours and days have their transfers, and older ones are dropped`() throws {
        var transfers = RecentTransfers(in: .utc)
        for hour in 0..<Int64(40 * 24) { transfers.add(Self.summary(at: hour * 3600, down: hour + 1)) }
        let now = Journal.moment(40 * 86_400 - 1)
        let series = transfers.series(of: ProbePoint(probe: "speed", interface: "wwan0"), at: now)
        #expect(series.hours.count == 24 && series.days.count == 30)
        #expect(series.hours.map(\.transfers.download.count) == Array(repeating: 1, count: 24))
        #expect(series.days.map(\.transfers.download.count) == Array(repeating: 24, count: 30))
        #expect(series.hours.last?.transfers.download.maximum == 960)
        #expect(series.lastDay.download.count == 24 && series.lastDay.goodBitsPerSecond == 7)
        #expect(series.days.first?.start == Journal.moment(10 * 86_400))
        let later = transfers.series(
            of: ProbePoint(probe: "speed", interface: "wwan0"),
            at: Journal.moment(60 * 86_400)
        )
        #expect(later.hours.filter { !$0.transfers.isEmpty }.isEmpty)
        #expect(later.days.count(where: { !$0.transfers.isEmpty }) == 9)
    }

    @Test
    func `hours that a wrong clock stamped in the future hide no others`() {
        var transfers = RecentTransfers(in: .utc)
        let point = ProbePoint(probe: "speed", interface: "wwan0")
        for hour in 0..<Int64(20) { transfers.add(Self.summary(at: hour * 3600, down: 5)) }
        for hour in 0..<Int64(3) { transfers.add(Self.summary(at: (90_000 + hour) * 3600, down: 5)) }
        for hour in 20..<Int64(200) {
            transfers.add(Self.summary(at: hour * 3600, down: 5))
            let series = transfers.series(of: point, at: Journal.moment(hour * 3600))
            #expect(series.hours.count { !$0.transfers.isEmpty } == min(24, Int(hour) + 1))
            #expect(series.days.count { !$0.transfers.isEmpty } == Int(hour) / 24 + 1)
        }
    }

    @Test
    func `the points of an uplink add up, and their number is bounded`() {
        var transfers = RecentTransfers(in: .utc)
        for number in 0...300 { transfers.add(Self.summary("i\(number)", at: 0, down: 5)) }
        #expect(transfers.probePoints.count == RecentTransfers.maximumPoints)
        let points = ["i0", "i1", "none"].map { ProbePoint(probe: "speed", interface: $0) }
        let series = transfers.series(of: points, at: Journal.moment(0))
        #expect(series.hours.last?.transfers.download.count == 2)
        let empty = ProbeSummary(point: ProbePoint(probe: "web"), from: Journal.moment(0), to: Journal.moment(0))
        transfers.add(ScannedSummary(empty))
        #expect(transfers.probePoints.count == RecentTransfers.maximumPoints)
    }

    @Test(arguments: [(60, 6, nil), (40, 6, 50), (60, 3, 5), (40, 3, 50)] as [(Int64, Int64, Int64?)])
    func `each point is judged by its own good rate, in any order`(down: Int64, up: Int64, missed: Int64?) {
        var transfers = RecentTransfers(in: .utc)
        let points = ["down", "up"].map { ProbePoint(probe: $0) }
        for (point, sketches) in zip(
            points,
            [Journal.transfers(down: down, good: 50), Journal.transfers(up: up, good: 5)]
        ) {
            var summary = ProbeSummary(point: point, from: Journal.moment(0), to: Journal.moment(0))
            summary.transfer = sketches
            transfers.add(ScannedSummary(summary))
        }
        let series = transfers.series(of: points, at: Journal.moment(0))
        #expect(series.hours.last?.missedBitsPerSecond == missed)
        #expect(series.days.last?.missedBitsPerSecond == missed)
        #expect(series == transfers.series(of: points.reversed(), at: Journal.moment(0)))
    }
}
