internal import ArgumentParser
internal import BenchmarkKit
internal import CTestbed
internal import EventJournal
internal import Glibc

/// Publishes the events that standard input orders.
///
/// Each line is one order:
///
///     through NUMBER        the events up to NUMBER, as fast as possible
///     paced RATE COUNT      COUNT events, RATE per second, until the next order or the end of standard input
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Publish events to subscribers, as standard input orders."
    )

    enum Kind: String, ExpressibleByArgument { case sockets, writeLoop = "write-loop", redis }

    @Option(help: "The publisher of the events: sockets, write-loop or redis.")
    var kind = Kind.sockets

    @Option(help: "The directory of the sockets.")
    var directory: String

    @Option(help: "The journal's directory; nothing is recorded without it.")
    var journal: String?

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        _ = testbed_raise_file_limit()
        let publisher = try makePublisher()
        let answer = Array("ready \(publisher.newest)\n".utf8)
        write(STDOUT_FILENO, answer, answer.count)
        while let line = readLine() { try obey(line.split(separator: " "), publisher) }
        publisher.stop()
    }

    private func makePublisher() throws -> any EventPublisher {
        switch kind {
        case .sockets: try BusPublisher(in: directory, journal: journal.map { FillCommand.configuration(of: $0) })
        case .writeLoop: try WriteLoop(at: "\(directory)/events.sock")
        case .redis: try RedisPublisher(at: "\(directory)/events.sock")
        }
    }

    private func obey(_ words: [Substring], _ publisher: any EventPublisher) throws {
        let numbers = words.dropFirst().compactMap { UInt64($0) }
        switch (words.first, numbers.count) {
        case ("through", 1): try publisher.publish(through: numbers[0])
        case ("paced", 2):
            let interval = 1_000_000_000 / max(1, numbers[0])
            let start = MonotonicClock.nanoseconds
            for turn in 1...max(1, numbers[1]) where !hasOrder {
                testbed_sleep_until(start + turn * interval)
                try publisher.publish(through: publisher.newest + 1)
            }
        default: throw ValidationError("the order '\(words.joined(separator: " "))' is none")
        }
    }

    /// A Boolean value that indicates whether standard input has an order, or has ended.
    private var hasOrder: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }
}
