internal import Glibc

/// Reads lines from standard input, of a bounded length.
struct TrustLineReader {
    /// The result of a read.
    enum Item {
        case line([UInt8])
        /// A line that was longer than allowed; it was read over.
        case tooLong
    }

    private let maximumLine: Int
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The beginning of the next line.
    private var start = 0
    private var searched = 0
    private var isSkipping = false
    private var isAtEnd = false

    init(maximumLine: Int, descriptor: Int32 = STDIN_FILENO) {
        self.maximumLine = maximumLine
        self.descriptor = descriptor
    }

    /// The next line without its end; nil at the end of the input.
    mutating func next() -> Item? {
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                let line = Array(buffer[start..<end])
                start = end + 1
                searched = start
                if isSkipping {
                    isSkipping = false
                    return .tooLong
                }
                return line.count > maximumLine ? .tooLong : .line(line)
            }
            // Once for each read, not for each line: many short lines cost no more than a long one.
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            if buffer.count > maximumLine {
                isSkipping = true
                buffer.removeAll(keepingCapacity: false)
                searched = 0
            }
            if isAtEnd {
                guard !buffer.isEmpty || isSkipping else { return nil }
                let item: Item = isSkipping ? .tooLong : .line(buffer)
                buffer = []
                searched = 0
                isSkipping = false
                return item
            }
            fill()
        }
    }

    private mutating func fill() {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { return }
        if count <= 0 {
            isAtEnd = true
        } else {
            buffer += chunk.prefix(count)
        }
    }
}
