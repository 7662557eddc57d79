internal import CheckResults
internal import LinuxSupport
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL

/// Maps errors on a connection to findings while a response is pending or being read.
enum HTTPFailure {
    /// Returns the finding for an error.
    static func finding(_ error: any Error, in exchange: HTTPExchange) -> Finding {
        if let finding = TLSFailure.findingAfterHandshake(error, subject: exchange.subject) { return finding }
        let (code, evidence) = meaning(error, exchange)
        return Finding(code, subject: exchange.subject, evidence: evidence)
    }

    /// Returns the finding for a connection that was closed before the response was complete.
    static func end(of exchange: HTTPExchange) -> Finding {
        if let code = exchange.goAway, code != HTTPTwoCode.noError {
            return Finding(
                .httpProtocol,
                subject: exchange.subject,
                evidence: "the server ended the connection with GOAWAY \(HTTPTwoCode.name(code))"
            )
        }
        // A server that shuts down in order, as for a reload, violates nothing (RFC 9113, section 6.8).
        let announcement = exchange.goAway == nil ? "" : ", which the server had announced with GOAWAY"
        guard exchange.hasFirstByte else {
            let evidence = "closed before a response came\(announcement)"
            return Finding(.connectionClosed, subject: exchange.subject, evidence: evidence)
        }
        return Finding(.httpTruncated, subject: exchange.subject, evidence: truncation(exchange) + announcement)
    }

    /// Returns the finding for content that a server sent over HTTP/2 with a response that has none.
    ///
    /// The DATA frames are extraneous, so the response is malformed (RFC 9113, section 8.1.1). Over HTTP/1 such content is
    /// not part of the response (RFC 9112, section 6.3), and is dropped.
    static func extraneousContent(in exchange: HTTPExchange) -> Finding {
        Finding(.httpProtocol, subject: exchange.subject, evidence: HTTPTwoFailure.extraneousContent(exchange))
    }

    /// Returns the finding for content over HTTP/2 whose length is not the announced one (RFC 9113, section 8.1.1).
    static func wrongLength(of exchange: HTTPExchange) -> Finding {
        let evidence = "the body has not the length that Content-Length says"
        return Finding(.httpTruncated, subject: exchange.subject, evidence: evidence)
    }

    private static func truncation(_ exchange: HTTPExchange) -> String {
        guard let response = exchange.response else { return "the connection ended within the header" }
        return "the connection ended after \(response.bodyBytes) bytes of the body"
    }

    private static func meaning(_ error: any Error, _ exchange: HTTPExchange) -> (FindingCode, String) {
        switch error {
        case let error as IOError:
            let text = SystemError(errno: error.errnoCode).description
            let code = SystemFinding.code(error.errnoCode)
            return (code == .connectReset ? .connectionReset : code, text)
        case NIOSSLError.uncleanShutdown:
            let finding = end(of: exchange)
            return (finding.code, finding.evidence + ", without TLS's closure alert")
        case HTTPParserError.headerOverflow:
            return (
                .httpHeaderTooLarge,
                "more than \(exchange.limits.headerBytes) bytes, or than \(exchange.limits.headerCount) fields"
            )
        case HTTPParserError.invalidEOFState:
            let finding = end(of: exchange)
            return (finding.code, finding.evidence)
        case let error as HTTPParserError: return (.httpMalformed, HTTPOneFailure.text(error))
        case is ByteToMessageDecoderError, is NIOHTTPDecoderError:
            return (.httpMalformed, "the response is not HTTP: \(error)")
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof, ChannelError.inputClosed,
            ChannelError.outputClosed:
            let finding = end(of: exchange)
            return (finding.code, finding.evidence)
        default: return HTTPTwoFailure.meaning(error, exchange)
        }
    }
}

/// The errors of the HTTP/1 parser, which has one error for several violations in some cases.
private enum HTTPOneFailure {
    static func text(_ error: HTTPParserError) -> String {
        if error == .invalidConstant { return "the response is not HTTP: it does not begin with 'HTTP/'" }
        let violation =
            switch error {
            case .invalidVersion: "its version is neither 1.0 nor 1.1, or no space follows it"
            case .invalidStatus: "its status is not a number of three digits"
            case .invalidHeaderToken: "a header field has a character that is not allowed, or no colon"
            case .unexpectedContentLength: "it has a second Content-Length field"
            case .invalidContentLength: "Content-Length is not one number, or it comes with Transfer-Encoding"
            case .invalidChunkSize: "the size of a chunk is not a hexadecimal number"
            case .lfExpected, .strictModeAssertion: "a line does not end with CR and LF"
            // The library has one case for several errors of the parser.
            case .unknown:
                "a line does not end with CR and LF, or Transfer-Encoding is invalid or comes with Content-Length"
            default: String(describing: error)
            }
        return "the response breaks the rules of HTTP: \(violation)"
    }
}

/// The errors that only HTTP/2 has.
private enum HTTPTwoFailure {
    static func meaning(_ error: any Error, _ exchange: HTTPExchange) -> (FindingCode, String) {
        switch error {
        case let error as NIOHTTP2Errors.StreamError: return meaning(error.baseError, exchange)
        case let error as NIOHTTP2Errors.StreamClosed:
            // An orderly end of the connection does not explain the reset of one stream.
            if let code = exchange.serverReset, exchange.goAway ?? HTTPTwoCode.noError == HTTPTwoCode.noError {
                return (.httpProtocol, "the server reset the stream with \(HTTPTwoCode.name(code))")
            }
            if exchange.goAway != nil { return ended(exchange) }
            let name = HTTPTwoCode.name(UInt32(clamping: error.errorCode.networkCode))
            return (.httpProtocol, "the server broke HTTP/2: its frames were refused with \(name)")
        // The request came after the server's GOAWAY, which is no violation by the server.
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: return ended(exchange)
        case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock, is NIOHPACKErrors.MaxHeaderListSizeViolation:
            return (.httpHeaderTooLarge, "more than the allowed \(exchange.limits.headerBytes) bytes")
        case is any NIOHTTP2Error: return (.httpProtocol, "the server broke HTTP/2: \(name(of: error))")
        default: return (.httpProtocol, name(of: error))
        }
    }

    private static func ended(_ exchange: HTTPExchange) -> (FindingCode, String) {
        let finding = HTTPFailure.end(of: exchange)
        return (finding.code, finding.evidence)
    }

    static func extraneousContent(_ exchange: HTTPExchange) -> String {
        let status = exchange.response.map { "a response with status \($0.status)" } ?? "a response"
        let response = exchange.request.method == "HEAD" ? "the response to HEAD" : status
        return "the server broke HTTP/2: it sent content with \(response), which has none"
    }

    /// The name of an error, without its values: some are lines of the library's source files.
    private static func name(of error: any Error) -> String { String("\(error)".prefix { $0 != "(" }) }
}

/// The error codes of RFC 9113, section 7.
enum HTTPTwoCode {
    /// NO_ERROR.
    static let noError: UInt32 = 0
    /// HTTP_1_1_REQUIRED.
    static let httpOneRequired: UInt32 = 13

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// Returns the code's name in the RFC.
    static func name(_ code: UInt32) -> String {
        let index = Int(clamping: code)
        return names.indices.contains(index) ? names[index] : "code \(code)"
    }
}
