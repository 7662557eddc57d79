import Testing

@testable import Hooks

@Suite
struct AbandonedReadingsTests {
    /// A reading that was abandoned in the last of these directories.
    private static func position(_ directories: String...) -> DirectoryPosition {
        let position = DirectoryPosition()
        for directory in directories { #expect(position.enter(directory)) }
        return position
    }

    @Test
    func `only the directory in which an abandoned reading is delays another reading`() {
        var readings = AbandonedReadings()
        let position = Self.position("/a", "/b")
        readings.add(1, position)
        #expect(!position.enter("/a"))
        #expect(!readings.delay(["/a", "/c"]))
        #expect(readings.delay(["/c", "/b"]))
        let isFirst = readings.remove(1)
        let isSecond = readings.remove(1)
        #expect(isFirst && !isSecond && !readings.delay(["/b"]))
    }

    @Test
    func `names that differ in the form of an accent alone are two directories`() {
        var readings = AbandonedReadings()
        readings.add(1, Self.position("/caf\u{E9}"))
        #expect(!readings.delay(["/cafe\u{301}"]))
    }

    @Test
    func `beyond the maximum every reading waits`() {
        var readings = AbandonedReadings()
        for number in 1...UInt64(AbandonedReadings.maximum) {
            #expect(!readings.delay(["/other"]))
            readings.add(number, Self.position("/\(number)"))
        }
        #expect(readings.delay(["/other"]))
        let isRemoved = readings.remove(3)
        #expect(isRemoved && !readings.delay(["/other"]))
    }

    @Test
    func `a reading that has entered no directory delays none`() {
        var readings = AbandonedReadings()
        let position = DirectoryPosition()
        readings.add(1, position)
        #expect(!position.enter("/a") && !readings.delay(["/a"]))
    }
}
