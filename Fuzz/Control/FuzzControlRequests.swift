internal import ForeignText
internal import FuzzKit
internal import NIOCore

@testable import StateSocket

/// Requests at control.sock, as a client sends them.
@main
enum FuzzControlRequests {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("control", maximumLength: limit + 1024, run),
            FuzzTarget("http", FuzzHTTPRequests.run),
        ])
    }

    /// The longest request that the product takes.
    private static let limit = 64 << 10

    static func run(_ input: [UInt8]) {
        // The first byte says in what pieces the rest comes.
        let size = Int(input.first ?? 1) + 1
        let (pieces, whole) = (items(input.dropFirst(), piece: size), items(input.dropFirst(), piece: .max))
        require(pieces == whole, "the pieces make a difference")
        for case .line(let line) in whole {
            require(line.count <= limit && !line.contains(UInt8(ascii: "\n")), "a line is no line")
            guard let call = try? ControlRequest(parsing: line).call() else { continue }
            guard case .subscribe(let subscription) = call else { continue }
            _ = subscription.filter.passes(type: "reachagent.path.changed".utf8)
            for subject in subscription.filter.subjects ?? [] {
                let text = String(decoding: subject.bytes, as: UTF8.self)
                require(subscription.filter.passes(subject: text), "a subject is lost")
            }
        }
    }

    private static func items(_ bytes: ArraySlice<UInt8>, piece: Int) -> [LineFramer.Item] {
        var framer = LineFramer(limit: limit)
        var items: [LineFramer.Item] = []
        var rest = bytes
        while !rest.isEmpty {
            framer.append(ByteBuffer(bytes: rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            while let item = framer.next() { items.append(item) }
        }
        if let item = framer.rest() { items.append(item) }
        return items
    }
}
