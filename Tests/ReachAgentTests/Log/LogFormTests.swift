import Foundation
import Testing

@testable import ServiceSupport

/// Who reads standard error.
@Suite struct LogFormTests {
    @Test func `only what JOURNAL_STREAM names is the journal`() throws {
        let path = "/etc/passwd"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let device = try #require(attributes[.systemNumber] as? Int)
        let inode = try #require(attributes[.systemFileNumber] as? Int)
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        let descriptor = file.fileDescriptor
        #expect(LogForm.of(descriptor, journalStream: "\(device):\(inode)") == .journal)
        // A service that has a journal, and whose standard error was led elsewhere, has the variable too.
        let others = [
            nil, "", "1", "\(device)", "\(device):", "\(device):\(inode)0", "\(device + 1):\(inode)",
            " \(device):\(inode)", "\(inode):\(device)", "x:y", "8:12345",
        ]
        for other in others { #expect(LogForm.of(descriptor, journalStream: other) == .plain) }
    }

    @Test func `a descriptor that is closed is a file like any other`() {
        #expect(LogForm.of(-1, journalStream: "8:12345") == .plain)
    }
}
