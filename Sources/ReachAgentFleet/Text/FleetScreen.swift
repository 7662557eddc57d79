internal import AgentEvents
internal import CommandText
internal import ForeignText
internal import Sinks

/// The screen of `watch`: as many devices as there is room for, and the keys that choose them.
struct FleetScreen {
    private(set) var order: FleetOrder
    private(set) var selection: FleetSelection
    /// The first row that is shown.
    private(set) var first = 0
    private let chosen: FleetSelection

    init(order: FleetOrder, selection: FleetSelection) {
        self.order = order
        self.selection = selection
        chosen = selection
    }

    /// The lines and the footer.
    ///
    /// - Parameters:
    ///   - rows: All devices.
    ///   - room: The number of lines that there is room for, without the footer.
    mutating func lines(_ rows: [FleetRow], _ text: FleetText, room: Int) -> [String] {
        let summary = FleetSummary(rows)
        var shown = rows.filter(selection.contains)
        order.sort(&shown)
        // The summary, an empty line and the titles.
        let page = max(1, room - text.heading(summary).count - 2)
        first = max(0, min(first, shown.count - 1))
        let end = min(shown.count, first + page)
        lastPage = page
        place = shown.isEmpty ? "no device" : "\(first + 1) to \(end) of \(SummaryText.number(shown.count))"
        return text.lines(summary, shown[first..<end])
    }

    private var lastPage = 1
    private var place = ""

    /// Follows a key.
    ///
    /// - Returns: `false` when it is enough.
    mutating func follow(key: UInt8) -> Bool {
        switch key {
        case UInt8(ascii: "q"), 4: return false
        case UInt8(ascii: "s"): order = order.next
        case UInt8(ascii: "t"):
            selection = selection == chosen ? trouble : chosen
            first = 0
        case UInt8(ascii: " "): first += lastPage
        case UInt8(ascii: "b"): first = max(0, first - lastPage)
        default: break
        }
        return true
    }

    private var trouble: FleetSelection {
        var selection = chosen
        selection.states = Set(DeviceState.allCases).subtracting([.full])
        return selection
    }

    /// The last line: the devices that are shown, the order, and the keys.
    var footer: String {
        "\(place), by \(order.rawValue); q ends, s sorts, t \(selection == chosen ? "trouble only" : "all"), space and b turn pages"
    }
}
