internal import EventEnvelope
internal import NIOCore

/// The lines of control.sock that are no events.
enum ReplyLine {
    /// A reply whose parameters are one JSON object.
    static func success(_ parameters: [UInt8]) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: parameters.count + 20)
        buffer.writeStaticString(LineForm.replyStart)
        buffer.writeBytes(parameters)
        buffer.writeStaticString("}\n")
        return buffer
    }

    /// An error for people.
    static func failure(_ failure: ControlFailure) -> ByteBuffer {
        error(failure.code) { json in json.member("message", failure.message) }
    }

    /// An error with parameters of its own.
    static func error(_ code: String, _ writeParameters: (inout JSONWriter) -> Void) -> ByteBuffer {
        var json = JSONWriter()
        json.object(writeParameters)
        return error(code, parameters: json.bytes)
    }

    /// An error whose parameters are one JSON object.
    static func error(_ code: String, parameters: [UInt8]) -> ByteBuffer {
        var json = JSONWriter()
        json.object { json in
            json.member("error", code)
            json.name("parameters")
            json.value(parameters)
        }
        var buffer = ByteBuffer(bytes: json.bytes)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return buffer
    }
}
