import AgentEvents
import AgentTestKit
import Glibc
import Sinks
import Testing

/// The ids of messages, and the file of the cursor.
struct CursorTests {
    private let stream = "0123456789abcdef0123456789abcdef"

    private func position(_ generation: UInt32 = 0, _ sequence: UInt64 = 42) throws -> StreamPosition {
        StreamPosition(
            epoch: try #require(StreamEpoch(stream: stream, generation: generation)),
            sequence: sequence,
            time: Timestamp(microsecondsSince1970: 1_700_000_000_123_456)
        )
    }

    @Test("an ID is parsed back to the position that it was made from", arguments: [0, 1, UInt32.max])
    func ids(_ generation: UInt32) throws {
        for sequence in [1, 42, UInt64(Int64.max)] {
            let position = try position(generation, sequence)
            let stored = StoredPosition(id: position.epoch.id(of: sequence), time: position.time.description)
            #expect(StreamPosition(stored) == position)
        }
    }

    @Test(
        "an ID of another origin is not a position",
        arguments: [
            "", "-", "a", "a-", "-1", "a-0", "a-01", "a-+1", "a-1x", "a-9223372036854775808", "a b-1", "a~-1", "a~0-1",
            "a~01-1", "a~4294967296-1", "~1-1", "é-1", String(repeating: "a", count: 300) + "-1",
        ]
    )
    func foreignIDs(_ id: String) {
        #expect(StreamPosition(StoredPosition(id: id, time: "2026-11-21T07:00:00Z")) == nil)
    }

    @Test("a position without a valid time is rejected")
    func foreignTime() {
        #expect(StreamPosition(StoredPosition(id: "a-1", time: "yesterday")) == nil)
    }

    /// A directory that is removed at the end.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try withExtendedLifetime(directory) { try body(directory.path) }
    }

    @Test("a cursor is read back as it was written, and replaced atomically")
    func file() throws {
        try inDirectory { directory in
            let file = SinkCursorFile(sink: "nats", in: directory)
            #expect(file.read() == nil)
            for generation in [0, 3] as [UInt32] {
                let cursor = SinkCursor(broker: "nats://b", device: "edge", position: try position(generation))
                try file.write(cursor)
                #expect(file.read() == cursor)
            }
            #expect(access(file.path + ".tmp", F_OK) != 0)
            file.remove()
            #expect(file.read() == nil)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a cursor that root has written is readable for the owner of the directory`() throws {
        try inDirectory { directory in
            try #require(chown(directory, 1, 2) == 0)
            let file = SinkCursorFile(sink: "nats", in: directory)
            try file.write(SinkCursor(broker: "nats://b", device: "edge", position: try position()))
            var entry = stat()
            #expect(stat(file.path, &entry) == 0 && entry.st_uid == 1 && entry.st_gid == 2)
        }
    }

    @Test func `a cursor keeps the late and the missing events`() throws {
        try inDirectory { directory in
            let file = SinkCursorFile(sink: "nats", in: directory)
            for sequence in [0, 4] as [UInt64] {
                let cursor = SinkCursor(
                    broker: "nats://b",
                    device: "edge",
                    position: try position(2, sequence),
                    late: [5, 7],
                    latePosition: try position(2, 9),
                    missing: [7]
                )
                try file.write(cursor)
                #expect(file.read() == cursor)
            }
        }
    }

    @Test(
        "a file that is not a cursor counts as none",
        arguments: [
            "", "{}", "null", "[", "\u{0}",
            CursorText.file(version: "2"), CursorText.file(stream: ""), CursorText.file(stream: "a b"),
            CursorText.file(sequence: "0"), CursorText.file(sequence: "0", late: "[5]", missing: "[7]"),
            CursorText.file(sequence: "-1"), CursorText.file(sequence: "9223372036854775808"),
            CursorText.file(time: "now"),
            String(repeating: " ", count: 20_000),
        ]
    )
    func garbage(_ text: String) throws {
        try inDirectory { directory in
            let file = SinkCursorFile(sink: "nats", in: directory)
            let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o600)
            defer { close(descriptor) }
            _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            #expect(file.read() == nil)
        }
    }

    @Test("unknown members are ignored")
    func laterVersion() throws {
        #expect(try EventDecoder.decode(SinkCursor.self, from: Array(CursorText.file().utf8)).position.sequence == 1)
    }

    @Test("a directory that cannot be written to is an error, and a FIFO in place of the file does not block")
    func unusable() throws {
        let cursor = SinkCursor(broker: "nats://b", device: "edge", position: try position())
        #expect(throws: (any Error).self) { try SinkCursorFile(sink: "nats", in: "/nonexistent").write(cursor) }
        try inDirectory { directory in
            let file = SinkCursorFile(sink: "nats", in: directory)
            #expect(mkfifo(file.path, 0o600) == 0)
            #expect(file.read() == nil)
        }
    }
}

/// The text of a cursor's file.
private enum CursorText {
    /// A file with one member changed.
    static func file(
        version: String = "1",
        stream: String = "s",
        sequence: String = "1",
        time: String = "2026-11-21T07:00:00Z",
        late: String = "[]",
        missing: String = "[]"
    ) -> String {
        """
        {"version":\(version),"new":[1],"broker":"b","device":"d","stream":"\(stream)","seq":\(sequence),\
        "time":"\(time)","late":\(late),"missing":\(missing)}
        """
    }
}
