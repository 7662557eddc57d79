// Compiled together with all of Sources/NetlinkMonitor into one module: so the fuzzer sees the coverage of the parser
// itself, and internal declarations are at hand. See `Fuzz/run`.

/// One input: the datagrams that the parser, the view and the classifier make of any bytes.
///
/// What must hold for all of them: no trap, no reading beyond the end (AddressSanitizer), no endless loop, and a message
/// that comes twice changes nothing the second time.
func exerciseNetlink(_ input: UnsafeRawBufferPointer) {
    // Exactly as long as the input, so that one byte beyond it is noticed; aligned as the kernel's datagrams are.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 16)
    defer { copy.deallocate() }
    copy.copyMemory(from: input)

    var messages: [NetlinkMessage] = []
    var seen = 0
    do throws(MessageError) {
        try MessageParser.forEachMessage(in: UnsafeRawBufferPointer(copy)) { parsed in
            seen += 1
            switch parsed.content {
            case .success(let message): messages.append(message)
            case .failure(let error): precondition(!error.description.isEmpty)
            }
        }
    } catch {
        precondition(!error.description.isEmpty)
    }
    precondition(seen <= input.count / 16, "every message has a header of 16 bytes")

    var view = KernelView()
    var lookups = LookupAnswers(questions: 1, messagesPerQuestion: 2, firstSequence: 0)
    for message in messages {
        let before = view
        _ = view.apply(message)
        let after = view
        let again = view.apply(message)
        precondition(view == after, "a message that comes twice changes nothing the second time")
        if before == after { continue }
        precondition(again == KernelView.Effects(), "what did not change makes nothing stale")
    }
    for message in messages.prefix(2) {
        let header = MessageHeader(type: 0, flags: 0, sequence: UInt32(seen % 3), port: 0)
        lookups.take(MessageParser.Parsed(header: header, content: .success(message)))
    }
    _ = lookups.lookup(at: 0, for: .unspecified(.ipv4))
    check(view)
}

/// What can be derived from a view, whatever somebody wrote into it.
private func check(_ view: KernelView) {
    var links = view.links
    var classifier = KindClassifier(overrides: [], sysfsRoot: "/nonexistent")
    classifier.classify(&links)
    let snapshot = NetworkSnapshot(links: Array(links.values), addresses: view.addresses)
    precondition(snapshot.diff(from: snapshot).isEmpty)
    let changes = snapshot.diff(from: NetworkSnapshot())
    precondition(changes.count == links.count + view.addresses.count, "each link and each address is one change")
    for family in AddressFamily.allCases { precondition(!view.tables(family).isEmpty) }
    precondition(RouteFilter(covering: UnderlayResolver.watchedRemotes(view)).program.count <= 4096)
}

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNetlinkMessages(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exerciseNetlink(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}
