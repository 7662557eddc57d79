import Testing

@testable import Hooks

@Suite
struct DirectoryQueueTests {
    private static func text(_ offers: [DirectoryQueue<Int>.Offer]) -> String {
        offers.map { offer in
            switch offer {
            case .toFiles(let number): "file \(number)"
            case .toConfigured(let number): "hook \(number)"
            case .lost(let number): "lost \(number)"
            }
        }.joined(separator: ", ")
    }

    /// The calls of a queue, in the order of the numbers of its events.
    enum Call {
        /// An event for the files, or for configured hooks alone.
        case file, other
        case beginReading, passOver, endReading, restart
    }

    static let scenes: [(calls: [(Call, String)], name: String)] = [
        ([(.other, "hook 1"), (.beginReading, "no"), (.passOver, ""), (.endReading, "")], "nothing for the files"),
        (
            [
                (.file, ""), (.file, ""), (.beginReading, "yes"), (.other, ""), (.file, ""), (.other, ""),
                (.endReading, "file 1, hook 1, file 2, hook 2, hook 3"), (.beginReading, "yes"),
                (.endReading, "file 4, hook 4, hook 5"), (.beginReading, "no"), (.other, "hook 6"),
            ], "a reading serves what was there when it began, and configured hooks wait for the files"
        ),
        (
            [
                (.file, ""), (.beginReading, "yes"), (.other, ""), (.passOver, "hook 1, hook 2"), (.other, "hook 3"),
                (.file, "hook 4"), (.passOver, ""), (.endReading, "file 1"), (.beginReading, "yes"), (.other, ""),
                (.endReading, "file 4, hook 5"), (.beginReading, "no"),
            ], "configured hooks do not wait for a reading that takes too long, but for the next one"
        ),
        (
            [
                (.file, ""), (.beginReading, "yes"), (.file, ""), (.restart, ""), (.beginReading, "yes"),
                (.endReading, "file 1, hook 1, file 2, hook 2"),
            ], "a reading of other directories serves all events again"
        ),
    ]

    @Test(arguments: scenes)
    func `events wait for a reading, and for no longer than they must`(_ scene: (calls: [(Call, String)], name: String))
    {
        var (queue, number) = (DirectoryQueue<Int>(), 0)
        for (call, expected) in scene.calls {
            let result: String
            switch call {
            case .file, .other:
                number += 1
                result = Self.text(queue.add(number, isForFiles: call == .file))
            case .beginReading: result = queue.beginReading() ? "yes" : "no"
            case .passOver: result = Self.text(queue.passOver())
            case .endReading: result = Self.text(queue.endReading())
            case .restart:
                queue.restart()
                result = ""
            }
            #expect(result == expected, "\(scene.name): \(call), event \(number)")
        }
    }

    @Test(arguments: [false, true])
    func `of too many events the oldest are lost for the files, and for no configured hook`(isPassedOver: Bool) {
        var queue = DirectoryQueue<Int>()
        let maximum = DirectoryQueue<Int>.maximumEvents
        for number in 0..<maximum { _ = queue.add(number, isForFiles: true) }
        let begins = queue.beginReading()
        let passed = isPassedOver ? queue.passOver().count : maximum
        #expect(begins && passed == maximum)
        let last = Self.text(queue.add(maximum, isForFiles: true))
        #expect(last == (isPassedOver ? "hook \(maximum), lost 0" : "lost 0, hook 0"))
        let served = queue.endReading().count { if case .toFiles = $0 { true } else { false } }
        let continues = queue.beginReading()
        #expect(served == maximum - 1 && continues)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `whatever happens, each event is offered once and in order`(seed: UInt64) {
        var (queue, state) = (DirectoryQueue<Int>(), seed)
        var (files, configured, wanted): ([Int], [Int], [Int]) = ([], [], [])
        var isReading = false
        func take(_ offers: [DirectoryQueue<Int>.Offer]) {
            for offer in offers {
                switch offer {
                case .toFiles(let number): files.append(number)
                case .toConfigured(let number): configured.append(number)
                case .lost(let number): Issue.record("\(number) is lost")
                }
            }
        }
        for number in 0..<300 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let choice = state >> 60
            let isForFiles = choice < 6
            if isForFiles { wanted.append(number) }
            take(queue.add(number, isForFiles: isForFiles))
            if !isReading { isReading = queue.beginReading() }
            switch (state >> 56) & 15 {
            case 0...2 where isReading:
                take(queue.endReading())
                isReading = queue.beginReading()
            case 3: take(queue.passOver())
            case 4:
                queue.restart()
                isReading = queue.beginReading()
            default: break
            }
        }
        while isReading {
            take(queue.endReading())
            isReading = queue.beginReading()
        }
        #expect(configured == Array(0..<300) && files == wanted)
    }
}
