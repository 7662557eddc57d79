internal import AgentEvents
internal import Availability

/// The days of a calendar as bars: the height shows outages, and a dash in the middle a day without data.
struct AvailabilityBars {
    private static let (width, gap, height) = (3, 1, 32)
    /// The height of an outage of a whole day, above a minimum that keeps short outages visible.
    private static let tallest = 22.0

    private let calendar: AvailabilityCalendar

    init(_ calendar: AvailabilityCalendar) { self.calendar = calendar }

    /// The days with outages, the newest first.
    var daysWithOutages: [AvailabilityCalendar.Day] { calendar.days.filter { $0.outages > 0 }.reversed() }

    /// The description of the availability: `99.953 % of 90 days; 2 days with outages, 12 without data`.
    var summary: String {
        let empty = calendar.days.count(where: { $0.known == 0 })
        guard let percent = calendar.share?.percent else { return "no data" }
        let outages = daysWithOutages.count
        return "\(percent) % available in \(calendar.days.count) days; "
            + "\(Self.days(outages)) with outages, \(Self.days(empty)) without data"
    }

    func write(to html: inout HTMLText) {
        let columns = calendar.days.count * (Self.width + Self.gap) - Self.gap
        html.openChart("bars", width: columns, height: Self.height, summary)
        for (index, day) in calendar.days.enumerated() {
            let shape: (style: String, y: Int, height: Int) =
                if day.known == 0 {
                    ("none", Self.height / 2 - 1, 2)
                } else if day.outages == 0 {
                    ("full", 0, Self.height)
                } else {
                    Self.outage(Double(day.available) / Double(day.known))
                }
            html.raw("<rect class=\"\(shape.style)\" x=\"\(index * (Self.width + Self.gap))\" y=\"\(shape.y)\"")
            html.raw(" width=\"\(Self.width)\" height=\"\(shape.height)\"><title>\(Self.words(day))</title></rect>")
        }
        html.raw("</svg>")
    }

    private static func outage(_ share: Double) -> (style: String, y: Int, height: Int) {
        let height = 3 + Int(tallest * max(0, min(1, share)))
        return ("less", Self.height - height, height)
    }

    /// Returns the description of a day: `2026-11-21: 95.138 %, outages 1 h 10 min`.
    static func words(_ day: AvailabilityCalendar.Day) -> String {
        let outages = day.outages > 0 ? "outages \(SummaryText.coarse(day.outages / 1_000_000))" : "no outage"
        guard let percent = day.share?.percent else {
            return day.outages > 0 ? "\(day.date): availability unknown, \(outages)" : "\(day.date): no data"
        }
        return "\(day.date): \(percent) %, \(outages)"
    }

    private static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}
