internal import FuzzKit

@testable import NetlinkMonitor

/// The datagrams that the parser, the view and the classifier make of any bytes.
///
/// Required of all of them: no trap, no reading beyond the end (AddressSanitizer), no endless loop, and a message
/// that comes twice changes nothing the second time.
@main
enum FuzzNetlinkMessages {
    static func main() { FuzzProgram.run([FuzzTarget("netlink", run)]) }

    static func run(_ input: [UInt8]) {
        // Exactly as long as the input, so that one byte beyond it is noticed; aligned as the kernel's datagrams are.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 16)
        defer { copy.deallocate() }
        copy.copyBytes(from: input)

        var messages: [NetlinkMessage] = []
        var seen = 0
        do throws(MessageError) {
            try MessageParser.forEachMessage(in: UnsafeRawBufferPointer(copy)) { parsed in
                seen += 1
                switch parsed.content {
                case .success(let message): messages.append(message)
                case .failure(let error): require(!error.description.isEmpty, "an error without a description")
                }
            }
        } catch {
            require(!error.description.isEmpty, "an error without a description")
        }
        require(seen <= input.count / 16, "every message has a header of 16 bytes")

        var view = KernelView()
        var lookups = LookupAnswers(questions: 1, messagesPerQuestion: 2, firstSequence: 0)
        for message in messages {
            let before = view
            _ = view.apply(message)
            let after = view
            let again = view.apply(message)
            require(view == after, "a message that comes twice changes nothing the second time")
            if before == after { continue }
            // The end of duplicate address detection of an address that was kept looks like a repetition.
            let isHint = if case .address = message { again.isRelevant } else { false }
            require(again == KernelView.Effects(isRelevant: isHint), "what did not change makes nothing stale")
        }
        for message in messages.prefix(2) {
            let header = MessageHeader(type: 0, flags: 0, sequence: UInt32(seen % 3), port: 0)
            lookups.take(MessageParser.Parsed(header: header, content: .success(message)))
        }
        _ = lookups.lookup(at: 0, for: .unspecified(.ipv4))
        require(lookups.shortestLifetime.map { $0 > .zero } ?? true, "a lifetime that is over")
        var routers: [Router: NeighbourState] = [:]
        for case .neighbour(let router, let state, _) in messages { routers[router] = state }
        check(view, routers)
    }

    /// Checks what is derived from a view that anybody may have written.
    private static func check(_ view: KernelView, _ routers: [Router: NeighbourState]) {
        var links = view.links
        var classifier = KindClassifier(overrides: [], sysfsRoot: "/nonexistent")
        classifier.classify(&links)
        let snapshot = NetworkSnapshot(links: links.values, addresses: view.addresses)
        require(snapshot.diff(from: snapshot).isEmpty, "a snapshot differs from itself")
        let changes = snapshot.diff(from: NetworkSnapshot())
        require(changes.count == links.count + view.addresses.count, "each link and each address is one change")
        for family in AddressFamily.allCases { require(!view.tables(family).isEmpty, "no table to look into") }
        require(
            RouteFilter(covering: UnderlayResolver.watchedAddresses(view), routers: routers).program.count <= 4096,
            "a filter that the kernel refuses"
        )
    }
}
