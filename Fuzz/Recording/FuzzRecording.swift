internal import FuzzKit

@testable import InputRecording

/// Recordings, read and replayed.
///
/// The header and every input that can be read can be written, and the written text reads back as the same text.
@main
enum FuzzRecording {
    static func main() { FuzzProgram.run([FuzzTarget("recording", run)]) }

    private static let epoch = ContinuousClock.now

    static func run(_ input: [UInt8]) {
        guard let reader = try? RecordingReader(bytes: input, epoch: epoch) else { return }
        let header = reader.header
        require((try? RecordingHeader(line: header.line, epoch: epoch)) == header, "the header is another one")
        var replay = RecordingReplay(reader)
        let coder = InputCoder(epoch: epoch)
        var count = 0
        while let step = (try? replay.next()).flatMap(\.self) {
            count += 1
            require(step.recorded.line == count + 1, "the number of a line")
            check(step.recorded, coder)
        }
        require((try? replay.next()).flatMap(\.self) == nil, "something behind the end")
        require(count <= input.count, "more inputs than bytes")
    }

    private static func check(_ recorded: RecordedInput, _ coder: InputCoder) {
        let (sequence, published) = (recorded.sequence, recorded.published)
        guard let text = try? coder.line(recorded.input, sequence: sequence, published: published) else {
            return require(false, "what was read cannot be written")
        }
        guard let again = (try? coder.record(line: text)).flatMap(\.self) else {
            return require(false, "what was written cannot be read")
        }
        require(again.line.seq == sequence, "the number is another one")
        require(again.line.published == published, "the time is another one")
        require(
            (try? coder.line(again.input, sequence: sequence, published: published)) == text,
            "the text is another one"
        )
    }
}
