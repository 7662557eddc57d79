import AgentTestKit
import Testing

@testable import Probes

/// One kind of hostile input, and what has to look at it.
struct CostCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// The largest input that is accepted, in bytes.
    let maximum: Int
    /// Makes an input of about so many bytes.
    let make: @Sendable (Int) -> [UInt8]
    /// The work, on input that was made before.
    let work: @Sendable ([UInt8], WorkBudget) -> Void

    var testDescription: String { name }

    init(
        _ name: String,
        maximum: Int = 1 << 20,
        make: @escaping @Sendable (Int) -> [UInt8],
        work: @escaping @Sendable ([UInt8], WorkBudget) -> Void
    ) {
        (self.name, self.maximum, self.make, self.work) = (name, maximum, make, work)
    }

    /// The CPU time of this thread for one run, in seconds.
    func seconds(_ input: [UInt8], _ budget: WorkBudget) -> Double { CostGrowth.seconds { work(input, budget) } }
}

/// Bytes of which hostile inputs are made.
enum HostileBytes {
    /// A letter and two kinds of combining marks in turn, which normalization has to sort.
    static func marks(_ count: Int) -> [UInt8] {
        let half = max(0, count / 4)
        return [0x61] + repeated("\u{301}", half * 2) + repeated("\u{323}", half * 2)
    }

    /// A text again and again, up to a number of bytes.
    static func repeated(_ text: String, _ count: Int) -> [UInt8] {
        let unit = Array(text.utf8)
        let wanted = max(0, count / unit.count) * unit.count
        var bytes = unit
        while bytes.count < wanted { bytes += bytes }
        return Array(bytes.prefix(wanted))
    }

    /// A text again and again between a beginning and an end.
    static func repeated(_ text: String, _ count: Int, after beginning: String, before end: String) -> [UInt8] {
        Array(beginning.utf8) + repeated(text, count - beginning.utf8.count - end.utf8.count) + Array(end.utf8)
    }

    /// A binary property list: its objects, with offsets and references of four bytes; the last object is the top.
    static func propertyList(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += number(bytes.count)
            bytes += object
        }
        let table = bytes.count
        let trailer = [0, 0, 0, 0, 0, 0, 4, 4] + wide(objects.count) + wide(objects.count - 1) + wide(table)
        return bytes + offsets + trailer
    }

    /// The beginning of an object of a kind with a number of parts.
    static func head(_ kind: UInt8, count: Int) -> [UInt8] { [kind << 4 | 0xF, 0x12] + number(count) }

    /// Four bytes, the most significant first.
    static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func wide(_ value: Int) -> [UInt8] { [0, 0, 0, 0] + number(value) }
}
