internal import AgentEvents
internal import ArgumentParser
internal import Availability
internal import CommandText
internal import ForeignText
internal import Glibc
internal import Sinks

/// `reachagent fleet watch`: the devices, updated in place, or their events as they arrive.
struct FleetWatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow all devices.",
        usage: "reachagent fleet watch [<options>]",
        discussion: """
            On a terminal, a table of the devices that is kept up to date, the most urgent first, with the outages and the availability \
            since 24 hours before its start (--since). Every 30 days the figures begin anew, as long before that moment. Keys: \
            s sorts by another column, t shows only devices in trouble, space and b turn pages, q ends.

            With --output json, one JSON object on one line for each event: the device, the id under which the broker stored it, the \
            time, and the event. It begins with the next event, or with --since. With --durable the broker remembers the last event that was \
            written to standard output, and the next run continues after it: none is missing, and after a crash some come twice, \
            with the same id. A line that a full disk has cut off stays in the file, and its event comes again. The first run begins \
            with the oldest stored event, or with --since, which later runs ignore. Such a consumer holds its place until it is deleted \
            at the server.

            EXAMPLES
              reachagent fleet watch --server nats://broker.example
              reachagent fleet watch --only trouble --sort seen
              reachagent fleet watch --output json | jq -c '[.device, .event.type]'
              reachagent fleet watch --output json --durable archive >>events.jsonl
            """
    )

    @Option(
        help: ArgumentHelp(
            "Begin at this time (default: 24 hours ago; with json, now; with durable, the oldest event).",
            valueName: "time"
        ),
        transform: FleetTime.moment(argument:)
    )
    var since: Timestamp?

    @Option(help: "Sort by state, device, seen, outages or availability.")
    var sort = FleetOrder.state

    @Option(help: "Print text or json.")
    var output = FleetOutput.text

    @Option(help: ArgumentHelp("The name of a durable consumer, for json.", valueName: "name"))
    var durable: String?

    @OptionGroup var choice: SelectionOptions
    @OptionGroup var color: ColorOptions
    @OptionGroup var server: ServerOptions

    /// The days after the start of the table for which the figures continue.
    private static let futureDays = 30

    func validate() throws {
        // A later window may touch one more day.
        if output == .text { _ = try window(futureDays: Self.futureDays + 1) }
        if output == .text, durable != nil { throw ValidationError("'--durable' needs '--output json'") }
        if output == .json, !choice.only.isEmpty {
            throw ValidationError(
                "'--only' is about devices, and '--output json' prints events: 'fleet status --output json --only' prints devices"
            )
        }
        if output == .text, !TerminalStyle.canRedraw(STDOUT_FILENO) {
            throw ValidationError("the table needs a terminal other than TERM=dumb: '--output json' prints each event")
        }
        if let durable {
            let isPlain = durable.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
            guard isPlain, (1...32).contains(durable.utf8.count) else {
                throw ValidationError("expected 1 to 32 letters, digits, '-' or '_' for '--durable', got '\(durable)'")
            }
        }
    }

    func run() throws {
        let source = try server.source()
        if output == .json { return try FleetTail(source, since: since, durable: durable, choice.selection).run() }
        let screen = FleetScreen(order: sort, selection: choice.selection)
        let watch = try FleetWatch(
            source,
            try window(futureDays: Self.futureDays),
            screen,
            silentAfter: choice.silentAfter.after,
            color: color.color
        )
        try watch.run()
    }

    /// Returns the first window of the table's figures.
    private func window(futureDays: Int) throws -> Window {
        let now = Timestamp.now
        let start = since ?? Timestamp(microsecondsSince1970: now.microsecondsSince1970 - FleetTime.dayMicroseconds)
        return try FleetTime.window(from: start, to: now, futureDays: futureDays)
    }
}

/// `reachagent fleet watch --output json`: the events of all devices, one per line.
private struct FleetTail {
    /// The maximum wait for an event before checking that the reader of the output is still there, in milliseconds.
    private static let patience: Int64 = 5000

    private let source: FleetSource
    private let policy: DeliverPolicy
    private let durable: String?
    private let selection: FleetSelection

    init(_ source: FleetSource, since: Timestamp?, durable: String?, _ selection: FleetSelection) {
        self.source = source
        // A new durable consumer starts with all stored events.
        policy = since.map(DeliverPolicy.since) ?? (durable == nil ? .new : .all)
        self.durable = durable
        self.selection = selection
    }

    /// Prints events until the connection ends, or the reader closes the output.
    func run() throws {
        let consumer = try FleetConsumer(source, policy, durable: durable)
        var output = StandardOutput { consumer.extendAcknowledgementWait() }
        // An event whose line a full disk has cut off comes again, on a line of its own.
        output.beginLine()
        do {
            while true {
                guard let delivered = try consumer.next(within: Self.patience) else {
                    try output.checkReader()
                    continue
                }
                if consumer.policy.includes(delivered.message), let line = Self.line(delivered.message, selection) {
                    try output.print(line: Terminal.json(line))
                }
                guard !consumer.hasNext, durable != nil || delivered.pending == 0 else { continue }
                try output.flush()
                // Only written events are acknowledged.
                try consumer.acknowledge()
            }
        } catch StandardOutput.Failure.readerGone {
            return
        }
    }

    /// Returns `{"device":"edge-7","id":"…-42","stored":"…","event":{…}}`; `nil` if the message is not an event, or not
    /// selected.
    static func line(_ message: FleetMessage, _ selection: FleetSelection) -> [UInt8]? {
        guard ScannedLine(message.payload.span) != nil else { return nil }
        if !selection.names.isEmpty {
            guard let event = AgentEvent(line: message.payload),
                selection.includes(message.device, host: Device.host(of: event.source))
            else { return nil }
        }
        var json = JSONWriter()
        json.object { json in
            json.member("device", String(decoding: message.device.bytes, as: UTF8.self))
            json.member("id", ifPresent: message.id)
            json.member("stored", message.stored)
            json.name("event")
            json.value(message.payload)
        }
        return json.bytes
    }
}
