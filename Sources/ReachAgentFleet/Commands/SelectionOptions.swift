internal import AgentEvents
internal import ArgumentParser
internal import Availability
internal import CommandText
internal import ForeignText

/// A value of `--only`.
enum StateWord: String, CaseIterable, ExpressibleByArgument {
    case none, local, portal, silent, stopped, partial, unknown, full
    /// Every state except `full`.
    case trouble

    var states: [DeviceState] {
        self == .trouble
            ? DeviceState.allCases.filter { $0 != .full } : DeviceState(rawValue: rawValue).map { [$0] } ?? []
    }
}

/// The devices to show, and the time after which a device is silent.
struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show devices in this state only: none, local, portal, silent, stopped, partial, unknown, full or trouble (all but full).",
            valueName: "state"
        )
    )
    var only: [StateWord] = []

    @Option(
        help: ArgumentHelp("Show devices only whose name or host is this; '*' matches any text.", valueName: "name")
    )
    var device: [String] = []

    @Option(
        help: ArgumentHelp(
            "The time without events after which a device is silent; 0 for never.",
            valueName: "duration"
        ),
        transform: SelectionOptions.silence(argument:)
    )
    var silentAfter = Silence(after: .seconds(7200))

    /// The time after which a device is silent; `nil` for never.
    struct Silence: Hashable, CustomStringConvertible {
        var after: Duration?

        var description: String { after.map { SummaryText.coarse($0.components.seconds) } ?? "never" }
    }

    var selection: FleetSelection {
        FleetSelection(states: Set(only.flatMap(\.states)), names: device.map { ForeignText($0) })
    }

    /// Returns the sentence for names that select none of the devices; `nil` if they select any.
    func mistake(among rows: [FleetRow]) -> String? {
        let selection = selection
        guard !device.isEmpty, !rows.contains(where: { selection.includes($0.device, host: $0.host) }) else {
            return nil
        }
        guard device.count == 1, let name = device.first else { return "the stream has no event of these devices" }
        let names = rows.flatMap { [$0.device.shown(limit: 64), ForeignText.shown($0.host, limit: 64)] }
        let question = KeySuggestion.question(about: name, among: names)
        return "the stream has no event of a device '\(ForeignText.shown(name, limit: 64))'\(question)"
    }

    private static func silence(argument text: String) throws -> Silence {
        if text == "0" { return Silence(after: nil) }
        let now = Timestamp.now
        guard text.utf8.last.map({ !(0x30...0x39).contains($0) }) ?? false,
            case .moment(let moment)? = EventPosition(text, now: now), moment < now,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }), text != "yesterday",
            text != "today"
        else { throw ValidationError("expected a duration such as 30m, 2h or 1d, or 0, got '\(text)'") }
        return Silence(after: .microseconds(now.microsecondsSince1970 - moment.microsecondsSince1970))
    }
}

/// The window of the figures.
enum FleetTime {
    static let dayMicroseconds: Int64 = 86_400_000_000

    /// Returns the window from the time of `--since` to now, or to some days later.
    static func window(from since: Timestamp, to now: Timestamp, futureDays: Int = 0) throws -> Window {
        let end = Timestamp(microsecondsSince1970: now.microsecondsSince1970 + Int64(futureDays) * dayMicroseconds)
        guard let window = Window(from: since, to: end, in: .system) else {
            let days = Window.maximumDays - futureDays
            throw ValidationError("expected a time within the last \(days) days for '--since'")
        }
        return window
    }

    /// Parses a time in the past.
    static func moment(argument text: String) throws -> Timestamp {
        let now = Timestamp.now
        guard case .moment(let moment)? = EventPosition(text, now: now), moment < now, moment.microsecondsSince1970 >= 0
        else {
            throw ValidationError(
                "expected a time in the past such as '2026-11-21 07:00', yesterday or 24h, got '\(text)'"
            )
        }
        return moment
    }
}
