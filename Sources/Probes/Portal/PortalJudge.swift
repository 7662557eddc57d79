public import CheckResults

/// Detects, from one check without TLS, a captive portal that answers in the target's place.
///
/// The rules are those that Android and Chromium share: on the open Internet the target answers 204, or 200 without a
/// body; any other response with a status of 2xx or 3xx was injected on the way. The check should be a GET that follows
/// no redirects; if it follows some, its first response counts.
///
/// A redirect from `http` to `https` on the same host is a portal too: a target with such a redirect is no portal
/// check. Responses are not searched for WISPr or `<meta http-equiv="refresh">`: a page is a login page, wherever it
/// leads. A response of this machine itself, to which the target's name has led, is no evidence.
public enum PortalJudge {
    /// Codes of complete responses that only failed the probe's expectations.
    private static let expectationCodes: [FindingCode] = [.httpStatus, .httpContentType, .httpBody, .httpUndecodable]

    /// Returns the evidence of a check for or against a portal.
    ///
    /// - Parameters:
    ///   - report: The report of an HTTP check; any other is unclear.
    ///   - expectsBody: `true` if the probe expects a certain body ("Success", "NetworkManager is online"). Then the
    ///     matching body proves the open Internet, and a response without a body proves nothing.
    public static func evidence(in report: CheckReport, expectsBody: Bool = false) -> PortalEvidence {
        guard let hop = report.hops.first, let response = hop.response else { return unclear(report) }
        let code = report.verdict.code
        guard !hop.leadsToThisMachine else { return PortalEvidence(.unclear, code: code) }
        // The verdict is about the status first, even if the content was refused too.
        let refusals = report.findings.filter { $0.severity == .refusal }.map(\.code)
        let isTooLarge = code == .httpTooLarge || refusals.contains(.httpTooLarge)
        let isDecoded = !isTooLarge && !refusals.contains(.httpContentEncoding)
        let isWhole = isDecoded && (code.map(expectationCodes.contains) ?? true)
        switch response.status {
        case 511: return PortalEvidence(.portal, code: .portalAuthentication)
        case 300..<400: return redirect(response, at: hop.url)
        case 200..<300: break
        default: return unclear(report)
        }
        if expectsBody {
            if report.verdict == .ok { return PortalEvidence(.open) }
            // Portals send bodies of any length; a truncated one may have been the expected one.
            guard isWhole && !isEmpty(response) || isTooLarge else { return unclear(report) }
        } else if response.status == 204 {
            return PortalEvidence(.open)
        } else if response.status == 200, isEmpty(response) {
            return isWhole ? PortalEvidence(.open) : unclear(report)
        }
        return PortalEvidence(.portal, code: isPage(response) ? .portalLoginPage : .portalContent)
    }

    private static func unclear(_ report: CheckReport) -> PortalEvidence {
        let wasAnswered = report.hops.contains { $0.response != nil }
        return PortalEvidence(.unclear, code: report.verdict.code ?? (wasAnswered ? .httpStatus : nil))
    }

    /// Returns whether a response is empty; like Chromium, counts one byte as empty, which some proxies on the way add.
    private static func isEmpty(_ response: ResponseReport) -> Bool {
        if let decoded = response.decodedBodyBytes { return decoded <= 1 }
        // The response to a HEAD has a length and no body.
        let declared = value(of: "content-length", in: response).flatMap { Int($0) } ?? 0
        return max(response.bodyBytes, declared) <= 1
    }

    private static func redirect(_ response: ResponseReport, at place: String) -> PortalEvidence {
        guard let location = value(of: "location", in: response) else {
            return PortalEvidence(.portal, code: .portalContent)
        }
        return PortalEvidence(.portal, code: .portalRedirect, url: PortalURL.resolved(location, at: place))
    }

    private static func isPage(_ response: ResponseReport) -> Bool {
        if let type = value(of: "content-type", in: response) {
            // Portals append arbitrary text to the type.
            let delimiters = Array(";,".utf8)
            let essence = type.utf8.prefix { !delimiters.contains($0) }.filter { $0 != 0x20 && $0 != 0x09 }
                .map(\.lowercasedASCII)
            return essence.elementsEqual("text/html".utf8) || essence.elementsEqual("application/xhtml+xml".utf8)
        }
        guard let body = response.body else { return false }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = body.dropFirst(body.starts(with: mark) ? 3 : 0).drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let beginning = String(decoding: start.prefix(16), as: UTF8.self).lowercased()
        return ["<!doctype html", "<html", "<head", "<title", "<meta", "<script", "<body"].contains {
            beginning.hasPrefix($0)
        }
    }

    private static func value(of name: String, in response: ResponseReport) -> String? {
        response.headers.first { $0.isNamed(name) }?.value
    }
}
