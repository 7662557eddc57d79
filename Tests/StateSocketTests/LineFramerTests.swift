import AgentEvents
import NIOCore
import Testing

@testable import StateSocket

/// The parts that need no socket.
struct LineFramerTests {
    @Test(arguments: 1...9)
    func `lines are framed the same whatever the size of the pieces`(size: Int) {
        var framer = LineFramer(limit: 5)
        var items: [LineFramer.Item] = []
        let text = Array("ab\n\n12345\n123456\nx\n1234567890123\ny".utf8)
        for start in stride(from: 0, to: text.count, by: size) {
            framer.append(ByteBuffer(bytes: text[start..<min(start + size, text.count)]))
            while let item = framer.next() { items.append(item) }
        }
        if let rest = framer.rest() { items.append(rest) }
        let lines = ["ab", "", "12345"].map { LineFramer.Item.line(Array($0.utf8)) }
        #expect(items == lines + [.tooLong, .line([UInt8(ascii: "x")]), .tooLong, .line([UInt8(ascii: "y")])])
        #expect(framer.isEmpty)
    }

    @Test(arguments: [0, 14])
    func `the memory is bounded however many lines come, even if no piece ends with one`(waiting: Int) {
        var framer = LineFramer(limit: 64 << 10)
        let piece = ByteBuffer(string: String(repeating: "x", count: 4094) + "\nx")
        var (lines, heldBytes) = (0, 0)
        for number in 0..<1000 {
            framer.append(piece)
            if number >= waiting, case .line? = framer.next() { lines += 1 }
            heldBytes = max(heldBytes, framer.heldBytes)
        }
        #expect(lines == 1000 - waiting)
        #expect(heldBytes <= 128 << 10)
    }

    @Test(arguments: [1, 3, 40, 1000])
    func `the ring finds every event that it has, and only those`(batch: UInt64) {
        var ring = EventRing(next: 10, maximumBytes: 1 << 20, maximumEvents: 100)
        let origin = EventOrigin(streamID: "s", host: "h")
        func events(_ numbers: Range<UInt64>) -> [Event] {
            numbers.map { number in
                let draft = EventDraft(.pathChanged, .subscriberLagged(SubscriberLagged(lastSequence: number)))
                return Event(draft, from: origin, at: .init(microsecondsSince1970: 0), number: number)
            }
        }
        var next: UInt64 = 10
        while next < 2000 {
            var part = events(next..<next + batch)[...]
            ring.expect(next)
            while !part.isEmpty { ring.append(&part) }
            next += batch
            #expect(ring.next == next)
            let wrong = (next - min(next, 300)..<next + 3).filter { number in
                let chunk = ring.index(of: number).flatMap { ring.chunk(at: $0) }
                let isThere = number >= ring.first && number < next
                return isThere ? !(chunk.map { $0.first <= number && number < $0.next } ?? false) : chunk != nil
            }
            #expect(wrong == [])
        }
        // A hole in the numbers: what was before it is gone.
        ring.expect(next + 5)
        var part = events(next + 5..<next + 7)[...]
        while !part.isEmpty { ring.append(&part) }
        #expect(ring.first == next + 5 && ring.next == next + 7)
    }

    @Test func `wrapped and plain slices of a chunk are whole lines`() {
        let origin = EventOrigin(streamID: "s", host: "h")
        var events = (1...5 as ClosedRange<UInt64>).map { number in
            let draft = EventDraft(.pathChanged, .subscriberLagged(SubscriberLagged(lastSequence: number * number)))
            return Event(draft, from: origin, at: .init(microsecondsSince1970: 0), number: number)
        }[...]
        let lines = events.map { String(decoding: $0.line, as: UTF8.self) }
        let chunk = EventChunk(&events, first: 1)
        #expect(events.isEmpty && chunk.count == 5)
        for start in 0..<5 {
            for end in start...5 {
                let plain = lines[start..<end].map { $0 + "\n" }.joined()
                #expect(String(buffer: chunk.lines(start..<end, as: .plain, of: "s")) == plain)
                let replies = lines[start..<end].map { #"{"parameters":\#($0),"continues":true}"# + "\n" }.joined()
                #expect(String(buffer: chunk.lines(start..<end, as: .reply, of: "s")) == replies)
                let sent = (start..<end).map { "id: s-\($0 + 1)\ndata: \(lines[$0])\n\n" }.joined()
                #expect(String(buffer: chunk.lines(start..<end, as: .serverSent, of: "s")) == sent)
            }
        }
    }
}
