internal import AgentEvents
internal import CommandText
internal import ForeignText
internal import Glibc
internal import Sinks

/// `reachagent fleet watch --output json`: the events of all devices, a line for each.
struct FleetTail {
    /// The time to wait for an event before the reader of the output is looked at, in milliseconds.
    private static let patience: Int64 = 30_000

    private let source: FleetSource
    private let delivery: FleetDelivery
    private let durable: String?
    private let selection: FleetSelection

    init(_ source: FleetSource, since: Timestamp?, durable: String?, _ selection: FleetSelection) {
        self.source = source
        // A durable consumer that is made now begins with everything that is stored.
        delivery = since.map(FleetDelivery.since) ?? (durable == nil ? .new : .all)
        self.durable = durable
        self.selection = selection
    }

    /// Prints events until the connection ends, or nobody reads them any more.
    func run() throws {
        let consumer = try FleetConsumer(source, delivery, durable: durable)
        var output = StandardOutput()
        do {
            while true {
                guard let delivered = try consumer.next(within: Self.patience) else { continue }
                if delivery.includes(delivered.message), let line = Self.line(delivered.message, selection) {
                    try output.print(line: Terminal.json(line))
                }
                guard !consumer.hasNext, durable != nil || delivered.pending == 0 else { continue }
                try output.flush()
                // Only what was written is done.
                try consumer.acknowledge()
            }
        } catch StandardOutput.Failure.readerGone {
            return
        }
    }

    /// `{"device":"edge-7","id":"…-42","stored":"…","event":{…}}`; `nil` for what is no event, or not selected.
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
